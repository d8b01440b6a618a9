# SPDX-License-Identifier: Apache-2.0
"""Arrays of which elements are missing, by a bitmap beside them: floating-point ones against arrays with
NaNs in their place, integers against what is there of each row alone; views of any strides, along any
axes, pairs and segments, on cores and with cores in a GPU's place.

There are 20 random arrays a type for each test; 666 with TALLY_LONG."""

import ctypes
import mmap

import numpy as np
import pytest
from aggregate.oracle import FLOATS, FORMATS

from .interface import HOST_GPU, PROBE, Failure, Where, array, options, room
from .tally_test import (CASES, REDUCTIONS, TYPES, bits_of, elements, results_like, rows_of, some_axes,
                         view, where)

INTEGERS = [t for t in TYPES if t not in FLOATS]


def places_of(x):
    """How many elements behind the first one each lies."""
    places = np.zeros(x.shape, np.int64)
    for d, (n, step) in enumerate(zip(x.shape, x.strides)):
        along = np.arange(n) * (step // x.itemsize)
        places += along.reshape([-1 if e == d else 1 for e in range(x.ndim)])
    return places


def bitmap(x, rng):
    """Which of the array's elements are there, and the bitmap that says so."""
    places = places_of(x)
    low, high = (int(places.min()), int(places.max())) if x.size else (0, 0)
    before = int(rng.integers(0, 20))
    kind = rng.integers(4)
    there = rng.random(before + high - low + 1) < [0.5, 0.97, 0.1, 1.0][kind]
    return there[before + places - low], (np.packbits(there, bitorder="little"), before - low)


def with_nans(dtype, x, there):
    return np.where(there, x, np.array(FORMATS[dtype].nan, FORMATS[dtype].bits))


@pytest.mark.parametrize("dtype", FLOATS)
def test_missing_floats_are_nans(where, dtype):
    rng = np.random.default_rng(10)
    for _ in range(CASES // 3):
        x = view(dtype, rng)
        there, valid = bitmap(x, rng)
        y, axes, skip = with_nans(dtype, x, there), some_axes(x, rng), bool(rng.integers(2))
        for name in REDUCTIONS:
            found = where.reduce(name, x, axes, dtype, valid=valid, skip_nan=skip)
            expected = where.reduce(name, y, axes, dtype, skip_nan=skip)
            for f, e in zip(found, expected):
                assert np.array_equal(bits_of(f), bits_of(e)), (name, x.shape, x.strides, axes, skip)

        out, same = results_like(rng, x.shape, dtype), room(x.shape, dtype)
        where.scan("sum", x, axes, out, dtype, dtype, valid=valid, skip_nan=skip)
        where.scan("sum", y, axes, same, dtype, dtype, skip_nan=skip)
        assert np.array_equal(bits_of(out), bits_of(same))

        shape = [5 if d == axes[0] else n for d, n in enumerate(x.shape)]
        found, expected = ((room(shape, dtype), room(shape, "int64")) for _ in range(2))
        where.top_k(x, axes[0], 5, *found, dtype, valid=valid, skip_nan=skip)
        where.top_k(y, axes[0], 5, *expected, dtype, skip_nan=skip)
        assert all(np.array_equal(bits_of(f), bits_of(e)) for f, e in zip(found, expected))


def present_rows(x, there, axes):
    """Every row's place, what is there of it, and at which positions."""
    for (place, row), (_, mask) in zip(rows_of(x, axes), rows_of(there, axes)):
        yield place, row[mask], np.flatnonzero(mask)


def position(at, found):
    return int(at[found]) if found >= 0 else -1


@pytest.mark.parametrize("dtype", INTEGERS)
def test_missing_integers_are_skipped(where, dtype):
    rng, alone = np.random.default_rng(11), Where(PROBE, threads=1)
    for _ in range(CASES // 3):
        x = view(dtype, rng)
        (there, valid), axes = bitmap(x, rng), some_axes(x, rng)
        for name in REDUCTIONS:
            numbers = [n for n, _ in where.numbers(name, dtype)]
            found = where.reduce(name, x, axes, dtype, valid=valid, skip_nan=1)
            for place, row, at in present_rows(x, there, axes):
                for n, f, e in zip(numbers, found, alone.reduce(name, row, [0], dtype, skip_nan=1)):
                    expected = bits_of(e)[()]
                    if n.endswith("_index") or name.startswith("arg_"):
                        expected = position(at, int(expected))
                    if n == "nan_count":
                        expected = np.prod([x.shape[a] for a in axes]) - row.size
                    assert bits_of(f)[place] == expected, (name, n, x.shape, x.strides, axes, place)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_missing_integers_show_in_what_can_say_so(where, dtype):
    rng, alone = np.random.default_rng(12), Where(PROBE, threads=1)
    for _ in range(CASES // 3):
        x = view(dtype, rng)
        (there, valid), axes = bitmap(x, rng), some_axes(x, rng)
        rows = list(present_rows(x, there, axes))
        length = int(np.prod([x.shape[a] for a in axes]))
        for name in ("mean", "standard_deviation", "arg_maximum"):
            found, = where.reduce(name, x, axes, dtype, valid=valid)
            for (place, row, at), (_, whole) in zip(rows, rows_of(x, axes)):
                if row.size == length:
                    expected = bits_of(alone.reduce(name, whole, [0], dtype)[0])[()]
                elif name == "arg_maximum":
                    expected = next(i for i in range(length) if i not in at)
                else:
                    expected = FORMATS["float64"].nan
                assert bits_of(found)[place] == expected, (name, x.shape, axes, place)
        if any(row.size < length for _, row, _ in rows):
            with pytest.raises(Failure, match="sum: elements are missing, and a result that is an"):
                where.reduce("sum", x, axes, dtype, valid=valid)
            with pytest.raises(Failure, match="scan: elements are missing"):
                where.scan("sum", x, axes, room(x.shape, "int64" if dtype == "bool" else dtype), dtype,
                           "int64" if dtype == "bool" else dtype, valid=valid)


@pytest.mark.parametrize("dtype", [t for t in INTEGERS if t != "bool"])
def test_scans_and_selections_skip_missing_integers(where, dtype):
    rng = np.random.default_rng(13)
    for _ in range(CASES // 3):
        x = view(dtype, rng)
        (there, valid), axes = bitmap(x, rng), some_axes(x, rng)
        for name, nothing in (("sum", 0), ("maximum", np.iinfo(dtype).min),
                              ("minimum", np.iinfo(dtype).max)):
            out, same = results_like(rng, x.shape, dtype), room(x.shape, dtype)
            where.scan(name, x, axes, out, dtype, dtype, valid=valid, skip_nan=1)
            where.scan(name, np.where(there, x, np.array(nothing, dtype)), axes, same, dtype, dtype)
            assert (out == same).all(), (name, x.shape, axes)

        axis, k = axes[0], int(rng.integers(0, x.shape[axes[0]] + 2))
        shape = [k if d == axis else n for d, n in enumerate(x.shape)]
        values, indices = results_like(rng, shape, dtype), results_like(rng, shape, "int64")
        where.top_k(x, axis, k, values, indices, dtype, valid=valid, skip_nan=1)
        for (place, row, at), (_, v), (_, i) in zip(present_rows(x, there, [axis]), rows_of(values, [axis]),
                                                    rows_of(indices, [axis])):
            order = sorted(range(row.size), key=lambda j: (-int(row[j]), j))[:k]
            rest = k - len(order)
            assert i.tolist() == [*at[order].tolist(), *[-1] * rest], (x.shape, axis, place)
            assert v.tolist() == [*row[order].tolist(), *[0] * rest]

        shape = [n for d, n in enumerate(x.shape) if d not in axes]
        values, indices = room(shape, dtype), room(shape, "int64")
        where.kth_value(x, axes, 2, values, indices, dtype, valid=valid, skip_nan=1)
        medians = room([1, *shape], "float64")
        where.quantile(x, axes, [1.0], medians, dtype, "float64", valid=valid, skip_nan=1)
        for place, row, at in present_rows(x, there, axes):
            order = sorted(range(row.size), key=lambda j: (int(row[j]), j))
            assert indices[place] == (at[order[1]] if row.size > 1 else -1)
            expected = float(row.max()) if row.size else np.nan
            assert np.array_equal(medians[(0, *place)], expected, equal_nan=True)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32"])
def test_pairs_of_which_one_is_missing(where, dtype):
    rng, alone = np.random.default_rng(14), Where(PROBE, threads=1)
    for _ in range(CASES // 3):
        a = view(dtype, rng)
        b = elements(dtype, rng, a.size).reshape(a.shape[::-1]).transpose()
        axes = some_axes(a, rng)
        (a_there, a_valid), (b_there, b_valid) = bitmap(a, rng), bitmap(b, rng)
        if rng.integers(3) == 0:
            a_there, a_valid = np.ones(a.shape, bool), None
        there = a_there & b_there
        found, = where.reduce("dot", a, axes, dtype, b=b, valid=a_valid, b_valid=b_valid, skip_nan=1)
        for (place, x), (_, y), (_, mask) in zip(rows_of(a, axes), rows_of(b, axes), rows_of(there, axes)):
            expected, = alone.reduce("dot", x[mask], [0], dtype, b=y[mask], skip_nan=1)
            assert bits_of(found)[place] == bits_of(expected)[()], (a.shape, axes, place)


@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_segments(where, dtype):
    rng, alone = np.random.default_rng(15), Where(PROBE, threads=1)
    for count in (0, 1, 3, 50):
        lengths = rng.choice([0, 1, 2, 31, 500], count)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        x = elements(dtype, rng, int(offsets[-1]))
        there, valid = bitmap(x, rng)
        rows = [(x[p:q][there[p:q]], np.flatnonzero(there[p:q])) for p, q in zip(offsets, offsets[1:])]
        a, how = array(x, dtype, valid), options(skip_nan=1)
        for name in ("sum", "arg_maximum"):
            to = where.numbers(name, dtype)[0][1]
            found = room([count], to)
            where.segments("reduce", [name.encode(), ctypes.byref(a), None], offsets, 500, 1,
                           ctypes.byref(array(found, to)), how)
            for f, (row, at) in zip(bits_of(found).tolist(), rows):
                expected = int(bits_of(alone.reduce(name, row, [0], dtype, skip_nan=1)[0])[()])
                assert f == (position(at, expected) if name != "sum" else expected)
        values, indices = room([count, 4], dtype), room([count, 4], "int64")
        where.segments("top_k", [ctypes.byref(a)], offsets, 500, ctypes.c_uint64(4),
                       ctypes.byref(array(values, dtype)), ctypes.byref(array(indices)), how)
        for (row, at), found in zip(rows, indices.tolist()):
            v, i = room([4], dtype), room([4], "int64")
            alone.top_k(row, 0, 4, v, i, dtype, skip_nan=1)
            assert found == [position(at, j) for j in i.tolist()]


def test_what_lies_between_rows_is_not_read(where):
    """It lies in pages that nobody may read."""
    memory, page = mmap.mmap(-1, 4 * 12288), 4096
    x = np.frombuffer(memory, np.int32).reshape(4, 3072)[:, :2048]
    x[:] = 1
    protect, address = ctypes.CDLL(None).mprotect, x.ctypes.data
    for row in range(4):
        assert protect(ctypes.c_void_p(address + (3 * row + 2) * page), ctypes.c_size_t(page), 0) == 0
    bits = (np.full(4 * 3072 // 8, 255, np.uint8), 0)
    found, = where.reduce("sum", x, [1], valid=bits, skip_nan=1)
    assert found.tolist() == [2048] * 4
    assert protect(ctypes.c_void_p(address), ctypes.c_size_t(12 * page), 3) == 0


def test_pairs_of_segments_of_arrays_of_two_sizes():
    """Where a GPU would be, as cores refuse them."""
    if not HOST_GPU.exists():
        pytest.skip("a library with cores in a GPU's place is not built beside CUDA")
    where, bits = Where(HOST_GPU, gpu=True), (np.full(1125, 255, np.uint8), 0)
    a, b = array(np.ones(9000, np.int32), valid=bits), array(np.ones(1000, np.int32))
    found = room([2], "int64")
    where.segments("reduce", [b"dot", ctypes.byref(a), ctypes.byref(b)],
                   np.array([0, 500, 1000], np.int64), 500, 1, ctypes.byref(array(found)),
                   options(skip_nan=1))
    assert found.tolist() == [500, 500]


def test_what_overlaps_is_refused_as_without_a_bitmap(where):
    x = np.arange(30, dtype=np.int32)
    bits = (np.full(4, 253, np.uint8), 0)
    for other in (x[3:13], x[9::-1], x[:20:2]):
        with pytest.raises(Failure, match="out"):
            where.scan("sum", x[:10], [0], other, valid=bits, skip_nan=1)


@pytest.mark.parametrize("offsets", [[0, 20], [-3, 4], [5, 2], [0, 3, 2, 10], [0, 2**63 - 1]])
def test_offsets_are_looked_at_as_without_a_bitmap(offsets):
    where, count = Where(PROBE), len(offsets) - 1
    a = array(np.arange(10, dtype=np.int32), valid=(np.array([253, 3], np.uint8), 0))
    values, indices = array(room([count, 2], "int32")), array(room([count, 2], "int64"))
    with pytest.raises(Failure, match="offsets"):
        where.segments("top_k", [ctypes.byref(a)], np.array(offsets, np.int64), 10, ctypes.c_uint64(2),
                       ctypes.byref(values), ctypes.byref(indices), options(skip_nan=1))


def test_what_is_written_has_no_bitmap(where):
    x, sums = np.arange(3, dtype=np.int32), room([], "int64")
    bits = (np.array([7], np.uint8), 0)
    a, out = array(x), array(sums, valid=bits)
    with pytest.raises(Failure, match="valid is not null, but it is written"):
        where.call("tally_reduce", where.handle, b"sum", ctypes.byref(a), None, 1,
                   (ctypes.c_int32 * 1)(0), 1, ctypes.byref(out), None)
