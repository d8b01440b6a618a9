# SPDX-License-Identifier: Apache-2.0
"""Random arrays of several dimensions, and the right answers of each of their rows.

Floating elements are their bits, as everywhere here."""

import itertools

import numpy as np

from .inputs import GENERATORS, encode
from .oracle import (FLOATS, FORMATS, INTEGERS, Floats, integer_moments, integer_prefix_sums,
                     prefix_sums, rounded, rounded_root, wrapped)

TYPES = ["bool", *INTEGERS, *FLOATS]


def elements(dtype, rng, n):
    """As bits, or as integers."""
    if dtype == "bool":
        return rng.random(n) < rng.choice([0.02, 0.5, 0.98])
    if dtype in INTEGERS:
        ends = np.iinfo(dtype)
        few = rng.integers(2)
        low, high = (-2, 3) if few and ends.min < 0 else (0, 3) if few else (ends.min, ends.max)
        return rng.integers(low, high, n, dtype, endpoint=not few)
    f = FORMATS[dtype]
    if rng.integers(3) == 0:
        return encode(f, rng.integers(-3, 4, n))
    x = np.zeros(0, f.bits)
    while x.size < n:
        x = np.concatenate([x, GENERATORS[rng.integers(len(GENERATORS))](f, rng, n + 8)[:n + 8]])
    return x[:n]


def view(dtype, rng):
    """An array of up to four dimensions that is a part of another one, turned, and seen twice."""
    shape = [int(rng.choice([0, 1, 2, 3, 5, 7], p=[.03, .12, .25, .25, .2, .15]))
             for _ in range(rng.integers(1, 5))]
    if rng.integers(3) == 0:
        shape[rng.integers(len(shape))] = int(rng.integers(30, 400))
    steps = [int(rng.choice([1, 1, 2, -1, -3])) for _ in shape]
    whole = [n * abs(step) for n, step in zip(shape, steps)]
    x = elements(dtype, rng, int(np.prod(whole))).reshape(whole)
    x = x[tuple(slice(None, None, step) for step in steps)]
    x = x.transpose(rng.permutation(x.ndim))
    if rng.integers(6) == 0 and x.ndim < 4:
        x = np.broadcast_to(x, (3, *x.shape))
    if rng.integers(6) == 0 and x.ndim < 4 and x.shape[-1] >= 3:
        x = np.lib.stride_tricks.sliding_window_view(x, 3, axis=-1)
    return x


def some_axes(x, rng):
    return sorted(rng.permutation(x.ndim)[:rng.integers(1, x.ndim + 1)].tolist())


def rows_of(x, axes):
    """Every place of the other axes with the elements that belong to it, in C order."""
    kept = [d for d in range(x.ndim) if d not in axes]
    turned = x.transpose([*kept, *axes])
    for place in itertools.product(*(range(n) for n in turned.shape[:len(kept)])):
        yield place, np.ascontiguousarray(turned[place]).reshape(-1)


def exact_of(name, dtype, row, skip, ddof):
    """The right answer as what an array holds of it, if this oracle knows it."""
    if dtype in FLOATS:
        f, exact = FORMATS[dtype], Floats(dtype, row, skip)
        n = len(exact.values)
        if name == "sum":
            return exact.sum(f)
        if name == "mean":
            return exact.mean(f) if n else f.nan
        if name in ("variance", "standard_deviation"):
            return exact.variance(f, ddof, name != "variance")
        if name in ("sum_of_squares", "norm") and not exact.specials:
            finish = rounded if name == "sum_of_squares" else rounded_root
            return finish(f, sum(v * v for v in exact.values), 1, 2 * f.lowest)
        if name == "count_nonzero":
            return sum(v != 0 for v in exact.values)
        return None
    values, n = [int(v) for v in row], row.size
    signed = dtype.startswith("int")
    if name in ("sum", "fast_sum"):
        return wrapped([sum(values)], 64, signed)[0]
    if name == "sum_of_squares":
        return wrapped([sum(v * v for v in values)], 64, signed)[0]
    if name == "mean":
        return rounded(FORMATS["float64"], sum(values), n) if n else FORMATS["float64"].nan
    if name in ("variance", "standard_deviation"):
        if n <= ddof:
            return FORMATS["float64"].nan
        finish = rounded if name == "variance" else rounded_root
        numerator = integer_moments(np.array(values, object))[1]
        return finish(FORMATS["float64"], numerator, n * (n - ddof), *[0] * (finish is rounded_root))
    if name == "count_nonzero":
        return sum(v != 0 for v in values)
    if name in ("minimum", "maximum") and n:
        return min(values) if name == "minimum" else max(values)
    if name in ("arg_minimum", "arg_maximum"):
        best = min if name == "arg_minimum" else max
        return values.index(best(values)) if n else -1
    return None


def bits_of(x):
    return x.view(f"u{x.dtype.itemsize}") if x.dtype.kind == "f" else x


def expected_scan(dtype, to, row, init, skip, how):
    if dtype in FLOATS:
        return prefix_sums(dtype, row, FORMATS[to], init, skip=skip, **how)[0]
    width = 1 if to == "bool" else np.dtype(to).itemsize * 8
    sums = integer_prefix_sums(np.array([int(v) for v in row], object), init or 0, **how)[0]
    return wrapped(sums, width, to.startswith("int"))


def sort_keys(dtype, row):
    """Numbers in the order of a stable sort: NaNs are equal and the largest, zeros are equal."""
    if dtype not in FLOATS:
        return [int(v) for v in row]
    f, keys = FORMATS[dtype], []
    for bits in row.tolist():
        magnitude = bits & (f.sign - 1)
        keys.append(f.sign if magnitude > f.infinity else -magnitude if bits & f.sign else magnitude)
    return keys
