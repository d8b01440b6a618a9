# SPDX-License-Identifier: Apache-2.0
"""tally/tally.h through ctypes: arrays are NumPy arrays of any strides; those of bfloat16 are of uint16
and named so."""

import ctypes
import os
from pathlib import Path

import numpy as np
from aggregate.probe import DTYPES

PROBE = Path(os.environ["TALLY_PROBE"])
HOST_GPU = PROBE.with_name(PROBE.name.replace("tally_probe", "tally_c_on_a_host_gpu"))


class Failure(Exception):
    pass


class Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("dimensions", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("valid", ctypes.c_void_p),
                ("valid_offset", ctypes.c_int64)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32)] + [
        (name, ctypes.c_int32) for name in ("skip_nan", "as_", "exclusive", "reverse", "smallest",
                                            "largest", "by_index", "distinct", "method")
    ] + [("ddof", ctypes.c_uint64), ("init", ctypes.c_void_p)]


class Number(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int32)]


def options(as_=None, init=None, **others):
    all_of_them = Options(ctypes.sizeof(Options), as_=DTYPES.index(as_) if as_ else -1, **others)
    all_of_them.init = init.ctypes.data if init is not None else None
    return ctypes.byref(all_of_them)


def array(x, dtype=None, valid=None):
    """A NumPy array as the interface takes it, which keeps what it points to. `valid` are the bits of a
    bitmap and the one of its first element."""
    size = x.dtype.itemsize
    assert all(step % size == 0 for step in x.strides)
    extents, steps = (ctypes.c_int64 * x.ndim)(*x.shape), (ctypes.c_int64 * x.ndim)(
        *(step // size for step in x.strides))
    found = Array(x.ctypes.data, DTYPES.index(dtype or x.dtype.name), x.ndim, extents, steps)
    if valid:
        found.valid, found.valid_offset = valid[0].ctypes.data, valid[1]
    found.kept = x, extents, steps, valid
    return found


def room(shape, dtype):
    """An array to write to, poisoned."""
    bits = "uint16" if dtype == "bfloat16" else dtype
    count = int(np.prod(shape))
    return np.full(count * np.dtype(bits).itemsize, 0xa5, np.uint8).view(bits).reshape(shape)


class Where:
    """Where calls run: cores, or a GPU."""

    def __init__(self, library, threads=2, gpu=False):
        self.library = ctypes.CDLL(str(library))
        self.library.tally_message.restype = ctypes.c_char_p
        self.handle = ctypes.c_void_p()
        if gpu:
            self.call("tally_gpu", 0, None, ctypes.byref(self.handle))
        else:
            self.call("tally_cpu", threads, ctypes.byref(self.handle))

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments):
            raise Failure(self.library.tally_message().decode())

    def numbers(self, aggregate, dtype, how=None):
        """The numbers of a result: (name, dtype) of each."""
        found, count = (Number * 12)(), ctypes.c_int32()
        self.call("tally_results", aggregate.encode(), DTYPES.index(dtype), how,
                  ctypes.byref(count), found)
        return [(n.name.decode(), DTYPES[n.dtype]) for n in found[:count.value]]

    def reduce(self, aggregate, x, axes, dtype=None, b=None, out=None, valid=None, b_valid=None, **how):
        """The results, an array for each number; into arrays like `out`, if there are some."""
        axes = list(range(x.ndim)) if axes is None else axes
        asked = options(**how)
        shape = [n for d, n in enumerate(x.shape) if d not in [a % x.ndim for a in axes]]
        numbers = self.numbers(aggregate, dtype or x.dtype.name, asked)
        results = out or [room(shape, kind) for _, kind in numbers]
        outputs = (Array * len(results))(*(array(r, kind) for r, (_, kind) in zip(results, numbers)))
        a = array(x, dtype, valid)
        second = array(b, dtype, b_valid) if b is not None else None
        self.call("tally_reduce", self.handle, aggregate.encode(), ctypes.byref(a),
                  ctypes.byref(second) if second else None, len(axes),
                  (ctypes.c_int32 * len(axes))(*axes), len(results), outputs, asked)
        return results

    def scan(self, aggregate, x, axes, out, dtype=None, to=None, valid=None, **how):
        a, b = array(x, dtype, valid), array(out, to)
        self.call("tally_scan", self.handle, aggregate.encode(), ctypes.byref(a), len(axes),
                  (ctypes.c_int32 * len(axes))(*axes), ctypes.byref(b), options(**how))
        return out

    def top_k(self, x, axis, k, values, indices, dtype=None, valid=None, bias=None, **how):
        a, v, i = array(x, dtype, valid), array(values, dtype), array(indices)
        more = [] if bias is None else [ctypes.byref(array(bias, dtype))]
        self.call("tally_top_k_biased" if more else "tally_top_k", self.handle, ctypes.byref(a), *more,
                  axis, ctypes.c_uint64(k), ctypes.byref(v), ctypes.byref(i), options(**how))
        return values, indices

    def kth_value(self, x, axes, k, values, indices, dtype=None, valid=None, **how):
        a, v, i = array(x, dtype, valid), array(values, dtype), array(indices)
        self.call("tally_kth_value", self.handle, ctypes.byref(a), len(axes),
                  (ctypes.c_int32 * len(axes))(*axes), ctypes.c_uint64(k), ctypes.byref(v),
                  ctypes.byref(i), options(**how))
        return values, indices

    def quantile(self, x, axes, q, out, dtype=None, to=None, valid=None, **how):
        a, b = array(x, dtype, valid), array(out, to)
        self.call("tally_quantile", self.handle, ctypes.byref(a), len(axes),
                  (ctypes.c_int32 * len(axes))(*axes), ctypes.c_size_t(len(q)),
                  (ctypes.c_double * len(q))(*q), None, ctypes.byref(b), options(**how))
        return out

    def segments(self, call, first, offsets, longest, *arguments):
        """`first` are the arguments before the offsets."""
        at = array(offsets)
        self.call(f"tally_{call}_segments", self.handle, *first, ctypes.byref(at),
                  ctypes.c_uint64(longest), *arguments)
