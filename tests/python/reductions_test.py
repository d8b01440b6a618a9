# SPDX-License-Identifier: Apache-2.0
"""Reductions of NumPy arrays against integers and ratios of Python and against NumPy: every type, any
axes, views of any strides; a row's bits are those of that row alone.

There are 30 random arrays a type for each test; 1,000 with TALLY_LONG."""

import numpy as np
import pytest
import tally
from aggregate.arrays import TYPES, bits_of, exact_of, rows_of, some_axes, view
from aggregate.oracle import FLOATS, FORMATS, INTEGERS, Floats, rounded, wrapped

from .arrays import LONG, NUMPY_TYPES, bits, elements_of

CASES = 1000 if LONG else 30

FUNCTIONS = {
    "sum": tally.sum, "fast_sum": tally.fast_sum, "mean": tally.mean, "variance": tally.var,
    "standard_deviation": tally.std, "norm": tally.norm, "minimum": tally.min,
    "maximum": tally.max, "arg_minimum": tally.argmin, "arg_maximum": tally.argmax,
    "count_nonzero": tally.count_nonzero}


def result_type(name, dtype):
    if name in ("arg_minimum", "arg_maximum", "count_nonzero"):
        return "int64"
    if name in ("minimum", "maximum") or dtype in FLOATS:
        return dtype
    if name in ("sum", "fast_sum"):
        return "uint64" if dtype.startswith("uint") else "int64"
    return "float64"


def some_axis(x, rng):
    axes = some_axes(x, rng)
    if len(axes) == x.ndim and rng.integers(2):
        return None, axes
    if len(axes) == 1 and rng.integers(2):
        return axes[0] - (x.ndim if rng.integers(2) else 0), axes
    return tuple(axes), axes


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_reductions_along_any_axes(name, dtype):
    rng = np.random.default_rng(TYPES.index(dtype))
    for _ in range(CASES):
        raw = view(dtype, rng)
        axis, axes = some_axis(raw, rng)
        x, skip, keep = elements_of(raw, dtype), bool(rng.integers(2)), bool(rng.integers(2))
        options = {"nan": "skip" if skip else "propagate", "keepdims": keep}
        ddof = int(rng.integers(3)) if name in ("variance", "standard_deviation") else 0
        if ddof:
            options["correction" if rng.integers(2) else "ddof"] = ddof
        empty = any(raw.shape[d] == 0 for d in axes) and all(
            n for d, n in enumerate(raw.shape) if d not in axes)
        if empty and name in ("minimum", "maximum", "arg_minimum", "arg_maximum"):
            with pytest.raises(ValueError, match="of no elements"):
                FUNCTIONS[name](x, axis, **options)
            continue
        found = FUNCTIONS[name](x, axis=axis, **options)
        shape = tuple(1 if d in axes else n for d, n in enumerate(x.shape) if keep or d not in axes)
        told = (x.shape, x.strides, axis, options)
        assert found.shape == shape, told
        assert str(found.dtype) == result_type(name, dtype), told
        found = bits(found).reshape([n for d, n in enumerate(x.shape) if d not in axes])
        for place, row in rows_of(raw, axes):
            exact = exact_of(name, dtype, row, skip, ddof)
            if exact is not None:
                assert int(found[place]) == exact, (told, place)
            alone = FUNCTIONS[name](elements_of(row, dtype), nan=options["nan"], **(
                {"ddof": ddof} if ddof else {})) if row.size else None
            assert alone is None or int(found[place]) == int(bits(alone)), (told, place)


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax", "any", "all", "prod",
                                  "count_nonzero"])
