# SPDX-License-Identifier: Apache-2.0
"""The examples of the README give what it shows."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BUILD = Path(os.environ["TALLY_BINARY"]).resolve().parent
TEXT = (ROOT / "README.md").read_text()
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def example(language):
    """The code blocks of a language, each with the block below it."""
    below = [code for _, code in BLOCKS[1:]] + [""]
    return [(code, shown) for (found, code), shown in zip(BLOCKS, below) if found == language]


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_shell_example_prints_what_is_shown():
    [(code, shown)] = example("sh")
    path = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"}
    assert run("bash", "-euc", code, cwd=ROOT, env=path) == shown


def test_the_cpp_example_prints_what_is_shown(tmp_path):
    [(code, shown)] = example("cpp")
    (tmp_path / "example.cpp").write_text(code)
    run("g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "example.cpp",
        BUILD / "libtally.a", "-ltbb", "-o", "example", cwd=tmp_path)
    assert run(tmp_path / "example") == shown


@pytest.mark.parametrize("way", ["find_package", "FetchContent"])
def test_the_cmake_examples_configure(way, tmp_path):
    [code] = [code for code, _ in example("cmake") if way in code]
    (tmp_path / "example.cpp").write_text(example("cpp")[0][0])
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.25)\nproject(example LANGUAGES CXX)\n{code}")
    if way == "find_package":
        run("cmake", "--install", BUILD, "--prefix", tmp_path / "prefix")
    run("cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build",
        f"-DCMAKE_PREFIX_PATH={tmp_path}/prefix", f"-DFETCHCONTENT_SOURCE_DIR_TALLY={ROOT}")


def test_the_readme_names_both_commands():
    assert "`./dev demo`" in TEXT and "`./dev test`" in TEXT


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_kernels_on_the_pages_compile(tmp_path):
    kernels = [code for page in PAGES
               for code in re.findall(r"^```\w+\n(.*?)^```$", page.read_text(), re.M | re.S)
               if code.startswith("#include") and "__global__" in code]
    assert kernels
    for code in kernels:
        (tmp_path / "kernel.cpp").write_text(code)
        run("g++", "-std=c++20", "-fsyntax-only", "-Wno-unknown-pragmas", f"-I{ROOT}/include",
            f"-I{ROOT}/simt/include", tmp_path / "kernel.cpp")
