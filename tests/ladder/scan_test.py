# SPDX-License-Identifier: Apache-2.0
"""The scans: what they are applied to and how often, their limits, and their steps as they were noted."""

import functools
import math

import pytest

from .programs import lines, rungs

KOGGE_STONE, BRENT_KUNG, PADDED = "scan/03_kogge_stone", "scan/07_brent_kung", "scan/08_padded"
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
def test_one_thread_an_output_takes_a_square_of_applications(n):
    assert applications("scan/02_one_thread_an_output", n) == n * (n - 1) // 2


def test_the_last_of_these_threads_applies_the_operator_once_less_than_there_are_elements():
    # Not (n - 1) (n - 2) / 2 times, as the page has it.
    first = "scan/02_one_thread_an_output"
    assert applications(first, 16) - applications(first, 15) == 16 - 1


@pytest.mark.parametrize("n, pages", [(2, 1), (16, 49), (256, 1793), (1024, 9217)])
def test_kogge_stone_applies_the_operator_as_often_as_its_formula_says(n, pages):
    assert applications(KOGGE_STONE, n) == pages == n * int(math.log2(n)) - (n - 1)


@pytest.mark.parametrize("rung", [BRENT_KUNG, PADDED])
@pytest.mark.parametrize("n, pages", [(2, 1), (16, 26), (256, 502), (1024, 2036), (2048, 4083)])
def test_brent_kung_applies_the_operator_as_often_as_its_formula_says(rung, n, pages):
    assert applications(rung, n) == pages == 2 * n - 2 - int(math.log2(n))


def test_an_exclusive_scan_is_made_of_an_inclusive_one_for_nothing_and_the_other_way_takes_n():
    inclusive, exclusive, again = (applications(f"scan/{name}", 1024) for name in (
        "11_shuffles", "12_exclusive_from_inclusive", "13_inclusive_from_exclusive"))
    assert exclusive == inclusive and again == exclusive + 1024


@pytest.mark.parametrize("rung, limit", [(KOGGE_STONE, 1024), (BRENT_KUNG, 2048)])
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


def test_bank_conflicts_are_those_of_the_places_and_padding_avoids_most_of_them():
    found = [run(rung, 2048)["counts"]["bank_conflicts"] for rung in (BRENT_KUNG, PADDED)]
    # On the way down lanes join in late; the machine pairs their first visits with others' second.
    assert found == pytest.approx([brent_kung_conflicts(2048, place) for place in (
        lambda i: i, lambda i: i + i // 32)], rel=0.1)
    assert found[1] < found[0] / 10


@pytest.mark.parametrize("rung, least, most", [
    (ANY_N[0], 1.5, 1.51), (ANY_N[1], 1, 1.01), (ANY_N[2], 1, 1.02), ("scan/18_tally", 1, 1.001)])
def test_a_scan_in_one_pass_reads_each_element_once_and_in_two_twice(rung, least, most):
    found = rungs("scan")[0][rung]
    assert least <= 32 * found["counts"]["sectors"] / found["bytes"] <= most


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("operator", ["sum", "min", "max", "recurrence"])
def test_every_scan_takes_every_operator_also_one_that_does_not_commute(operator, dtype):
    found, status = lines("tally-ladder-simt", "run", "scan", "--operator", operator, "--dtype",
                          dtype, "--n", "1025", "--this-size")
    assert len(found) == 11 and {row["op"] for row in found} == {operator}
    assert status == 0 and all(row["verified"] and row["findings"] == [] for row in found)


@pytest.mark.parametrize("rung", ANY_N)
@pytest.mark.parametrize("grid, block", [(1, 1), (1, 1024), (2, 33), (50, 64), (300, 32)])
def test_scans_of_any_n_take_any_shape(rung, grid, block):
    found = run(rung, 30_011, "--grid", str(grid), "--block", str(block), "--operator", "recurrence")
    assert (found["grid"], found["block"]) == (grid, block)


def steps(rung):
    return run(rung, 16)["steps"]


def test_kogge_stones_steps_are_noted():
    assert [[(to - 2**k, to, max(to - 2 ** (k + 1) + 1, 0)) for to in range(2**k, 16)]
            for k in range(4)] == [[tuple(one) for one in step] for step in steps(KOGGE_STONE)]


def test_brent_kungs_steps_are_noted():
    found = [[(source, to) for source, to, _ in step] for step in steps(BRENT_KUNG)]
    up = [[(to - s, to) for to in range(2 * s - 1, 16, 2 * s)] for s in (1, 2, 4, 8)]
    down = [[(to - s, to) for to in range(3 * s - 1, 16, 2 * s)] for s in (4, 2, 1)]
    assert found == up + down  # distances double; there is none of 3
    assert len(found[-1]) == 7  # threads 0 to 6


@pytest.mark.parametrize("rung", [KOGGE_STONE, BRENT_KUNG])
def test_a_combination_is_noted_for_each_application(rung):
    assert sum(map(len, steps(rung))) == applications(rung, 16)


@pytest.mark.parametrize("rung", [KOGGE_STONE, BRENT_KUNG])
def test_what_places_hold_is_drawn(rung):
    drawing = run(rung, 16)["drawing"]
    assert drawing[0].split() == ["place", *map(str, range(16))]
    assert drawing[-1].split() == ["holds", "0", *(f"0-{place}" for place in range(1, 16))]
    assert drawing[1].split()[:6] == ["step", "1", "from", ".", "0", {KOGGE_STONE: "1"}.get(rung, ".")]
    assert len(drawing) == 1 + 2 * len(steps(rung))
