# SPDX-License-Identifier: Apache-2.0
"""Arrays of any shape and layout for hypothesis, and their right answers: fractions, each rounded once."""

import math
from fractions import Fraction

import numpy as np
from aggregate.arrays import rows_of
from aggregate.oracle import (FLOATS, FORMATS, rounded, rounded_root, special_bits, value_of,
                              wrapped)
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from .arrays import NUMPY_TYPES, bits, elements_of

SIDES = st.sampled_from([3, 2, 5, 7, 3, 2, 1, 0, 4, 6])


def elements(dtype, kind):
    """Elements of an array, floating ones as their bits: a few small numbers, what makes ties, numbers of a
    few exponents, finite ones, or any at all, often NaNs and infinities."""
    if dtype not in FLOATS:
        ends = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        small = st.integers(max(ends[0], -2), min(ends[1], 3))
        return small if kind == "small" else st.integers(*ends) | st.sampled_from(ends)
    f = FORMATS[dtype]
    small = [int(b) for b in np.array([-2, -1, -0.0, 0, 0.5, 1, 2, 3], dtype).view(f.bits)]
    if kind == "small":
        return st.sampled_from(small)
    one, half = (field << (f.precision - 1) for field in (f.bias, f.bias - f.precision))
    if kind == "ties":  # between 1 and the next number, and next to there
        return st.sampled_from([one, half, 1, 0, *(f.sign | b for b in (one, half, 1))])
    special = [f.nan, f.nan | f.sign | 1, f.infinity, f.infinity | f.sign, f.infinity - 1, one + 1, 1,
               f.sign | 1]
    least, most = (one - (2 << f.precision), one + (2 << f.precision)) if kind == "near" else (0, f.infinity - 1)
    finite = st.builds(int.__or__, st.integers(max(least, 0), most), st.sampled_from([0, f.sign]))
    if kind in ("near", "finite"):
        return finite
    return st.sampled_from(small + special) | st.integers(0, (1 << f.width) - 1)


