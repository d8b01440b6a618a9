# SPDX-License-Identifier: Apache-2.0
"""The sums of rows and columns are read by whom they say: what each must count."""

import re

import pytest

from .programs import lines, rungs

N, BLOCKS, WARPS = 65536, 8, 32
ROWS = WIDTH = 256  # of the square matrix
SECTOR = 8  # numbers


def rung(name):
    return rungs("rows")[0][f"rows/{name}"]


def count(name, what):
    return rung(name)["counts"][what]


def test_the_shape_is_what_these_tests_take_it_for():
    for name in ("03_one_warp_a_row", "07_several_blocks_a_row", "09_ragged_2_shares"):
        assert (rung(name)["n"], rung(name)["grid"], rung(name)["block"]) == (N, BLOCKS, 32 * WARPS // BLOCKS)


@pytest.mark.parametrize("block", [1, 33, 1024])
def test_every_rung_takes_any_block(block):
    found, status = lines("tally-ladder-simt", "run", "rows", "--block", str(block), "--grid", "3", "--n", "3001",
                          "--dtype", "int32")
    assert status == 0 and len(found) == 15 and all(r["verified"] and r["findings"] == [] for r in found)


def test_a_thread_a_row_asks_for_eight_times_the_sectors_of_a_thread_a_column_for_the_same_additions():
    assert count("01_one_thread_a_row", "sectors") == N + ROWS // SECTOR
    assert count("02_one_thread_a_column", "sectors") == N // SECTOR + WIDTH // SECTOR
    for name in ("01_one_thread_a_row", "02_one_thread_a_column"):
        assert count(name, "operator") == N
        assert count(name, "shuffles") == count(name, "barriers") == 0


def test_a_warp_a_row_reads_as_few_and_puts_together_what_its_lanes_have():
    for name in ("03_one_warp_a_row", "04_vectors"):
        assert count(name, "sectors") == N // SECTOR + ROWS  # and a result at a time
        assert count(name, "shuffles") == 5 * ROWS
        assert count(name, "operator") == N + 5 * 32 * ROWS


def test_where_rows_begin_anywhere_a_load_of_4_bytes_a_lane_touches_a_fifth_sector_and_one_of_16_a_seventeenth():
    odd, read = 255, {}
    for name in ("03_one_warp_a_row", "04_vectors"):
        [found], _ = lines("tally-ladder-simt", "run", "rows", "--rung", f"rows/{name}", "--n", str(odd * odd))
        assert found["verified"] and found["counts"]["bytes_read"] == 4 * odd * odd
        read[name] = found["counts"]["sectors"] - odd
    # Two loads of vectors a row, and one before and behind them; 8 of numbers, and 7 of 8 rows begin within a sector.
    assert read["04_vectors"] <= (17 * 2 + 2) * odd < 8 * (5 * 7 / 8 + 4 / 8 - 1 / 8) * odd <= read["03_one_warp_a_row"]


@pytest.mark.parametrize("lanes, steps", [(1, 0), (2, 1), (4, 2), (8, 3), (16, 4), (32, 5)])
def test_8_lanes_a_row_of_16_are_the_fewest_that_read_whole_sectors(lanes, steps):
    name, rows = f"05_some_lanes_a_row_{lanes:02}", N // 16
    warps = rows * lanes // 32  # with a row in each of their groups of lanes
    assert count(name, "sectors") == N // min(lanes, SECTOR) + max(warps, rows // SECTOR)
    assert count(name, "shuffles") == steps * warps
    assert count(name, "operator") == N + steps * 32 * warps


def test_a_block_a_row_meets_twice_a_row():
    rows, warps = 4, WARPS // BLOCKS
    assert rung("06_one_block_a_row")["grid"] == rows
    assert count("06_one_block_a_row", "barriers") == 2 * rows
    assert count("06_one_block_a_row", "shuffles") == 5 * (warps + 1) * rows
    assert count("06_one_block_a_row", "sectors") == N // SECTOR + rows


def test_several_blocks_a_row_leave_their_sums_to_a_block_a_row():
    rows, warps = 4, WARPS // BLOCKS
    assert count("07_several_blocks_a_row", "barriers") == 2 * (BLOCKS + rows)
    assert count("07_several_blocks_a_row", "shuffles") == 5 * (warps + 1) * (BLOCKS + rows)
    assert count("07_several_blocks_a_row", "bytes_written") == 4 * (BLOCKS + rows)
    assert count("07_several_blocks_a_row", "bytes_read") == 4 * (N + BLOCKS)


def test_columns_in_blocks_meet_in_shared_memory_without_conflicts_and_once_more_for_all_parts():
    tiles, parts = 2, BLOCKS // 2
    assert count("08_columns_in_blocks", "bank_conflicts") == count("08_columns_in_blocks", "shuffles") == 0
    assert count("08_columns_in_blocks", "barriers") == 2 * tiles * (parts + 1)
    sums = 64 * (parts + 1)
    assert count("08_columns_in_blocks", "bytes_written") == 4 * sums
    # Read: all numbers, and the parts' sums.
    assert count("08_columns_in_blocks", "sectors") == (N + 64 * parts + sums) // SECTOR


def busiest(name):
    [line] = rung(name)["drawing"]
    mean, most = map(int, re.findall(r"(\d+) (?:in the mean|the busiest)", line))
    assert mean == N // WARPS
    return most


def test_a_warp_a_segment_keeps_one_warp_busy_and_equal_shares_keep_all():
    assert busiest("09_ragged_1_warps") > 3 * N // WARPS
    assert busiest("09_ragged_2_shares") == N // WARPS


def test_equal_shares_add_by_atomics_what_they_have_of_segments_that_are_cut():
    assert count("09_ragged_1_warps", "atomics") == 0
    assert WARPS < count("09_ragged_2_shares", "atomics") < 2 * WARPS
