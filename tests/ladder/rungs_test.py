# SPDX-License-Identifier: Apache-2.0
"""Every rung is right on the machine, and what the machine counts is what its file predicts."""

import subprocess

import pytest

from .programs import BUILD, listed, lines, rungs

LADDERS = ["reduce", "squares", "memory", "shuffle", "scan", "top-k", "rows"]
SECTORS_OF_THE_SUMS = 8 * 128 * 8 // 32  # 8 blocks of 128 threads, 8 bytes each


def count(rung, name):
    return rungs(rung.split("/")[0])[0][rung]["counts"][name]


def loads(rung):
    """Sectors read of 65,536 numbers by a kernel of the ladder memory."""
    return count(rung, "sectors") - SECTORS_OF_THE_SUMS


@pytest.mark.parametrize("ladder", LADDERS)
def test_every_rung_is_verified_and_the_machine_finds_nothing(ladder):
    found, status = rungs(ladder)
    assert {r["id"] for r in listed().values() if r["ladder"] == ladder} == set(found)
    for r in found.values():
        assert r["verified"] and r["findings"] == [], r
    assert status == 0


@pytest.mark.parametrize("operator", ["min", "max", "mean"])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_every_reduction_takes_every_operator(operator, dtype):
    found, status = lines(
        "tally-ladder-simt", "run", "reduce", "--operator", operator, "--dtype", dtype, "--n", "999"
    )
    assert len(found) == (12 if dtype == "int32" else 11)  # redux has no floats
    assert status == 0 and all(r["verified"] and r["findings"] == [] for r in found)


@pytest.mark.parametrize("block", [1, 31, 33, 1000, 1024])
def test_every_reduction_takes_any_block(block):
    found, status = lines(
        "tally-ladder-simt", "run", "reduce", "--block", str(block), "--grid", "2", "--n", "3001"
    )
    assert status == 0 and all(r["verified"] for r in found)


def test_an_interleaved_warp_reads_an_eighth_of_the_sectors_of_contiguous_chunks():
    assert loads("memory/01_contiguous") == 65536
    assert loads("memory/02_interleaved") == 65536 / 8


@pytest.mark.parametrize("stride", [1, 2, 4, 8, 16, 32])
def test_a_stride_costs_whole_sectors(stride):
    assert loads(f"memory/03_stride_{stride:02}") == 65536 / max(8, stride)
    assert count(f"memory/03_stride_{stride:02}", "bytes_read") == 4 * 65536 / stride


def test_an_offset_of_one_costs_a_sector_a_load_and_one_of_a_sector_none():
    aligned, by_1, by_8 = (loads(f"memory/04_offset_{k}") for k in (0, 1, 8))
    assert aligned == 65536 / 8
    assert by_1 == aligned * 5 / 4 - 1  # the last load ends with the numbers
    assert by_8 == aligned - 1  # the first sector is left out


def test_an_offset_makes_each_load_touch_a_second_line_of_128_bytes():
    lines_of_the_sums, aligned = SECTORS_OF_THE_SUMS // 4, 65536 * 4 // 128
    touched = [count(f"memory/04_offset_{k}", "lines") - lines_of_the_sums for k in (0, 1, 8)]
    assert touched == [aligned, 2 * aligned - 1, 2 * aligned - 1]  # the last load ends in its line


@pytest.mark.parametrize("stride", [1, 2, 4, 8, 16, 32, 33])
def test_lanes_in_one_bank_take_turns(stride):
    lanes_a_bank = stride if stride % 2 == 0 else 1
    requests = 65536 // 32  # whatever the stride: each number is read by one lane
    assert count(f"memory/05_banks_{stride:02}", "bank_conflicts") == (lanes_a_bank - 1) * requests


@pytest.mark.parametrize("stride", [1, 2, 4, 8, 16, 32, 33])
def test_tiles_of_every_stride_are_as_large_and_differ_in_conflicts_only(stride):
    of_stride, of_1 = (rungs("memory")[0][f"memory/05_banks_{k:02}"]["counts"] for k in (stride, 1))
    assert of_stride["warp_barriers"] == 2 * 65536 // 1024  # tiles of 1024
    assert of_stride | {"bank_conflicts": 0} == of_1


def test_a_broadcast_is_no_conflict_and_has_a_tile_for_every_load():
    assert count("memory/06_broadcast", "bank_conflicts") == 0
    assert count("memory/06_broadcast", "warp_barriers") == 2 * 65536 // 32


def test_one_lane_writes_for_its_warp_what_shuffles_brought():
    warps = 8 * 128 // 32
    assert count("memory/07_same_word_atomic", "atomics") == 65536
    assert count("memory/07_same_word_atomic", "shuffles") == 0
    assert count("memory/08_same_word_one_lane", "atomics") == warps
    assert count("memory/08_same_word_one_lane", "shuffles") == 5 * warps


def test_who_reads_what_is_drawn():
    assert rungs("memory")[0]["memory/01_contiguous"]["drawing"] == [
        "number  0  1  2  3  4  5  6  7  8",
        "thread  0  0  0  1  1  1  2  2  2",
        "step 1  *  .  .  *  .  .  *  .  .",
        "step 2  .  *  .  .  *  .  .  *  .",
        "step 3  .  .  *  .  .  *  .  .  *",
    ]
    assert rungs("memory")[0]["memory/02_interleaved"]["drawing"] == [
        "number  0  1  2  3  4  5  6  7  8",
        "thread  0  1  2  0  1  2  0  1  2",
        "step 1  *  *  *  .  .  .  .  .  .",
        "step 2  .  .  .  *  *  *  .  .  .",
        "step 3  .  .  .  .  .  .  *  *  *",
    ]


def test_what_is_left_to_the_host_is_counted():
    additions = {r["id"]: r["host_additions"] for r in rungs("squares")[0].values()}
    assert additions["squares/03_blocks"] == 512
    assert additions["squares/04_block_sums"] == additions["squares/05_adder_tree"] == 8
    assert additions["squares/08_whole_chip"] == 0


def test_each_element_is_combined_once():
    for rung in ("reduce/01_one_thread", "squares/01_one_thread", "squares/03_blocks"):
        assert count(rung, "operator") == 65536


def test_an_unknown_rung_is_an_error():
    done = subprocess.run(
        [BUILD / "tally-ladder-simt", "run", "reduce", "--rung", "reduce/99"], capture_output=True
    )
    assert done.returncode == 1 and done.stdout == b""
    assert b"reduce/99" in done.stderr
