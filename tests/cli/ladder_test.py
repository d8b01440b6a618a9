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
        style = text.get("class").split()[0]
        left = {"name": x - width, "tick": x - width / 2, "cell": x - width / 2}.get(style, x)
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
    assert len(bars) == len([r for r in rungs if "recorded" in r]) > 8
    titles = [t.text for t in root.iter(SVG + "text") if t.get("class") == "title"]
    assert titles[1:] == [f"{r['id'].split('/')[1]}: {r['title']}" for r in rungs if r["scenes"]]
    names = [t.text for t in root.iter(SVG + "text") if t.get("class") == "name"]
    assert names == [r["id"].split("/")[1] for r in rungs if "recorded" in r]
    assert no_text_is_over_another(root)


@pytest.mark.parametrize("rung, steps, combined", [("03_kogge_stone", 4, 49), ("07_brent_kung", 7, 26)])
def test_the_steps_of_a_scan_are_drawn_in_text_and_svg(rung, steps, combined):
    arguments = ("--rung", f"scan/{rung}", "-n", 16)
    [found] = climbed("scan", *arguments, "--svg", "steps.svg")["rungs"]
    assert (len(found["steps"]), sum(map(len, found["steps"]))) == (steps, combined)
    root = ElementTree.parse("steps.svg").getroot()
    assert len(list(root.iter(SVG + "circle"))) == combined
    taken = [p.get("class") for p in root.iter(SVG + "path") if (p.get("class") or "").startswith("taken")]
    assert len(taken) == combined
    # Brent and Kung's tree of 16 has 15 applications on the way up.
    assert taken.count("taken down") == combined - (49 if steps == 4 else 15)
    figures = f"{steps} steps, {combined} applications, fan-out 1"
    assert found["drawing"][-1] == figures
    assert [t.text for t in root.iter(SVG + "text") if (t.text or "").startswith(figures)]
    labels = [t.text for t in root.iter(SVG + "text") if t.text.startswith("step ")]
    assert labels == [f"step {i + 1}" for i in range(steps)]
    assert no_text_is_over_another(root)
    text = answer("ladder", "scan", *arguments, "--where", "simt")
    assert "\n".join(f"  {line}" for line in found["drawing"]) in text


def coordinates(path):
    return [float(x) for x in re.findall(r"[\d.]+", path.get("d"))]


def arrows(root):
    """For each picture of 8 lanes, from top to bottom: step by step from which lane each has its value."""
    heads, steps = {}, {}
    for text in root.iter(SVG + "text"):
        if text.get("class") == "cell idle" and text.text in "01234567":
            heads[float(text.get("x"))] = int(text.text)
    for path in root.iter(SVG + "path"):
        if path.get("class") in ("got", "own"):
            x, y, to_x, _ = coordinates(path)
            steps.setdefault(y, {})[heads[to_x]] = heads[x]
            assert (path.get("class") == "own") == (x == to_x)
    return [steps[y] for y in sorted(steps)]


@pytest.mark.parametrize("rung, expected", [
    ("02_down", [[3, 4, 5, 6, 7, 5, 6, 7]]),
    ("03_xor", [[lane ^ 1 for lane in range(8)], [0, 1, 2, 3, 0, 1, 2, 3]]),
    ("04_indexed", [[2] * 8, [2] * 4 + [6] * 4]),
    ("07_scan4", [[lane + by if lane + by < 8 else lane for lane in range(8)] for by in (4, 2, 1)] * 2),
    ("06_masks", [[1, 2, 3, 3, None, None, None, None], [None, None, None, None, 5, 6, 7, 7]])])
def test_shuffles_are_drawn_with_an_arrow_from_each_lane_to_who_has_its_value(rung, expected):
    climbed("shuffle", rung, "--svg", "lanes.svg")
    root = ElementTree.parse("lanes.svg").getroot()
    assert [[step.get(lane) for lane in range(8)] for step in arrows(root)] == expected
    assert no_text_is_over_another(root)
    idle = [t.text for t in root.iter(SVG + "text") if t.get("class") == "cell idle" and int(t.text) > 7]
    assert idle == (["104", "105", "106", "107", "100", "101", "102", "103"] if rung == "06_masks" else [])


