# SPDX-License-Identifier: Apache-2.0
"""tally/tally.h against Python's integers and ratios, and NumPy's sorts: arrays of every type of up to
four dimensions, their views of any strides, along any axes, on cores and with cores in a GPU's place. A
row's bits are those of that row alone.

There are 60 random arrays a type for each test; 2,000 with TALLY_LONG."""

import ctypes
import math
import re
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from aggregate import probe
from aggregate.arrays import (TYPES, bits_of, elements, exact_of, expected_scan, rows_of, some_axes,
                              sort_keys, view)
from aggregate.inputs import encode
from aggregate.oracle import FLOATS, FORMATS, Floats, rounded, wrapped

from .interface import HOST_GPU, PROBE, Failure, Where, array, options, room

ROOT = Path(__file__).resolve().parents[2]
CASES = 2000 if probe.LONG else 10 if probe.FEW else 60
PLACES = ["cores", "gpu"] if HOST_GPU.exists() else ["cores"]


@pytest.fixture(scope="module", params=PLACES)
def where(request):
    return Where(HOST_GPU, gpu=True) if request.param == "gpu" else Where(PROBE)


def results_like(rng, shape, dtype):
    """Room for results, of any strides."""
    found = room([2 * n for n in shape], dtype) if rng.integers(2) else room(shape, dtype)
    if found.shape != tuple(shape):
        found = found[tuple(slice(None, None, int(rng.choice([2, -2]))) for _ in shape)]
    order = rng.permutation(len(shape))
    turned = room([shape[d] for d in order], dtype).transpose(np.argsort(order))
    return turned if rng.integers(2) else found


REDUCTIONS = ["sum", "fast_sum", "mean", "variance", "standard_deviation", "sum_of_squares", "norm",
              "product", "minimum", "maximum", "min_max", "peak_to_peak", "arg_minimum",
              "arg_maximum", "count_nonzero", "any_of", "all_of", "describe"]


@pytest.mark.parametrize("dtype", TYPES)
def test_reductions_along_any_axes(where, dtype):
    rng = np.random.default_rng(TYPES.index(dtype))
    alone = Where(PROBE)
    for case in range(CASES):
        x, name = view(dtype, rng), REDUCTIONS[case % len(REDUCTIONS)]
        axes, skip = some_axes(x, rng), bool(rng.integers(2))
        ddof = int(rng.integers(3)) if name in ("variance", "standard_deviation") else 0
        shape = [n for d, n in enumerate(x.shape) if d not in axes]
        numbers = where.numbers(name, dtype)
        out = [results_like(rng, shape, kind) for _, kind in numbers]
        where.reduce(name, x, axes, dtype, out=out, skip_nan=skip, ddof=ddof)
        for place, row in rows_of(x, axes):
            told = (name, x.shape, x.strides, axes, place, skip, ddof)
            found = [bits_of(r)[place] for r in out]
            exact = exact_of(name, dtype, row, skip, ddof)
            if exact is not None:
                assert int(found[0]) == exact, told
            once = alone.reduce(name, row, [0], dtype, skip_nan=skip, ddof=ddof)
            assert found == [bits_of(r)[()] for r in once], told


@pytest.mark.parametrize("dtype", TYPES)
def test_results_of_other_types(where, dtype):
    rng = np.random.default_rng(1)
    for to in FLOATS:
        x, axes = view(dtype, rng), [0]
        if dtype in FLOATS:
            expected = [Floats(dtype, row).sum(FORMATS[to]) for _, row in rows_of(x, axes)]
        else:
            expected = [rounded(FORMATS[to], sum(int(v) for v in row)) for _, row in rows_of(x, axes)]
        found, = where.reduce("sum", x, axes, dtype, as_=to)
        assert bits_of(found).reshape(-1).tolist() == expected


