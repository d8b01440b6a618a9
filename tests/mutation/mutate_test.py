# SPDX-License-Identifier: Apache-2.0
"""What was not tried does not count as killed, and the test that killed is named."""

from . import mutate
from .mutate import batches, failed_one, summary


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


def test_the_last_killer_comes_first_and_slow_tests_come_last():
    program = object()
    tests = [mutate.Test(program, name) for name in ("slow", "quick", "killer")]
    tests[0].seconds, tests[2].seconds = 9, 5
    assert [[t.name for t in some] for some in batches(tests, "killer")] == \
        [["killer"], ["quick"], ["slow"]]
