# SPDX-License-Identifier: Apache-2.0
"""Cumulative sums against integers and ratios of Python, products and extrema against NumPy: every type,
any axis, views of any strides.

There are 30 random arrays a type for each test; 1,000 with TALLY_LONG."""

import numpy as np
import pytest
import tally
from aggregate.arrays import TYPES, elements, expected_scan, rows_of, view
from aggregate.oracle import FLOATS, INTEGERS

from .arrays import LONG, NUMPY_TYPES, bits, elements_of

CASES = 1000 if LONG else 30


def widest(dtype):
    return "uint64" if dtype.startswith("uint") else "int64"


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_sums_up_to_each_element(dtype):
    rng = np.random.default_rng(TYPES.index(dtype))
    for _ in range(CASES):
        raw = view(dtype, rng)
        x, axis = elements_of(raw, dtype), int(rng.integers(raw.ndim))
        to, skip = dtype if dtype in FLOATS else widest(dtype), bool(rng.integers(2))
        options = {"nan": "skip" if skip else "propagate"}
        if rng.integers(2):
            to = FLOATS[rng.choice([0, 2, 3])] if dtype in FLOATS else INTEGERS[rng.integers(8)]
            options["dtype"] = to
        how = {"exclusive": bool(rng.integers(2)), "reverse": bool(rng.integers(2))}
        initial = not how["exclusive"] and bool(rng.integers(2))
        if rng.integers(2):
            shape = [n + (initial and d == axis) for d, n in enumerate(x.shape)]
            options["out"] = np.zeros([*shape, 2], to)[..., ::-1][..., 0]
        found = tally.cumulative_sum(x, axis=axis, include_initial=initial, **how, **options)
        assert "out" not in options or found is options["out"]
        told = (x.shape, x.strides, axis, how, options)
        assert str(found.dtype) == to, told
        for (_, row), (_, got) in zip(rows_of(raw, [axis]), rows_of(bits(found), [axis])):
            want = expected_scan(dtype, to, row, None, skip, how)
            if initial:
                want = [*want, 0] if how["reverse"] else [0, *want]
            assert got.tolist() == want, told


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_products_and_extrema_up_to_each_element(dtype):
    rng = np.random.default_rng(1)
    for _ in range(CASES):
        x = elements_of(view(dtype, rng), dtype)
        axis = int(rng.integers(x.ndim))
        if dtype in FLOATS:
            x = np.nan_to_num(x)
            x = x + np.where(x == 0, x.dtype.type(1), x.dtype.type(0))
        for name, of in (("max", np.maximum), ("min", np.minimum)):
            found = getattr(tally, f"cumulative_{name}")(x, axis=axis)
            want = of.accumulate(x, axis=axis)
            assert found.dtype == x.dtype and (found == want).all()
        small = np.sign(x) * x.dtype.type(2) ** (x > 1) if dtype in FLOATS else x
        with np.errstate(over="ignore"):
            want = np.cumprod(small, axis=axis)
        found = tally.cumulative_prod(small, axis=axis)
        assert found.dtype == want.dtype and (found == want).all(), (x.shape, axis)
        found = tally.cumulative_prod(small, axis=axis, include_initial=True)
        first, rest = np.split(found, [1], axis=axis)
        assert (first == 1).all() and (rest == want).all()


@pytest.mark.parametrize("dtype", ["int16", "bool", "float32", "float64"])
def test_segments(dtype):
    rng = np.random.default_rng(6)
    offsets = np.concatenate([[0], np.cumsum(rng.choice([0, 1, 2, 31, 500], 60))])
    raw = elements(dtype, rng, int(offsets[-1]))
    x = elements_of(raw, dtype)
    to = dtype if dtype in FLOATS else "int64"
    for how in ({}, {"reverse": True}, {"exclusive": True}):
        how = {"exclusive": False, "reverse": False, **how}
        found = tally.cumulative_sum(x, segments=offsets, **how)
        want = [v for a, b in zip(offsets, offsets[1:])
                for v in expected_scan(dtype, to, raw[a:b], None, False, how)]
        assert bits(found).tolist() == want
    best = tally.cumulative_max(x, segments=offsets)
    for a, b in zip(offsets, offsets[1:]):
        assert (bits(best[a:b]) == bits(tally.cumulative_max(x[a:b]))).all() or a == b


def test_in_place():
    x = np.random.default_rng(0).standard_normal((3, 4, 5))
    want = tally.cumulative_sum(x, axis=1)
    assert tally.cumulative_sum(x, axis=1, out=x) is x
    assert (x == want).all()


def test_one_axis_needs_no_name():
    assert tally.cumulative_sum([1, 2, 3]).tolist() == [1, 3, 6]
    with pytest.raises(ValueError, match="axis is needed: x has 2 dimensions"):
        tally.cumulative_sum([[1, 2]])