@pytest.mark.parametrize("dtype", TYPES)
def test_dot_products(where, dtype):
    rng = np.random.default_rng(2)
    for _ in range(CASES // 4):
        a = view(dtype, rng)
        b = elements(dtype, rng, a.size).reshape(a.shape[::-1]).transpose()
        axes = some_axes(a, rng)
        found, = where.reduce("dot", a, axes, dtype, b=b)
        for (place, x), (_, y) in zip(rows_of(a, axes), rows_of(b, axes)):
            if dtype in FLOATS:
                f = FORMATS[dtype]
                p, q = Floats(dtype, x), Floats(dtype, y)
                if p.specials or q.specials:
                    continue
                exact = rounded(f, sum(v * w for v, w in zip(p.values, q.values)), 1, 2 * f.lowest)
            else:
                exact, = wrapped([sum(int(v) * int(w) for v, w in zip(x, y))], 64,
                                 dtype.startswith("int"))
            assert int(bits_of(found)[place]) == exact, (a.shape, axes, place)


@pytest.mark.parametrize("dtype", [t for t in TYPES if t != "bool"])
def test_sums_up_to_each_element(where, dtype):
    rng = np.random.default_rng(3)
    for _ in range(CASES // 2):
        x = view(dtype, rng)
        axes = some_axes(x, rng)
        if dtype in FLOATS:
            to = FLOATS[rng.integers(len(FLOATS))] if rng.integers(2) else dtype
        else:
            to = ("int64" if dtype.startswith("int") else "uint64") if rng.integers(2) else dtype
        how = {"exclusive": bool(rng.integers(2)), "reverse": bool(rng.integers(2))}
        skip, init = bool(rng.integers(2)), None
        if rng.integers(2):
            init = encode(FORMATS[to], [rng.choice([1.5, -0.0])]) if to in FLOATS else np.array([5], to)
        out = results_like(rng, x.shape, to)
        name = "sum" if dtype in FLOATS or rng.integers(2) else "fast_sum"  # of integers they are one
        where.scan(name, x, axes, out, dtype, to, init=init, skip_nan=skip, **how)
        for (place, row), (_, found) in zip(rows_of(x, axes), rows_of(out, axes)):
            expected = expected_scan(dtype, to, row, None if init is None else int(init[0]), skip, how)
            assert bits_of(found).tolist() == expected, (x.shape, x.strides, axes, place, to, how)


def test_scans_in_place_and_those_that_overlap(where):
    x = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    expected = np.cumsum(x, axis=1, dtype=np.int32)
    where.scan("sum", x, [1], x)
    assert (x == expected).all()
    turned = np.arange(2 * 3 * 4 * 5, dtype=np.int64).reshape(2, 3, 4, 5)[::-1, :, ::2, ::-1]
    expected = np.cumsum(turned, axis=2)
    where.scan("sum", turned, [2], turned)
    assert (turned == expected).all()
    long = np.zeros(30, np.int32)
    with pytest.raises(Failure, match="out"):
        where.scan("sum", long[:20], [0], long[5:25])
    with pytest.raises(Failure, match="out has strides by which several results"):
        where.scan("sum", long, [0], np.broadcast_to(long[:1], 30))


@pytest.mark.parametrize("dtype", TYPES)
def test_top_k_and_kth_values(where, dtype):
    rng = np.random.default_rng(4)
    nothing = 0 if dtype not in FLOATS else FORMATS[dtype].nan
    for _ in range(CASES // 2):
        x = view(dtype, rng)
        axis, smallest = int(rng.integers(x.ndim)), bool(rng.integers(2))
        k = int(rng.integers(0, x.shape[axis] + 3))
        shape = [k if d == axis else n for d, n in enumerate(x.shape)]
        values, indices = results_like(rng, shape, dtype), results_like(rng, shape, "int64")
        where.top_k(x, axis - x.ndim, k, values, indices, dtype, smallest=smallest)
        for (place, row), (_, v), (_, i) in zip(rows_of(x, [axis]), rows_of(values, [axis]),
                                                rows_of(indices, [axis])):
            keys = sort_keys(dtype, row)
            order = sorted(range(row.size), key=lambda j: (keys[j] if smallest else -keys[j], j))[:k]
            rest = k - len(order)
            told = (x.shape, x.strides, axis, place, k)
            assert i.tolist() == order + [-1] * rest, told
            assert bits_of(v).tolist() == [*row[order].tolist(), *[nothing] * rest], told

        axes, k = some_axes(x, rng), int(rng.integers(1, 9))
        shape = [n for d, n in enumerate(x.shape) if d not in axes]
        values, indices = results_like(rng, shape, dtype), results_like(rng, shape, "int64")
        where.kth_value(x, axes, k, values, indices, dtype)
        for place, row in rows_of(x, axes):
            keys = sort_keys(dtype, row)
            order = sorted(range(row.size), key=lambda j: (keys[j], j))
            at = order[k - 1] if k <= row.size else -1
            assert indices[place] == at
            assert bits_of(values)[place] == (row[at] if at >= 0 else nothing)


CHOOSING = {1: math.floor, 2: math.ceil, 3: round}  # round() takes the even one of two as near


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int32"])
def test_top_k_is_chosen_by_sums_with_a_bias(where, dtype):
    rng = np.random.default_rng(5)
    for case in range(CASES // 2):
        shape = [int(rng.integers(1, 6)), int(rng.integers(1, 40))]
        x = (rng.integers(-8, 8, shape) / (4 if dtype in FLOATS else 1)).astype(dtype)
        one = rng.integers(-8, 8, shape).astype(dtype)
        bias = np.broadcast_to(one[0], shape) if case % 3 == 0 else one if case % 3 == 1 else one[:, ::-1]
        axis, k = (1, int(rng.integers(0, shape[1] + 3))) if case % 5 else (0, 1)
        room_for = [shape[0], k] if axis else [k, shape[1]]
        values, indices = results_like(rng, room_for, dtype), results_like(rng, room_for, "int64")
        where.top_k(x, axis, k, values, indices, bias=bias)
        sums, elements_of = np.moveaxis(x + bias, axis, -1), np.moveaxis(x, axis, -1)
        for total, row, v, i in zip(sums, elements_of, np.moveaxis(values, axis, -1),
                                  np.moveaxis(indices, axis, -1)):
            order = sorted(range(row.size), key=lambda j: (-total[j], j))[:k]
            assert i.tolist() == order + [-1] * (k - len(order)), (case, shape, k)
            assert v[:len(order)].tolist() == row[order].tolist(), (case, shape, k)


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64", "uint64", "uint8", "float32", "float64"])
def test_quantiles(where, dtype):
    rng = np.random.default_rng(5)
    for _ in range(CASES // 2):
        x = view(dtype, rng)
        axes, q, method = some_axes(x, rng), [0.0, 0.25, 0.5, 1.0], int(rng.integers(1, 4))
        to = dtype if dtype in FLOATS or rng.integers(2) else "float64"
        shape = [len(q)] + [n for d, n in enumerate(x.shape) if d not in axes]
        out = results_like(rng, shape, to)
        where.quantile(x, axes, q, out, dtype, to, method=method)
        for place, row in rows_of(x, axes):
            f, keys = FORMATS.get(to), sort_keys(dtype, row)
            order = sorted(range(row.size), key=lambda j: (keys[j], j))
            for i, at in enumerate(q):
                found = int(bits_of(out)[(i, *place)])
                if row.size == 0 or (dtype in FLOATS and max(keys) == f.sign):
                    assert found == (f.nan if f else 0)
                    continue
                chosen = row[order[CHOOSING[method](Fraction(at) * (row.size - 1))]]
                if dtype in FLOATS:
                    expected = int(chosen) if int(chosen) != f.sign else 0
                else:
                    expected = rounded(f, int(chosen)) if f else int(chosen)
                assert found == expected, (x.shape, axes, place, at)


@pytest.mark.parametrize("dtype", ["int16", "bfloat16", "float32"])
def test_segments(where, dtype):
    rng = np.random.default_rng(6)
    for count in (0, 1, 3, 50):
        lengths = rng.choice([0, 1, 2, 31, 500], count)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        x = elements(dtype, rng, int(offsets[-1]))
        rows = [x[a:b] for a, b in zip(offsets, offsets[1:])]
        a = array(x, dtype)
        to = where.numbers("sum", dtype)[0][1]
        sums = room([count], to)
        where.segments("reduce", [b"sum", ctypes.byref(a), None], offsets, 500, 1,
                       ctypes.byref(array(sums, to)), options())
        if dtype in FLOATS:
            assert bits_of(sums).tolist() == [Floats(dtype, r).sum(FORMATS[dtype]) for r in rows]
        else:
            assert sums.tolist() == [int(r.astype(object).sum()) if r.size else 0 for r in rows]

        out = room([x.size], dtype)
        where.segments("scan", [b"sum", ctypes.byref(a)], offsets, 500,
                       ctypes.byref(array(out, dtype)), options())
        expected = [v for r in rows for v in expected_scan(dtype, dtype, r, None, False, {})]
        assert bits_of(out).tolist() == expected

        values, indices = room([count, 4], dtype), room([count, 4], "int64")
        where.segments("top_k", [ctypes.byref(a)], offsets, 500, ctypes.c_uint64(4),
                       ctypes.byref(array(values, dtype)), ctypes.byref(array(indices)), options())
        for r, found in zip(rows, indices.tolist()):
            keys = sort_keys(dtype, r)
            order = sorted(range(r.size), key=lambda j: (-keys[j], j))[:4]
            assert found == order + [-1] * (4 - len(order))


def test_quantiles_of_segments_are_elements(where):
    x, offsets = np.array([2**63 - 1, 5, -(2**63), 7, 2**53 + 1], np.int64), np.array([0, 0, 3, 5])
    out = room([3, 2], "int64")
    where.segments("quantile", [ctypes.byref(array(x))], offsets, 3, ctypes.c_size_t(2),
                   (ctypes.c_double * 2)(0.5, 1), None, ctypes.byref(array(out)), options(method=1))
    assert out.tolist() == [[0, 0], [5, 2**63 - 1], [7, 2**53 + 1]]


def test_ends_of_no_bools_are_bools(where):
    nothing, at = np.zeros((2, 0), bool), np.array([0, 0, 1])
    for name, ends in {"minimum": [1], "maximum": [0], "min_max": [1, 0]}.items():
        assert [r.view(np.uint8).tolist() for r in where.reduce(name, nothing, [1])] == [
            [end] * 2 for end in ends]
    least = room([2], "bool")
    where.segments("reduce", [b"minimum", ctypes.byref(array(np.zeros(1, bool))), None], at, 1, 1,
                   ctypes.byref(array(least)), options())
    assert least.view(np.uint8).tolist() == [1, 0]


def test_arrays_with_ones_for_the_axes(where):
    x = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
    out = room([2, 1, 4], "float64")
    where.reduce("sum", x, [1], out=[out])
    assert (out == x.sum(axis=1, keepdims=True)).all()


def test_more_dimensions_than_numpy_joins(where):
    shape = [2] * 11
    x = np.arange(4**11, dtype=np.int32).reshape([4] * 11)[(slice(None, None, 2),) * 11]
    found, = where.reduce("sum", x, list(range(0, 11, 2)))
    assert (found == x.sum(axis=tuple(range(0, 11, 2)), dtype=np.int64)).all()
    assert list(x.shape) == shape


def test_the_header_is_c_and_its_example_runs(tmp_path):
    header = (ROOT / "include" / "tally" / "tally.h").read_text()
    example = re.search(r"\n \*\n((?: \*   .*\n)+)", header).group(1).replace(" *   ", "  ")
    source = tmp_path / "example.c"
    source.write_text('#include <stdio.h>\n#include "tally/tally.h"\nint main(void) {\n' + example +
                      '  printf("%g %g\\n", sums[0], sums[1]);\n  return 0;\n}\n')
    program = tmp_path / "example"
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{ROOT / 'include'}",
                    str(source), "-o", str(program), str(PROBE), f"-Wl,-rpath,{PROBE.parent}"],
                   check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "6 15\n"
