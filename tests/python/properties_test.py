# SPDX-License-Identifier: Apache-2.0
"""Every function and every argument, of arrays that hypothesis finds: of any type, shape and layout.

Results are compared by their bits with fractions that are rounded once; what is rounded more often,
with NumPy where nothing is rounded, and with the same row alone."""

import math
from fractions import Fraction

import numpy as np
import pytest

import tally
from aggregate.arrays import sort_keys
from aggregate.oracle import FLOATS, FORMATS, INTEGERS, special_bits
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from .arrays import LONG, NUMPY_TYPES, bits, elements_of
from .strategies import (answer, arrays, check, held, laid_out, numbers, reduced_shape,
                         rows, shapes, some_axes, widest)


def some(count):
    """How many arrays are tried, the same ones each time; 20 times as many with TALLY_LONG."""
    return settings(max_examples=20 * count if LONG else count, deadline=None, derandomize=not LONG,
                    database=None, suppress_health_check=list(HealthCheck))


NUMPY_FLOATS = ["float16", "float32", "float64"]
EXACT = ["sum", "mean", "var", "std", "norm"]
LOGIC = ["any", "all", "count_nonzero"]
EXTREMA = ["min", "max", "argmin", "argmax"]
ROUNDED = ["fast_sum", "prod"]
NANS = st.sampled_from(["propagate", "skip"])


def sometimes(data):
    return data.draw(st.integers(0, 3)) == 3


def type_of(name, dtype):
    if name in LOGIC or name.startswith("arg"):
        return "bool" if name in ("any", "all") else "int64"
    if name in ("min", "max"):
        return dtype
    return widest(dtype) if name in ("sum", *ROUNDED) or dtype in FLOATS else "float64"


def mask_of(x, axes, data):
    """A mask that fits x, and the rows of it."""
    shape = tuple(data.draw(st.sampled_from([1, n])) for n in x.shape)
    mask = data.draw(hnp.arrays(bool, shape[data.draw(st.integers(0, x.ndim)):]))
    return data.draw(laid_out(mask)), rows(np.broadcast_to(mask, x.shape), "bool", axes)


@pytest.mark.parametrize("name", EXACT + LOGIC)
@given(st.data())
@some(300)
def test_exact_reductions(name, data):
    x, dtype = data.draw(arrays())
    axis, axes = data.draw(some_axes(x.ndim))
    keepdims, nan = data.draw(st.booleans()), data.draw(NANS)
    to, ddof, options = type_of(name, dtype), 0, {"keepdims": keepdims, "nan": nan}
    if name in EXACT and sometimes(data):
        every = NUMPY_FLOATS + (INTEGERS if name == "sum" and dtype not in FLOATS else [])
        to = data.draw(st.sampled_from(every))
        options["dtype"] = data.draw(st.sampled_from([to, np.dtype(to), np.dtype(to).type]))
    if name in ("var", "std"):
        ddof = data.draw(st.integers(0, 3))
        options[data.draw(st.sampled_from(["ddof", "correction"]))] = ddof
    lines = rows(x, dtype, axes)
    if name not in ("norm", "count_nonzero") and sometimes(data):
        options["where"], masks = mask_of(x, axes, data)
        lines = [row[on] for row, on in zip(lines, masks)]
    values = [numbers(row, dtype, nan == "skip") for row in lines]
    if name == "sum" and sometimes(data):
        options["initial"] = more = data.draw(st.sampled_from([0, 1, True, x.dtype.type(1)]))
        values = [[*v, Fraction(int(more))] for v in values]
    if sometimes(data):
        options["out"] = data.draw(laid_out(np.zeros(reduced_shape(x, axes, keepdims), to), ()))
    found = getattr(tally, name)(x, axis, **options)
    told = (name, x.shape, x.strides, axis, options)
    assert "out" not in options or found is options["out"]
    assert found.shape == reduced_shape(x, axes, keepdims), told
    check(found, [answer(name, v, to, ddof) for v in values], to, told)


