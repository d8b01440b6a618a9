# SPDX-License-Identifier: Apache-2.0
"""--help, whose examples work."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from .command import BINARY, answer

ROOT = Path(__file__).parents[2]
COMMANDS = ["sum", "fast-sum", "mean", "variance", "min", "max", "describe", "scan", "top-k",
            "info", "generate", "merge", "devices", "ladder"]


def examples(text):
    """The commands below the line "examples:", which ends a help text."""
    _, _, block = text.rpartition("\nExamples:\n")
    return [line.strip() for line in block.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_in_two_examples_that_run(command):
    found = examples(answer(command, "--help"))
    assert len(found) == 2
    os.symlink(ROOT / "examples", "examples")
    path = {**os.environ, "PATH": f"{Path(BINARY).parent}:{os.environ['PATH']}"}
    for example in found:
        assert f"tally {command}" in example
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", example], env=path,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert (done.returncode, done.stderr) == (0, b""), example
        assert done.stdout or " -o " in example


def test_the_help_lists_every_command():
    text = answer("--help")
    for command in COMMANDS:
        assert re.search(rf"^ *{command}\b", text, re.MULTILINE), command


def test_the_version_is_the_projects():
    text = (ROOT / "CMakeLists.txt").read_text()
    version = re.search(r"^project\(tally VERSION (\S+)", text, re.MULTILINE)
    assert answer("--version") == f"tally {version[1]}"
