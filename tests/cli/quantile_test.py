# SPDX-License-Identifier: Apache-2.0
"""quantile and median: NumPy's answers, but exact and rounded once."""

import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from .command import COMMON_KEYS, answer, failure, npy, report
from .oracle import FLOATS, INTEGERS, values

METHODS = ["linear", "lower", "higher", "nearest", "midpoint"]


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_elements_are_numpys(dtype):
    x = values(dtype, 700)
    np.save("x.npy", x)
    qs = [0, 0.1, 0.25, 0.5, 0.9, 1]
    for method in ("lower", "higher", "nearest"):
        found = report("quantile", "x.npy", "--method", method, *(w for q in qs for w in ("-q", q)))
        wanted = np.quantile(x, qs, method=method)
        assert [int(v) if dtype in INTEGERS else float(v) for v in found["values"]] == wanted.tolist()
        assert found["q"] == qs
        assert found["method"] == method
        assert found["result_dtype"] == dtype


def test_what_is_between_them_is_exact():
    x = np.random.default_rng(1).integers(-2**40, 2**40, 1000)
    np.save("x.npy", x)
    qs = [0.1, 1 / 3, 0.99]
    found = report("quantile", "x.npy", *(w for q in qs for w in ("-q", q)))
    s = [int(v) for v in np.sort(x)]
    for q, value in zip(qs, found["values"]):
        place = Fraction(q) * 999
        i = int(place)
        assert value == float(s[i] + (s[i + 1] - s[i]) * (place - i))


def test_the_median_is_the_quantile_of_a_half():
    x = np.array([3, 1, 4, 1], "float32")
    np.save("x.npy", x)
    assert answer("median", "x.npy") == answer("quantile", "x.npy") == "2"
    found = report("median", "x.npy")
    assert set(found) == COMMON_KEYS | {"value", "bits", "result_dtype"}
    assert (found["value"], found["bits"], found["nan_count"]) == (2, "40000000", 0)
    assert set(report("quantile", "x.npy")) == COMMON_KEYS | {"q", "method", "values", "bits", "result_dtype"}


def test_nan_poisons_it_unless_skipped():
    np.save("x.npy", np.array([1, np.nan, 2], "float64"))
    assert answer("median", "x.npy") == "nan"
    assert answer("median", "x.npy", "--skip-nan") == "1.5"
    np.save("y.npy", np.array([np.nan]))
    assert failure(1, "median", "y.npy", "--skip-nan") == "tally: median: y.npy is empty without its NaNs"


def test_streams_text_and_several_files_are_one_array():
    np.save("a.npy", np.arange(50))
    np.save("b.npy", np.arange(50, 101))
    assert answer("quantile", "a.npy", "b.npy", "-q", "0.25", "-q", "0.5") == "25\n50"
    assert answer("median", "--each", "a.npy", "b.npy") == "a.npy\t24.5\nb.npy\t75"
    assert answer("median", stdin=b"3 1 2") == "2"
    assert answer("quantile", "--dtype", "int16", "-q", "1", stdin=np.arange(9, dtype="int16").tobytes()) == "8"


@pytest.mark.parametrize("memory", [0, 1, 799, 800, 801, "1k", "1e9"])
def test_what_memory_may_not_hold_goes_into_a_file(memory, monkeypatch):
    x = np.random.default_rng(3).standard_normal(100)
    np.save("x.npy", x)
    np.save("a.npy", x[:30])
    np.save("b.npy", x[30:])
    os.mkdir("own")
    monkeypatch.setenv("TMPDIR", str(Path("own").resolve()))
    for arguments, stdin in ((["a.npy", "b.npy"], b""), (["-"], npy(x)),
                             (["-"], "\n".join(map(repr, x.tolist())).encode())):
        assert answer("median", *arguments, "--memory", memory, stdin=stdin) == answer("median", "x.npy")
        assert answer("quantile", *arguments, "-q", 0.3, "--method", "lower", "--memory", memory,
                      stdin=stdin) == answer("quantile", "x.npy", "-q", 0.3, "--method", "lower")
    assert os.listdir("own") == []
    assert failure(1, "median", "--memory", memory) == "tally: median: standard input is empty"


def test_a_temporary_file_that_cannot_be_is_named(monkeypatch):
    monkeypatch.setenv("TMPDIR", "/no/such/folder")
    message = failure(1, "median", "--memory", 1, stdin=b"1 2 3")
    for word in ("/no/such/folder", "No such file", "--memory", "TMPDIR"):
        assert word in message
    assert answer("median", stdin=b"1 2 3") == "2"
    monkeypatch.setenv("TMPDIR", os.getcwd())
    message = failure(1, "median", "--memory", 1, stdin=b"1 " * 1000, limits=["prlimit", "--fsize=4000"])
    assert "cannot write a temporary file" in message and "File too large" in message


def test_it_names_what_it_refuses():
    np.save("x.npy", np.zeros(0))
    assert failure(1, "median", "x.npy") == "tally: median: x.npy is empty"
    assert failure(2, "quantile", "x.npy", "-q", "1.5") == "tally: -q: '1.5' is not from 0 to 1"
    assert failure(2, "quantile", "x.npy", "-q", "nan") == "tally: -q: 'nan' is not from 0 to 1"
    assert "--method" in failure(2, "quantile", "x.npy", "--method", "best")
    failure(2, "median", "x.npy", "-q", "0.5")
