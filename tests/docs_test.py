# SPDX-License-Identifier: Apache-2.0
"""Every code block on the pages is right: what can be compiled is, what can be run is run, and prints
what the page shows. The pages' links lead somewhere.

Languages: `cpp` is host code, a whole source if it includes something, else a fragment, which goes
into a function behind PRELUDE; `cuda` is a source for nvcc; `text` is what the block before it
prints; `pycon` is a session in Python. Blocks that need the CUDA toolkit are tested where nvcc is.
"""

import doctest
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from support.mpi import HAS_MPI

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ["TALLY_BINARY"]).resolve().parent
PAGES = [ROOT / "README.md", ROOT / "HACKING.md", *sorted(ROOT.glob("docs/*.md"))]

# What fragments of C++ speak of.
PRELUDE = """
#include <cstddef>
#include <span>

#include <tally/tally.hpp>

extern tally::cpu const here;            // the cores
extern tally::gpu there;                 // a GPU
extern std::span<float const> const x;   // arrays that `here` or `there` can read
extern std::span<float const> const y;
extern std::span<float> const prefixes;  // and write
extern float* const out;                 // room for a result
extern std::span<float> const values;    // and for several
extern std::span<std::int64_t> const indices;
extern std::span<std::uint32_t const> const ids;
extern std::span<std::uint32_t> const chosen;
extern std::uint64_t* const count;
extern std::span<std::byte> const mine;  // device memory
"""

# Shell blocks that are parsed and not run: how the first line begins, and why.
ONLY_PARSED = {
    "pip install .": "builds the library, for minutes",
    "cmake --preset cpu": "builds tests, for minutes",
    "cmake --build build/cpu --target tally_cli": "builds the library, for minutes",
    "cmake --build build/cpu --target tally_record": "needs another checkout, and a GPU",
    "./dev gpu-build": "compiles all kernels, then needs a GPU",
}

NVCC = shutil.which("nvcc")
TOOLKIT = NVCC and Path(NVCC).resolve().parents[1] / "include"
# Of any user, root included, on few cores.
MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
          "OMPI_MCA_rmaps_base_oversubscribe": "1"}
GXX = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", f"-I{ROOT}/include"]
# Whether it compiles does not depend on how well.
DEVICE_CODE = [NVCC, "-std=c++20", "-arch=compute_90", "-ptx", "--Ofast-compile=max", "-Werror",
               "all-warnings", f"-I{ROOT}/include"]
SIMT_MACHINE = [*GXX, "-fsyntax-only", "-Wno-unknown-pragmas", f"-I{ROOT}/simt/include"]


@dataclass
class Block:
    page: Path
    line: int
    language: str
    code: str
    shown: str = None  # what it prints, if the page says so

    @property
    def source(self):
        """The code, whose compiler's errors are to name the page."""
        return f'#line {self.line + 1} "{self.page}"\n{self.code}'

    @property
    def is_whole(self):
        return "#include" in self.code

    @property
    def needs_mpi(self):
        return bool(re.search(r"^mpirun|tally/mpi\.hpp|COMPONENTS mpi", self.code, re.MULTILINE))

    @property
    def needs_toolkit(self):
        foreign = re.search(r"#include <(cuda|thrust|cub)|enable_language\(CUDA\)", self.code)
        return bool(foreign) or (self.language == "cpp" and ".cuh>" in self.code)


def blocks_of(page):
    """The fenced blocks, which have a language each; the text behind a block is what it prints."""
    found, code = [], None
    for number, line in enumerate(page.read_text().splitlines(keepends=True), 1):
        fence = re.match(r"\s*(```|~~~)", line)
        where = f"{page.name}:{number}"
        if fence and code is None:
            code = Block(page, number, line[3:].strip() if line.startswith("```") else line, "")
            found.append(code)
        elif fence:
            assert line == "```\n", f"{where}: the block above does not end"
            code = None
        elif code:
            code.code += line
    assert code is None, f"{page.name}: its last block does not end"
    for before, block in zip(found, found[1:]):
        if block.language == "text":
            before.shown = block.code
    return found


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def check_cpp(block, folder):
    """A program whose output is shown prints it; other code is right C++."""
    source = folder / "block.cpp"
    if not block.is_whole:
        source.write_text(f"{PRELUDE}void fragment() {{\n{block.source}}}\n")
        run(*GXX, "-fsyntax-only", "-Wno-unused", source)
    elif block.shown is None:
        source.write_text(block.source)
        others = [f"-isystem{TOOLKIT}", f"-isystem{TOOLKIT}/cccl"] if block.needs_toolkit else []
        if block.needs_mpi:
            others += run("mpicxx", "--showme:compile").replace("-I", "-isystem").split()
        run(*GXX, *others, "-fsyntax-only", source)
    else:
        source.write_text(block.source)
        run(*GXX, source, BUILD / "libtally.a", "-ltbb", "-lz", "-lzstd", "-lbz2", "-llzma", "-o", folder / "program")
        assert run(folder / "program") == block.shown


