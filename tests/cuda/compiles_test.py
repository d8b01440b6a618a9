# SPDX-License-Identifier: Apache-2.0
"""Device code that nothing else compiles on a machine without a GPU still compiles, where nvcc is."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# All templates are instantiated; ./dev gpu-build makes code of them.
NVCC = ["nvcc", "-std=c++20", "-arch=compute_90", "-ptx", "-fdevice-syntax-only", "-Werror",
        "all-warnings", "-I", "include", "-I", ".", "-I", "ladder/gpu", "-I", "tests"]


def compile_device_code(source, tmp_path, family=""):
    done = subprocess.run([*NVCC, f"-DTALLY_FAMILY={family}", source, "-o", tmp_path / "out.ptx"], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


def compile_for_both(source, tmp_path):
    """Host code, too, where a lambda for the device is of another type."""
    return subprocess.run([*(["-c" if word == "-ptx" else word for word in NVCC]), "--extended-lambda",
                           "-Xcompiler=-Wall,-Wextra,-Werror,-Wno-psabi",
                           source, "-o", tmp_path / "out.o"], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


if shutil.which("nvcc"):
    SOURCES = [path.relative_to(ROOT)
               for files in ("src/cuda/*.cu", "bench/gpu/*.cu", "ladder/gpu/*.cu",
                             "tests/cuda/*.cu", "tests/recording/users_calls.cu")
               for path in sorted(ROOT.glob(files)) if path.name != "libraries_test.cu"]
    FAMILIES = [(path.relative_to(ROOT), family)
                for path in sorted(ROOT.glob("src/cuda/families/*.cu"))
                for family in re.findall("^#define ([A-Z_]+) ", path.read_text(), re.MULTILINE)]
    HEADERS = [path.relative_to(ROOT / "include")
               for path in sorted((ROOT / "include").rglob("*.cuh"))]

    @pytest.mark.parametrize("source", SOURCES, ids=str)
    def test_a_source_for_gpus_only_compiles(source, tmp_path):
        compile_device_code(source, tmp_path)

    @pytest.mark.parametrize("source, family", FAMILIES, ids=str)
    def test_a_family_for_gpus_compiles(source, family, tmp_path):
        compile_device_code(source, tmp_path, family)

    @pytest.mark.parametrize("header", HEADERS, ids=str)
    def test_a_device_header_compiles_alone(header, tmp_path):
        alone = tmp_path / "alone.cu"
        alone.write_text(f'#include "{header}"\n')
        compile_device_code(alone, tmp_path)

    def test_calls_with_what_cudas_libraries_have_compile(tmp_path):
        done = compile_for_both("tests/cuda/libraries_test.cu", tmp_path)
        assert done.returncode == 0, done.stdout

    @pytest.mark.parametrize("where", ["tally::cpu{}", "tally::best()"])
    def test_a_lambda_for_the_device_is_refused_by_cores_by_name(where, tmp_path):
        source = tmp_path / "lambda.cu"
        source.write_text(f"""
            #include <tally/gpu_reduce.cuh>
            #include <tally/tally.hpp>
            int last(std::span<int const> x) {{
              return tally::reduce({where}, x, [] __device__(int, int b) {{ return b; }});
            }}""")
        done = compile_for_both(source, tmp_path)
        assert "cores cannot call a __device__ lambda" in done.stdout
