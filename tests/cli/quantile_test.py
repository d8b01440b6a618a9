# SPDX-License-Identifier: Apache-2.0
"""quantile and median: NumPy's answers, but exact and rounded once."""

import os
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .command import COMMON_KEYS, LONG, answer, failure, noted, npy, report
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
        place = Fraction(str(q)) * 999
        i = int(place)
        assert value == float(s[i] + (s[i + 1] - s[i]) * (place - i))


def test_a_place_is_the_decimal_that_is_written():
    """Each double beside it would give another answer."""
    twenty_one = b"1 " * 19 + b"1000000 1000000"
    for q in ("0.95", "95%", "9.5e-1", "95e-2", "+.95", "0.950", "19/20", "9.5e+1%", "0.9500000000000000000"):
        assert answer("quantile", "-q", q, stdin=twenty_one) == "1000000", q
    prices = " ".join(f"{i / 10}" for i in range(1001)).encode()
    assert answer("quantile", "-q", "90%,95%,0.99", "-q", "3/10", stdin=prices) == "90\n95\n99\n30"
    ids = "\n".join(str(10**18 + 10 * i) for i in range(11)).encode()
    for method in METHODS[1:4]:
        assert answer("quantile", "-q", "0.1,30%", "--method", method, stdin=ids) == f"{10**18 + 10}\n{10**18 + 30}"


@settings(max_examples=300 if LONG else 40, deadline=None)
@given(st.lists(st.integers(-10**6, 10**6), min_size=1, max_size=40), st.integers(0, 19), st.data())
def test_places_are_fractions(values, scale, data):
    units = data.draw(st.integers(0, 10**scale))
    place = Fraction(units, 10**scale)
    text = f"{units}e-{scale}" if data.draw(st.booleans()) else format(Decimal(units).scaleb(-scale), "f")
    if scale >= 2 and data.draw(st.booleans()):
        text = format(Decimal(units).scaleb(2 - scale), "f") + "%"
    elif data.draw(st.booleans()):
        text = f"{units}/{10**scale}"
    at, ordered = (len(values) - 1) * place, sorted(values)
    low, high = ordered[floor(at)], ordered[ceil(at)]
    middle = Fraction(low + high, 2)
    exact = {"linear": low + (high - low) * (at - floor(at)), "lower": low, "higher": high,
             "nearest": ordered[round(at)], "midpoint": middle if low != high else low}
    for method in METHODS:
        found = report("quantile", "-q", text, "--method", method, stdin=" ".join(map(str, values)).encode())
        assert found["values"] == [float(exact[method])]


def test_json_says_places_as_they_were_given():
    found = report("quantile", "-q", "0.5,95%,1/3,0.950,1e-3", "-q", "0.1000000000000000055", stdin=b"1 2 3")
    assert found["q"] == [0.5, "95%", "1/3", 0.95, 0.001, "0.1000000000000000055"]
    assert report("quantile", stdin=b"1")["q"] == [0.5]


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
    assert noted("median", "x.npy") == ("nan", "tally: 1 of 3 are NaN; --skip-nan leaves them out")
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
    for q, why in (("101%", "is not from 0 to 1"), ("3/2", "is not from 0 to 1"),
                   ("1/0", "is not from 0 to 1"), ("1e30", "is not from 0 to 1"), ("inf", "is not from 0 to 1"),
                   ("1.0000000000000000001", "is not from 0 to 1"),
                   ("", "is not a number"), ("%", "is not a number"), ("half", "is not a number"), ("0.5.1", "is not a number"),
                   ("1k", "is not a number"), ("0.5%%", "is not a number"),
                   ("1/2/3", "is not a quotient of whole numbers below 2^64"),
                   ("1/18446744073709551616", "is not a quotient of whole numbers below 2^64"),
                   ("1e-20", "has more than 19 decimals"), ("1e-18%", "has more than 19 decimals"),
                   ("0.12345678901234567891", "has more than 19 decimals")):
        assert failure(2, "quantile", "x.npy", "-q", q) == f"tally: -q: '{q}' {why}"
        assert failure(2, "quantile", "x.npy", "-q", f"0.5,{q}") == f"tally: -q: '{q}' {why}"
    assert failure(2, "quantile", "x.npy", "-q", "0.5,-0.1") == "tally: -q: '-0.1' is not from 0 to 1"
    assert failure(2, "quantile", "x.npy", "-q", "0.5,") == "tally: -q: '' is not a number"
    assert "--method" in failure(2, "quantile", "x.npy", "--method", "best")
    failure(2, "median", "x.npy", "-q", "0.5")


@pytest.mark.parametrize("place", ["-0", "-0.0", "-0%", "-.0", "+0"])
def test_zero_may_have_a_sign(place):
    assert answer("quantile", "-q", place, stdin=b"3 1 2") == "1"
    assert "is not from 0 to 1" in failure(2, "quantile", "-q", "-0.1", stdin=b"1")