def check_cuda(block, folder):
    """nvcc compiles it, and without what only the toolkit has, the SIMT machine's compiler, too."""
    source = folder / "block.cu"
    source.write_text(block.source)
    if not block.needs_toolkit:
        run(*SIMT_MACHINE, "-x", "c++", source)
    if NVCC:
        run(*DEVICE_CODE, source, "-o", folder / "block.ptx")


def check_sh(block, folder):
    """It runs, on files as the pages speak of them, and prints what is shown."""
    run("bash", "-n", "-c", block.code)
    ours = r"(?<![\w/$])(?:\./)?((?:bench|docs|examples|results|tests)/[\w./]+)"
    for path in re.findall(ours, block.code):
        assert (ROOT / path).exists(), path
    if any(block.code.startswith(first) for first in ONLY_PARSED):
        return
    path = {**os.environ, **MPIRUN, "PATH": f"{BUILD}:{os.environ['PATH']}"}
    (folder / "examples").symlink_to(ROOT / "examples")
    for day, seed in ("monday", "1"), ("tuesday", "2"):
        run("tally", "generate", "normal", "-n", "1000", "--seed", seed, "-o", f"{day}.npy",
            cwd=folder, env=path)
    printed = run("bash", "-euc", block.code, cwd=folder, env=path)
    assert block.shown in (None, printed)


def check_cmake(block, folder):
    """A project that consists of it, and of a program, configures."""
    languages = "CXX CUDA" if block.needs_toolkit else "CXX"
    (folder / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.25)\nproject(example LANGUAGES {languages})\n"
        f"{block.code}")
    for source in re.findall(r"\w+\.(?:cpp|cu)\b", block.code):
        (folder / source).write_text("int main() {}\n")
    if "find_package" in block.code:
        run("cmake", "--install", BUILD, "--prefix", folder / "prefix")
    run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build",
        f"-DCMAKE_PREFIX_PATH={folder}/prefix", f"-DFETCHCONTENT_SOURCE_DIR_TALLY={ROOT}")


def check_python(block, _):
    """An expression of x gives what the command gives."""
    x = [0.1, 1e16, 3.0, -1e16, 5e-324]
    told = run(BUILD / "tally", "sum", input=" ".join(map(repr, x)))
    assert eval(block.code, {"Fraction": Fraction, "x": x}) == float(told)


def check_pycon(block, _):
    """A session in Python, behind those before it on the page, prints what is shown."""
    sys.path.insert(0, str(BUILD / "python"))
    before = [b.code for b in BLOCKS[:BLOCKS.index(block) + 1]
              if b.page == block.page and b.language == "pycon"]
    if any("import torch" in code for code in before):
        pytest.importorskip("torch", reason="no PyTorch")
    if any("dask" in code for code in before):
        pytest.importorskip("dask", reason="no Dask")
    session = doctest.DocTestParser().get_doctest("\n".join(before), {}, block.page.name, None, 0)
    found = doctest.DocTestRunner(verbose=False).run(session)
    assert found.attempted > 0 and found.failed == 0


def check_json(block, _):
    json.loads(block.code)


def check_text(block, _):
    """It is compared by the check of the block before it."""
    before = BLOCKS[BLOCKS.index(block) - 1]
    assert before.page == block.page and before.language in ("cpp", "sh")
    assert before.shown == block.code


CHECKS = {"cpp": check_cpp, "cuda": check_cuda, "sh": check_sh, "cmake": check_cmake,
          "python": check_python, "pycon": check_pycon, "json": check_json, "text": check_text}


def test_every_block_is_of_a_language_that_is_checked():
    strange = [f"{b.page.name}:{b.line}: {b.language}" for b in BLOCKS if b.language not in CHECKS]
    assert not strange
    assert {b.language for b in BLOCKS} >= {"cpp", "cuda", "sh", "cmake", "text"}


def test_what_is_only_parsed_is_there():
    for first in ONLY_PARSED:
        assert any(b.language == "sh" and b.code.startswith(first) for b in BLOCKS), first


@pytest.mark.parametrize("block", [b for b in BLOCKS if NVCC or not b.needs_toolkit],
                         ids=lambda b: f"{b.page.name}-{b.line}-{b.language}")
def test_a_block_is_right(block, tmp_path):
    if block.needs_mpi and not HAS_MPI:
        pytest.skip("no MPI")
    CHECKS[block.language](block, tmp_path)


def test_the_readme_names_both_commands():
    text = (ROOT / "README.md").read_text()
    assert "`./dev demo`" in text and "`./dev test`" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#]+)", text):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target