def best_of(name, dtype, row, skip):
    """The place of the least or greatest element; a NaN is it, unless it is absent."""
    keys = sort_keys(dtype, row)
    if dtype in FLOATS:
        nan = [i for i, k in enumerate(keys) if k == FORMATS[dtype].sign]
        if nan and not skip:
            return nan[0]
        if name in ("min", "max"):  # -0.0 is less than 0.0
            keys = [(k, k == 0 and int(b) == 0) for k, b in zip(keys, row)]
        keys = {i: k for i, k in enumerate(keys) if i not in nan}
    else:
        keys = dict(enumerate(keys))
    if not keys:
        return None
    best = (min if name.endswith("min") else max)(keys.values())
    return min(i for i, k in keys.items() if k == best)


def neutral(name, dtype):
    least = name.endswith("max")
    if dtype in FLOATS:
        return FORMATS[dtype].infinity | (FORMATS[dtype].sign if least else 0)
    return not least if dtype == "bool" else np.iinfo(dtype).min if least else np.iinfo(dtype).max


@pytest.mark.parametrize("name", EXTREMA)
@given(st.data())
@some(100)
def test_extrema(name, data):
    x, dtype = data.draw(arrays())
    axis, axes = data.draw(some_axes(x.ndim))
    keepdims, nan = data.draw(st.booleans()), data.draw(NANS)
    options = {"keepdims": keepdims, "nan": nan}
    lines = rows(x, dtype, axes)
    if not name.startswith("arg") and sometimes(data):
        options["initial"] = x.dtype.type(1)
        if data.draw(st.booleans()):
            options["where"], masks = mask_of(x, axes, data)
            lines = [row[on] for row, on in zip(lines, masks)]
        lines = [np.append(row, bits(np.ones(1, dtype))) for row in lines]
    if any(row.size == 0 for row in lines):
        with pytest.raises(ValueError, match=f"{name}: of no elements"):
            getattr(tally, name)(x, axis, **options)
        return
    found = getattr(tally, name)(x, axis, **options)
    told = (name, x.shape, x.strides, axis, options)
    assert found.shape == reduced_shape(x, axes, keepdims), told
    at = [best_of(name, dtype, row, nan == "skip") for row in lines]
    if name.startswith("arg"):
        return check(found, [-1 if i is None else i for i in at], "int64", told)
    check(found, [neutral(name, dtype) if i is None else row[i] for i, row in zip(at, lines)], dtype, told)


@pytest.mark.parametrize("name", ROUNDED)
@given(st.data())
@some(100)
def test_what_rounds_at_every_step(name, data):
    """Is NumPy's where nothing is rounded, and always what it is of the row alone."""
    x, dtype = data.draw(arrays())
    axis, axes = data.draw(some_axes(x.ndim))
    nan = data.draw(NANS)
    found = getattr(tally, name)(x, axis, nan=nan)
    told = (name, x.shape, x.strides, axis, nan)
    lines = rows(x, dtype, axes)
    check(found, [bits(getattr(tally, name)(elements_of(row, dtype), nan=nan)) for row in lines],
          widest(dtype), told)
    values = [numbers(row, dtype) for row in lines]
    if dtype not in FLOATS:
        of = math.prod if name == "prod" else sum
        check(found, [held(widest(dtype), of(v)) for v in values], widest(dtype), told)
    elif all(isinstance(v, Fraction) and abs(v) <= 3 and v * 2 == int(v * 2) for row in values for v in row):
        assume(max(map(len, values), default=0) <= (6 if name == "prod" else 200))
        of = np.prod if name == "prod" else np.sum
        assert (np.asarray(found) == of(np.asarray(x, "float64"), axis=axis)).all(), told


@given(st.data())
@some(100)
def test_dot_products(data):
    x, dtype = data.draw(arrays())
    y, _ = data.draw(arrays([dtype], st.just(x.shape)))
    nan, keepdims = data.draw(NANS), data.draw(st.booleans())
    axis, axes = data.draw(some_axes(x.ndim))
    found = tally.dot(x, y, axis=axis, nan=nan, keepdims=keepdims)
    want = []
    for a, b in zip(rows(x, dtype, axes), rows(y, dtype, axes)):
        pairs = list(zip(numbers(a, dtype), numbers(b, dtype)))
        if nan == "skip":
            pairs = [p for p in pairs if "nan" not in p]
        products = {float(v) * float(w) for v, w in pairs if isinstance(v, str) or isinstance(w, str)}
        if products:
            kinds = {"nan" if p != p else "inf" if p > 0 else "-inf" for p in products}
            want.append(special_bits(FORMATS[dtype], kinds))
        else:
            want.append(held(widest(dtype), sum(v * w for v, w in pairs)))
    assert found.shape == reduced_shape(x, axes, keepdims)
    check(found, want, widest(dtype), (x.shape, x.strides, y.strides, axis, nan))


