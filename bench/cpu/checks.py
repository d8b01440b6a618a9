# SPDX-License-Identifier: Apache-2.0
"""Whether answers on large arrays are right: by NumPy's comparisons, and by integers of Python for
what is exact."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "aggregate"))
from oracle import FORMATS, rounded, special_bits  # noqa: E402

LEAST = -1200  # exponents are counted from here
CHUNK = 1 << 21


def add_exactly(x):
    """The sum of doubles as an integer multiple of 2^(LEAST - 53). Per exponent, sums of halves of
    significands are exact doubles."""
    fraction, exponent = np.frexp(x)
    significand = np.ldexp(fraction, 53).astype(np.int64)
    high, low = significand >> 27, significand & 0x7ffffff
    place = exponent.astype(np.int64) - LEAST
    total = 0
    for part, up in ((high, 27), (low, 0)):
        sums = np.bincount(place, weights=part)
        for at in np.flatnonzero(sums):
            total += int(sums[at]) << int(at + up)
    return total


SCALE = LEAST - 53


def square(x):
    """x * x as two doubles (Dekker), for what neither overflows nor underflows."""
    product = x * x
    scaled = x * 134217729.0
    high = scaled - (scaled - x)
    low = x - high
    return product, ((high * high - product) + 2 * high * low) + low * low


class Sums:
    """The exact sum and the sum of squares of x[begin:end]."""

    def __init__(self, x, begin=0, end=None, squares=False):
        self.total = self.squares = 0
        self.count = (x.size if end is None else end) - begin
        self.specials = set()
        for at in range(begin, begin + self.count, CHUNK):
            part = x.doubles(at, min(at + CHUNK, begin + self.count))
            finite = np.isfinite(part)
            if not finite.all():
                bad = part[~finite]
                self.specials |= {"nan"} if np.isnan(bad).any() else set()
                self.specials |= {"inf"} if (bad == np.inf).any() else set()
                self.specials |= {"-inf"} if (bad == -np.inf).any() else set()
                part = part[finite]
            self.total += add_exactly(part)
            if squares:
                self.squares += sum(add_exactly(v) for v in square(part))

    def sum(self, f):
        return special_bits(f, self.specials) if self.specials else rounded(f, self.total, 1, SCALE)

    def mean(self, f):
        return (special_bits(f, self.specials) if self.specials
                else rounded(f, self.total, self.count, SCALE))

    def variance(self, f):
        if self.specials:
            return f.nan
        spread = ((self.count * self.squares) << -SCALE) - self.total ** 2
        return rounded(f, spread, self.count ** 2, 2 * SCALE)


def reduction_is_right(op, x, bits, sums):
    if x.dtype not in FORMATS:
        values = x.array
        want = {"sum": lambda: int(values.sum(dtype=np.int64 if values.dtype.kind == "i" else np.uint64)),
                "minimum": lambda: int(values.min()), "maximum": lambda: int(values.max())}[op]()
        return bits == want % (1 << 64) or bits == want % (1 << 8 * values.itemsize)
    f = FORMATS[x.dtype]
    if op in ("sum", "mean", "variance"):
        return bits == getattr(sums, op)(f)
    if op == "fast_sum":
        return True  # rounded at every step: the tests hold it to its tree
    want = {"minimum": np.min, "maximum": np.max, "arg_minimum": np.argmin}[op](x.array)
    if op == "arg_minimum":
        return bits == int(want)
    return bits == (f.nan if np.isnan(want) else int(np.array([want]).view(f.bits)[0]))


def scan_is_right(x, out):
    """At the ends of stretches of the array, and at each place of some."""
    if x.dtype not in FORMATS:
        wide = np.cumsum(x.array, dtype=np.int64)
        return bool((wide.astype(x.array.dtype) == out).all())
    f = FORMATS[x.dtype]
    found = out.view(f.bits)
    ends = [min(x.size, 1 + 5 * i * i * x.size // 2000) for i in range(20)] + [x.size]
    before, seen = 0, set()
    for begin, end in zip([0] + ends, ends):
        close = min(end, begin + 3000)
        if not seen:
            at = before
            for i, v in zip(range(begin, close), x.doubles(begin, close).tolist()):
                if v != v or v in (np.inf, -np.inf):
                    break
                numerator, denominator = v.as_integer_ratio()
                at += (numerator << -SCALE) // denominator
                if int(found[i]) != rounded(f, at, 1, SCALE):
                    return False
        part = Sums(x, begin, end)
        before += part.total
        seen |= part.specials
        want = special_bits(f, seen) if seen else rounded(f, before, 1, SCALE)
        if end and int(found[end - 1]) != want:
            return False
    return True


def top_k_is_right(x, k, values, indices):
    """Sorted, best first, NaN the greatest, ties by index, and nothing better or earlier left out."""
    a, worst = x.array, values[-1]
    if (a[indices].view(f"u{a.itemsize}") != values.view(f"u{a.itemsize}")).any():
        return False
    nan = np.isnan(values)
    before, after = values[:-1], values[1:]
    ties = (before == after) | (nan[:-1] & nan[1:])
    if not (ties | (before > after) | (nan[:-1] & ~nan[1:])).all():
        return False
    if (indices[:-1][ties] >= indices[1:][ties]).any():
        return False
    if np.isnan(worst):
        better, equal_at = 0, np.flatnonzero(np.isnan(a))
    else:
        better = int(np.count_nonzero((a > worst) | np.isnan(a)))
        equal_at = np.flatnonzero(a == worst)
    taken = indices[nan] if np.isnan(worst) else indices[values == worst]
    return better + taken.size == k and (equal_at[:taken.size] == taken).all()
