# SPDX-License-Identifier: Apache-2.0
"""Tally, its peers in C++ and the machine's lines, as functions over NumPy arrays."""

import ctypes
import os
from ctypes import byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p

import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "bfloat16", "float32", "float64"]


class Library:
    def __init__(self, threads):
        self._tally = ctypes.CDLL(os.environ["TALLY_BENCH"])
        self._tally.bench_read.restype = self._tally.bench_copy.restype = c_double
        self._tally.bench_small.restype = c_double
        self._tally.bench_instruction_set.restype = c_char_p
        self._tally.bench_model.restype = c_char_p
        self._tally.bench_l3_bytes.restype = c_size_t
        self._tally.bench_peer.restype = c_bool
        self.threads = threads or self._tally.bench_threads()

    def other(self, path):
        """The same functions of another build, to call instead (and these, to come back)."""
        mine, theirs = self._tally, ctypes.CDLL(path)

        def use(which):
            self._tally = theirs if which else mine
        return use

    def _call(self, name, *arguments):
        if getattr(self._tally, name)(*arguments):
            raise RuntimeError(f"{name} failed")

    def machine(self):
        return {"model": self._tally.bench_model().decode(),
                "instruction_set": self._tally.bench_instruction_set().decode(),
                "l3_bytes": self._tally.bench_l3_bytes()}

    def reduce(self, op, x):
        """The result's bits."""
        bits = c_uint64()
        self._call("bench_reduce", op.encode(), x.code, x.pointer, c_size_t(x.size), self.threads,
                   byref(bits))
        return bits.value

    def small(self, op, who, x, calls):
        """Seconds of a call by `who` on one thread, in the mean of so many, and its result's bits."""
        bits = c_uint64()
        seconds = self._tally.bench_small(op.encode(), who.encode(), x.dtype.encode(), x.pointer,
                                          c_size_t(x.size), calls, byref(bits))
        return seconds, bits.value

    def dot(self, x, y):
        bits = c_uint64()
        self._call("bench_dot", x.code, x.pointer, y.pointer, c_size_t(x.size), self.threads,
                   byref(bits))
        return bits.value

    def scan(self, x, out):
        self._call("bench_scan", x.code, x.pointer, c_size_t(x.size), self.threads, address(out))

    def top_k(self, x, k, values, indices):
        self._call("bench_top_k", x.code, x.pointer, c_size_t(x.size), c_uint64(k), self.threads,
                   address(values), address(indices))

    def peer(self, what, who, x, out, k=0):
        return self._tally.bench_peer(what.encode(), who.encode(), x.dtype.encode(), x.pointer,
                                      c_size_t(x.size), address(out), c_size_t(k), self.threads)

    def read_line(self, *arrays):
        return sum(self._tally.bench_read(x.pointer, c_size_t(x.bytes), self.threads)
                   for x in arrays)

    def copy_line(self, x, out):
        return self._tally.bench_copy(x.pointer, address(out), c_size_t(x.bytes), self.threads)


def address(array):
    return c_void_p(array.ctypes.data)


class Elements:
    """An array in memory; bfloat16 as the uint16 of its bits."""

    def __init__(self, dtype, array):
        self.dtype, self.array = dtype, array
        self.code = DTYPES.index(dtype)
        self.pointer, self.size, self.bytes = address(array), array.size, array.nbytes

    def doubles(self, begin, end):
        part = self.array[begin:end]
        if self.dtype == "bfloat16":
            part = (part.astype(np.uint32) << 16).view(np.float32)
        return part.astype(np.float64)

    def bits(self, begin=0, end=None):
        part = self.array[begin:end]
        return part.view(f"u{part.itemsize}")
