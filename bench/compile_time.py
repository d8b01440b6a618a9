# SPDX-License-Identifier: Apache-2.0
"""How long nvcc takes over a program with one reduction of a whole array by an operator of its own, by
Tally and by CUB. Processor seconds, which what else runs hardly changes, the best of several rounds, in
turn; object code for one architecture, no linking.

usage: compile_time.py [--arch sm_90] [--rounds 3] [--check] [--json OUT]

With --check it fails where Tally takes more than half of CUB's time.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from result_files import write_results

ROOT = Path(__file__).resolve().parents[1]
OPERATOR = """
struct farther {  // of zero; the left one of two that are as far
  __host__ __device__ float operator()(float a, float b) const {
    return (a < 0 ? -a : a) < (b < 0 ? -b : b) ? b : a;
  }
};
"""
PROGRAMS = {
    "tally": """#include <span>
#include <tally/gpu_reduce.cuh>
""" + OPERATOR + """
void farthest(tally::gpu& there, float const* in, long long n, float* out) {
  tally::reduce_into(there, std::span(in, std::size_t(n)), out, farther{});
}
""",
    "cub": """#include <cub/device/device_reduce.cuh>
""" + OPERATOR + """
cudaError_t farthest(void* memory, size_t& bytes, float const* in, long long n, float* out,
                     cudaStream_t stream) {
  return cub::DeviceReduce::Reduce(memory, bytes, in, out, n, farther{}, 0.0f, stream);
}
""",
    "nothing": "#include <cuda_runtime.h>\n",  # what nvcc takes anyhow
}


def seconds(source, arch):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["nvcc", "-std=c++20", "-O3", f"-arch={arch}", "-I", ROOT / "include", "-c", source,
                    "-o", source.with_suffix(".o")], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    samples = {name: [] for name in PROGRAMS}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for name, text in PROGRAMS.items():
                source = Path(folder) / f"{name}.cu"
                source.write_text(text)
                samples[name].append(seconds(source, options.arch))
    best = {name: min(taken) for name, taken in samples.items()}
    for name, taken in best.items():
        print(f"{name:8} {taken:5.2f} s")
    print(f"tally / cub: {best['tally'] / best['cub']:.2f}")
    if options.json:
        version = subprocess.run(["nvcc", "--version"], check=True, stdout=subprocess.PIPE, text=True)
        rows = [{"id": f"compile/reduce/user/{name}", "seconds": best[name], "samples": samples[name]}
                for name in PROGRAMS]
        write_results(options.json, {"nvcc": version.stdout.splitlines()[-1], "arch": options.arch,
                                     "rows": rows})
    if options.check and best["tally"] > best["cub"] / 2:
        sys.exit("compile_time: Tally takes more than half of CUB's time")


if __name__ == "__main__":
    main()
