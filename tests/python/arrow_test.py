# SPDX-License-Identifier: Apache-2.0
"""Columns of pyarrow, pandas and Polars: nulls are missing."""

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", reason="no Arrow")
import tally  # noqa: E402

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64", "bool"]


def with_nulls(dtype, rng, n=1000):
    x = rng.integers(0, 2 if dtype == "bool" else 100, n).astype(dtype)
    return x, rng.random(n) < 0.3


def columns(x, null):
    """The same column in one piece, as a part of a longer one, and in several."""
    whole = pa.array(x, mask=null)
    longer = pa.array(np.concatenate([x[:13], x]), mask=np.concatenate([null[:13], null]))
    yield whole
    yield longer[13:]
    yield pa.chunked_array([whole[:10], whole[10:10], whole[10:777], whole[777:]])


@pytest.mark.parametrize("dtype", TYPES)
def test_nulls_are_missing(dtype):
    x, null = with_nulls(dtype, np.random.default_rng(0))
    there = x[~null]
    for column in columns(x, null):
        for name in ("sum", "mean", "max", "count_nonzero", "var"):
            f = getattr(tally, name)
            assert f(column, nan="skip") == f(there), (name, type(column))
        assert tally.argmax(column, nan="skip") == np.flatnonzero(~null)[there.argmax()]
        assert tally.median(column, nan="skip") == tally.median(there)
        if dtype.startswith("float"):
            assert np.isnan(tally.sum(column)) and np.isnan(tally.max(column))
        else:
            assert np.isnan(tally.mean(column))
            with pytest.raises(ValueError, match="missing"):
                tally.sum(column)
        assert tally.ExactSum(column, nan="skip").value == float(there.astype(float).sum())


@pytest.mark.parametrize("dtype", TYPES)
def test_columns_without_nulls(dtype):
    x, _ = with_nulls(dtype, np.random.default_rng(1))
    for column in columns(x, np.zeros(x.size, bool)):
        assert tally.sum(column) == tally.sum(x)
        assert type(tally.sum(column)) is type(tally.sum(x))
        assert tally.cumulative_sum(column).tolist() == tally.cumulative_sum(x).tolist()
        assert tally.top_k(column, 5).indices.tolist() == tally.top_k(x, 5).indices.tolist()


def test_other_columns_are_errors():
    with pytest.raises(TypeError, match="is of Arrow's type 'u', which Tally does not have"):
        tally.sum(pa.array(["a"]))


def test_pandas_and_polars():
    pandas = pytest.importorskip("pandas", reason="no Arrow")
    polars = pytest.importorskip("polars", reason="no Arrow")
    for series in (pandas.Series([0.1] * 10), pandas.Series([1, None, 3], dtype="Int64"),
                   polars.Series([0.1] * 10), polars.Series([1, None, 3])):
        assert tally.sum(series, nan="skip") == (1.0 if len(series) == 10 else 4)
    assert tally.mean(polars.Series([1.5, None, 2.5]), nan="skip") == 2


class Cached:
    def __init__(self, given):
        self.given = given

    def __arrow_c_array__(self, requested_schema=None):
        return self.given


def test_capsules_are_read_once():
    column = Cached(pa.array([1.0, 3.0]).__arrow_c_array__())
    assert tally.sum(column) == 4
    with pytest.raises(ValueError, match="read before"):
        tally.sum(column)
    for given in (5, None, []):
        with pytest.raises(TypeError, match="no pair"):
            tally.sum(Cached(given))


def test_arrow_types_are_not_python_types():
    with pytest.raises(TypeError, match="dtype = DataType.float. is none"):
        tally.sum(pa.array([3, 1]), dtype=pa.float32())
    assert tally.sum(pa.array([3, 1], pa.int8()), dtype=pa.int32()) == 4
