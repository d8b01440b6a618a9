# SPDX-License-Identifier: Apache-2.0
"""The right answers: integers and ratios of Python, each rounded once.

An array is an unsigned NumPy array of the elements' bits (floating types) or an array of integers.
A floating element is an integer multiple of its type's least subnormal; only these are added.
"""

import math
from itertools import accumulate

import numpy as np

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]


class Format:
    def __init__(self, width, precision):
        self.width, self.precision = width, precision
        self.bias = (1 << (width - precision - 1)) - 1
        self.lowest = 1 - self.bias - (precision - 1)  # exponent of the least subnormal
        self.sign = 1 << (width - 1)
        self.infinity = (2 * self.bias + 1) << (precision - 1)
        self.nan = self.infinity | 1 << (precision - 2)
        self.bits = np.dtype(f"u{width // 8}")


FORMATS = {"float16": Format(16, 11), "bfloat16": Format(16, 8), "float32": Format(32, 24),
           "float64": Format(64, 53)}


def rounded(f, numerator, denominator=1, exponent=0):
    """The bits of numerator / denominator * 2^exponent, to nearest, ties to even; zero is +0."""
    if numerator == 0:
        return 0
    sign, numerator = (f.sign, -numerator) if numerator < 0 else (0, numerator)
    lead = numerator.bit_length() - denominator.bit_length()
    if (numerator << max(-lead, 0)) < (denominator << max(lead, 0)):
        lead -= 1
    last = max(lead + exponent - f.precision + 1, f.lowest)
    shift = exponent - last
    if shift >= 0:
        numerator <<= shift
    elif denominator == 1:  # a much shorter division
        drop = -shift
        whole, rest, half = numerator >> drop, numerator & ((1 << drop) - 1), 1 << (drop - 1)
        up = rest > half or (rest == half and whole & 1)
        return sign | min(((last - f.lowest) << (f.precision - 1)) + whole + up, f.infinity)
    else:
        denominator <<= -shift
    whole, rest = divmod(numerator, denominator)
    up = 2 * rest > denominator or (2 * rest == denominator and whole & 1)
    return sign | min(((last - f.lowest) << (f.precision - 1)) + whole + up, f.infinity)


def rounded_root(f, numerator, denominator, exponent):
    """The bits of the square root of numerator / denominator * 2^exponent; `exponent` is even."""
    if numerator == 0:
        return 0
    k = max(0, 70 - (numerator.bit_length() - denominator.bit_length()) // 2)
    scaled = numerator << 2 * k
    root = math.isqrt(scaled // denominator)
    more = root * root * denominator != scaled
    return rounded(f, 2 * root + more, 1, exponent // 2 - k - 1)


def value_of(f, bits):
    """An element as a multiple of 2^f.lowest; "nan", "inf" or "-inf" if it has none."""
    magnitude = bits & (f.sign - 1)
    if magnitude >= f.infinity:
        return "nan" if magnitude > f.infinity else "-inf" if bits & f.sign else "inf"
    field = magnitude >> (f.precision - 1)
    if field:
        hidden = 1 << (f.precision - 1)
        magnitude = (magnitude % hidden + hidden) << (field - 1)
    return -magnitude if bits & f.sign else magnitude


def special_bits(f, specials):
    """The sum of values of which some are not finite."""
    both = "inf" in specials and "-inf" in specials
    return f.nan if "nan" in specials or both else f.infinity | ("-inf" in specials and f.sign)


class Floats:
    """The exact aggregates of an array of type `dtype`."""

    def __init__(self, dtype, bits, skip=False):
        self.format = FORMATS[dtype]
        self.values = [value_of(self.format, b) for b in bits.tolist()]
        if skip:
            self.values = [v for v in self.values if v != "nan"]
        self.specials = {v for v in self.values if isinstance(v, str)}
        self.total = None if self.specials else sum(self.values)

    def sum(self, to):
        if self.specials:
            return special_bits(to, self.specials)
        return rounded(to, self.total, 1, self.format.lowest)

    def mean(self, to):
        if self.specials:
            return special_bits(to, self.specials)
        return rounded(to, self.total, len(self.values), self.format.lowest)

    def variance(self, to, ddof=0, root=False):
        n = len(self.values)
        if self.specials or n <= ddof:
            return to.nan
        spread = n * sum(v * v for v in self.values) - self.total ** 2
        finish = rounded_root if root else rounded
        return finish(to, spread, n * (n - ddof), 2 * self.format.lowest)


def prefix_sums(dtype, bits, to, init=None, exclusive=False, reverse=False, skip=False):
    """The bits of every prefix sum, rounded to `to`, and of the total; `init` is bits of `to`."""
    f = FORMATS[dtype]
    least = min(f.lowest, to.lowest)

    def scaled(g, b):
        v = value_of(g, b)
        return v if isinstance(v, str) else v << (g.lowest - least)

    values = [scaled(f, b) for b in bits.tolist()]
    if reverse:
        values.reverse()
    seen, out = set(), []

    def add(total, v):
        if isinstance(v, str):
            if not (skip and v == "nan"):
                seen.add(v)
            v = 0
        out.append(special_bits(to, seen) if seen else rounded(to, total + v, 1, least))
        return total + v

    total = 0
    for v in [0 if init is None else scaled(to, init), *values]:
        total = add(total, v)
    result = out[:-1] if exclusive else out[1:]
    if reverse:
        result.reverse()
    return result, out[-1]


def integer_moments(x):
    """The exact sum of integers, and n times their variance's numerator."""
    values = x.tolist()
    total = sum(values)
    return total, len(values) * sum(v * v for v in values) - total * total


def wrapped(values, width, signed):
    """Integers modulo 2^width."""
    half = 1 << (width - 1)
    return [(v + half) % (2 * half) - half if signed else v % (2 * half) for v in values]


def integer_prefix_sums(x, init=0, exclusive=False, reverse=False):
    values = x.tolist()
    if reverse:
        values.reverse()
    out = list(accumulate(values, initial=init))
    result = out[:-1] if exclusive else out[1:]
    if reverse:
        result.reverse()
    return result, out[-1]
