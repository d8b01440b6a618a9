# SPDX-License-Identifier: Apache-2.0
"""The selections: what they count, the limits of k, and what each change of a rung saves."""

import functools
import math

import pytest

from .programs import lines

INSERTION, PAGE, ANY = "top-k/03_insertion", "top-k/04_coalesced_write_back", "top-k/05_any_write_back"
MANY, COLUMNS, BUCKET_MERGE = "top-k/06_many_elements_a_thread", "top-k/07_columns", "top-k/11_bucket_merge"
OPT_IN, THRESHOLD, LINEAR = "top-k/08_opt_in", "top-k/09_threshold_first", "top-k/10_linear_merge"
BUCKETS, SAMPLE, RADIX = "top-k/12_buckets", "top-k/13_sample", "top-k/14_radix_select"
SORT, TALLY = "top-k/15_full_sort", "top-k/17_tally"
INSERTIONS = [INSERTION, PAGE, ANY, MANY, COLUMNS, OPT_IN, THRESHOLD, LINEAR, BUCKET_MERGE]


@functools.cache
def run(rung, n, k, *options):
    [found], status = lines("tally-ladder-simt", "run", "top-k", "--rung", rung, "--n", str(n), "-k",
                            str(k), "--this-size", *options)
    assert status == 0 and found["verified"] and found["findings"] == []
    return found


def shape(blocks, threads):
    return "--grid", str(blocks), "--block", str(threads)


def count(rung, n, k, name, *options):
    return run(rung, n, k, *options)["counts"][name]


@pytest.mark.parametrize("threads, most", [(256, 48), (128, 96), (64, 192), (32, 384)])
def test_48_kb_of_lists_are_the_limit_of_k_and_none_is_said_to_be_greater(threads, most):
    for rung in (INSERTION, ANY, COLUMNS):
        found = run(rung, 600, 500, *shape(2, threads))
        assert (found["k"], found["most_k"]) == (most, most)
        assert f"{most}" in found["bound"]


@pytest.mark.parametrize("threads, most", [(256, 48), (128, 96), (64, 64), (32, 32)])
def test_a_write_back_by_k_threads_needs_a_thread_for_each_result(threads, most):
    assert run(PAGE, 600, 500, *shape(2, threads))["k"] == most


@pytest.mark.parametrize("threads", [256, 128, 64, 32])
def test_who_asks_for_more_shared_memory_may_have_227_kb_of_an_h100(threads):
    assert run(OPT_IN, 40, 5000, *shape(1, threads))["k"] == 227 * 256 // threads
    assert run(LINEAR, 40, 5000, *shape(1, threads))["k"] == 227 * 1024 // (6 * threads)
    assert run(BUCKET_MERGE, 40, 5000, *shape(1, threads))["k"] == 227 * 1024 // (8 * threads)


