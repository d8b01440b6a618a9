# SPDX-License-Identifier: Apache-2.0
"""Tally beside NumPy: the same buffers, one thread each, in one run.

    ./dev bench [--check]

Each row is the best of several interleaved runs over an array much larger than the cache, and says
how many times as fast Tally is; with --check, a row below 0.95 fails. Tally's sums are exact and its
scans correctly rounded; NumPy's are not. NumPy's answers are not used to check ours: the tests do
that.
"""

import argparse
import ctypes
import os
import sys
import time

import numpy as np

tally = ctypes.CDLL(os.environ["TALLY_PROBE"])
dtypes = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "bfloat16", "float32", "float64"]


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def checked(status):
    if status:
        raise RuntimeError(ctypes.string_at(tally.probe_failure()).decode())


def reduce(name, x):
    code, bits = dtypes.index(x.dtype.name), ctypes.c_uint64()
    integer = x.dtype.kind in "iu"
    result = {"sum": dtypes.index("int64" if x.dtype.kind == "i" else "uint64") if integer else code,
              "variance": dtypes.index("float64") if integer else code}.get(name, code)
    checked(tally.probe_reduce(name.encode(), code, pointer(x), ctypes.c_size_t(x.size), 1, False,
                               ctypes.c_uint64(0), result, ctypes.c_uint64(0), ctypes.byref(bits)))


def scan(x, out):
    code = dtypes.index(x.dtype.name)
    total = ctypes.c_uint64()
    checked(tally.probe_scan(code, code, pointer(x), ctypes.c_size_t(x.size), 1, False, False, False,
                             None, ctypes.c_uint64(0), pointer(out), ctypes.byref(total)))


def top_k(x, k, values, indices):
    checked(tally.probe_top_k(dtypes.index(x.dtype.name), pointer(x), ctypes.c_size_t(x.size),
                              ctypes.c_uint64(k), 1, pointer(values), pointer(indices)))


def best(ours, theirs, rounds=5):
    times = [float("inf"), float("inf")]
    for _ in range(rounds):
        for i, run in enumerate((ours, theirs)):
            start = time.perf_counter()
            run()
            times[i] = min(times[i], time.perf_counter() - start)
    return times


def row(dtype, what, n, ours, theirs, rounds=5):
    """Prints a row; returns whether Tally is as fast as NumPy, but for the noise."""
    a, b = best(ours, theirs, rounds)
    print(f"{dtype:8} {what:14} {a / n * 1e9:8.3f} {b / n * 1e9:8.3f}   {b / a:6.2f} x", flush=True)
    return b >= 0.95 * a


def normal_or_uniform(name, n):
    random = np.random.default_rng(1)
    if name.startswith("float"):
        return random.standard_normal(n, dtype=np.float32).astype(name)
    info = np.iinfo(name)
    return random.integers(info.min, info.max, n, dtype=name, endpoint=True)


def reduction_and_scan_rows(name, bytes_read):
    n = bytes_read // np.dtype(name).itemsize // (8 if name == "float16" else 1)
    x = normal_or_uniform(name, n)
    out = np.empty_like(x)
    yield row(name, "sum", n, lambda: reduce("sum", x), x.sum)
    yield row(name, "maximum", n, lambda: reduce("maximum", x), x.max)
    yield row(name, "cumsum", n, lambda: scan(x, out), lambda: np.cumsum(x, out=out), 3)
    with np.errstate(over="ignore"):
        yield row(name, "variance", n, lambda: reduce("variance", x), x.var, 3)


def top_k_rows(name, n):
    x = normal_or_uniform(name, n)
    for k in (10, 1000, n // 100, n // 2):
        values, indices = np.empty(k, x.dtype), np.empty(k, np.int64)
        yield row(name, f"top {k}", n, lambda: top_k(x, k, values, indices),
                  lambda: np.argpartition(x, n - k)[n - k:], 2)


def main():
    parser = argparse.ArgumentParser(description="Tally beside NumPy, one thread each.")
    parser.add_argument("--check", action="store_true", help="fail if a row is below 0.95")
    check = parser.parse_args().check
    print(f"NumPy {np.__version__}, one thread each, ns an element\n")
    print(f"{'type':8} {'operation':14} {'tally':>8} {'numpy':>8}    tally is")
    kept_up = []
    for name in ("float32", "float64", "float16", "int8", "int32", "int64"):
        kept_up += reduction_and_scan_rows(name, 256 << 20)
    for name in ("float32", "float64", "int32"):
        kept_up += top_k_rows(name, 1 << 25)
    if check and not all(kept_up):
        sys.exit(f"{kept_up.count(False)} of {len(kept_up)} rows are below 0.95")


if __name__ == "__main__":
    main()