def test_the_lanes_of_an_experiment_have_what_they_noted_in_json_and_picture():
    [rung] = climbed("shuffle", "09_experiment_2", "--svg", "lanes.svg")["rungs"]
    right = rung["scenes"][2]
    assert (right["lanes"], [step["name"] for step in right["steps"]]) == (8, ["", "up 1", "up 2", "up 4"])
    held = list(range(8, 0, -1))
    for step, by in zip(right["steps"][1:], (1, 2, 4)):
        assert step["got"] == [held[max(lane - by, 0) if lane >= by else lane] for lane in range(8)]
        held = [x + (got if lane >= by else 0) for lane, (x, got) in enumerate(zip(held, step["got"]))]
        assert step["holds"] == held
    root = ElementTree.parse("lanes.svg").getroot()
    cells = [t.text for t in root.iter(SVG + "text") if t.get("class") == "cell"]
    assert cells[-8:] == [str(x) for x in held]


def test_a_rung_that_notes_nothing_has_the_text_that_it_draws_in_its_picture():
    [rung] = climbed("memory", "01_contiguous", "-n", 100, "--svg", "lines.svg")["rungs"]
    root = ElementTree.parse("lines.svg").getroot()
    assert [t.text for t in root.iter(SVG + "text") if t.get("class") == "drawn"] == rung["drawing"]
    assert len(rung["drawing"]) == 5


@pytest.mark.parametrize("words", [["05_last_warp"], ["reduce/05_last_warp"], ["--rung", "05_last_warp"],
                                   ["05_last_warp", "--rung", "05_last_warp"]])
def test_one_rung_is_shown_with_its_source(words):
    source = (ROOT / "ladder" / "reduce" / "05_last_warp.cu").read_text()
    [rung] = climbed("reduce", *words, "-n", 1000)["rungs"]
    assert (rung["id"], rung["source"]) == ("reduce/05_last_warp", source)
    text = answer("ladder", "reduce", *words, "-n", 1000, "--where", "simt") + "\n"
    assert text.endswith("\nladder/reduce/05_last_warp.cu:\n\n" + source)


def test_the_rungs_of_one_file_are_told_of_once():
    text = answer("ladder", "memory", "03_stride", "-n", 1000, "--where", "simt")
    assert text.count("\nladder/memory/03_stride.cu:\n") == text.count("  change    of every 1, 2, 4,") == 1
    assert all(f"\n03_stride_{by:02}: One of every {by} numbers\n" in text for by in (1, 2, 4, 8, 16, 32))
    rows = [line.split()[0] for line in text.splitlines()[3:9]]
    assert rows == [f"03_stride_{by:02}" for by in (1, 2, 4, 8, 16, 32)]


def test_a_rung_that_only_a_gpu_can_run_is_there_as_it_was_recorded():
    found = climbed("reduce", "-n", 1000)
    assert [r["id"] for r in found["rungs"]] == sorted(r["id"] for r in found["rungs"])
    [cub] = [r for r in found["rungs"] if r["id"] == "reduce/12_cub"]
    assert (cub["only_on"], cub["counts"], cub["verified"], cub["page_us"]) == ("gpu", None, None, 49)
    assert cub["recorded"]["cold_us"] > 0 and cub["peer"] is True
    text = answer("ladder", "reduce", "12_cub", "--where", "simt", "--svg", "cub.svg")
    row = next(line for line in text.splitlines() if line.startswith("12_cub")).split()
    assert row[:10] == ["12_cub", "recorded"] + ["-"] * 8
    assert "  GPU only  others' code, " in text and "not ours: cub::DeviceReduce" in text
    assert "#include <cub/" in text.partition("\nladder/reduce/12_cub.cu:\n")[2]
    root = ElementTree.parse("cub.svg").getroot()
    assert [r.get("class") for r in root.iter(SVG + "rect") if r.get("class")] == ["peer"]


def test_a_rung_says_why_it_is_there():
    arguments = "reduce", "--rung", "05_last_warp", "-n", 1000
    [rung] = climbed(*arguments)["rungs"]
    assert rung["why"]["change"].startswith("the steps from 64 totals on are taken by the first warp")
    assert "on an H200" in rung["why"]["measured"]
    text = answer("ladder", *arguments, "--where", "simt")
    for line in ("  change    the steps from 64 totals on", "  predicted 6 block barriers fewer of 11",
                 "  bytes     n elements read, a state a block", "  measured  on an H200",
                 "  bound     reading, then 5 block barriers", "  page      TwoPassWarpSyncKernel, 40 us",
                 "  file      ladder/reduce/05_last_warp.cu"):
        assert line in text
    assert all(len(line) <= 100 for line in text.split("05_last_warp: ")[1].splitlines()[1:])


