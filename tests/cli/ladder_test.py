# SPDX-License-Identifier: Apache-2.0
"""ladder: the rungs, their drawing, the list of systems and the exhibits."""

import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .command import answer, failure, report, tally

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def climbed(*arguments):
    return report("ladder", *arguments, "--where", "simt")


def test_a_ladder_tells_of_every_rung_what_it_is_and_what_it_did():
    found = climbed("shuffle")
    assert (found["command"], found["ladder"], found["where"]) == ("ladder", "shuffle", "simt")
    assert {"n", "dtype", "device", "seconds"} <= set(found)
    for rung in found["rungs"]:
        assert {"id", "file", "verified", "error", "bound", "counts", "cold_us", "warm_us",
                "of_ceiling", "speedup"} <= set(rung)
        assert rung["verified"] is True
        assert set(rung["counts"]) == {
            "sectors", "lines", "bank_conflicts", "barriers", "warp_barriers", "shuffles", "atomics",
            "bytes_read", "bytes_written", "operator"}
    assert [r["id"] for r in found["rungs"]] == sorted(r["id"] for r in found["rungs"])


def test_shuffles_are_counted():
    [rung] = climbed("shuffle", "--rung", "shuffle/11_reduce", "-n", 65536)["rungs"]
    assert rung["n"] == 65536
    # Five shuffles a warp; in each, every lane adds; int64 takes two 32-bit shuffles, or one call.
    assert rung["counts"]["shuffles"] == 5 * 65536 // 32
    assert rung["counts"]["operator"] == 5 * 65536
    assert rung["counts"]["bytes_read"] == 4 * 65536
    assert rung["counts"]["bytes_written"] == 8 * 65536 // 32


def test_the_text_draws_what_each_lane_gets():
    lines = answer("ladder", "shuffle", "--rung", "shuffle/01_up", "--where", "simt").split("\n")
    [at] = [i for i, line in enumerate(lines) if line.split() == ["lane", "0", "1", "2", "3"]]
    assert lines[at + 1].split() == ["holds", "100", "101", "102", "103"]
    assert lines[at + 2].split() == ["up", "2,", "from", "own", "own", "0", "1"]
    assert lines[at + 3].split() == ["gets", "100", "101", "100", "101"]


def test_a_ladder_climbs_with_every_operator():
    for operator in ("sum", "min", "max", "mean"):
        rungs = climbed("reduce", "--rung", "reduce/03_interleaved", "--operator", operator,
                        "-n", 1000)["rungs"]
        assert [(r["op"], r["verified"]) for r in rungs] == [(operator, True)]


def test_the_pages_own_times_stand_beside_ours():
    [rung] = climbed("reduce", "--rung", "reduce/03_interleaved", "-n", 1000)["rungs"]
    assert (rung["page"], rung["page_us"]) == ("TwoPassInterleavedKernel", 78)
    assert {"cold_us", "warm_us", "page_speedup"} <= set(rung)


def test_a_sweep_tries_grids_and_blocks():
    rungs = climbed("reduce", "--rung", "reduce/03_interleaved", "-n", 5000, "--sweep")["rungs"]
    assert len({(r["grid"], r["block"]) for r in rungs}) == len(rungs) > 4
    assert all(r["verified"] for r in rungs)


def test_grid_and_block_can_be_chosen():
    [rung] = climbed("reduce", "--rung", "reduce/03_interleaved", "-n", 5000, "--grid", 3,
                     "--block", 96)["rungs"]
    assert (rung["grid"], rung["block"], rung["verified"]) == (3, 96, True)


def boxes(root):
    """Where every text is, and the most room that it takes: left, right, top, bottom."""
    for text in root.iter(SVG + "text"):
        x, y, width = float(text.get("x")), float(text.get("y")), 7.6 * len(text.text)
        size = 17 if text.get("class") == "title" else 13
        width *= size / 13
        left = {"name": x - width, "tick": x - width / 2}.get(text.get("class"), x)
        yield left, left + width, y - size, y + 3


def no_text_is_over_another(root):
    found = list(boxes(root))
    for i, a in enumerate(found):
        assert a[0] >= 0 and a[1] <= float(root.get("width")) and a[3] <= float(root.get("height"))
        for b in found[:i]:
            assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2], (a, b)
    return True


def test_the_drawing_has_a_bar_for_each_rung_and_no_text_over_another():
    rungs = climbed("shuffle", "--svg", "shuffle.svg")["rungs"]
    assert os.listdir() == ["shuffle.svg"]
    root = ElementTree.parse("shuffle.svg").getroot()
    bars = [r for r in root.iter(SVG + "rect") if r.get("class")]
    assert len(bars) == len(rungs)
    names = [t.text for t in root.iter(SVG + "text") if t.get("class") == "name"]
    assert names == [r["id"].split("/")[1] for r in rungs]
    assert no_text_is_over_another(root)


@pytest.mark.parametrize("rung, steps, combined", [("03_kogge_stone", 4, 49), ("07_brent_kung", 7, 26)])
def test_the_steps_of_a_scan_are_drawn_in_text_and_svg(rung, steps, combined):
    arguments = ("--rung", f"scan/{rung}", "-n", 16)
    [found] = climbed("scan", *arguments, "--svg", "steps.svg")["rungs"]
    assert (len(found["steps"]), sum(map(len, found["steps"]))) == (steps, combined)
    root = ElementTree.parse("steps.svg").getroot()
    assert len(list(root.iter(SVG + "circle"))) == combined
    assert len([p for p in root.iter(SVG + "path") if p.get("class") == "taken"]) == combined
    labels = [t.text for t in root.iter(SVG + "text") if t.text.startswith("step ")]
    assert labels == [f"step {i + 1}" for i in range(steps)]
    assert no_text_is_over_another(root)
    text = answer("ladder", "scan", *arguments, "--where", "simt")
    assert all(line in text for line in found["drawing"])


