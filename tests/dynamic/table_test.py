# SPDX-License-Identifier: Apache-2.0
"""What calls on a GPU would do is left out of a build for ./dev demo, which takes warnings for errors."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [path.relative_to(ROOT) for path in sorted((ROOT / "src" / "dynamic").glob("*.cpp"))
           if "gpu&" in path.read_text()]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_no_warning_is_given_where_no_gpu_can_be_opened(source):
    done = subprocess.run(["clang++-19", "-std=c++20", "-fsyntax-only", "-DTALLY_WITHOUT_GPUS", "-Wall", "-Wextra",
                           "-Werror", "-Wno-psabi", "-I", "include", source], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


def test_there_are_such_sources():
    assert len(SOURCES) >= 3
