# SPDX-License-Identifier: Apache-2.0
"""The shuffles are the ones that they say they are: from which lane each gets its value, as CUDA's
guide defines it, and how often they are called."""

import pytest

from .programs import rungs

N = 65536


def rung(name):
    return rungs("shuffle")[0][f"shuffle/{name}"]


def drawn_sources(name):
    """Of each step, the lane that each lane's value was seen to come from; None where it did not call."""
    found = []
    for line in rung(name)["drawing"]:
        label, _, lanes = line.partition(", from")
        if lanes and line.startswith("  "):
            found.append([None if lane == "-" else i if lane == "own" else int(lane)
                          for i, lane in enumerate(lanes.split())])
    return found


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
    seen = [[source if source is None or name != "07_scan4" else source % 8 for source in step]
            for step in drawn_sources(name)]
    assert seen == steps


def test_experiment_1_shuffles_up_by_1_2_and_4_in_groups_of_8():
    seen = drawn_sources("08_experiment_1")  # half a warp on a line
    halves = [[source - first if source >= first else source for source in step]
              for first, steps in ((0, seen[:3]), (16, seen[3:])) for step in steps]
    assert [half[:8] for half in halves[:3]] == [up(by, 8, 8) for by in (1, 2, 4)]


@pytest.mark.parametrize("name, calls", [
    ("01_up", 1), ("02_down", 1), ("03_xor", 2), ("04_indexed", 2), ("05_widths", 4), ("06_masks", 2),
    ("07_scan4", 2 * 3), ("08_experiment_1", 3), ("09_experiment_2", 4 + 4 + 3),
    ("10_through_shared", 0),
    ("11_reduce", 5 * N // 32), ("12_all_reduce", 5 * N // 32), ("13_prefix_sum", 5 * N // 32)])
def test_a_step_is_one_shuffle(name, calls):
    assert rung(name)["counts"]["shuffles"] == calls


@pytest.mark.parametrize("name, additions", [
    ("07_scan4", 0),  # values that stay
    ("08_experiment_1", 4 * sum(8 - by for by in (1, 2, 4))),
    ("09_experiment_2", sum(8 - by for by in (1, 2, 3, 4)) + 4 * 8 + sum(8 - by for by in (1, 2, 4))),
    ("10_through_shared", 5 * N), ("11_reduce", 5 * N), ("12_all_reduce", 5 * N),
    ("13_prefix_sum", N // 32 * sum(32 - by for by in (1, 2, 4, 8, 16)))])
def test_a_lane_adds_what_its_guard_lets_it(name, additions):
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
