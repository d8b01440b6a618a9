# SPDX-License-Identifier: Apache-2.0
"""--help, whose examples work."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from .command import BINARY, answer, failure

ROOT = Path(__file__).parents[2]
# In the order of the list in `tally --help`: a line each, with what it does.
LIST = answer("--help").partition("\nCommands:\n")[2].partition("\nExamples:")[0]
NAMES = [line.split(", ") for line in re.findall(r"^  ([a-z][-a-z]*(?:, [a-z][-a-z]*)*)", LIST, re.MULTILINE)]
COMMANDS = [names[0] for names in NAMES]


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
        assert re.search(rf"\btally {command}\b", example)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", example], env=path,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert (done.returncode, done.stderr) == (0, b""), example
        assert done.stdout or " -o " in example


def test_the_help_lists_every_command():
    """Those of docs/command_line.md, and the aggregates of docs/aggregates.md that take one array."""
    page = (ROOT / "docs" / "command_line.md").read_text().partition("## Commands")[2].partition("## Input")[0]
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = {name.split()[0] for row in rows for name in re.findall(r"`([^`]+)`", row)}
    table = (ROOT / "docs" / "aggregates.md").read_text()
    single = {name.replace("_", "-") for name, rest in re.findall(r"^\| `(\w+)` \|(.*)$", table, re.MULTILINE)
              if "in pairs" not in rest}
    assert len(single) > 15
    assert named | single - {"minimum", "maximum"} == {name for names in NAMES for name in names}


@pytest.mark.parametrize("name", [name for names in NAMES for name in names])
def test_help_of_a_command_is_what_its_option_prints(name):
    assert answer("help", name) == answer(name, "--help")


def test_help_and_no_command_at_all_list_the_commands():
    assert answer() == answer("help") == answer("--help")
    assert "did you mean sum?" in failure(2, "help", "sun")
    assert "unexpected argument 'mean'" in failure(2, "help", "sum", "mean")


def test_the_version_is_the_projects():
    text = (ROOT / "CMakeLists.txt").read_text()
    version = re.search(r"^project\(tally VERSION (\S+)", text, re.MULTILINE)
    assert answer("--version") == f"tally {version[1]}"