@given(st.data())
@some(100)
def test_several_results_at_once(data):
    x, dtype = data.draw(arrays())
    axis, axes = data.draw(some_axes(x.ndim))
    assume(all(row.size for row in rows(x, dtype, axes)))
    keepdims, ddof, nan = data.draw(st.booleans()), data.draw(st.integers(0, 2)), data.draw(NANS)
    low, high = tally.minmax(x, axis, keepdims=keepdims, nan=nan)
    for found, name in ((low, "min"), (high, "max")):
        check(found, bits(getattr(tally, name)(x, axis, nan=nan)).reshape(-1), dtype, (name, axis))
    found = tally.describe(x, axis, keepdims=keepdims, ddof=ddof)
    nans = [sum(v == "nan" for v in numbers(row, dtype)) for row in rows(x, dtype, axes)]
    check(found.nan_count, nans, "int64", axis)
    check(found.count, [row.size - n for row, n in zip(rows(x, dtype, axes), nans)], "int64", axis)
    for name in ("sum", "mean", "std", "min", "argmin", "max", "argmax"):
        options = {"ddof": ddof} if name == "std" else {}
        alone = getattr(tally, name)(x, axis, keepdims=keepdims, nan="skip", **options)
        one = getattr(found, name)
        assert one.shape == alone.shape
        check(one, bits(alone).reshape(-1), str(alone.dtype), (name, x.shape, x.strides, axis))


def running(values, to, skip, exclusive, reverse, initial):
    """The sums of the numbers up to each one, as `to` holds them."""
    values = values[::-1] if reverse else values
    total, specials, out = Fraction(0), set(), [0]
    for v in values:
        if isinstance(v, Fraction):
            total += v
        elif not (skip and v == "nan"):
            specials.add(v)
        out.append(special_bits(FORMATS[to], specials) if specials else held(to, total))
    out = out if initial else out[:-1] if exclusive else out[1:]
    return out[::-1] if reverse else out


@given(st.data())
@some(100)
def test_cumulative_sums(data):
    x, dtype = data.draw(arrays(shape=shapes(least=1)))
    axis = data.draw(st.integers(0, x.ndim - 1))
    nan, reverse = data.draw(NANS), data.draw(st.booleans())
    exclusive, initial = data.draw(st.sampled_from([(False, False), (True, False), (False, True)]))
    to, options = widest(dtype), {"nan": nan, "reverse": reverse}
    options |= {"exclusive": exclusive} if exclusive else {"include_initial": initial}
    if sometimes(data):
        to = data.draw(st.sampled_from(NUMPY_FLOATS + (INTEGERS if dtype not in FLOATS else [])))
        options["dtype"] = to
        assume((dtype in FLOATS) == (to in FLOATS) or np.abs(np.asarray(x, "f8")).max(initial=0) <= 2048)
    shape = tuple(n + (initial and d == axis) for d, n in enumerate(x.shape))
    if sometimes(data):
        options["out"] = data.draw(laid_out(np.zeros(shape, to), ()))
    given_axis = None if x.ndim == 1 and data.draw(st.booleans()) else axis - data.draw(st.sampled_from([0, x.ndim]))
    found = tally.cumulative_sum(x, axis=given_axis, **options)
    assert "out" not in options or found is options["out"]
    assert found.shape == shape
    want = [running(numbers(row, dtype), to, nan == "skip", exclusive, reverse, initial)
            for row in rows(x, dtype, [axis])]
    check(np.moveaxis(found, axis, -1), [w for row in want for w in row], to, (x.shape, x.strides, axis, options))


