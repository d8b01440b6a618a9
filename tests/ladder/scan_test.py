# SPDX-License-Identifier: Apache-2.0
"""The scans: what they are applied to and how often, their limits, and their steps as they were noted."""

import functools
import json
import math

import pytest

from .programs import ROOT, lines, rungs

SERIAL = "scan/01_serial"
KOGGE_STONE, HILLIS_STEELE = "scan/03_kogge_stone", "scan/04_hillis_steele"
SKLANSKY, LADNER_FISCHER = "scan/05_sklansky", "scan/06_ladner_fischer"
BRENT_KUNG, PADDED = "scan/07_brent_kung", "scan/08_padded"
BLELLOCH, COARSENED = "scan/09_blelloch", "scan/10_coarsened"
NETWORKS = [KOGGE_STONE, HILLIS_STEELE, SKLANSKY, LADNER_FISCHER, BRENT_KUNG, PADDED, BLELLOCH, COARSENED]
ANY_N = ["scan/14_reduce_then_scan", "scan/15_chained", "scan/16_decoupled_look_back"]


@functools.cache
def run(rung, n, *options):
    [found], status = lines("tally-ladder-simt", "run", "scan", "--rung", rung, "--n", str(n),
                            "--this-size", *options)
    assert status == 0 and found["verified"] and found["findings"] == []
    return found


def applications(rung, n):
    return run(rung, n)["counts"]["operator"]


@pytest.mark.parametrize("n", [1, 2, 15, 16, 1000])
def test_one_thread_applies_the_operator_once_less_than_there_are_elements(n):
    assert applications(SERIAL, n) == n - 1


@pytest.mark.parametrize("n", [1, 2, 15, 16, 1000])
def test_one_thread_an_output_takes_a_square_of_applications(n):
    assert applications("scan/02_one_thread_an_output", n) == n * (n - 1) // 2


def test_the_last_of_these_threads_applies_the_operator_once_less_than_there_are_elements():
    # Not (n - 1) (n - 2) / 2 times, as the page has it.
    first = "scan/02_one_thread_an_output"
    assert applications(first, 16) - applications(first, 15) == 16 - 1


@pytest.mark.parametrize("rung", [KOGGE_STONE, HILLIS_STEELE])
@pytest.mark.parametrize("n, pages", [(2, 1), (16, 49), (256, 1793), (1024, 9217)])
def test_kogge_stone_applies_the_operator_as_often_as_its_formula_says(rung, n, pages):
    assert applications(rung, n) == pages == n * int(math.log2(n)) - (n - 1)


@pytest.mark.parametrize("rung", [BRENT_KUNG, PADDED])
@pytest.mark.parametrize("n, pages", [(2, 1), (16, 26), (256, 502), (1024, 2036), (2048, 4083)])
def test_brent_kung_applies_the_operator_as_often_as_its_formula_says(rung, n, pages):
    assert applications(rung, n) == pages == 2 * n - 2 - int(math.log2(n))


@pytest.mark.parametrize("n", [2, 16, 256, 1024, 2048])
def test_the_pages_neighbours_apply_the_operator_as_often_as_their_formulas_say(n):
    steps = int(math.log2(n))
    assert applications(SKLANSKY, n) == n // 2 * steps
    assert applications(LADNER_FISCHER, n) == n - 1 + n * (steps - 1) // 4
    assert applications(BLELLOCH, n) == 2 * (n - 1)


