# SPDX-License-Identifier: Apache-2.0
"""describe: everything in one read."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from .command import COMMON_KEYS, answer, failure, noted, report, tally
from .oracle import (FLOATS, INTEGERS, exact_total, exact_values, exact_variance, hexadecimal,
                     in_json, nearest, nearest_root, values)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_describe_is_right_about_everything(dtype):
    x = np.tile(values(dtype, 700), 2)
    np.save("x.npy", x)
    found = report("describe", "x.npy")
    moment = dtype if dtype in FLOATS else "float64"
    total = sum(exact_values(x))
    deviation = nearest_root(moment, exact_variance(x))
    result, expected = exact_total(dtype, total)
    assert found["sum"] == report("sum", "x.npy")["value"] == in_json(expected)
    assert found.get("sum_bits", hexadecimal(result, expected)) == hexadecimal(result, expected)
    assert found["mean_bits"] == hexadecimal(moment, nearest(moment, Fraction(total, len(x))))
    assert found["standard_deviation_bits"] == hexadecimal(moment, deviation)
    assert found["standard_deviation"] == deviation
    assert found["ddof"] == 0
    assert (found["minimum"], found["minimum_index"]) == (in_json(x.min().item()), x.argmin())
    assert (found["maximum"], found["maximum_index"]) == (in_json(x.max().item()), x.argmax())


def test_describe_has_these_keys_and_no_others():
    keys = COMMON_KEYS | {"sum", "mean", "standard_deviation", "ddof", "minimum", "minimum_index",
                          "maximum", "maximum_index", "mean_bits", "standard_deviation_bits"}
    np.save("x.npy", np.arange(5))
    assert set(report("describe", "x.npy")) == keys
    np.save("x.npy", np.arange(5, dtype="float16"))
    assert set(report("describe", "x.npy")) == keys | {"sum_bits", "minimum_bits", "maximum_bits"}


def test_describe_skips_nan_and_says_how_many():
    x = np.random.default_rng(1).standard_normal(1000).astype("float32")
    x[:300:3] = math.nan
    np.save("x.npy", x)
    np.save("kept.npy", x[~np.isnan(x)])
    found, kept = report("describe", "x.npy"), report("describe", "kept.npy")
    assert (found["nan_count"], kept["nan_count"]) == (100, 0)
    for key in ("sum_bits", "mean_bits", "standard_deviation_bits", "minimum_bits", "maximum_bits"):
        assert found[key] == kept[key], key
    assert found["minimum_index"] == np.nanargmin(x)
    assert found["maximum_index"] == np.nanargmax(x)
    assert "100" in answer("describe", "x.npy")


def test_describe_takes_ddof():
    x = np.random.default_rng(1).standard_normal(1000)
    np.save("x.npy", x)
    found = report("describe", "x.npy", "--ddof", 1)
    assert found["ddof"] == 1
    assert found["standard_deviation"] == nearest_root("float64", exact_variance(x, 1))


def test_describe_prints_a_line_for_each_finding():
    np.save("x.npy", np.array([2, 4, 4, 4, 5, 5, 7, 9], "float32"))
    lines = [line.split(maxsplit=1) for line in answer("describe", "x.npy").splitlines()]
    assert lines == [["count", "8"], ["nan_count", "0"], ["sum", "40"], ["mean", "5"],
                     ["standard_deviation", "2"], ["minimum", "2 at 0"], ["maximum", "9 at 7"]]


def test_describe_reads_the_input_once():
    np.save("x.npy", np.ones(10**6, "float32"))
    assert report("describe", "x.npy")["bytes_read"] == 128 + 4 * 10**6


def test_describe_of_nothing_is_an_error():
    np.save("x.npy", np.zeros(0))
    for name, text in ("x.txt", ""), ("y.txt", " \n"):
        Path(name).write_text(text)
    for name in ("x.npy", "x.txt", "y.txt"):
        assert failure(1, "describe", name) == f"tally: describe: {name} is empty"


NOTHING_BUT_MISSING = {"x.txt": "nan\nNA -nan", "x.csv": "x\nNA\n\"\"\nnan\n", "y.csv": "x,y\nNA,1\n,2\n-,3\n"}


@pytest.mark.parametrize("name", ["x.npy", *NOTHING_BUT_MISSING])
def test_where_nothing_but_missing_values_is_there_it_counts_them(name):
    np.save("x.npy", np.full(3, math.nan))
    if name != "x.npy":
        Path(name).write_text(NOTHING_BUT_MISSING[name])
    column = ["--column", "x"] if name == "y.csv" else []
    lines = [line.split() for line in answer("describe", name, *column).splitlines()]
    assert lines == [["count", "3"], ["nan_count", "3"], ["sum", "0"], ["mean", "nan"], ["standard_deviation", "nan"],
                     ["minimum", "nan"], ["maximum", "nan"]]
    found = report("describe", name, *column)
    other = report("describe", stdin=b"1 2.5 NA" if name == "x.npy" else b"1 2 NA")  # integers, if any
    assert set(found) == set(other)
    assert (found["count"], found["nan_count"], found["sum"]) == (3, 3, 0)
    for key in ("mean", "standard_deviation", "minimum", "maximum"):
        assert (found[key], found.get(f"{key}_bits")) == ("nan", None)
    assert found["minimum_index"] is found["maximum_index"] is None
    if name != "x.npy":
        decimal = report("describe", "--decimal", name, *column)
        assert [decimal[key] for key in ("count", "nan_count", "sum", "mean", "standard_deviation", "minimum", "maximum",
                                         "minimum_index")] == [3, 3, "0", "nan", "nan", "nan", "nan", None]
        assert answer("describe", "--decimal", name, *column) == answer("describe", name, *column)
    # What cannot be told of nothing is an error, or NaN where nobody leaves that out.
    for command in ("min", "max", "mean", "std", "argmin", "median"):
        message = failure(1, command, "--skip-nan", name, *column)
        assert message == f"tally: {command}: {name} is empty without its NaNs"
    for command, nothing in ("sum", "0"), ("count", "0"), ("top-k", ""), ("norm", "0"):
        assert answer(command, "--skip-nan", name, *column) == nothing
    for command in ("sum", "min", "mean", "median"):
        done = tally(command, name, *column)
        assert done.stdout == b"nan\n"
        assert b"3 of 3" in done.stderr and b"--skip-nan leaves them out" in done.stderr


def test_a_column_of_nothing_but_missing_values_is_counted_among_others():
    Path("x.csv").write_text("x,y,z\nNA,1,a\n,2,b\n")
    done = tally("describe", "x.csv", check=True)
    assert [line.split()[:4] for line in done.stdout.decode().splitlines()[1:]] == [["x", "2", "2", "0"], ["y", "2", "0", "3"]]
    assert done.stderr == b"tally: left out: z (line 2: 'a')\n"


def test_describe_counts_indices_across_files():
    np.save("a.npy", np.array([3, 1, 2]))
    np.save("b.npy", np.array([5, 0]))
    found = report("describe", "a.npy", "b.npy")
    assert (found["minimum_index"], found["maximum_index"], found["count"]) == (4, 3, 5)


def test_the_number_of_threads_changes_no_bit():
    np.save("x.npy", np.tile(values("float32"), 300))
    reports = [report("describe", "x.npy", "--threads", n) for n in (1, 2, 3, 4)]
    for found in reports:
        for key in ("threads", "seconds", "gb_per_s"):
            del found[key]
    assert all(found == reports[0] for found in reports)


def test_the_only_column_is_told_about_as_by_its_name():
    Path("only.csv").write_text("x\n9007199254740993\n0.5\n")
    named, alone = tally("describe", "--column", "x", "only.csv"), tally("describe", "only.csv")
    assert b"beyond 2^53" in named.stderr
    assert (alone.stdout, alone.stderr) == (named.stdout, named.stderr)


def test_the_sum_of_integers_is_an_integer_in_full():
    """Whatever is missing, and whatever float64 would round."""
    for text, exact in ((b"4503599627370497\n4503599627370498\nNA\n4503599627370499\n", 13510798882111494),
                        (b"99999999999999999999 NA 100000000000000000001", 2 * 10**20),
                        (b"18446744073709551615 -3 9007199254740993", 2**64 + 2**53 - 3), (b"-5 18446744073709551615", 2**64 - 6)):
        line = tally("describe", stdin=text).stdout.decode().split("\n")[2]
        assert line.split() == ["sum", str(exact)]
        found = json.loads(tally("describe", "--json", stdin=text).stdout)
        assert found["sum"] == str(exact) and "sum_bits" not in found
        table = b"a,b\n" + b"".join(word + b",1\n" for word in text.split())
        first = json.loads(tally("describe", "--json", "--delimiter", ",", stdin=table).stdout)["columns"][0]
        assert first["sum"] == str(exact) and "sum_bits" not in first
        assert first["nan_count"] == text.count(b"NA")


def test_columns_whose_integers_are_rounded_are_named():
    Path("t.csv").write_text("a,b,c,d\n9007199254740993,1,99999999999999999999,NA\n0.5,2,-1,9007199254740993\n")
    done = tally("describe", "t.csv")
    assert done.stderr.decode().splitlines() == [
        f"tally: column '{name}': integers beyond 2^53 are rounded to float64; --decimal keeps them" for name in "acd"]
    assert noted("describe", "--column", "d", "t.csv")[0].split("\n")[2].split() == ["sum", "9007199254740993"]
    Path("u.csv").write_text("a,b\n1,2\n0.5,3\n")
    answer("describe", "u.csv")
    Path("v.csv").write_text("a,b\n1,2\n")
    Path("w.csv").write_text("a,b\n9007199254740993,0.5\n")
    answer("describe", "v.csv", "w.csv")
    Path("w.csv").write_text("a,b\n0.5,9007199254740993\n9007199254740993,2\n")
    assert b"column 'a'" in tally("describe", "v.csv", "w.csv").stderr