def test_a_rung_says_why_it_is_there():
    arguments = "reduce", "--rung", "05_last_warp", "-n", 1000
    [rung] = climbed(*arguments)["rungs"]
    assert rung["why"]["change"].startswith("the steps from 64 totals on are taken by the first warp")
    assert "on an H200" in rung["why"]["measured"]
    text = answer("ladder", *arguments, "--where", "simt")
    for line in ("  change    the steps from 64 totals on", "  predicted 6 block barriers fewer of 11",
                 "  measured  on an H200", "  page      TwoPassWarpSyncKernel, 40 us",
                 "  file      ladder/reduce/05_last_warp.cu"):
        assert line in text
    assert all(len(line) <= 100 for line in text.split("05_last_warp: ")[1].splitlines()[1:])


def test_what_one_block_can_do_is_its_limit():
    arguments = ("scan", "--rung", "scan/07_brent_kung", "-n", 5000)
    found = climbed(*arguments)
    [rung] = found["rungs"]
    assert (found["n"], rung["n"], rung["limit"]) == (2048, 2048, 2048)
    assert "  limit: one block" in answer("ladder", *arguments, "--where", "simt")


def test_the_size_of_a_ladder_is_that_of_its_rungs_which_have_no_limit():
    found = climbed("scan", "-n", 3000)
    assert found["n"] == 3000 and {r["n"] for r in found["rungs"]} == {1024, 2048, 3000}


def test_a_selection_takes_k_and_different_elements_only():
    rungs = climbed("top-k", "-k", 7, "--distinct", "--rung", "top-k/07_columns", "-n", 500)["rungs"]
    assert [(r["k"], r["distinct"], r["verified"]) for r in rungs] == [(7, True, True)]
    text = answer("ladder", "top-k", "-k", 200, "--rung", "top-k/07_columns", "-n", 500, "--where", "simt")
    assert "  limit: k <= 48 at 256 threads" in text


@pytest.mark.parametrize("option", [("-k", 3), ("--repeats",), ("--distinct",)])
def test_only_selections_take_what_is_about_selections(option):
    assert "reduce: no rung" in failure(1, "ladder", "reduce", *option, "--where", "simt")


def test_equal_elements_count_once_or_each():
    assert "excludes" in failure(1, "ladder", "top-k", "--distinct", "--repeats", "--where", "simt")
    arguments = "top-k", "--rung", "top-k/07_columns", "-n", 500
    assert [climbed(*arguments, *how)["rungs"][0]["distinct"] for how in ((), ("--repeats",))] == [True, False]


def test_a_drawing_that_cannot_be_written_leaves_nothing_behind():
    os.mkdir("folder")
    done = tally("ladder", "shuffle", "--rung", "shuffle/01_up", "--where", "simt", "--svg",
                 "folder")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"folder" in done.stderr and os.listdir() == ["folder"]


def test_the_ladders_page_has_every_rung():
    """In the order of the ladders' sections, a row for each file."""
    page = (ROOT / "ladder" / "README.md").read_text()
    for ladder in ("reduce", "squares", "memory", "shuffle", "scan", "top_k"):
        section = page.partition(f"\n## {ladder.replace('_', '-')}\n")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| `(\d\d_\w+)` \|", section, re.MULTILINE)
        assert rows == sorted(path.stem for path in (ROOT / "ladder" / ladder).glob("[0-9][0-9]_*.cu")), ladder


def test_the_list_has_a_row_for_every_system():
    rows = report("ladder", "list")["systems"]
    assert {row["tutorial"] for row in rows} == {"T0", "T1", "T2", "T3", "T4"}
    text = answer("ladder", "list")
    assert all(row["id"] in text and row["what"] in text for row in rows)


def test_the_exhibits_are_all_caught():
    found = report("ladder", "exhibits")["exhibits"]
    assert len(found) > 20 and all(e["caught"] for e in found)
    for e in found:
        assert {"id", "bug", "expected", "reported", "kernel", "block", "lane", "file", "line",
                "caught"} <= set(e)
    assert answer("ladder", "exhibits").count("  caught: ") == len(found)


@pytest.mark.parametrize("arguments, named", [
    (["reduse"], "did you mean reduce?"), (["zzzzzzzz"], "there are exhibits, list, memory"),
    (["shuffle", "--rug", "x"], "did you mean --rung?"), (["list", "-n", "3"], "-n"),
    (["exhibits", "--sweep"], "--sweep"), (["reduce", "--where", "moon"], "moon"),
    (["reduce", "--operator", "mim"], "did you mean min?"), (["reduce", "--block", "2000"], "2000"),
    (["reduce", "-n", "many"], "many"), (["top-k", "-k", "0"], "-k"), (["list", "-k", "3"], "-k"),
    (["--sweep"], "NAME")])
def test_misuse_has_status_2_and_names_what_is_wrong(arguments, named):
    assert named in failure(2, "ladder", *arguments)


def test_a_rung_that_is_not_there_has_status_1():
    assert "shuffle/99" in failure(1, "ladder", "shuffle", "--where", "simt", "--rung", "shuffle/99")


def test_every_row_of_a_drawing_is_as_wide_as_the_lanes():
    lines = answer("ladder", "shuffle", "--rung", "04_indexed", "--where", "simt").splitlines()
    scenes = [lines[i:i + 5] for i, line in enumerate(lines) if line.split()[:2] == ["lane", "0"]]
    assert [scene[2].split()[:3] for scene in scenes] == [["index", "2,", "from"], ["index", "6,", "from"]]
    assert all(len({len(row) for row in scene}) == 1 for scene in scenes)
