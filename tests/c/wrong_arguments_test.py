# SPDX-License-Identifier: Apache-2.0
"""tally/tally.h says what is wrong, by the argument and its value, and touches nothing then."""

import ctypes
import re

import numpy as np
import pytest

from .interface import DTYPES, PROBE, Array, Failure, Options, Where, array, options, room
from .tally_test import where  # noqa: F401, a fixture


def test_segments_on_cores_are_looked_at():
    x, sums = np.zeros(9, np.float32), np.zeros(2, np.float32)
    with pytest.raises(Failure, match=r"offsets\[2\] = 3 is less than offsets\[1\] = 4"):
        Where(PROBE).segments("reduce", [b"sum", ctypes.byref(array(x)), None],
                              np.array([0, 4, 3]), 9, 1, ctypes.byref(array(sums)), options())


def test_wrong_arguments_are_named(where):
    x = np.zeros((3, 4), np.float32)
    for message, call in {
        "axis = 2 of an array of 2": lambda: where.reduce("sum", x, [2]),
        "axis 1 is named twice": lambda: where.reduce("sum", x, [1, -1], out=[x[0]]),
        "aggregate 'mode': there are sum": lambda: where.reduce("mode", x, [0]),
        "takes two arrays, not one": lambda: where.reduce("dot", x, [0]),
        "takes one array, not two": lambda: where.reduce("sum", x, [0], b=x),
        r"out has the shape \(4\), not \(3\)": lambda: where.reduce("sum", x, [1], out=[x[0]]),
        "as = int8": lambda: where.reduce("sum", x, [1], as_="int8"),
        "takes no ddof, which is 1": lambda: where.reduce("sum", x, [1], ddof=1),
        "method = 9 is none": lambda: where.quantile(x, [1], [0.5], room([1, 3], "float32"), method=9),
        "out holds int32, not float64":
            lambda: where.quantile(x.view(np.int32), [1], [0.5], room([1, 3], "int32"), method=4),
        "there is no scan": lambda: where.scan("mean", x, [1], x),
        "a and b have different shapes":
            lambda: where.reduce("dot", x, [1], b=x[:, :3], out=[x[:, 0]]),
    }.items():
        with pytest.raises(Failure, match=message):
            call()


def test_results_lie_where_nothing_is_read(where):
    x, at, q = np.zeros((3, 4)), np.zeros((3, 2), np.int64), [0.5]
    whole, both = np.zeros((4, 6, 2, 6, 8))[:, ::2, :, ::2, ::2], np.zeros((3, 2))
    for message, call in {
            "reduce_into: out overlaps in": lambda: where.reduce("sum", x, [1], out=[x[:, 0]]),
            "reduce_into: out overlaps b": lambda: where.reduce("dot", x + 1, [1], b=x, out=[x[:, 3]]),
            "maximum overlaps minimum":
                lambda: where.reduce("min_max", x, [1], out=[both[:, 0], both[::-1, 0]]),
            "top_k: values overlaps in": lambda: where.top_k(x, 1, 2, x[:, :2], at),
            "top_k: indices overlaps values":
                lambda: where.top_k(x, 1, 2, at.view(np.float64), at),
            "kth_value: values overlaps in":
                lambda: where.kth_value(x, [1], 1, x[:, 1], at[:, 0]),
            "quantile: out overlaps in": lambda: where.quantile(x, [1], q, x[None, :, 0]),
            "reduce_into: out overlaps": lambda: where.reduce("sum", whole, [1, 3], out=[whole[:, 0, :, 0]]),
    }.items():
        with pytest.raises(Failure, match=message):
            call()
    where.reduce("min_max", x, [1], out=[both[:, 0], both[:, 1]])
    where.reduce("sum", x[:, 1:], [1], out=[x[:, 0]])
    offsets, sums = np.array([0, 2, 4]), x.reshape(-1)[1:3]
    with pytest.raises(Failure, match="reduce_into: out overlaps in"):
        where.segments("reduce", [b"sum", ctypes.byref(array(x.reshape(-1))), None], offsets, 2, 1,
                       ctypes.byref(array(sums)), options())
    with pytest.raises(Failure, match="reduce_into: minimum overlaps in"):
        where.segments("reduce", [b"min_max", ctypes.byref(array(x.reshape(-1))), None], offsets, 2, 2,
                       (Array * 2)(array(sums), array(both[:2, 0])), options())


