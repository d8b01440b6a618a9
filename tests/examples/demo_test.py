# SPDX-License-Identifier: Apache-2.0
"""The demo finds the command right, and notices a wrong answer."""

import json
import os
import subprocess
import sys
from pathlib import Path

BINARY = Path(os.environ["TALLY_BINARY"]).resolve()
DEMO = Path(__file__).parents[2] / "examples/demo.py"


def demo_with(tally):
    """The exit status, and the report, whose form is checked."""
    done = subprocess.run([sys.executable, DEMO, "--tally", tally, "--json"],
                          stdout=subprocess.PIPE)
    report = json.loads(done.stdout)
    assert set(report) == {"steps", "ok"}
    keys = {"name", "answer", "expected", "equal", "seconds", "gb_per_s"}
    assert all(set(step) == keys for step in report["steps"])
    assert len(report["steps"]) == 12
    return done.returncode, report


def test_every_answer_of_the_command_is_right():
    status, report = demo_with(BINARY)
    assert [step["name"] for step in report["steps"] if not step["equal"]] == []
    assert report["ok"] is True and status == 0


def test_wrong_answers_are_named_and_the_others_stand(tmp_path):
    liar = tmp_path / "tally"
    liar.write_text('#!/bin/sh\n'
                    '[ "$1" = scan ] && set -- "$@" --init 1\n'
                    f'exec "{BINARY}" "$@"\n')
    liar.chmod(0o755)
    status, report = demo_with(liar)
    assert report["ok"] is False and status == 1
    wrong = [step["name"] for step in report["steps"] if not step["equal"]]
    assert wrong == ["prefix sums of the distances", "prefix sums of the integers"]
