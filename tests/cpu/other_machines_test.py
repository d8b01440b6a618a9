# SPDX-License-Identifier: Apache-2.0
"""The CPU code compiles for machines other than this one, and with another compiler."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ["families/scans.cpp SUMS", "families/parts.cpp MOMENTS", "families/parts.cpp EXTREMA",
           "families/parts.cpp FAST_SUMS", "top_k.cpp", "memory_passes.cpp", "instruction_set.cpp"]


def expect_to_compile(compiler, source):
    source, _, family = source.partition(" ")
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                           "-Wno-psabi", "-ffp-contract=off", "-DTALLY_NO_CONTRACTION", f"-DTALLY_FAMILY={family}",
                           "-I", ROOT / "include", "-I", ROOT / "src", ROOT / "src" / "cpu" / source],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("source", SOURCES)
def test_compiles_for_arm(source):
    expect_to_compile("aarch64-linux-gnu-g++", source)


@pytest.mark.parametrize("source", SOURCES)
def test_compiles_with_clang(source):
    expect_to_compile("clang++-19", source)
