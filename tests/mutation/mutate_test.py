# SPDX-License-Identifier: Apache-2.0
"""What was not tried does not count as killed, and the test that killed is named."""

from collections import Counter

from . import programs
from .mutate import batches, builds_with, summary
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
    assert builds_with({"include/tally/device/scan.cuh"}) == ["device"]
    assert builds_with({"cli/merge.cpp", "src/io/csv.cpp"}) == ["cpu"]
    assert builds_with({"include/tally/exact/float_format.hpp"}) == ["device", "cpu"]
