# SPDX-License-Identifier: Apache-2.0
"""What was measured on a GPU, and the page that shows it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ROOT / "results" / "ladder_nvidia_h200.json"
PAGE = (ROOT / "docs" / "ladder_h200.md").read_text()
RUNS = {run["asked"]: run["rows"] for run in json.loads(MEASURED.read_text())["runs"]}
COUNTS = json.loads((ROOT / "results" / "counts_against_ncu.json").read_text())["rows"]
SYSTEMS = json.loads((ROOT / "ladder" / "systems.json").read_text())
# Ladders with a rung whose row is open, as a peer's is until it has been verified on a GPU.
OPEN = {row["file"].split("/")[1] for row in SYSTEMS if row["status"] == "open" and row["file"]}
LADDERS = {"memory", "reduce", "rows", "scan", "shuffle", "squares", "top_k"}


def test_every_rung_was_verified_on_a_gpu():
    found = [row for rows in RUNS.values() for row in rows]
    assert all(row["verified"] for row in found)
    measured = {row["file"] for row in found if row["cold_us"] > 0}
    rungs = (path for name in LADDERS - OPEN for path in (ROOT / "ladder" / name).glob("[0-9]*.cu"))
    assert measured == {path.relative_to(ROOT).as_posix() for path in rungs}


def test_at_most_selections_are_still_to_be_measured():
    assert OPEN <= {"top_k"}


def test_cub_was_measured_beside_the_rungs():
    for asked, n in (("reduce", 1 << 22), ("reduce --n 268435456", 1 << 28)):
        [cub] = [row for row in RUNS[asked] if row["id"] == "reduce/12_cub"]
        assert cub["peer"] and cub["n"] == n
    [cub] = [row for row in RUNS["scan"] if row["id"] == "scan/17_cub"]
    assert cub["peer"] and cub["n"] == 1 << 22
    [cub] = [row for row in RUNS["top-k"] if row["id"] == "top-k/16_cub"]
    assert cub["peer"] and cub["n"] == 10_000_000


def drawn_times(rung):
    """For each line of its recorded drawing, microseconds by the host's clock and between events."""
    [row] = [row for row in RUNS["memory"] if row["id"] == rung]
    assert row["n"] == 1 << 22
    return {line[:-24].strip(): [float(us) for us in line[-24:].split()] for line in row["drawing"][1:]}


def test_the_first_kernel_over_managed_memory_waits_for_its_pages():
    times = drawn_times("memory/09_managed")
    for clock in (0, 1):
        first, again, there, prefetched = (times[what][clock] for what in (
            "managed memory: the first kernel", "managed memory: the second", "device memory: kernel",
            "prefetched: kernel"))
        # 16 MiB: at most 100 GB/s from the host.
        assert first > 160 and first > 5 * max(again, there, prefetched)
    assert all(host > event for host, event in times.values())


def test_what_one_gpu_alone_tells_is_recorded():
    rows = [row for row in RUNS["memory"] + RUNS["squares"] if "drawing" in row]
    assert {row["id"] for row in rows} == {"memory/09_managed", "squares/07_clocked"}
    assert {row["id"] for row in RUNS["memory"] if row.get("gpu_only")} == {"memory/09_managed"}


@pytest.mark.parametrize("asked", ["reduce --dtype int32", "reduce --operator min --this-size",
                                   "reduce --operator max --this-size"])
def test_tally_was_faster_than_cub_at_the_tutorials_size(asked):
    times = {row["id"]: row["cold_us"] for row in RUNS[asked] if row["n"] == 1 << 22}
    assert times["reduce/13_tally"] < times["reduce/12_cub"]


def test_the_page_shows_the_results():
    table = subprocess.run([sys.executable, "-B", ROOT / "bench" / "gpu" / "ladder.py", "table", MEASURED],
                           check=True, capture_output=True, text=True).stdout
    assert table.strip() in PAGE


def test_the_page_shows_the_counts():
    shown = [row for row in COUNTS if f"| {row['rung']} |" in PAGE]
    assert len(shown) == 14
    for row in shown:
        assert f"{row['machine']['sectors']:,} | {row['ncu']['sectors']:,}" in PAGE
        assert f"{row['machine']['bank_conflicts']:,} | {row['ncu']['bank_conflicts']:,}" in PAGE
    assert f"Of {len(COUNTS)} rungs {sum(row['same'] for row in COUNTS)} agree" in PAGE


def test_the_machine_counts_what_nsight_compute_counts_but_where_the_page_says_otherwise():
    assert {row["rung"] for row in COUNTS if not row["same"]} == {
        "reduce/07_single_pass", "reduce/11_redux", "scan/02_one_thread_an_output", "scan/06_ladner_fischer",
        "scan/07_brent_kung", "scan/08_padded", "scan/09_blelloch", "scan/15_chained",
        "scan/16_decoupled_look_back"}
    assert len(COUNTS) > 50


def test_at_2_to_the_28_one_pass_moves_less_than_two_and_all_rungs_of_a_table_do_as_much():
    times = {row["id"]: row["cold_us"] for row in RUNS["scan --n 268435456"]}
    assert times["scan/16_decoupled_look_back"] < times["scan/14_reduce_then_scan"]
    large = [row for asked, rows in RUNS.items() if "268435456" in asked for row in rows]
    assert all(row["n"] == 1 << 28 for row in large)


def test_networks_were_timed_at_one_n():
    rows = [row for row in RUNS["scan"] if "03" <= row["id"].split("/")[1][:2] <= "13"]
    assert len(rows) == 11 and {row["n"] for row in rows} == {1024}
