# SPDX-License-Identifier: Apache-2.0
"""What states are as bytes, read by a page of Python that knows the format alone (saved.hpp): sums, moments,
nodes of the tree, positions, what comes before the rest of a scan, selections."""

import ctypes
import struct
from fractions import Fraction

import numpy as np
import pytest

from aggregate.probe import DTYPES, address, call, library

FORMATS = {"int32": "i", "float16": "e", "float32": "f", "float64": "d"}
KINDS = ["sum", "variance", "fast_sum", "arg_minimum", "scan", "top_k"]


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def get(self, format, count=1):
        found = struct.unpack_from("<" + count * format, self.data, self.at)
        self.at += struct.calcsize("<" + count * format)
        return found if count != 1 else found[0]

    def head(self, kind, name, types=1):
        assert self.get("4s") == b"TLY\1" and self.get("B") == kind
        assert self.data[self.at + 4:][:self.get("I")] == name.encode()
        self.at += len(name)
        numbers = [self.get("B") for _ in range(types)]
        return FORMATS[DTYPES[numbers[0]]]

    def digits(self):
        """A number of the digits that are not zero."""
        count = self.get("B")
        if count == 0:
            return Fraction(0)
        negative, exponent = self.get("B"), self.get("h")
        value = sum(self.get("I") << 32 * i for i in range(count)) * Fraction(2) ** exponent
        return -value if negative else value

    def exact(self):
        """The exact sum, and how many terms were NaN, +inf and -inf."""
        which = self.get("B")
        special = [self.get("Q") if which >> i & 1 else 0 for i in range(3)]
        return self.digits(), special


def saved(kind, dtype, x, cut):
    room, size = np.zeros(1 << 16, np.uint8), ctypes.c_size_t(1 << 16)
    call(library.probe_saved_state, KINDS.index(kind), DTYPES.index(dtype), address(x), ctypes.c_size_t(x.size),
         ctypes.c_size_t(cut), address(room), ctypes.byref(size))
    return Reader(room[:size.value].tobytes())


def inputs(dtype, seed):
    random = np.random.default_rng(seed)
    if dtype == "int32":
        return random.integers(-2**31, 2**31, 1000, np.int32)
    if dtype == "float16":
        return random.normal(size=1000).astype(np.float16)
    spread = 30 if dtype == "float32" else 280
    return (random.normal(size=1000) * 10.0 ** random.integers(-spread, spread, 1000)).astype(dtype)


CASES = [(dtype, cut) for dtype in FORMATS for cut in (0, 1, 333, 1000)]


@pytest.mark.parametrize("dtype,cut", CASES)
def test_sums_and_carries_are_exact(dtype, cut):
    x = inputs(dtype, cut)
    total = sum(map(Fraction, x.tolist()))
    of_sum, of_scan = saved("sum", dtype, x, cut), saved("scan", dtype, x, cut)
    of_sum.head(1, "sum")
    assert of_sum.get("Q", 2) == (0, 1000)
    of_scan.head(2, "sum", 2)
    assert of_scan.get("B") == 0 and of_scan.get("Q") == 1000
    for reader, bits in (of_sum, 64), (of_scan, 32):
        if dtype == "int32":
            assert int(total) % 2**bits == reader.get({64: "Q", 32: "I"}[bits])
        else:
            assert reader.exact() == (total, [0, 0, 0])
        assert reader.at == len(reader.data)


@pytest.mark.parametrize("dtype,cut", CASES)
def test_moments_are_exact(dtype, cut):
    x = inputs(dtype, cut + 1)
    reader = saved("variance", dtype, x, cut)
    reader.head(1, "variance")
    assert reader.get("Q", 3) == (0, 1000, 1000)
    assert reader.exact() == (sum(map(Fraction, x.tolist())), [0, 0, 0])
    assert reader.digits() == sum(Fraction(e) ** 2 for e in x.tolist())
    assert reader.at == len(reader.data)


def test_terms_that_are_not_finite_are_counted():
    x = np.array([1, np.nan, np.inf, 0.5, np.nan], np.float32)
    reader = saved("sum", "float32", x, 2)
    reader.head(1, "sum")
    assert reader.get("Q", 2) == (0, 5) and reader.exact() == (Fraction(3, 2), [2, 1, 0])


@pytest.mark.parametrize("cut", (0, 1, 333, 1000))
def test_nodes_of_the_tree_are_there_from_the_largest_on(cut):
    x = inputs("float32", cut)
    reader = saved("fast_sum", "float32", x, cut)
    reader.head(1, "fast_sum")
    assert reader.get("Q", 2) == (0, 1000)
    at = 0
    for size in (512, 256, 128, 64, 32, 8):
        level = x[at:at + size]
        while level.size > 1:
            level = level[::2] + level[1::2]
        assert reader.get("f") == level[0]
        at += size
    assert reader.at == len(reader.data)


@pytest.mark.parametrize("dtype,cut", CASES)
def test_positions_are_there_with_what_they_are_of(dtype, cut):
    x = inputs(dtype, cut)
    reader = saved("arg_minimum", dtype, x, cut)
    element = reader.head(1, "arg_minimum")
    assert reader.get("Q", 2) == (0, 1000)
    assert reader.get("B") == 1 and reader.get(element) == x.min() and reader.get("q") == x.argmin()
    assert reader.at == len(reader.data)


@pytest.mark.parametrize("dtype,cut", CASES)
def test_selections_are_there_by_ascending_index(dtype, cut):
    x = inputs(dtype, cut)
    reader = saved("top_k", dtype, x, cut)
    element = reader.head(3, "top_k")
    assert reader.get("Q") == cut and reader.get("B", 4) == (0, 1, 0, 0)  # the largest, sorted
    assert reader.get("Q", 3) == (1000, 1000, cut)
    values = [reader.get(element) for _ in range(cut)]
    indices = [reader.get("q") for _ in range(cut)]
    assert indices == sorted(np.argsort(-x.astype(np.float64), kind="stable")[:cut])
    assert values == x[indices].tolist() and reader.at == len(reader.data)
