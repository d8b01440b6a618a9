# SPDX-License-Identifier: Apache-2.0
"""What ./dev bench --gpu --against makes of the rows of two builds, with rows and programs that are made up."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "gpu"))
import against  # noqa: E402


def row(name, us):
    return {"id": name, "us": us, "samples": [us]}


def pairs_of(*ratios):
    """Of one row, whose time in the other build is 10."""
    return [({"a/tally": 10 * ratio}, {"a/tally": 10}) for ratio in ratios]


def test_only_what_is_tallys_own_is_compared():
    rows = [{"libraries": {"cub": "3.0"}} | {"id": "x/cub", "us": 1}, row("x/tally", 2), row("x/tally_by_index", 3),
            row("x/copy", 4), row("read/2^20/cold", 5), row("none/tally", 0),
            {"id": "warp_scan/32", "tally": {"latency_cycles": 6, "ns": 0.5}, "cub": {"latency_cycles": 7, "ns": 1}}]
    assert against.own_times(rows) == {"x/tally": 2, "x/tally_by_index": 3, "warp_scan/32/latency_cycles": 6,
                                       "warp_scan/32/ns": 0.5}


def test_builds_take_turns_and_each_begins():
    order = []

    def build(name, us):
        return lambda: order.append(name) or [row("a/tally", us)]
    assert against.in_turn(build("here", 3), build("there", 2)) == 3 * [({"a/tally": 3}, {"a/tally": 2})]
    assert order == ["here", "there", "there", "here", "here", "there"]


@pytest.mark.parametrize("ratios, is_slower", [((1.03, 1.03, 1.03), True), ((1.03, 1.02, 1.5), False),
                                               ((0.9, 1.5, 1.5), False), ((1, 1, 1), False)])
def test_a_row_is_slower_that_is_so_each_time(ratios, is_slower):
    found = against.ratios_of(pairs_of(*ratios))
    assert found == {"a/tally": [pytest.approx(ratio) for ratio in ratios]}
    assert against.slower({"a/tally": list(ratios)}) == (["a/tally"] if is_slower else [])


def test_rows_of_one_build_are_named_and_not_compared():
    pairs = [({"both": 1, "new": 1}, {"both": 1, "old": 1}), ({"both": 2, "new": 1, "once": 1}, {"both": 1, "old": 1})]
    assert against.ratios_of(pairs) == {"both": [1, 2]}
    assert against.of_one_build(pairs) == ["new", "old", "once"]


def test_the_table_has_what_differs_and_the_summary_all():
    ratios = {"same": [1.0, 1.01, 0.99], "slower": [1.1, 1.2, 1.05], "faster": [0.5, 0.5, 0.6], "once": [1.5, 1, 1]}
    assert against.table(ratios) == [" 1.100  (1.100 1.200 1.050)  slower", " 0.500  (0.500 0.500 0.600)  faster"]
    assert against.summary(ratios) == [" 0.861  geometric mean of 4 rows", " 1.100  the worst: slower",
                                       "slower each time: slower"]
    assert against.summary({}) == ["no row is in both builds"]


@pytest.fixture
def build(tmp_path):
    """build(name, rows of its bench-reduce) makes a folder as ./dev gpu-build does."""
    def make(name, rows, gpus=1):
        programs = tmp_path / name / "bin"
        programs.mkdir(parents=True)
        outputs = {"tally": [{"devices": gpus * [{"kind": "gpu", "name": "G"}], "no_gpu": "none is there"}],
                   "bench-reduce": rows, "bench-top_k_table": [], "bench-cliffs": [], "bench-ceilings": [], f"bench-of_{name}": []}
        for program, lines in outputs.items():
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (programs / program).write_text(f"#!/bin/sh\necho {program} $* >>{tmp_path}/calls\ncat <<'END'\n{text}END\n")
            (programs / program).chmod(0o755)
        return programs.parent
    return make


def bench(*arguments):
    return subprocess.run([ROOT / "dev", "bench", "--gpu", *map(str, arguments)], capture_output=True, text=True)


def test_two_builds_are_compared_and_the_status_says_whether_one_is_slower(build, tmp_path):
    old = build("old", [row("a/tally", 10), row("a/cub", 1), row("b/tally", 8)])
    new = build("new", [row("a/tally", 11), row("a/cub", 2), row("b/tally", 4)])
    out = tmp_path / "out.json"
    done = bench("--prebuilt", new, "--json", out, "--against", old, "--quick", "--rows", "[ab]/")
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines() == [
        "bench-reduce", " 1.100  (1.100 1.100 1.100)  a/tally", " 0.500  (0.500 0.500 0.500)  b/tally",
        " 0.742  geometric mean of 2 rows", " 1.100  the worst: a/tally", "slower each time: a/tally"]
    assert json.loads(out.read_text())["rows"] == [
        {"id": "a/tally", "us": 3 * [11], "against_us": 3 * [10]}, {"id": "b/tally", "us": 3 * [4], "against_us": 3 * [8]}]
    assert (tmp_path / "calls").read_text().splitlines() == [
        "tally devices --json --no-measure", *6 * ["bench-reduce --quick --rows [ab]/ --no-peers"]]
    assert bench("--prebuilt", old, "--json", out, "--against", old).returncode == 0


def test_groups_are_those_of_one_program(build, tmp_path):
    folder = build("one", [])
    assert bench("--prebuilt", folder, "--json", tmp_path / "out", "--against", folder, "--groups", "rows").returncode == 0
    assert (tmp_path / "calls").read_text() == "tally devices --json --no-measure\n"


def test_what_cannot_be_compared_is_said(build, tmp_path):
    folder, without = build("one", []), build("without", [], gpus=0)
    assert bench("--prebuilt", folder).returncode == 2
    done = bench("--prebuilt", folder, "--json", tmp_path / "out", "--against", tmp_path)
    assert done.returncode == 2 and f"{tmp_path} is no folder that ./dev gpu-build made" in done.stderr
    done = bench("--prebuilt", without, "--json", tmp_path / "out")
    assert done.returncode == 1 and "no GPU: none is there" in done.stderr
