# SPDX-License-Identifier: Apache-2.0
"""The shuffles are the ones that they say they are: from which lane each gets its value, as CUDA's
guide defines it, and how often they are called."""

import pytest

from .programs import rungs

N = 65536


def rung(name):
    return rungs("shuffle")[0][f"shuffle/{name}"]


def drawn_sources(name):
    """For each step, the lane that each lane's value was seen to come from; None where it did not call."""
    found, own = [], []
    for line in rung(name)["drawing"]:
        label, _, sources = line.partition(", from")
        if line.startswith("  lane "):
            own = [int(lane) for lane in line.split()[1:]]
        elif sources and line.startswith("  "):
            found.append([None if source == "-" else lane if source == "own" else int(source)
                          for lane, source in zip(own, sources.split(), strict=True)])
    return found


def drawn(name, what):
    """For each step, what each lane "gets" or "holds"; it holds something before the first, too."""
    return [[int(value) for value in line[15:].split()] for line in rung(name)["drawing"]
            if line[:15].strip() == what]


def up(by, width, lanes):
    return [i - by if i % width >= by else i for i in range(lanes)]


def down(by, width, lanes):
    return [i + by if i % width + by < width else i for i in range(lanes)]


def xor(by, width, lanes):
    return [i ^ by if i ^ by < (i // width + 1) * width else i for i in range(lanes)]


def indexed(source, width, lanes):
    return [i // width * width + source % width for i in range(lanes)]


def masked(mask, sources):
    return [source if mask >> i & 1 else None for i, source in enumerate(sources)]


@pytest.mark.parametrize("name, steps", [
    ("01_up", [up(2, 4, 4)]),
    ("02_down", [down(3, 8, 8)]),
    ("03_xor", [xor(1, 8, 8), xor(4, 4, 8)]),
    ("04_indexed", [indexed(2, 8, 8), indexed(6, 4, 8)]),
    ("05_widths", [down(1, width, 8) for width in (1, 2, 4, 8)]),
    ("06_masks", [masked(0x0f, down(1, 4, 8)), masked(0xf0, down(1, 4, 8))]),
    ("07_scan4", [2 * down(by, 8, 8) for by in (4, 2, 1)]),  # two blocks, each with lanes 0 to 7
    ("09_experiment_2", [up(by, 8, 8) for by in (1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 4)]),
])
def test_each_lane_gets_its_value_from_the_lane_that_the_guide_names(name, steps):
    assert drawn_sources(name) == steps


def test_scan4_shuffles_values_that_stay():
    held = 2 * [8 - lane for lane in range(8)]
    assert drawn("07_scan4", "holds") == 4 * [held]
    assert drawn("07_scan4", "gets") == [[8 - source for source in 2 * down(by, 8, 8)] for by in (4, 2, 1)]


def sums_upward(first, lanes, offsets, guarded=True):
    """What lanes hold, before the first step and after each: groups of 8, which begin with `first`, a lane 1 less."""
    held = [[first - lane for lane in range(lanes)]]
    for by in offsets:
        x = held[-1]
        held.append([x[lane] + x[source] if lane % 8 >= by or not guarded else x[lane]
                     for lane, source in enumerate(up(by, 8, lanes))])
    return held


def test_experiment_1_adds_up_by_1_2_and_4_in_each_group_of_8():
    whole = sums_upward(31, 32, (1, 2, 4))
    assert drawn("08_experiment_1", "holds") == [x[:16] for x in whole] + [x[16:] for x in whole]
    sources = [up(by, 8, 32) for by in (1, 2, 4)]
    assert drawn_sources("08_experiment_1") == [x[:16] for x in sources] + [x[16:] for x in sources]


def test_experiment_2_adds_at_offsets_that_do_not_double_with_its_guard_and_without():
    assert drawn("09_experiment_2", "holds") == (
        sums_upward(8, 8, (1, 2, 3, 4)) + sums_upward(8, 8, (1, 2, 3, 4), guarded=False) +
        sums_upward(8, 8, (1, 2, 4)))


@pytest.mark.parametrize("name, shuffles, additions", [
    ("01_up", 1, 0), ("02_down", 1, 0), ("03_xor", 2, 0), ("04_indexed", 2, 0), ("05_widths", 4, 0),
    ("06_masks", 2, 0), ("07_scan4", 2 * 3, 0),  # values that stay
    ("08_experiment_1", 3, 4 * sum(8 - by for by in (1, 2, 4))),
    ("09_experiment_2", 4 + 4 + 3,
     sum(8 - by for by in (1, 2, 3, 4)) + 4 * 8 + sum(8 - by for by in (1, 2, 4))),
    ("10_through_shared", 0, 5 * N), ("11_reduce", 5 * N // 32, 5 * N), ("12_all_reduce", 5 * N // 32, 5 * N),
    ("13_prefix_sum", 5 * N // 32, N // 32 * sum(32 - by for by in (1, 2, 4, 8, 16)))])
def test_a_step_is_one_shuffle_and_a_lane_adds_what_its_guard_lets_it(name, shuffles, additions):
    assert rung(name)["counts"]["shuffles"] == shuffles
    assert rung(name)["counts"]["operator"] == additions


def test_an_exchange_through_shared_memory_waits_behind_each_store_and_each_read_and_has_no_conflicts():
    counts = rung("10_through_shared")["counts"]
    assert counts["warp_barriers"] == 5 * 2 * N // 32
    assert counts["bank_conflicts"] == counts["barriers"] == 0


def test_shuffles_need_neither_barriers_nor_shared_memory():
    for name in ("11_reduce", "12_all_reduce", "13_prefix_sum"):
        assert rung(name)["counts"]["warp_barriers"] == rung(name)["counts"]["barriers"] == 0


@pytest.mark.parametrize("name, results", [("10_through_shared", N // 32), ("11_reduce", N // 32),
                                           ("12_all_reduce", N), ("13_prefix_sum", N)])
def test_a_reduction_leaves_a_result_a_warp_and_the_others_one_a_lane(name, results):
    assert rung(name)["counts"]["bytes_written"] == 8 * results  # integers are added up in 64 bits
