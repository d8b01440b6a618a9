# SPDX-License-Identifier: Apache-2.0
"""The sums of squares are the versions that they say they are: what each must count, from the page."""

import math

import pytest

from .programs import rungs

N, BLOCKS, THREADS = 65536, 8, 64
LEVELS = 6  # of a tree of 64


def rung(name):
    return rungs("squares")[0][f"squares/{name}"]


def count(name, what):
    return rung(name)["counts"][what]


# One thread reads a sector an element, a warp of them one for 8; so with what they write.
@pytest.mark.parametrize("name, blocks, threads, results, sectors", [
    ("01_one_thread", 1, 1, 1, N + 1), ("02_one_block", 1, 512, 512, N // 8 + 512 // 8),
    ("03_blocks", BLOCKS, THREADS, 512, N // 8 + 512 // 8),
    ("04_block_sums", BLOCKS, THREADS, BLOCKS, N // 8 + BLOCKS),
    ("05_adder_tree", BLOCKS, THREADS, BLOCKS, N // 8 + BLOCKS)])
def test_a_version_has_the_pages_threads_and_leaves_as_many_sums_in_32_bits(
        name, blocks, threads, results, sectors):
    assert (rung(name)["n"], rung(name)["grid"], rung(name)["block"]) == (N, blocks, threads)
    assert count(name, "bytes_written") == 4 * results
    assert count(name, "sectors") == sectors
    assert rung(name)["host_additions"] == (results if results > 1 else 0)


def test_one_thread_of_a_block_adds_behind_one_barrier_and_a_tree_has_one_a_level():
    assert count("03_blocks", "barriers") == 0
    assert count("04_block_sums", "barriers") == BLOCKS
    assert count("05_adder_tree", "barriers") == BLOCKS * (1 + LEVELS)


def test_a_tree_adds_as_often_as_one_thread_does():
    # 63 times in each block, beside each thread's own elements; thread 0 begins with 0.
    assert count("03_blocks", "operator") == N
    for name in ("04_block_sums", "05_adder_tree"):
        assert count(name, "operator") == N + BLOCKS * (THREADS - 1)


def test_wide_sums_are_the_tree_with_results_of_64_bits():
    assert count("06_wide_sums", "bytes_written") == 2 * count("05_adder_tree", "bytes_written")
    for what in ("barriers", "operator", "sectors"):
        assert count("06_wide_sums", what) == count("05_adder_tree", what)


def test_a_clocked_block_writes_when_it_began_and_ended_beside_its_sum():
    assert count("07_clocked", "bytes_written") == BLOCKS * (8 + 2 * 8)
    assert len(rung("07_clocked")["drawing"]) >= BLOCKS


def test_the_whole_chip_leaves_nothing_to_the_host():
    assert rung("08_whole_chip")["host_additions"] == 0
    assert count("08_whole_chip", "bytes_written") == 8
    # A tree in each block, which then adds one sum to the result.
    blocks, threads = rung("08_whole_chip")["grid"], rung("08_whole_chip")["block"]
    assert count("08_whole_chip", "atomics") == blocks
    assert count("08_whole_chip", "barriers") == blocks * (1 + math.log2(threads))