@pytest.mark.parametrize("name", ["max", "min", "prod"])
@given(st.data())
@some(100)
def test_cumulative_extrema_and_products(name, data):
    x, dtype = data.draw(arrays(shape=shapes(least=1)))
    axis, nan = data.draw(st.integers(0, x.ndim - 1)), data.draw(NANS)
    reverse = data.draw(st.booleans())
    options = {"nan": nan, "reverse": reverse}
    found = np.moveaxis(getattr(tally, f"cumulative_{name}")(x, axis=axis, **options), axis, -1)
    turned, want = np.moveaxis(x, axis, -1), []
    for place in np.ndindex(turned.shape[:-1]):
        row = np.ascontiguousarray(turned[place])[::-1 if reverse else 1]
        parts = [row[:i + 1] for i in range(row.size)]
        if name == "prod" and dtype in FLOATS:
            own = getattr(tally, f"cumulative_{name}")(row, nan=nan)
        else:
            own = np.array([getattr(tally, name)(part, nan=nan) for part in parts], found.dtype)
        want += bits(own).tolist()[::-1 if reverse else 1]
    check(found, want, widest(dtype) if name == "prod" else dtype, (name, x.shape, x.strides, axis, options))


SEGMENTED = ([(name, {}) for name in EXACT + LOGIC + ROUNDED + EXTREMA + ["median"]]
             + [("quantile", {"q": 0.3}), ("top_k", {"k": 3}), ("var", {"ddof": 1}), ("dot", {}),
                *((f"cumulative_{name}", {}) for name in ("sum", "prod", "max", "min")),
                ("cumulative_sum", {"reverse": True}), ("cumulative_sum", {"exclusive": True})])


def call(name, options, x, **more):
    """One of these of x alone; what two arguments are needed for gets x twice, or its number."""
    second = [x] if name == "dot" else [v for k, v in options.items() if k in ("q", "k")]
    options = {k: v for k, v in options.items() if k not in ("q", "k")}
    found = getattr(tally, name)(x, *second, **options, **more)
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("name, options", SEGMENTED, ids=str)
@given(st.data())
@some(40)
def test_segments(name, options, data):
    x, dtype = data.draw(arrays(shape=st.tuples(st.integers(0, 400))))
    offsets = sorted(data.draw(st.lists(st.integers(0, x.size), min_size=1, max_size=12)))
    nan = data.draw(NANS)
    given_offsets = np.array(offsets, data.draw(st.sampled_from(["int64", "int32", "uint64"])))
    found = call(name, options, x, nan=nan, segments=data.draw(laid_out(given_offsets)))
    for i, (begin, end) in enumerate(zip(offsets, offsets[1:])):
        if begin == end:
            continue
        alone = {**options, "k": min(options["k"], end - begin)} if "k" in options else options
        for got, want in zip(found, call(name, alone, x[begin:end], nan=nan)):
            got = got[begin:end] if name.startswith("cumulative") else got[i]
            got = got[:len(want)] if "k" in options else got  # the rest has the index -1
            assert bits(got).tolist() == bits(want).tolist(), (name, x.shape, offsets, i, nan)


@given(st.data())
@some(100)
def test_selections(data):
    x, dtype = data.draw(arrays(shape=shapes(least=1)))
    axis, nan = data.draw(st.integers(0, x.ndim - 1)), data.draw(NANS)
    mode, ordered = data.draw(st.sampled_from(["largest", "smallest"])), data.draw(st.booleans())
    distinct, k = data.draw(st.booleans()), data.draw(st.integers(0, x.shape[axis]))
    options = {"mode": mode, "sorted": ordered, "distinct": distinct, "nan": nan}
    values, indices = tally.top_k(x, k, axis=axis - data.draw(st.sampled_from([0, x.ndim])), **options)
    turned = [np.moveaxis(of, axis, -1).reshape(-1, k) for of in (bits(values), indices)] if k else [[], []]
    told = (x.shape, x.strides, axis, k, options)
    assert str(values.dtype) == dtype and indices.dtype == np.int64
    for row, v, i in zip(rows(x, dtype, [axis]), *turned):
        keys = sort_keys(dtype, row)
        order = sorted(range(row.size), key=lambda j: (-keys[j] if mode == "largest" else keys[j], j))
        order = [j for j in order if nan != "skip" or dtype not in FLOATS or keys[j] != FORMATS[dtype].sign]
        if distinct:
            order = [j for n, j in enumerate(order) if n == 0 or keys[j] != keys[order[n - 1]]]
        order = order[:k] if ordered else sorted(order[:k])
        assert i.tolist() == order + [-1] * (k - len(order)), told
        assert v.tolist()[:len(order)] == row[order].tolist(), told
        if k and not distinct and ordered:
            value, at = tally.kth_value(elements_of(row, dtype)[None], k, mode=mode, nan=nan)
            assert at == i[-1] and (at < 0 or bits(value) == v[-1]), told


