# SPDX-License-Identifier: Apache-2.0
"""The demo notices a wrong answer."""

import json
import os
import subprocess
import sys
from pathlib import Path

BINARY = Path(os.environ["TALLY_BINARY"]).resolve()
DEMO = Path(__file__).parents[2] / "examples/demo.py"


def test_wrong_answers_are_named_and_the_others_stand(tmp_path):
    liar = tmp_path / "tally"
    liar.write_text('#!/bin/sh\n'
                    '[ "$1" = scan ] && set -- "$@" --init 1\n'
                    f'exec "{BINARY}" "$@"\n')
    liar.chmod(0o755)
    command = [sys.executable, DEMO, "--tally", liar, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert set(found) == {"steps", "ok"} and not found["ok"]
    keys = {"name", "answer", "expected", "equal", "seconds", "gb_per_s"}
    assert all(set(step) == keys for step in found["steps"])
    assert len(found["steps"]) == 12
    wrong = [step["name"] for step in found["steps"] if not step["equal"]]
    assert wrong == ["prefix sums of the distances", "prefix sums of the integers"]
