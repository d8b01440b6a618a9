# SPDX-License-Identifier: Apache-2.0
"""Neither the number of threads nor the instruction set changes a bit of any answer."""

import os
import zlib
from pathlib import Path

import numpy as np
import pytest

from .command import answer, report

CALLS = [("describe",), ("fast-sum",), ("variance",), ("top-k", "-k", 300),
         ("scan", "-o", "out.npy"), ("scan", "--exclusive", "--reverse", "-o", "out.npy")]
TELLS = ("threads", "seconds", "gb_per_s", "device")  # how it was, not what it is


def far_apart(dtype, n):
    """In order: what lies close together, what cancels, what does not, and bits of all kinds."""
    rng = np.random.default_rng(7)
    if dtype.startswith("int"):
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype)
    bits = rng.integers(0, 256, n * np.dtype(dtype).itemsize, "uint8").view(dtype)
    bits[~np.isfinite(bits)] = 1
    x = rng.standard_normal(n).astype(dtype)
    part = n // 5
    x[part:2 * part:2] = -x[part + 1:2 * part + 1:2]
    x[2 * part:3 * part] *= np.exp2(rng.integers(-10, 5, part)).astype(dtype)
    x[3 * part:] = bits[3 * part:]
    return x


def bits_of(call, environment, threads):
    Path("out.npy").unlink(missing_ok=True)
    options = ("--threads", threads)
    if call[0] == "scan":
        answer(*call, "x.npy", *options, env=environment)
        return zlib.crc32(Path("out.npy").read_bytes())
    found = report(*call, "x.npy", *options, env=environment)
    assert found["threads"] == threads
    return {key: value for key, value in found.items() if key not in TELLS}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int16", "int64"])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: "_".join(map(str, call)))
def test_every_instruction_set_with_1_to_8_threads_gives_the_same_bits(call, dtype):
    np.save("x.npy", far_apart(dtype, 1_500_000))  # enough for more than one thread
    if call[0] == "scan" and dtype == "int64":
        call = (*call, "--out-dtype", dtype)  # for sums that wrap
    clean = {key: value for key, value in os.environ.items() if key != "TALLY_ISA"}
    found = [bits_of(call, {**clean, "TALLY_ISA": isa}, threads)
             for isa in ("baseline", "avx2", "avx512") for threads in range(1, 9)]
    assert all(each == found[0] for each in found)
