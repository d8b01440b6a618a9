# SPDX-License-Identifier: Apache-2.0
"""Tally beside NumPy: the same buffers, one thread each, in one run.

    ./dev bench

Each row is the best of several interleaved runs over an array much larger than the cache, and says
how many times as fast Tally is. Tally's sums are exact and its scans correctly rounded; NumPy's are
not. NumPy's answers are not used to check ours: the tests do that.
"""

import ctypes
import os
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
    a, b = best(ours, theirs, rounds)
    print(f"{dtype:8} {what:14} {a / n * 1e9:8.3f} {b / n * 1e9:8.3f}   {b / a:6.2f} x", flush=True)


def arrays(bytes_each):
    random = np.random.default_rng(1)
    for name in ("float32", "float64", "float16", "int8", "int32", "int64"):
        n = bytes_each // np.dtype(name).itemsize // (8 if name == "float16" else 1)
        if name.startswith("float"):
            yield random.standard_normal(n, dtype=np.float32).astype(name)
        else:
            info = np.iinfo(name)
            yield random.integers(info.min, info.max, n, dtype=name, endpoint=True)


def main():
    print(f"NumPy {np.__version__}, one thread each, ns an element\n")
    print(f"{'type':8} {'operation':14} {'tally':>8} {'numpy':>8}    tally is")
    for x in arrays(256 << 20):
        out, n = np.empty_like(x), x.size
        row(x.dtype.name, "sum", n, lambda: reduce("sum", x), x.sum)
        row(x.dtype.name, "maximum", n, lambda: reduce("maximum", x), x.max)
        row(x.dtype.name, "cumsum", n, lambda: scan(x, out), lambda: np.cumsum(x, out=out), 3)
        with np.errstate(over="ignore"):
            row(x.dtype.name, "variance", n, lambda: reduce("variance", x), x.var, 3)
    x = np.random.default_rng(1).standard_normal(1 << 25, dtype=np.float32)
    for k in (10, 1000, x.size // 100, x.size // 2):
        values, indices = np.empty(k, x.dtype), np.empty(k, np.int64)
        row(x.dtype.name, f"top {k}", x.size, lambda: top_k(x, k, values, indices),
            lambda: np.argpartition(x, x.size - k)[x.size - k:], 2)


if __name__ == "__main__":
    main()