def test_results_lie_apart_from_what_has_gaps(where):
    x, offsets, at = np.zeros(12), np.array([0, 5, 12]), np.zeros((2, 2), np.int64)
    line = array(x, valid=(np.full(2, 0x5f, np.uint8), 0))
    values = array(x[2:6].reshape(2, 2))
    with pytest.raises(Failure, match="top_k_into: values overlaps in"):
        where.segments("top_k", [ctypes.byref(line)], offsets, 7, ctypes.c_uint64(2), ctypes.byref(values),
                       ctypes.byref(array(at)), options())
    with pytest.raises(Failure, match="quantile_into: out overlaps in"):
        where.segments("quantile", [ctypes.byref(line)], offsets, 7, ctypes.c_size_t(2),
                       (ctypes.c_double * 2)(0, 1), None, ctypes.byref(values), options())


def test_what_is_not_aligned_is_refused(where):
    x, bytes_of_it = np.zeros((3, 4)), np.zeros(100, np.uint8)
    odd = bytes_of_it[4 - bytes_of_it.ctypes.data % 8:][:96].view(np.float64).reshape(3, 4)
    counts, at = odd.view(np.int64), np.zeros((3, 2), np.int64)
    for argument, call in {
            "reduce_into: out": lambda: where.reduce("sum", x, [1], out=[odd[0, :3]]),
            "reduce_into: in": lambda: where.reduce("sum", odd, [0, 1]),
            "dot: b": lambda: where.reduce("dot", x, [0], b=odd),
            "scan: out": lambda: where.scan("sum", x, [0], odd),
            "top_k: indices": lambda: where.top_k(x, 1, 2, x[:, :2] + 1, counts[:, :2]),
            "kth_value: values": lambda: where.kth_value(x, [1], 1, odd[0, :3], at[:, 0]),
            "quantile: out": lambda: where.quantile(x, [1], [0.5], odd[:1, :3]),
    }.items():
        with pytest.raises(Failure, match=f"{argument} = 0x.* is not aligned to its elements of 8 bytes"):
            call()
    offsets, odd_values = np.array([0, 2, 4, 12]), odd.reshape(-1)[:6].reshape(3, 2)
    line, found = array(x.reshape(-1)), array(np.zeros((3, 2), np.int64))
    with pytest.raises(Failure, match="top_k_into: values = 0x.* is not aligned"):
        where.segments("top_k", [ctypes.byref(line)], offsets, 8, ctypes.c_uint64(2),
                       ctypes.byref(array(odd_values)), ctypes.byref(found), options())
    with pytest.raises(Failure, match="quantile_into: out = 0x.* is not aligned"):
        where.segments("quantile", [ctypes.byref(line)], offsets, 8, ctypes.c_size_t(2),
                       (ctypes.c_double * 2)(0, 1), None, ctypes.byref(array(odd_values)), options())


def test_what_cannot_be_is_told_and_not_tried(where):
    """Shapes beyond all indices, null data, counts below 0, options of no interface."""
    x, total = np.zeros(4, np.float32), np.zeros((), np.float32)

    def reduced(shape, strides=None, data=x.ctypes.data, axes=1, outputs=1, dimensions=None,
                size=ctypes.sizeof(Options)):
        extents = (ctypes.c_int64 * len(shape))(*shape)
        steps = (ctypes.c_int64 * len(shape))(*strides) if strides else None
        a = Array(data, DTYPES.index("float32"), len(shape) if dimensions is None else dimensions,
                  extents, steps)
        out, how = array(total), Options(size, as_=-1)
        where.call("tally_reduce", where.handle, b"sum", ctypes.byref(a), None, axes,
                   (ctypes.c_int32 * 1)(0), outputs, ctypes.byref(out), ctypes.byref(how))

    reduced([4])
    for message, wrong in {
            "has more elements than 2^62": {"shape": [2**62, 4], "strides": [0, 0]},
            "has more elements than": {"shape": [2**63 - 1, 2**63 - 1, 0]},
            "in: data is null": {"shape": [4], "data": None},
            "dimensions = -1": {"shape": [4], "dimensions": -1},
            "axis_count = -1": {"shape": [4], "axes": -1},
            "output_count = -1": {"shape": [4], "outputs": -1},
            "options: size = 49": {"shape": [4], "size": 49},
            "options: size = 0": {"shape": [4], "size": 0},
    }.items():
        with pytest.raises(Failure, match=re.escape(message)):
            reduced(**wrong)
    reduced([0], data=None)
