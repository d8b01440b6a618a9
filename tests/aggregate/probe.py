# SPDX-License-Identifier: Apache-2.0
"""The library, through the C functions of tests/support. Arrays are NumPy arrays of the elements'
bits (floating types) or of integers; floating results are bits."""

import ctypes
import os

import numpy as np

from .oracle import FORMATS

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "bfloat16", "float32", "float64"]
LONG = "TALLY_LONG" in os.environ  # many more random cases
FEW = "TALLY_FEW" in os.environ  # or fewer

library = ctypes.CDLL(os.environ["TALLY_PROBE"])
library.probe_failure.restype = ctypes.c_char_p
library.probe_path_count.restype = ctypes.c_int64
library.probe_aggregates.restype = ctypes.c_char_p


class Failure(Exception):
    pass


def call(function, *arguments):
    if function(*arguments):
        raise Failure(library.probe_failure().decode())


def set_environment(rounding=0, flush_to_zero=False, denormals_are_zero=False):
    """The floating-point environment of the calls that follow."""
    library.probe_set_environment(rounding, ctypes.c_bool(flush_to_zero),
                                  ctypes.c_bool(denormals_are_zero))


def set_random_environment(rng):
    set_environment(int(rng.integers(4)), bool(rng.integers(2)), bool(rng.integers(2)))


def path_count(name):
    count = library.probe_path_count(name.encode())
    assert count >= 0, name
    return count


def instruction_set():
    """Which one the library runs on: 0 baseline, 1 AVX2, 2 AVX-512."""
    return library.probe_instruction_set()


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


def reduce(name, dtype, x, threads=1, skip=False, ddof=0, result=None, seed=0):
    """The bits of reduce(); with a seed, by way of random pieces that are merged at random."""
    assert x.flags.c_contiguous
    bits = ctypes.c_uint64()
    call(library.probe_reduce, name.encode(), DTYPES.index(dtype), address(x),
         ctypes.c_size_t(x.size), threads, ctypes.c_bool(skip), ctypes.c_uint64(ddof),
         DTYPES.index(result or dtype), ctypes.c_uint64(seed), ctypes.byref(bits))
    return bits.value


def state(dtype, x, seed, result=None):
    """The bits of an exact_state's result and its bytes, merged at random from random parts."""
    bits, room = ctypes.c_uint64(), np.zeros(1024, np.uint8)
    size = ctypes.c_size_t(room.size)
    call(library.probe_state, DTYPES.index(dtype), address(x), ctypes.c_size_t(x.size),
         DTYPES.index(result or dtype), ctypes.c_uint64(seed), ctypes.byref(bits), address(room),
         ctypes.byref(size))
    return bits.value, room[:size.value].tobytes()


def scan(dtype, to, x, threads=1, exclusive=False, reverse=False, skip=False, init=None, seed=0,
         in_place=False, op="sum"):
    """The prefix sums and the total, as lists of integers; with a seed, in random chunks."""
    kind = FORMATS[to].bits if to in FORMATS else to
    out = x.copy() if in_place else np.full(x.size, 0x55, kind)
    total = np.zeros(1, kind)
    start = None if init is None else np.array([init], kind)
    call(library.probe_scan, op.encode(), DTYPES.index(dtype), DTYPES.index(to), address(out if in_place else x),
         ctypes.c_size_t(x.size), threads, ctypes.c_bool(exclusive), ctypes.c_bool(reverse),
         ctypes.c_bool(skip), start if start is None else address(start), ctypes.c_uint64(seed),
         address(out), address(total))
    return out, total[0]


METHODS = ["linear", "lower", "higher", "nearest", "midpoint"]


def quantiles(dtype, x, qs, method="linear", skip=False, threads=1):
    """The bits of quantile(): of the elements' type, or of float64 of integers. Places are floats, or pairs of a
    numerator and a denominator."""
    assert x.flags.c_contiguous
    denominators = None
    if len(qs) and isinstance(qs[0], tuple):
        denominators = np.array([q[1] for q in qs], np.uint64)
        qs = np.array([q[0] for q in qs], np.uint64)
    qs = qs if denominators is not None else np.asarray(qs, np.float64)
    found = np.zeros(qs.size, np.uint64)
    call(library.probe_quantiles, DTYPES.index(dtype), address(x), ctypes.c_size_t(x.size), address(qs),
         denominators if denominators is None else address(denominators), ctypes.c_size_t(qs.size),
         METHODS.index(method), ctypes.c_bool(skip), threads, address(found))
    return found


def kth_value(dtype, x, k, largest=False, skip=False, threads=1):
    """The bits of the value, and its index."""
    value, index = ctypes.c_uint64(), ctypes.c_int64()
    call(library.probe_kth_value, DTYPES.index(dtype), address(x), ctypes.c_size_t(x.size), ctypes.c_uint64(k),
         ctypes.c_bool(largest), ctypes.c_bool(skip), threads, ctypes.byref(value), ctypes.byref(index))
    return value.value, index.value