@pytest.mark.parametrize("rung, left", [("02_one_block", 512), ("04_block_sums", 8), ("08_whole_chip", None)])
def test_what_is_left_to_the_host_is_told(rung, left):
    text = answer("ladder", "squares", rung, "-n", 5000, "--where", "simt")
    assert re.findall(r"^  left +(\d+) additions, to the host$", text, re.MULTILINE) == [str(left)] * (left is not None)


def test_what_one_block_can_do_is_its_limit():
    arguments = ("scan", "--rung", "scan/07_brent_kung", "-n", 5000)
    found = climbed(*arguments)
    [rung] = found["rungs"]
    assert (found["n"], rung["n"], rung["limit"]) == (2048, 2048, 2048)
    assert "  limit     one block" in answer("ladder", *arguments, "--where", "simt")


def test_the_size_of_a_ladder_is_that_of_its_rungs_which_have_no_limit():
    found = climbed("scan", "-n", 3000)
    assert found["n"] == 3000
    assert {r["n"] for r in found["rungs"] if "only_on" not in r} == {1024, 2048, 3000}


def test_a_selection_takes_k_and_different_elements_only():
    rungs = climbed("top-k", "-k", 7, "--distinct", "--rung", "top-k/07_columns", "-n", 500)["rungs"]
    assert [(r["k"], r["distinct"], r["verified"]) for r in rungs] == [(7, True, True)]
    text = answer("ladder", "top-k", "-k", 200, "--rung", "top-k/07_columns", "-n", 500, "--where", "simt")
    assert "  limit     k <= 48 at 256 threads" in text


@pytest.mark.parametrize("option", [("-k", 3), ("--repeats",), ("--distinct",)])
def test_only_selections_take_what_is_about_selections(option):
    words = " ".join(map(str, option))
    assert failure(2, "ladder", "reduce", *option, "--where", "simt") == f"tally: no rung of reduce takes {words}"
    assert f"04_shared_tree of reduce does not take {words}" in failure(
        2, "ladder", "reduce", "04_shared_tree", *option, "--where", "simt")


@pytest.mark.parametrize("option, most", [("--grid", 65535), ("--block", 1024), ("-k", 2**31 - 1)])
def test_a_shape_and_a_k_begin_at_1(option, most):
    for value in (0, most + 1):
        assert f"{option}: '{value}' is not from 1 to {most}" in failure(2, "ladder", "top-k", option, value)


def test_what_was_recorded_of_another_k_is_not_shown():
    asked = "top-k", "--rung", "top-k/05_any_write_back", "-k", 100, "-n", 500
    [rung] = climbed(*asked)["rungs"]
    assert rung["k"] == 100 and "recorded" not in rung


def test_equal_elements_count_once_or_each():
    assert "--distinct and --repeats" in failure(2, "ladder", "top-k", "--distinct", "--repeats", "--where", "simt")
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
    for ladder in ("reduce", "squares", "memory", "shuffle", "scan", "top_k", "rows"):
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
    (["--sweep"], "NAME"), (["reduce", "05_lst_warp"], "did you mean 05_last_warp?"),
    (["reduce", "5"], "did you mean 05_last_warp?"), (["scan", "kogge"], "did you mean 03_kogge_stone?"),
    (["shuffle", "shuffle/99"], "unknown rung 'shuffle/99' of shuffle; there are 01_up, "),
    (["scan", "reduce/05_last_warp"], "'reduce/05_last_warp' of scan"), (["list", "01_up"], "01_up"),
    (["shuffle", "01_up", "--rung", "02_down"], "--rung"), (["shuffle", "01_up", "02_down"], "02_down")])
def test_misuse_has_status_2_and_names_what_is_wrong(arguments, named):
    assert named in failure(2, "ladder", *arguments)


def test_every_row_of_a_drawing_is_as_wide_as_the_lanes():
    lines = answer("ladder", "shuffle", "--rung", "04_indexed", "--where", "simt").splitlines()
    scenes = [lines[i:i + 5] for i, line in enumerate(lines) if line.split()[:2] == ["lane", "0"]]
    assert [scene[2].split()[:3] for scene in scenes] == [["index", "2,", "from"], ["index", "6,", "from"]]
    assert all(len({len(row) for row in scene}) == 1 for scene in scenes)