def test_what_numpy_computes_too(name, dtype):
    rng = np.random.default_rng(20)
    for _ in range(CASES):
        x = elements_of(view(dtype, rng), dtype)
        if dtype in FLOATS:
            x = np.nan_to_num(x) + x.dtype.type(0)  # zeros have no sign, of which NumPy takes any
            if name == "prod":
                x = np.sign(x) * x.dtype.type(2) ** (x > 1)  # no product is rounded
        axis = int(rng.integers(x.ndim))
        if x.shape[axis] == 0:
            continue
        with np.errstate(all="ignore"):
            want = getattr(np, name)(x, axis=axis)
        found = getattr(tally, name)(x, axis=axis)
        assert found.dtype == want.dtype
        assert (found == want).all() or np.isnan(want).any(), (name, x.shape, axis)


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_results_of_another_type(dtype):
    rng = np.random.default_rng(1)
    for to in ["float16", "float32", "float64"]:
        raw = view(dtype, rng)
        found = bits(tally.sum(elements_of(raw, dtype), axis=0, dtype=to)).reshape(-1).tolist()
        if dtype in FLOATS:
            want = [Floats(dtype, row).sum(FORMATS[to]) for _, row in rows_of(raw, [0])]
        else:
            want = [rounded(FORMATS[to], sum(int(v) for v in row)) for _, row in rows_of(raw, [0])]
        assert found == want
    if dtype not in FLOATS:
        for to in INTEGERS:
            raw = view(dtype, rng)
            found = tally.sum(elements_of(raw, dtype), axis=0, dtype=to)
            assert str(found.dtype) == to
            sums = [sum(int(v) for v in row) for _, row in rows_of(raw, [0])]
            assert found.reshape(-1).tolist() == wrapped(sums, np.dtype(to).itemsize * 8,
                                                         to.startswith("int"))


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_products_summed(dtype):
    rng = np.random.default_rng(2)
    for _ in range(CASES):
        raw = view(dtype, rng)
        x, axis = elements_of(raw, dtype), int(rng.integers(raw.ndim))
        y = np.ascontiguousarray(x[..., ::-1])
        found = bits(tally.dot(x, y, axis=axis))
        for (place, a), (_, b) in zip(rows_of(raw, [axis]), rows_of(raw[..., ::-1], [axis])):
            if dtype in FLOATS:
                p, q, f = Floats(dtype, a), Floats(dtype, b), FORMATS[dtype]
                if p.specials or q.specials:
                    continue
                want = rounded(f, sum(v * w for v, w in zip(p.values, q.values)), 1, 2 * f.lowest)
            else:
                want, = wrapped([sum(int(v) * int(w) for v, w in zip(a, b))], 64,
                                not dtype.startswith("uint"))
            assert int(found[place]) == want


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("name", ["sum", "min", "max", "mean", "var", "any", "all"])
def test_of_some_elements_and_with_one_more(name, dtype):
    rng = np.random.default_rng(3)
    for case in range(CASES):
        raw = view(dtype, rng)
        x, axis = elements_of(raw, dtype), int(rng.integers(raw.ndim))
        if x.size == 0:
            continue
        mask = rng.random(x.shape if case % 2 else x.shape[-1:]) < 0.6
        whole = np.broadcast_to(mask, x.shape)
        skip = bool(rng.integers(2))
        options = {"where": mask, "nan": "skip" if skip else "propagate"}
        more = name in ("sum", "min", "max") and (rng.integers(2) or name != "sum")
        if more:
            options["initial"] = x.dtype.type(1)
        found = getattr(tally, name)(x, axis=axis, **options)
        lines = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
        masks = np.moveaxis(whole, axis, -1).reshape(-1, x.shape[axis])
        for got, line, on in zip(np.ravel(found), lines, masks):
            line = line[on]
            if more:
                line = np.concatenate([np.ones(1, x.dtype), line])
            if line.size == 0 and name in ("mean", "var"):
                assert np.isnan(got)
                continue
            want = getattr(tally, name)(line, nan=options["nan"])
            assert bits(got) == bits(want), (x.shape, axis, options)


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64", "bool"])
def test_segments(dtype):
    rng = np.random.default_rng(6)
    for count in (0, 1, 3, 50):
        offsets = np.concatenate([[0], np.cumsum(rng.choice([0, 1, 2, 31, 500], count))])
        raw = np.zeros(0, view(dtype, rng).dtype)
        while raw.size < offsets[-1]:
            raw = np.concatenate([raw, view(dtype, rng).reshape(-1)])
        x = elements_of(raw[:offsets[-1]], dtype)
        for given in (offsets, offsets.astype(np.int32), np.repeat(offsets, 2)[::2]):
            for name in ("sum", "mean", "max", "argmin", "norm"):
                found = getattr(tally, name)(x, segments=given)
                assert found.shape == (count,)
                for got, begin, end in zip(found, offsets, offsets[1:]):
                    if begin < end:
                        assert bits(got) == bits(getattr(tally, name)(x[begin:end]))
                    elif name in ("sum", "norm"):
                        assert got == 0
                    elif name == "argmin":
                        assert got == -1
        assert (tally.dot(x, x, segments=offsets) == [tally.dot(x[a:b], x[a:b]) for a, b in zip(
            offsets, offsets[1:])]).all() or dtype in FLOATS


def test_outputs():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    out = np.full((2, 8), -1, np.float32)[:, ::2]
    assert tally.sum(x, axis=1, out=out) is out
    assert (out == x.sum(axis=1)).all()
    out = np.zeros((2, 1, 4), np.float64)
    assert (tally.sum(x, axis=1, keepdims=True, dtype="float64", out=out) == x.sum(
        axis=1, keepdims=True)).all()
    out = np.zeros((), np.float32)
    assert tally.max(x, out=out) is out and out == 23


def test_several_results_at_once():
    x = np.array([[3, 1, 2], [9, 8, 7]], np.int16)
    low, high = tally.minmax(x, axis=1)
    assert low.tolist() == [1, 7] and high.tolist() == [3, 9] and low.dtype == np.int16
    found = tally.describe(np.array([1.0, np.nan, 4.0, 1.0]), ddof=1)
    assert found._asdict() == {"count": 3, "nan_count": 1, "sum": 6.0, "mean": 2.0, "std": 3**.5,
                               "min": 1.0, "argmin": 0, "max": 4.0, "argmax": 2}
    assert found.count.dtype == np.int64
