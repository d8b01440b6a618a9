# SPDX-License-Identifier: Apache-2.0
"""docs/gpu.md's program for a GPU is the example's, which compiles and links where the CUDA toolkit is."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["TALLY_BINARY"]).resolve().parent
EXAMPLE = ROOT / "examples" / "cuda" / "quick_start.cpp"


def test_the_page_shows_the_example():
    program = EXAMPLE.read_text().split("docs/gpu.md shows this program.", 1)[1].split("\n", 1)[1]
    assert f"```cpp\n{program}```\n" in (ROOT / "docs" / "gpu.md").read_text()


if shutil.which("nvcc"):
    TOOLKIT = Path(shutil.which("nvcc")).resolve().parents[1]

    def test_it_compiles_and_links(tmp_path):
        done = subprocess.run(
            ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", f"-I{ROOT}/include",
             f"-isystem{TOOLKIT}/include", EXAMPLE, BUILD / "libtally.a", "-ltbb", f"-L{TOOLKIT}/lib64",
             "-lcudart_static", "-ldl", "-lrt", "-pthread", "-o", tmp_path / "quick_start"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
