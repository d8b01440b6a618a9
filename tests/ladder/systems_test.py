# SPDX-License-Identifier: Apache-2.0
"""ladder/systems.json claims nothing that is not there."""

import ast
import json
import re
from itertools import pairwise

import pytest

from .programs import ROOT, exhibits, listed, rungs

ROWS = json.loads((ROOT / "ladder" / "systems.json").read_text())
DONE = [row for row in ROWS if row["status"] == "done"]
LADDERS = sorted({rung["ladder"] for rung in listed().values()})


def test_every_row_says_what_it_is():
    for row in ROWS:
        assert list(row) == ["id", "tutorial", "what", "file", "test", "status", "result"]
        assert row["id"].split("/")[0] == row["tutorial"] and row["what"], row["id"]
        assert row["tutorial"] in ("T0", "T1", "T2", "T3", "T4")
        assert row["status"] in ("done", "open")
    assert len({row["id"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("ladder", LADDERS)
def test_every_rung_is_verified_on_the_machine(ladder):
    found, status = rungs(ladder)
    assert set(found) == {name for name, rung in listed().items() if rung["ladder"] == ladder}
    assert {r["id"]: r["findings"] for r in found.values() if not r["verified"]} == {}
    assert status == 0


@pytest.mark.parametrize("ladder", LADDERS)
def test_no_rung_moves_less_than_it_must(ladder):
    counted = {name: r for name, r in rungs(ladder)[0].items() if r.get("counts")}
    assert {name for name, r in counted.items() if 32 * r["counts"]["sectors"] < r["bytes"]} == set()
    assert counted


# Pairs that what is counted does not tell apart, and what does.
ALIKE = {("reduce/05_last_warp", "reduce/06_unrolled"): "their times, which are recorded",
         ("memory/02_interleaved", "memory/03_stride_01"): "nothing: a stride of 1 is taking turns",
         ("rows/03_one_warp_a_row", "rows/04_vectors"): "loads, of rows that begin at whole vectors",
         ("shuffle/03_xor", "shuffle/04_indexed"): "what they draw"}


@pytest.mark.parametrize("ladder", LADDERS)
def test_a_rungs_row_differs_from_the_one_before_it(ladder):
    rows = [r for name, r in sorted(rungs(ladder)[0].items()) if r.get("counts")]
    told = [(r["counts"], r["bytes"], *(r[key] for key in ("grid", "block", "n", "most_k", "host_additions")))
            for r in rows]
    alike = {(a["id"], b["id"]) for (a, this), (b, that) in pairwise(zip(rows, told)) if this == that}
    assert alike == {pair for pair in ALIKE if pair[0].startswith(ladder + "/")}


def has_test(path, name):
    if path.suffix == ".py":
        functions = [n.name for n in ast.walk(ast.parse(path.read_text()))
                     if isinstance(n, ast.FunctionDef)]
        return name in functions
    return re.search(rf"^\w*TEST\w*\(.*\b{re.escape(name)}\)", path.read_text(), re.MULTILINE)


@pytest.mark.parametrize("row", DONE, ids=lambda row: row["id"])
def test_a_row_that_is_done_names_a_file_and_a_test(row):
    assert (ROOT / row["file"]).is_file()
    path, _, name = row["test"].partition("::")
    assert has_test(ROOT / path, name)


@pytest.mark.parametrize("row", [r for r in DONE if r["file"].endswith(".cu")],
                         ids=lambda row: row["id"])
def test_a_row_that_is_done_names_a_rung_that_is_verified_or_an_exhibit_that_is_caught(row):
    _, folder, name = row["file"].removesuffix(".cu").split("/")
    if folder == "exhibits":
        assert exhibits()[0][name]["caught"]
    else:
        verified = [*rungs(folder.replace("_", "-"))[0].values(), *rungs_of_gpus_only()]
        of_file = [rung for rung in verified if rung["file"] == row["file"]]
        assert of_file and all(rung["verified"] for rung in of_file)


def rungs_of_gpus_only():
    """Those that the machine cannot run, others' code among them."""
    found = [json.loads(path.read_text()) for path in (ROOT / "results").glob("ladder_*.json")]
    return [rung for one in found for run in one["runs"] for rung in run["rows"]
            if rung["peer"] or rung.get("gpu_only")]


def test_a_rung_that_the_machine_does_not_run_says_why():
    files = {rung["file"] for rung in listed().values()}
    absent = {path for path in (ROOT / "ladder").glob("*/[0-9]*.cu")
              if path.parent.name != "exhibits" and path.relative_to(ROOT).as_posix() not in files}
    assert {path.name for path in absent if "\n// GPU only: " not in path.read_text()} == {
        "12_cub.cu", "16_cub.cu", "17_cub.cu"}  # others' code, which needs nvcc
    assert {path.name for path in absent} >= {"09_managed.cu"}


def test_every_rung_and_exhibit_is_in_a_row():
    """But those of rows, which no tutorial has."""
    files = {row["file"] for row in ROWS}
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "ladder").glob("*/[0-9]*.cu")
            if path.parent.name != "rows"} <= files
