# SPDX-License-Identifier: Apache-2.0
"""The reductions are the algorithms that they say they are: what each must count, from the page."""

import pytest

from .programs import rungs

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
    assert count("01_one_thread", "barriers") == count("01_one_thread", "shuffles") == 0


def test_a_chunk_a_thread_reads_a_sector_an_element_and_neighbours_share_one():
    of_results = 2 * BLOCKS + 2
    assert N <= count("02_two_passes", "sectors") <= N + of_results
    assert N // 8 <= count("03_interleaved", "sectors") <= N // 8 + of_results


@pytest.mark.parametrize("rung, block_barriers, warp_barriers", [
    ("04_shared_tree", 1 + LEVELS, 0),
    ("05_last_warp", 1 + LEVELS - 6, 6),  # 64 to 32 is the last warp's already
    ("06_unrolled", 1 + LEVELS - 6, 6),  # that change is no other's
])
def test_a_tree_has_a_barrier_a_level_and_the_last_warp_its_own(rung, block_barriers, warp_barriers):
    assert count(rung, "barriers") == TREES * block_barriers
    assert count(rung, "warp_barriers") == TREES * warp_barriers
    assert count(rung, "shuffles") == count(rung, "atomics") == 0


def test_a_single_pass_is_the_unrolled_tree_and_a_count_of_blocks():
    counting = BLOCKS  # a barrier behind each block's
    assert count("07_single_pass", "barriers") == count("06_unrolled", "barriers") + counting
    assert count("07_single_pass", "warp_barriers") == count("06_unrolled", "warp_barriers")
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
