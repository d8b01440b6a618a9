# SPDX-License-Identifier: Apache-2.0
"""Device code that nothing else compiles on a machine without a GPU still compiles, where nvcc is."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Whether it compiles does not depend on how well; ./dev gpu-build optimises.
NVCC = ["nvcc", "-std=c++20", "-arch=compute_90", "-ptx", "--Ofast-compile=max", "-Werror",
        "all-warnings", "-I", "include", "-I", ".", "-I", "ladder/gpu"]


def compile_device_code(source, tmp_path):
    done = subprocess.run([*NVCC, source, "-o", tmp_path / "out.ptx"], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


if shutil.which("nvcc"):
    SOURCES = [path.relative_to(ROOT)
               for files in ("src/cuda/*.cu", "bench/gpu/*.cu", "ladder/gpu/*.cu",
                             "tests/cuda/users_calls.cu")
               for path in sorted(ROOT.glob(files))]
    HEADERS = [path.relative_to(ROOT / "include")
               for path in sorted((ROOT / "include").rglob("*.cuh"))]

    @pytest.mark.parametrize("source", SOURCES, ids=str)
    def test_a_source_for_gpus_only_compiles(source, tmp_path):
        compile_device_code(source, tmp_path)

    @pytest.mark.parametrize("header", HEADERS, ids=str)
    def test_a_device_header_compiles_alone(header, tmp_path):
        alone = tmp_path / "alone.cu"
        alone.write_text(f'#include "{header}"\n')
        compile_device_code(alone, tmp_path)
