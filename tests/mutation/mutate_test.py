# SPDX-License-Identifier: Apache-2.0
"""What was not tried does not count as killed, and the test that killed is named."""

import json
import re
from collections import Counter

from . import programs
from .mutate import ROOT, all_mutants, batches, builds_with, is_tried, summary
from .programs import failed_one


def row(outcome, kind="window"):
    return {"name": "m", "file": "f", "class": kind, "outcome": outcome}


def test_only_what_a_test_killed_counts():
    rows = [row(o) for o in ("killed", "survived", "not tried", "equivalent")] + [row("killed", "tie")]
    assert summary(rows) == {"window": (1, 3), "tie": (1, 1)}


def test_the_test_that_failed_is_named():
    passed = "[ RUN      ] a.b\n[       OK ] a.b (0 ms)\n[ RUN      ] a.c\n"
    assert failed_one(passed + "[  FAILED  ] a.c, where T = int (1 ms)\n", ["a.b", "a.c"]) == "a.c"
    assert failed_one(passed, ["a.b", "a.c"]) == "a.c"  # it crashed there
    assert failed_one("FAILED tests/x.py::t[1] - AssertionError\n", ["t"]) == "tests/x.py::t[1]"
    assert failed_one(None, ["only"]) == "only"


def test_the_last_killer_comes_first_then_those_that_kill_most_for_their_time():
    program, other = object(), object()
    tests = [programs.Test(program, name) for name in ("slow", "quick", "deadly", "killer")]
    tests.append(programs.Test(other, "script"))
    for test, seconds in zip(tests, (9, 0.5, 1.2, 5, 0.1)):
        test.seconds = seconds
    assert [[t.name for t in some] for some in batches(tests, "killer", Counter(deadly=3))] == \
        [["killer"], ["deadly", "quick"], ["script"], ["slow"]]


def test_only_builds_are_made_that_have_code_of_a_file():
    assert builds_with({"include/tally/device/scan/kernel.cuh"}) == ["device"]
    assert builds_with({"cli/merge.cpp", "src/io/csv.cpp"}) == ["cpu"]
    assert builds_with({"include/tally/exact/float_format.hpp"}) == ["device", "cpu"]
    assert builds_with({"ladder/scan/sklansky.cuh", "ladder/scan/01_serial.cu"}) == ["ladder"]


def test_a_mutant_of_a_rung_is_tried_by_the_test_that_it_names():
    called, typed = (programs.Test(object(), name) for name in ("tests/ladder/x_test.py::a[1]", "x/0.a"))
    called.reaches = typed.reaches = frozenset({7})
    assert is_tried({}, 7, called) and not is_tried({}, 8, called)
    assert is_tried({"test": "tests/ladder/x_test.py::a"}, 8, called)
    assert not is_tried({"test": "tests/ladder/x_test.py::b"}, 7, called)
    assert is_tried({"test": "tests/ladder/x/x_test.cu::a"}, 8, typed)


RUNGS = re.compile(r"ladder/\w+/\d\d_\w+\.cu")


def test_what_a_rung_is_has_a_test_that_sees_the_neighbours_algorithm_in_its_place():
    systems = json.loads((ROOT / "ladder" / "systems.json").read_text())
    named = {(m["file"].split("/")[1], m["test"]) for m in all_mutants() if "test" in m}
    without = {row["id"] for row in systems
               if row["status"] == "done" and RUNGS.fullmatch(row["file"]) and "/exhibits/" not in row["file"]
               and (row["file"].split("/")[1], row["test"]) not in named}
    assert without == GPU_ONLY


# What the machine can not run, or not time.
GPU_ONLY = {"T0/cub", "T0/faster-than-cub", "T3/cub", "T4/cub", "T4/managed"}
