# SPDX-License-Identifier: Apache-2.0
"""Dask's arrays: whatever their chunks are, the bits of one call over the whole array."""

import numpy as np
import pytest

dask = pytest.importorskip("dask", reason="no Dask")
import tally  # noqa: E402
import tally.dask  # noqa: E402

REDUCTIONS = [("sum", {}), ("mean", {}), ("var", {"ddof": 1}), ("std", {})]
METHODS = ["sequential", "parallel"]
DTYPES = ["float16", "float32", "float64", "int8", "int64", "uint32", "bool"]


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="synchronous"):
        yield


def some(dtype, shape, seed=0):
    """Numbers of many sizes, so that the order of additions matters."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape) * 10.0 ** rng.integers(-4, 4, shape)
    return x.astype(dtype) if dtype.startswith("float") else (x * 10).astype(np.int64).astype(dtype)


def in_chunks(x, seed):
    rng = np.random.default_rng(seed)
    cuts = [np.unique(rng.integers(0, n + 1, 4)) for n in x.shape]
    chunks = tuple(tuple(int(c) for c in np.diff([0, *cut, n])) for cut, n in zip(cuts, x.shape))
    return dask.array.from_array(x, chunks=chunks)


def same(found, expected):
    found, expected = np.asarray(found.compute()), np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name, how", REDUCTIONS)
def test_reductions_are_those_of_the_whole(name, how, dtype):
    for seed, shape in enumerate([(500,), (30, 40), (6, 7, 8)]):
        x = some(dtype, shape, seed)
        y = in_chunks(x, seed)
        for axis in (None, -1, 0, tuple(range(len(shape)))[-2:]):
            for keepdims in (False, True):
                found = getattr(tally.dask, name)(y, axis, keepdims=keepdims, **how)
                expected = getattr(tally, name)(x, axis=axis, keepdims=keepdims, **how)
                assert found.dtype == np.asarray(expected).dtype
                same(found, expected)


def test_ten_chunkings_have_one_sum_where_dask_has_several():
    x = some("float32", 100_000)
    arrays = [dask.array.from_array(x, chunks=n) for n in (1000, 1024, 3333, 7001, 9999, 10_000, 20_000,
                                                           33_333, 50_000, 100_000)]
    assert {tally.dask.sum(a).compute().tobytes() for a in arrays} == {tally.sum(x).tobytes()}
    assert {tally.dask.var(a).compute().tobytes() for a in arrays} == {tally.var(x).tobytes()}
    assert len({a.sum().compute().tobytes() for a in arrays}) > 1


def test_many_results_are_brought_together_first(monkeypatch):
    x = some("float32", (50, 60))
    monkeypatch.setattr(tally.dask, "_MOST_STATES", 7)
    for axis in (0, 1):
        for keepdims in (False, True):
            same(tally.dask.sum(in_chunks(x, 1), axis, keepdims=keepdims),
                 tally.sum(x, axis=axis, keepdims=keepdims))


def test_missing_and_infinite_elements():
    x = some("float64", 300)
    x[[5, 77]], x[100] = np.nan, np.inf
    for nan in ("propagate", "skip"):
        same(tally.dask.sum(in_chunks(x, 3), nan=nan), tally.sum(x, nan=nan))
        same(tally.dask.mean(in_chunks(x, 3), nan=nan), tally.mean(x, nan=nan))
        for method in METHODS:
            same(tally.dask.cumulative_sum(in_chunks(x, 3), nan=nan, method=method),
                 tally.cumulative_sum(x, nan=nan))


def test_sums_of_integers_wrap():
    for dtype in ("int64", "uint64"):
        x = np.full(10, np.iinfo(dtype).max, dtype)
        same(tally.dask.sum(in_chunks(x, 1)), tally.sum(x))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_cumulative_sums(dtype, method):
    x = some(dtype, 400)
    for seed in range(3):
        same(tally.dask.cumulative_sum(in_chunks(x, seed), method=method), tally.cumulative_sum(x))
    same(tally.dask.cumulative_sum(in_chunks(x, 3), dtype="float64", method=method),
         tally.cumulative_sum(x, dtype="float64"))
    x = some(dtype, (20, 30))
    for axis in (0, -1):
        same(tally.dask.cumulative_sum(in_chunks(x, 1), axis=axis), tally.cumulative_sum(x, axis=axis))


@pytest.mark.parametrize("mode", ["largest", "smallest"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_top_k(dtype, mode):
    for shape in ((400,), (20, 30)):
        x = some(dtype, shape)
        for axis in {0, len(shape) - 1}:
            for k in (0, 1, 7, shape[axis]):
                found = tally.dask.top_k(in_chunks(x, k), k, axis=axis, mode=mode)
                expected = tally.top_k(x, k, axis=axis, mode=mode)
                same(found.values, expected.values)
                same(found.indices, expected.indices)


def test_processes_and_a_second_run_have_the_same_bits():
    x = some("float64", 5000)
    y = dask.array.from_array(x, chunks=700)
    lazy = tally.dask.sum(y), *tally.dask.top_k(y, 20), tally.dask.cumulative_sum(y, method="parallel")
    best = tally.top_k(x, 20)
    expected = tally.sum(x), best.values, best.indices, tally.cumulative_sum(x)
    for scheduler in ("threads", "processes", "synchronous"):
        found = dask.compute(*lazy, scheduler=scheduler)
        assert [np.asarray(f).tobytes() for f in found] == [np.asarray(e).tobytes() for e in expected]


def test_a_local_cluster():
    distributed = pytest.importorskip("distributed", reason="no Dask")
    x = some("float32", 20_000)
    y = dask.array.from_array(x, chunks=3000)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster):
            same(tally.dask.sum(y), tally.sum(x))
            for method in METHODS:
                same(tally.dask.cumulative_sum(y, method=method), tally.cumulative_sum(x))
            same(tally.dask.top_k(y, 9).indices, tally.top_k(x, 9).indices)


def test_arrays_of_xarray():
    xarray = pytest.importorskip("xarray", reason="no xarray")
    x = some("float32", (30, 40))
    named = xarray.DataArray(x, dims=("time", "place")).chunk({"time": 7, "place": 9})
    found = named.reduce(tally.dask.sum, "time")
    assert found.dims == ("place",)
    same(found, tally.sum(x, axis=0))


@pytest.mark.parametrize("call, error, text", [
    (lambda x: tally.dask.sum(np.ones(3)), TypeError, "sum: x is no Dask array but of ndarray"),
    (lambda x: tally.dask.mean(x, 3), ValueError, "mean: axis = 3 of 2 dimensions"),
    (lambda x: tally.dask.sum(x, (0, 0)), ValueError, "sum: axis = (0, 0) of 2 dimensions"),
    (lambda x: tally.dask.cumulative_sum(x), ValueError, "x has 2 dimensions: axis= names one"),
    (lambda x: tally.dask.cumulative_sum(x[0], method="best"), ValueError, "method = 'best'"),
    (lambda x: tally.dask.top_k(x, 7), ValueError, "top_k: k = 7 of 6 elements"),
    (lambda x: tally.dask.top_k(x, 1, mode="best"), ValueError, "mode = 'best'"),
    (lambda x: tally.dask.sum(x, nan="no"), ValueError, "nan = 'no'"),
    (lambda x: tally.dask.var(x, ddof=-1), ValueError, "ddof = -1"),
    (lambda x: tally.dask.sum(x[x > 0]), ValueError, "unknown size"),
])
def test_errors_are_those_of_the_call(call, error, text):
    with pytest.raises(error) as raised:
        call(dask.array.ones((5, 6), chunks=2))
    assert text in str(raised.value)