@pytest.mark.parametrize("n", [1, 9, 10, 100, 1024])
def test_a_coarsened_scan_applies_it_in_runs_of_9_over_the_runs_and_in_the_runs_again(n):
    runs = -(-n // 9)
    over = sum(runs - 2**k for k in range(runs.bit_length()) if 2**k < runs)
    again = max(n - 9, 0) - (runs - 1)
    assert applications(COARSENED, n) == n - runs + over + again


@pytest.mark.parametrize("rung, barriers", [
    (KOGGE_STONE, 2 * 10), (HILLIS_STEELE, 10), (SKLANSKY, 10), (LADNER_FISCHER, 10 + 1),
    (BRENT_KUNG, 10 + 9), (PADDED, 10 + 9), (BLELLOCH, 10 + 1 + 10),
    (COARSENED, 1 + 2 * 7 + 1),  # 114 runs
    ("scan/11_shuffles", 1)])
def test_a_step_is_a_barrier_or_two(rung, barriers):
    assert run(rung, 1024)["counts"]["barriers"] == barriers + 1  # and one behind what brings the elements


@pytest.mark.parametrize("rung, threads", [
    (KOGGE_STONE, 1024), (HILLIS_STEELE, 1024), (SKLANSKY, 512), (LADNER_FISCHER, 512),
    (BRENT_KUNG, 512), (BLELLOCH, 512), (COARSENED, 128)])
def test_a_block_has_the_threads_that_1024_elements_take(rung, threads):
    found = rungs("scan")[0][rung]
    assert (found["n"], found["grid"], found["block"]) == (1024, 1, threads)


def test_shuffles_take_the_place_of_all_but_the_exchange_between_warps():
    counts = run("scan/11_shuffles", 1024)["counts"]
    assert counts["shuffles"] == (32 + 1) * 5
    assert counts["operator"] == (32 + 1) * sum(32 - by for by in (1, 2, 4, 8, 16)) + (1024 - 32)
    assert counts["warp_barriers"] == 0


def test_an_exclusive_scan_is_made_of_an_inclusive_one_for_nothing_and_the_other_way_takes_n():
    inclusive, exclusive, again = (applications(f"scan/{name}", 1024) for name in (
        "11_shuffles", "12_exclusive_from_inclusive", "13_inclusive_from_exclusive"))
    assert exclusive == inclusive and again == exclusive + 1024


@pytest.mark.parametrize("rung, limit", [
    *((rung, 1024) for rung in (KOGGE_STONE, HILLIS_STEELE)), *((rung, 2048) for rung in NETWORKS[2:])])
def test_what_one_block_can_do_is_said_and_not_exceeded(rung, limit):
    found = run(rung, 5000)
    assert (found["limit"], found["n"]) == (limit, limit)
    assert f"at most {limit}" in found["bound"]
    assert run(ANY_N[0], 5000)["limit"] is None


def conflicts(places):
    """Passes over shared memory beyond the necessary ones, of a warp whose lanes are at these words."""
    lanes_in_bank = [sum(place % 32 == bank for place in places) for bank in range(32)]
    return max(max(lanes_in_bank) - 1, 0)


def brent_kung_conflicts(n, place):
    """Of two reads and a write in each step."""
    total = 0
    for offsets, strides in (((-1, 0), [2**k for k in range(11)]),
                             ((0, 1), [2**k for k in reversed(range(10))])):
        for stride in strides:
            for warp in range(32):
                ends = [(warp * 32 + lane + 1) * 2 * stride - 1 for lane in range(32)]
                ends = [end for end in ends if end + offsets[1] * stride < n]
                reads = [conflicts([place(end + by * stride) for end in ends]) for by in offsets]
                total += sum(reads) + reads[1]
    return total


def sklansky_conflicts(count, place):
    """Conflicts of two reads and a write in each step, of which the first is of the last place of a group."""
    total, groups = 0, [2**k for k in range(11) if 2**k < count]
    for group in groups:
        for warp in range(32):
            threads = range(warp * 32, warp * 32 + 32)
            begins = [(2 * (t // group) + 1) * group for t in threads]
            takers = [(begin, begin + t % group) for t, begin in zip(threads, begins)]
            takers = [(begin, to) for begin, to in takers if to < count]
            read = conflicts({place(begin - 1) for begin, _ in takers})  # who reads one word gets it together
            total += read + 2 * conflicts([place(to) for _, to in takers])
    return total


def test_conflicts_of_sklansky_end_with_groups_as_long_as_a_warp_and_ladner_fischer_has_more():
    assert run(SKLANSKY, 1024)["counts"]["bank_conflicts"] == sklansky_conflicts(1024, lambda i: i) == 5 * 3 * 16
    neighbours = 3 * 16 + 3 * 16 - 3  # before and after: two lanes a bank, but the last thread has none to give to
    among = sklansky_conflicts(512, lambda i: 2 * i + 1)
    assert run(LADNER_FISCHER, 1024)["counts"]["bank_conflicts"] == pytest.approx(neighbours + among, abs=3)


@pytest.mark.parametrize("rung, predicted", [
    (SKLANSKY, sklansky_conflicts(2048, lambda i: i)), (BRENT_KUNG, brent_kung_conflicts(2048, lambda i: i)),
    (PADDED, brent_kung_conflicts(2048, lambda i: i + i // 32))])
def test_a_gpu_counted_the_conflicts_that_the_places_make(rung, predicted):
    counts = json.loads((ROOT / "results" / "counts_against_ncu.json").read_text())["rows"]
    assert [row["ncu"]["bank_conflicts"] for row in counts if row["rung"] == rung] == [predicted]


@pytest.mark.parametrize("rung", [KOGGE_STONE, HILLIS_STEELE, COARSENED])
def test_neighbours_that_take_from_neighbours_and_odd_runs_meet_in_no_bank(rung):
    assert run(rung, 1024)["counts"]["bank_conflicts"] == 0


def test_bank_conflicts_are_those_of_the_places_and_padding_avoids_most_of_them():
    found = [run(rung, 2048)["counts"]["bank_conflicts"] for rung in (BRENT_KUNG, PADDED)]
    # On the way down lanes join in late; the machine pairs their first visits with others' second.
    assert found == pytest.approx([brent_kung_conflicts(2048, place) for place in (
        lambda i: i, lambda i: i + i // 32)], rel=0.1)
    assert found[1] < found[0] / 10


@pytest.mark.parametrize("rung, least, most", [
    (ANY_N[0], 1.5, 1.51), (ANY_N[1], 1, 1.01), (ANY_N[2], 1, 1.02), ("scan/18_tally", 1, 1.001),
    ("scan/19_ranks", 1.5, 1.51)])
def test_a_scan_in_one_pass_reads_each_element_once_and_in_two_twice(rung, least, most):
    found = rungs("scan")[0][rung]
    assert least <= 32 * found["counts"]["sectors"] / found["bytes"] <= most


def test_a_chain_asks_one_tile_and_a_look_back_a_warp_of_them():
    n, threads, a_thread = 65_536, 128, 11
    tiles, warps = -(-n // (threads * a_thread)), threads // 32
    chained, looking = (rungs("scan")[0][rung]["counts"] for rung in ANY_N[1:])
    # Each warp's scan, the first one's over the warps, and what the thread before has.
    of_tile = 5 * (warps + 1) + warps
    assert chained["shuffles"] == tiles * of_tile
    # A vote and five shuffles put a warp's 32 tiles together, behind a barrier of the warp.
    assert looking["shuffles"] == tiles * of_tile + 6 * looking["warp_barriers"]
    assert looking["warp_barriers"] >= tiles - 1 and chained["warp_barriers"] == 0
    # What a thread folds, the scans of warps, the warps before, the tile's prefix; then each result.
    folds = n - -(-n // a_thread)
    scans = tiles * ((warps + 1) * (5 * 32 - 31) + threads - 32 + 1)
    results = tiles * threads + n
    assert chained["operator"] == folds + scans + results + 1  # and the total of all


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("operator", ["sum", "min", "max", "recurrence"])
def test_every_scan_takes_every_operator_also_one_that_does_not_commute(operator, dtype):
    found, status = lines("tally-ladder-simt", "run", "scan", "--operator", operator, "--dtype",
                          dtype, "--n", "1025", "--this-size")
    assert len(found) == 18 and {row["op"] for row in found} == {operator}
    assert status == 0 and all(row["verified"] and row["findings"] == [] for row in found)


@pytest.mark.parametrize("rung", ANY_N)
@pytest.mark.parametrize("grid, block", [(1, 1), (1, 1024), (2, 33), (50, 64), (300, 32)])
def test_scans_of_any_n_take_any_shape(rung, grid, block):
    found = run(rung, 30_011, "--grid", str(grid), "--block", str(block), "--operator", "recurrence")
    assert (found["grid"], found["block"]) == (grid, block)


def steps(rung):
    return run(rung, 16)["steps"]


def joined(left, right):
    """What two rows of places come to, of which the second follows the first, or either is nothing."""
    if left[1] < left[0] or right[1] < right[0]:
        return right if left[1] < left[0] else left
    assert left[1] + 1 == right[0]
    return left[0], right[1]


@pytest.mark.parametrize("rung", [SERIAL, *NETWORKS])
def test_each_step_gives_a_place_what_two_held_before_it(rung):
    held = [(place, place) for place in range(16)]
    for step in steps(rung):
        before = list(held)
        assert len({to for _, to, *_ in step}) == len(step)
        for source, to, first, last, copied in step:
            if copied:
                assert (first, last) == before[source] or (source == to and last < first)
            else:  # what is handed down goes before
                one, other = before[source], before[to]
                assert (first, last) == (joined(other, one) if rung == BLELLOCH and one[0] > other[1]
                                         else joined(one, other))
            held[to] = first, last
    assert [one for one in held] == [(0, place - (rung == BLELLOCH)) for place in range(16)]


@pytest.mark.parametrize("rung, said", [
    (SERIAL, "15 steps, 15 applications, fan-out 1"),
    (KOGGE_STONE, "4 steps, 49 applications, fan-out 1"),
    (HILLIS_STEELE, "4 steps, 49 applications, fan-out 1"),
    (SKLANSKY, "4 steps, 32 applications, fan-out 8"),
    (LADNER_FISCHER, "5 steps, 27 applications, fan-out 4"),
    (BRENT_KUNG, "7 steps, 26 applications, fan-out 1"),
    (PADDED, "7 steps, 26 applications, fan-out 1"),
    (BLELLOCH, "9 steps, 30 applications, fan-out 1"),
    (COARSENED, "8 steps, 26 applications, fan-out 1")])
def test_steps_applications_and_fan_out_are_said(rung, said):
    assert run(rung, 16)["drawing"][-1] == said


def pairs(rung):
    return [[(source, to) for source, to, *_ in step] for step in steps(rung)]


@pytest.mark.parametrize("rung", [KOGGE_STONE, HILLIS_STEELE])
def test_kogge_stones_distances_double(rung):
    assert pairs(rung) == [[(to - 2**k, to) for to in range(2**k, 16)] for k in range(4)]


def test_one_threads_steps_are_noted():
    assert pairs(SERIAL) == [[(i, i + 1)] for i in range(15)]


def test_sklanskys_groups_double_and_each_ends_in_what_the_next_takes():
    assert pairs(SKLANSKY) == [[(to // g * g - 1, to) for to in range(16) if to // g % 2]
                               for g in (1, 2, 4, 8)]


def test_ladner_and_fischers_steps_are_sklanskys_between_neighbours():
    among = [[(2 * (to // g * g) - 1, 2 * to + 1) for to in range(8) if to // g % 2] for g in (1, 2, 4)]
    assert pairs(LADNER_FISCHER) == [[(to - 1, to) for to in range(1, 16, 2)], *among,
                                     [(to - 1, to) for to in range(2, 16, 2)]]


UP = [[(to - s, to) for to in range(2 * s - 1, 16, 2 * s)] for s in (1, 2, 4, 8)]


@pytest.mark.parametrize("rung", [BRENT_KUNG, PADDED])
def test_brent_kungs_steps_are_noted(rung):
    down = [[(to - s, to) for to in range(3 * s - 1, 16, 2 * s)] for s in (4, 2, 1)]
    assert pairs(rung) == UP + down  # distances double; there is none of 3
    assert len(pairs(rung)[-1]) == 7  # threads 0 to 6


def test_blellochs_way_down_begins_with_the_identity_and_swaps():
    found = pairs(BLELLOCH)
    assert found[:5] == [*UP, [(15, 15)]]
    assert [sorted(step) for step in found[5:]] == [
        sorted(pair for to in range(2 * s - 1, 16, 2 * s) for pair in ((to - s, to), (to, to - s)))
        for s in (8, 4, 2, 1)]


def test_a_coarsened_scan_is_serial_in_runs_and_kogge_stone_over_them():
    runs = [[(begin + i, begin + i + 1) for begin in range(0, 16, 4)] for i in range(3)]
    over = [[(end - by, end) for end in range(3 + by, 16, 4)] for by in (4, 8)]
    again = [[(begin - 1, begin + i) for begin in range(4, 16, 4)] for i in range(3)]
    assert pairs(COARSENED) == runs + over + again


@pytest.mark.parametrize("rung", [SERIAL, *NETWORKS[:-1]])  # the last is drawn with shorter runs
def test_a_combination_is_noted_for_each_application(rung):
    assert sum(not copied for step in steps(rung) for *_, copied in step) == applications(rung, 16)


@pytest.mark.parametrize("rung", [SERIAL, *NETWORKS])
def test_what_places_hold_is_drawn(rung):
    drawing = run(rung, 16)["drawing"]
    assert drawing[0].split() == ["place", *map(str, range(16))]
    ends = ["none", "0"] if rung == BLELLOCH else ["0"]
    ends += [f"0-{place}" for place in range(1, 16)]
    assert drawing[-2].split() == ["holds", *ends[:16]]
    assert drawing[1].split()[:5] == ["step", "1", "from", ".", "0"]
    assert len(drawing) == 1 + 2 * len(steps(rung)) + 1
