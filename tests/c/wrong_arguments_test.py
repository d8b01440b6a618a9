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
        "there is no scan": lambda: where.scan("mean", x, [1], x),
        "a and b have different shapes":
            lambda: where.reduce("dot", x, [1], b=x[:, :3], out=[x[:, 0]]),
    }.items():
        with pytest.raises(Failure, match=message):
            call()


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