def test_the_share_of_threads_that_run_is_the_pages_where_a_block_fills_the_shared_memory():
    drawn = [row.split()[2::2] for row in run(ANY, 100, 5)["drawing"][1:]]
    nano, orin, h100 = zip(*drawn)
    assert nano == ("12.5", "6.25", "3.125", "1.5625")
    threads = (256, 128, 64, 32)  # and each block has 1 KB of its own
    assert [float(x) for x in orin] == pytest.approx(
        [100 * (164 // 49) * t / 1536 for t in threads], rel=1e-4)
    assert [float(x) for x in h100] == [100 * (228 // 49) * t / 2048 for t in threads]


def test_a_block_leaves_k_values_so_that_one_block_reads_up_to_12_times_the_input():
    def written(k, blocks):
        """The lists of the blocks, and of the one that reads them; a note, a count, and the results."""
        return 4 * k * blocks + 4 * k + 4 + 8 + 4 * k

    n, k, threads = 512, 384, 32
    blocks = n // threads
    assert 4 * k * blocks == 12 * 4 * n
    assert count(ANY, n, k, "bytes_written", *shape(blocks, threads)) == written(k, blocks)
    # As many blocks as run at once leave no more for more elements.
    assert count(ANY, 4096, 10, "bytes_written") == written(10, 4096 // 64)
    assert count(MANY, 4096, 10, "bytes_written") == written(10, 8)


def test_a_thread_an_element_is_as_many_blocks_as_that_takes():
    for rung in (INSERTION, PAGE, ANY, "top-k/01_maximum"):
        found = run(rung, 5000, 1)
        assert found["grid"] == math.ceil(5000 / found["block"])
    assert run(MANY, 5000, 1)["grid"] == 8


def test_a_list_that_is_merged_is_its_threads_own_and_stored_in_shared_memory_behind_a_barrier():
    # One before the tree, two a level, in each block and in the one that reads what they leave.
    levels, blocks = 6, 4
    for rung in (INSERTION, PAGE, ANY):
        assert count(rung, 256, 5, "barriers", *shape(blocks, 64)) - 1 == (blocks + 1) * (1 + 2 * levels)
    # Another's words are read and the own stored: k each, gcd(k, 32) lanes to a bank. Lists that are
    # inserted into where they lie are read and written up to k^2 times.
    k, trees = 32, 2
    stored = 2 * k + sum(2 * k * math.ceil(2 ** level / 32) for level in range(6))
    most = trees * stored * (math.gcd(k, 32) - 1)
    assert count(PAGE, 64, k, "bank_conflicts", *shape(1, 64)) <= most


def sectors(first, words):
    """Sectors of one request for neighbours, 8 words each."""
    return (first + words - 1) // 8 - first // 8 + 1


@pytest.mark.parametrize("k, by_threads", [(10, 2), (40, 7), (48, 8), (64, 10)])
def test_a_loop_writes_back_a_sector_an_element_and_k_threads_one_for_8(k, by_threads):
    # The lists of the blocks, and of the one that reads them, lie behind a note of 4 words.
    threads, blocks = 64, 5
    for block in range(blocks + 1):
        first = 4 + block * k
        assert by_threads == sum(sectors(first + lane, min(32, k - lane)) for lane in range(0, k, 32))
    loop, k_threads = (run(rung, blocks * threads, k, *shape(blocks, threads))["counts"]
                       for rung in (INSERTION, PAGE))
    assert loop["sectors"] - k_threads["sectors"] == (blocks + 1) * (k - by_threads)
    assert loop["bytes_written"] == k_threads["bytes_written"]


def test_one_barrier_a_level_is_enough_for_a_maximum():
    two, one = (run(f"top-k/{name}", 5000, 1, *shape(8, 128))["counts"]
                for name in ("01_maximum", "02_one_barrier"))
    levels, blocks, writes_result = 7, 8, 1
    assert two["barriers"] == blocks * (1 + 2 * levels) + writes_result
    assert one["barriers"] == blocks * (1 + levels) + writes_result
    assert two["atomics"] == one["atomics"] == blocks


@pytest.mark.parametrize("k", [16, 32])
def test_lists_side_by_side_have_hardly_any_bank_conflicts(k):
    rows, columns = (count(rung, 4000, k, "bank_conflicts", *shape(8, 128)) for rung in (ANY, COLUMNS))
    assert columns < rows / 10
    # That much for writing the lists alone: those of 4 warps in each of 9 blocks.
    assert rows > 9 * 4 * k * (math.gcd(k, 32) - 1)
    # A list is merged where it lies: one barrier before the tree, one a level, one for the result.
    assert count(COLUMNS, 4000, k, "barriers", *shape(8, 128)) == 9 * (1 + 7) + 1


@pytest.mark.parametrize("options", [(), ("--repeats",)])
def test_the_threshold_first_saves_what_the_page_does_to_reject(options):
    n, k = 16384, 20
    page, first = (count(rung, n, k, "operator", *shape(1, 32), *options) for rung in (OPT_IN, THRESHOLD))
    assert first < page
    if not options:  # the page looks through its list of k for each element, and at its end
        assert page > n * (k + 1) and n < first < page / 5


def test_a_linear_merge_takes_k_comparisons_where_insertions_take_k_squared():
    def saved(k):
        return (count(THRESHOLD, 4096, k, "operator", *shape(1, 64))
                - count(LINEAR, 4096, k, "operator", *shape(1, 64)))

    assert saved(32) > 4 * saved(8) > 0
    # An element a thread is better than the k places of its list; then k lists are merged, twice.
    k = threads = 64
    inserted, merged = threads * k, (threads - 1) * k
    assert count(LINEAR, threads, k, "operator", *shape(1, threads)) == 2 * (inserted + merged)


@pytest.mark.parametrize("k", [10, 47, 113])
def test_buckets_leave_somewhat_more_than_half_of_two_pointers_comparisons(k):
    threads, blocks = 64, 8
    merges = (blocks + 1) * (threads - 1)
    saved = (count(LINEAR, 16384, k, "operator", *shape(blocks, threads))
             - count(BUCKET_MERGE, 16384, k, "operator", *shape(blocks, threads)))
    found = k - saved / merges - 2  # for the ends of the range
    assert k / 2 < found < k * 2 / 3


@pytest.mark.parametrize("rung", [BUCKETS, SAMPLE, RADIX])
def test_what_looks_for_the_cut_reads_about_as_much_for_any_k(rung):
    few, many = (count(rung, 8192, k, "sectors") for k in (10, 1000))
    assert many < 3 * few


def comparisons_of_sort(n):
    """Comparisons of n entries by a block, whose bitonic network is for 2048: those with both places among the n."""
    distances = [d for size in (2 ** i for i in range(1, 12))
                 for d in (size - 1, *(size >> i for i in range(2, size.bit_length())))]
    return sum(i ^ d < i for d in distances for i in range(n))


@pytest.mark.parametrize("k", [10, 1000])
def test_a_cut_takes_a_pass_or_two_and_buckets_one_more_for_their_ends(k):
    # 32 of evenly spread elements are left after 8 digits, and one after 16; of 1024 buckets 8, and one.
    n = 8192
    radix, buckets = (count(rung, n, k, "operator") - comparisons_of_sort(k) for rung in (RADIX, BUCKETS))
    assert radix in (n, 2 * n) and buckets == radix + n


def test_a_sample_leaves_little_to_look_at():
    n, whole = 65536, 65536 // 8  # sectors
    assert count(RADIX, n, 10, "sectors") > 3 * whole
    # All of it by who copies what is left; a sample of 2048, each in a sector of its own; the rest
    # is little.
    assert count(SAMPLE, n, 10, "sectors") < 2 * whole


def test_a_full_sort_compares_more_than_all_others():
    n = 16384
    assert count(SORT, n, 10, "operator") == n // 2 * 14 * 15 // 2
    assert all(count(rung, n, 10, "operator") < count(SORT, n, 10, "operator") / 2
               for rung in (COLUMNS, THRESHOLD, LINEAR, RADIX))


@pytest.mark.parametrize("operator", ["min", "max"])
@pytest.mark.parametrize("k", [1, 47])
def test_every_selection_selects_the_least_and_the_greatest(operator, k):
    found, status = lines("tally-ladder-simt", "run", "top-k", "--operator", operator, "-k", str(k),
                          "--n", "3001", "--this-size")
    assert len(found) == 16 and {row["op"] for row in found} == {operator}
    assert status == 0 and all(row["verified"] and row["findings"] == [] for row in found)


@pytest.mark.parametrize("operator", ["min", "max"])
def test_insertions_take_equal_elements_once_if_asked(operator):
    found, status = lines("tally-ladder-simt", "run", "top-k", "--distinct", "--operator", operator,
                          "-k", "30", "--n", "3001", "--this-size")
    assert status == 0 and [row["id"] for row in found] == INSERTIONS
    assert all(row["distinct"] and row["verified"] and row["findings"] == [] for row in found)


@pytest.mark.parametrize("rung", [BUCKETS, SAMPLE, RADIX, SORT, TALLY])
@pytest.mark.parametrize("n, k", [(3000, 2047), (2999, 2999), (5000, 4097)])
def test_those_that_keep_no_lists_take_any_k(rung, n, k):
    assert run(rung, n, k)["k"] == k
    # Tally's own reads each element once, and nothing that it left in memory; the others read again.
    read = count(rung, n, k, "bytes_read")
    assert read == 4 * n if rung == TALLY else read > 2 * 4 * n
