# SPDX-License-Identifier: Apache-2.0
"""The reductions are the algorithms that they say they are: what each must count, from the page."""

import pytest

from .programs import lines, rungs

N, BLOCKS, THREADS = 65536, 8, 128
WARPS, LEVELS = THREADS // 32, 7
TREES = BLOCKS + 1  # one a block, and one of what the blocks leave


def count(rung, name):
    return rungs("reduce")[0][f"reduce/{rung}"]["counts"][name]


def test_the_shape_is_what_these_tests_take_it_for():
    for name in ("02_two_passes", "09_butterfly", "10_shuffle"):
        rung = rungs("reduce")[0][f"reduce/{name}"]
        assert (rung["n"], rung["grid"], rung["block"]) == (N, BLOCKS, THREADS)


def test_one_thread_has_no_one_to_wait_for():
    for what in ("barriers", "warp_barriers", "shuffles", "atomics"):
        assert count("01_one_thread", what) == 0
    assert count("01_one_thread", "sectors") == N + 1  # no lane beside it reads, and it writes once
    assert count("01_one_thread", "operator") == N


@pytest.mark.parametrize("rung, sectors", [("02_two_passes", N), ("03_interleaved", N // 8)])
def test_chunks_cost_a_sector_an_element_turns_an_eighth_and_in_both_thread_0_adds_up_its_block(rung, sectors):
    of_results = 2 * BLOCKS + 2
    assert sectors <= count(rung, "sectors") <= sectors + of_results
    assert count(rung, "barriers") == TREES  # it waits once for what the others leave
    assert count(rung, "warp_barriers") == count(rung, "shuffles") == count(rung, "atomics") == 0


@pytest.mark.parametrize("rung, block_barriers, warp_barriers", [
    ("04_shared_tree", 1 + LEVELS, 0),
    ("05_last_warp", 1 + LEVELS - 6, 6),  # 64 to 32 is the last warp's already
    ("06_unrolled", 1 + LEVELS - 6, 6),  # that change is no other's
])
def test_a_tree_has_a_barrier_a_level_and_the_last_warp_its_own(rung, block_barriers, warp_barriers):
    assert count(rung, "barriers") == TREES * block_barriers
    assert count(rung, "warp_barriers") == TREES * warp_barriers
    assert count(rung, "shuffles") == count(rung, "atomics") == 0
    assert count(rung, "bank_conflicts") == 0  # the upper half goes onto the lower, lane beside lane


def test_an_unrolled_tree_has_the_power_of_two_of_threads_that_it_was_compiled_for():
    asked, compiled_for = 96, 128
    for rung, threads in (("05_last_warp", asked), ("06_unrolled", compiled_for)):
        [found], _ = lines("tally-ladder-simt", "run", "reduce", "--rung", f"reduce/{rung}", "--block", str(asked))
        counts = found["counts"]
        assert counts["operator"] == N + BLOCKS + TREES * (threads - 1)
        assert counts["barriers"] == TREES * 2  # 128 to 64, or 96 to 48, is the block's
        assert counts["warp_barriers"] == TREES * 6
        assert counts["shuffles"] == 0


def test_a_single_pass_is_the_unrolled_tree_and_a_count_of_blocks():
    counting = BLOCKS  # a barrier behind each block's
    assert count("07_single_pass", "barriers") == TREES * (1 + LEVELS - 6) + counting
    assert count("07_single_pass", "warp_barriers") == TREES * 6
    assert count("07_single_pass", "shuffles") == 0
    assert count("07_single_pass", "atomics") == BLOCKS


def test_an_atomic_a_thread_is_one():
    assert count("08_atomic_a_thread", "atomics") == BLOCKS * THREADS
    assert count("08_atomic_a_thread", "barriers") == 0


def test_a_butterfly_takes_the_place_of_the_last_warps_tree_and_of_nothing_else():
    assert count("09_butterfly", "shuffles") == TREES * 5
    assert count("09_butterfly", "barriers") == count("07_single_pass", "barriers")
    assert count("09_butterfly", "warp_barriers") == 0


def test_in_a_butterfly_all_lanes_combine_to_the_end():
    tree, butterfly = (count(rung, "operator") for rung in ("07_single_pass", "09_butterfly"))
    # A tree of 32 combines 31 times, a butterfly 32 times in each of 5 steps.
    assert butterfly - tree == TREES * (5 * 32 - 31)


def test_shuffles_in_every_warp_leave_one_barrier_a_tree():
    assert count("10_shuffle", "shuffles") == TREES * 5 * (WARPS + 1)
    assert count("10_shuffle", "barriers") == TREES + BLOCKS


def test_a_reduction_in_one_instruction_takes_three_for_a_sum_of_64_bits():
    assert count("11_redux", "shuffles") == TREES * 3 * (WARPS + 1)  # the machine counts it as one