@st.composite
def shapes(draw, least=0, most=4):
    shape = [draw(SIDES) for _ in range(draw(st.sampled_from([2, 3, 1, 2, 3, most, least])))]
    if draw(st.integers(0, 4)) == 0 and len(shape) < most:
        long = draw(st.integers(20, 20 + 800 // max(1, math.prod(shape))))
        shape.insert(draw(st.integers(0, len(shape))), long)
    return tuple(shape)


@st.composite
def laid_out(draw, x, strange=("packed", "swapped")):
    """x as a part of another array, turned, mirrored and with steps; packed between bytes; or with the
    order of bytes that this machine does not have."""
    how = draw(st.sampled_from(["room", "room", "room", "as is", *strange]))
    if how == "as is" or how == "swapped":
        return x if how == "as is" else x.astype(x.dtype.newbyteorder())
    order = draw(st.permutations(range(x.ndim)))
    steps = [draw(st.sampled_from([1, 1, 2, -1, -3])) for _ in order]
    before = [draw(st.integers(0, 2)) for _ in order]
    whole = [b + x.shape[d] * abs(s) for d, s, b in zip(order, steps, before)]
    packed = how == "packed"
    room = np.empty(whole, [("byte", "u1"), ("x", x.dtype)])["x"] if packed else np.empty(whole, x.dtype)
    room.fill(True)
    view = room[(..., *(slice(b, None) for b in before))][(..., *(slice(None, None, s) for s in steps))]
    view = view.transpose(np.argsort(order).tolist())
    view[...] = x
    return view


@st.composite
def arrays(draw, dtypes=NUMPY_TYPES, shape=shapes(), kinds=("any", "any", "near", "near", "small", "ties", "finite")):
    """An array and its type: the elements are what is called raw here, their bits or integers."""
    floats = [t for t in dtypes if t in FLOATS] if draw(st.booleans()) else []
    dtype, shape = draw(st.sampled_from(floats or dtypes)), draw(shape)
    storage = FORMATS[dtype].bits if dtype in FLOATS else dtype
    each = elements(dtype, draw(st.sampled_from(kinds)))
    repeated = [bool(n) and draw(st.integers(0, 5)) == 0 for n in shape]
    own = tuple(1 if again else n for again, n in zip(repeated, shape))
    fill = each if math.prod(own) > 30 else st.nothing()  # many are mostly alike
    x = elements_of(draw(hnp.arrays(storage, own, elements=each, fill=fill)), dtype)
    x = np.broadcast_to(draw(laid_out(x)), shape)
    return x, dtype


def raw_of(x, dtype):
    """The elements of an array of that type in C order: bits, or integers."""
    return bits(np.ascontiguousarray(x, dtype).reshape(x.shape))


def rows(x, dtype, axes):
    return [row for _, row in rows_of(raw_of(x, dtype), axes)]


@st.composite
def some_axes(draw, dimensions):
    """What is given as an axis, and the axes that it means."""
    if draw(st.integers(0, 3)) == 0:
        return None, list(range(dimensions))
    one = st.lists(st.integers(0, dimensions - 1), min_size=1, max_size=1) if dimensions else st.just([])
    several = st.lists(st.integers(0, dimensions - 1), unique=True) if dimensions else st.just([])
    axes = draw(one | several)
    given = tuple(a - draw(st.sampled_from([0, dimensions])) for a in axes)
    return given[0] if len(given) == 1 and draw(st.booleans()) else given, sorted(axes)


def numbers(row, dtype, skip=False):
    """Elements as fractions, or as "nan", "inf" and "-inf"."""
    if dtype not in FLOATS:
        return [Fraction(int(v)) for v in row]
    f = FORMATS[dtype]
    unit = Fraction(2) ** f.lowest
    found = [value_of(f, int(b)) for b in row]
    return [v if isinstance(v, str) else v * unit for v in found if not (skip and v == "nan")]


def held(to, q):
    """What an array of that type holds of a fraction."""
    if to in FLOATS:
        return rounded(FORMATS[to], q.numerator, q.denominator)
    width = 1 if to == "bool" else np.dtype(to).itemsize * 8
    return wrapped([int(q)], width, to.startswith("int"))[0]


def answer(name, values, to, ddof=0):
    """The right result of numbers, as an array of type `to` holds it."""
    n, specials = len(values), {v for v in values if isinstance(v, str)}
    if name == "count_nonzero":
        return sum(v != 0 for v in values)
    if name in ("any", "all"):
        return (any if name == "any" else all)(v != 0 for v in values)
    if name in ("mean", "var", "std") and n <= ddof:
        return FORMATS[to].nan
    if specials:
        if name in ("var", "std"):
            return FORMATS[to].nan
        return special_bits(FORMATS[to], {s.strip("-") for s in specials} if name == "norm" else specials)
    total, squares = sum(values), sum(v * v for v in values)
    if name in ("sum", "mean"):
        return held(to, Fraction(total, n) if name == "mean" else total)
    q = Fraction(squares if name == "norm" else Fraction(n * squares - total * total, n * (n - ddof)))
    if name == "var":
        return held(to, q)
    return rounded_root(FORMATS[to], q.numerator, q.denominator, 0)


def widest(dtype):
    return dtype if dtype in FLOATS else "uint64" if dtype.startswith("uint") else "int64"


def reduced_shape(x, axes, keepdims=False):
    return tuple(1 if d in axes else n for d, n in enumerate(x.shape) if keepdims or d not in axes)


def one_nan(x):
    """The bits of elements; one NaN is as good as another."""
    x = np.asarray(x)
    return bits(np.where(np.isnan(x), x.dtype.type("nan"), x) if x.dtype.kind == "f" else x)


def check(found, want, to, told):
    """That an array holds these bits."""
    assert str(found.dtype) == to, told
    want = np.array(list(want), FORMATS[to].bits if to in FLOATS else to)
    assert one_nan(found).reshape(-1).tolist() == one_nan(elements_of(want, to)).tolist(), told