@given(st.data())
@some(100)
def test_bias(data):
    x, dtype = data.draw(arrays(["float32", "float64", "int64"], shapes(least=1), kinds=["small"]))
    bias, _ = data.draw(arrays([dtype], st.just(x.shape[-1:]), kinds=["small"]))
    k, mode = data.draw(st.integers(0, x.shape[-1])), data.draw(st.sampled_from(["largest", "smallest"]))
    values, indices = tally.top_k(x, k, bias=bias, mode=mode)
    assert (indices == tally.top_k(x + bias, k, mode=mode).indices).all()
    assert (values == np.take_along_axis(x, indices, -1)).all() and values.dtype == dtype


METHODS = ["linear", "lower", "higher", "nearest", "midpoint"]


def between(values, place, method):
    """What is at that place of ordered numbers."""
    low, high = math.floor(place), math.ceil(place)
    if method != "linear":
        place = {"lower": low, "higher": high, "nearest": round(place), "midpoint": Fraction(low + high, 2)}[method]
    a, b = values[math.floor(place)], values[math.ceil(place)]
    if a == b:
        return a
    if isinstance(a, str) or isinstance(b, str):
        return "nan" if isinstance(a, str) and isinstance(b, str) else a if isinstance(a, str) else b
    return a + (b - a) * (place - math.floor(place))


@given(st.data())
@some(100)
def test_quantiles(data):
    x, dtype = data.draw(arrays())
    axis, axes = data.draw(some_axes(x.ndim))
    nan, method, keepdims = data.draw(NANS), data.draw(st.sampled_from(METHODS)), data.draw(st.booleans())
    one = st.fractions(0, 1, max_denominator=1000) | st.integers(0, 1000).map(lambda i: i / 1000)
    q = data.draw(one | st.lists(one, max_size=4))
    lines = rows(x, dtype, axes)
    assume(all(x.shape[d] for d in axes))
    found = tally.quantile(x, q, axis, method=method, keepdims=keepdims, nan=nan)
    several = isinstance(q, list)
    to = dtype if dtype in FLOATS or method in ("lower", "higher", "nearest") else "float64"
    assert found.shape == ((len(q),) if several else ()) + reduced_shape(x, axes, keepdims)
    want = []
    for each in q if several else [q]:
        place = Fraction(repr(each)) if isinstance(each, float) else each
        for row in lines:
            values = sorted(numbers(row, dtype, nan == "skip"), key=lambda v: float(v) if isinstance(v, str) else v)
            if "nan" in values or not values:
                want.append(FORMATS[to].nan)
                continue
            v = between(values, place * (len(values) - 1), method)
            want.append(special_bits(FORMATS[to], {v}) if isinstance(v, str) else held(to, v))
    check(found, want, to, (x.shape, x.strides, axis, q, method, nan))


@given(st.lists(st.floats(-1e300, 1e300), max_size=200))
@some(100)
def test_sums_are_those_of_fsum(x):
    assert tally.sum(np.array(x)) == math.fsum(x) and tally.sum(np.array(x)[::-1]) == math.fsum(x)


@given(arrays(NUMPY_FLOATS, st.tuples(st.integers(3, 6)), ["ties"]))
@some(300)
def test_what_is_almost_a_tie_is_rounded_once(drawn):
    x, dtype = drawn
    for name in ("sum", "mean"):
        for to in NUMPY_FLOATS:
            want = answer(name, numbers(*rows(x, dtype, [0]), dtype), to)
            check(getattr(tally, name)(x, dtype=to), [want], to, (name, x))
