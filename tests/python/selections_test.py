# SPDX-License-Identifier: Apache-2.0
"""Top-k, k-th values and quantiles against stable sorts: every type, any axis, views of any strides.

There are 30 random arrays a type for each test; 1,000 with TALLY_LONG."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import tally
from aggregate.arrays import TYPES, elements, rows_of, some_axes, sort_keys, view
from aggregate.oracle import FLOATS, FORMATS

from .arrays import LONG, NUMPY_TYPES, bits, elements_of

CASES = 1000 if LONG else 30


def order_of(dtype, row, smallest, skip=False):
    keys = sort_keys(dtype, row)
    order = sorted(range(row.size), key=lambda j: (keys[j] if smallest else -keys[j], j))
    return [j for j in order if not skip or dtype not in FLOATS or keys[j] != FORMATS[dtype].sign]


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_top_k(dtype):
    rng = np.random.default_rng(TYPES.index(dtype))
    for _ in range(CASES):
        raw = view(dtype, rng)
        axis, smallest = int(rng.integers(raw.ndim)), bool(rng.integers(2))
        k, by_value, skip = int(rng.integers(raw.shape[axis] + 1)), bool(rng.integers(2)), bool(rng.integers(2))
        values, indices = tally.top_k(
            elements_of(raw, dtype), k, axis=axis - raw.ndim if rng.integers(2) else axis,
            mode="smallest" if smallest else "largest", sorted=by_value,
            nan="skip" if skip else "propagate")
        assert values.dtype == dtype and indices.dtype == np.int64
        for (_, row), (_, v), (_, i) in zip(rows_of(raw, [axis]), rows_of(bits(values), [axis]),
                                            rows_of(indices, [axis])):
            order = order_of(dtype, row, smallest, skip)[:k]
            order = order if by_value else sorted(order)
            told = (raw.shape, raw.strides, axis, k, smallest, by_value, skip)
            assert i.tolist() == order + [-1] * (k - len(order)), told
            assert v.tolist()[:len(order)] == row[order].tolist(), told


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_kth_values(dtype):
    rng = np.random.default_rng(1)
    for _ in range(CASES):
        raw = view(dtype, rng)
        axes, keep = some_axes(raw, rng), bool(rng.integers(2))
        n = math.prod(raw.shape[d] for d in axes)
        if n == 0:
            continue
        k, largest = int(rng.integers(1, n + 1)), bool(rng.integers(2))
        values, indices = tally.kth_value(elements_of(raw, dtype), k, axis=tuple(axes), keepdims=keep,
                                          mode="largest" if largest else "smallest")
        shape = [n for d, n in enumerate(raw.shape) if d not in axes]
        values, indices = bits(values).reshape(shape), np.reshape(indices, shape)
        for place, row in rows_of(raw, axes):
            at = order_of(dtype, row, not largest)[k - 1]
            assert indices[place] == at and values[place] == row[at]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint"])
def test_quantiles(dtype, method):
    rng = np.random.default_rng(2)
    for _ in range(CASES):
        x = elements_of(view(dtype, rng), dtype)
        axes, keep = some_axes(x, rng), bool(rng.integers(2))
        if x.size == 0:
            continue
        x = np.nan_to_num(x, posinf=1, neginf=-1) if dtype in FLOATS else x
        x = np.clip(x, -2**20, 2**20) if x.dtype.itemsize > 2 else x
        one = bool(rng.integers(2))
        q = 0.25 if one else [0.0, 0.25, 0.5, 1.0, 0.75]
        found = tally.quantile(x, q, axis=tuple(axes), method=method, keepdims=keep)
        want = np.quantile(x.astype(np.float64), q, axis=tuple(axes), method=method, keepdims=keep)
        assert found.shape == want.shape
        if method in ("linear", "midpoint") and dtype in FLOATS:
            assert np.allclose(found, want, rtol=1e-6, atol=1e-30)
        else:
            assert (found == want).all(), (x.shape, axes, method)
        if one and axes == list(range(x.ndim)):
            assert tally.median(x) == tally.quantile(x, 0.5)


def test_places_are_the_decimals_that_are_written():
    x = np.array([0] * 19 + [10**6] * 2)
    for q in (0.95, Fraction(95, 100), Decimal("0.95"), np.float64(0.95), [0.95]):
        assert np.all(tally.quantile(x, q) == 10**6)
    assert tally.quantile(x, np.array([0.5, 1])).tolist() == [0, 10**6]
    assert tally.quantile(x, [1e-30, 0.5]).tolist() == [0, 0]
    hundred = np.arange(101)
    for more in (1e-20, Fraction(1, 2**70), Decimal("1e-9999999"), 0.0012345678901234567):
        assert tally.quantile(hundred, [0.29, more], method="lower").tolist() == [29, 0]
    assert tally.quantile(x, []).shape == (0,)
    assert tally.quantile(np.zeros((0, 3)), [], axis=0).shape == (0, 3)
    assert tally.median(np.zeros((0, 0)), axis=0).shape == (0,)


def test_a_nan_keeps_its_bits():
    x = np.array([0x7E00, 0xFE01], np.uint16).view(np.float16)
    for k in (1, 2):
        assert bits(tally.kth_value(x, k).values) == bits(x)[k - 1]


@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_segments(dtype):
    rng = np.random.default_rng(6)
    offsets = np.concatenate([[0], np.cumsum(rng.choice([0, 1, 2, 31, 500], 60))])
    raw = elements(dtype, rng, int(offsets[-1]))
    values, indices = tally.top_k(elements_of(raw, dtype), 4, segments=offsets)
    medians = tally.median(elements_of(raw, dtype), segments=offsets)
    assert values.shape == indices.shape == (60, 4) and medians.shape == (60,)
    for v, i, m, a, b in zip(bits(values), indices, medians, offsets, offsets[1:]):
        order = order_of(dtype, raw[a:b], False)[:4]
        assert i.tolist() == order + [-1] * (4 - len(order))
        assert v.tolist()[:len(order)] == raw[a:b][order].tolist()
        assert a == b or bits(m) == bits(tally.median(elements_of(raw[a:b], dtype)))


def test_bias_chooses_and_scores_come_back():
    rng = np.random.default_rng(0)
    x, bias = rng.random((50, 32), np.float32), rng.random(32, np.float32)
    values, indices = tally.top_k(x, 4, bias=bias)
    assert (indices == np.argsort(-(x + bias), axis=-1, kind="stable")[:, :4]).all()
    assert (values == np.take_along_axis(x, indices, -1)).all()


def test_different_values_only():
    values, indices = tally.top_k([5, 7, 7, 5, 1], 4, distinct=True)
    assert values.tolist()[:3] == [7, 5, 1] and indices.tolist() == [1, 0, 4, -1]
