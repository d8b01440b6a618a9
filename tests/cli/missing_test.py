# SPDX-License-Identifier: Apache-2.0
"""Integers in text of which some are missing stay integers: as NaN does, what is missing propagates or is skipped."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .command import LONG, answer, failure, report, tally
from .oracle import in_json

MORE = settings(max_examples=1000 if LONG else 100, deadline=None)
WORDS = ["NA", "null", "-", "nan", "N/A"]
SMALL = st.lists(st.none() | st.integers(-5, 5), min_size=1, max_size=30)
LARGE = st.lists(st.none() | st.integers(-2**63, 2**63 - 1) | st.integers(2**62 - 3, 2**62 + 3), min_size=1, max_size=30)
UNSIGNED = st.lists(st.none() | st.integers(2**63, 2**64 - 1) | st.integers(0, 3), min_size=1, max_size=30)
NUMBERS = SMALL | LARGE | UNSIGNED
REDUCTIONS = ["sum", "fast-sum", "sum-of-squares", "mean", "variance", "std", "norm", "prod", "min", "max", "min-max",
              "peak-to-peak", "argmin", "argmax", "count-nonzero", "any-of", "all-of", "describe", "count", "median"]


def text_of(values):
    return "\n".join(WORDS[i % len(WORDS)] if v is None else str(v) for i, v in enumerate(values)).encode()


def plain(*arguments, **options):
    """Exit status and what is printed, whatever is noted beside it."""
    done = tally(*arguments, **options)
    return done.returncode, done.stdout.decode().removesuffix("\n")


def there(values):
    return [v for v in values if v is not None]


@MORE
@given(SMALL, st.sampled_from(REDUCTIONS), st.booleans())
def test_a_missing_integer_is_what_a_nan_is(values, command, skip):
    """Among integers so small that float64 has every answer."""
    np.save("x.npy", np.array([math.nan if v is None else v for v in values]))
    options = ["--skip-nan"] * skip
    if command == "prod":  # 0 * -1 is -0 among floats
        assert plain(command, *options, stdin=text_of(values))[1] == (
            "nan" if None in values and not skip else str(math.prod(there(values))))
        return
    expected = plain(command, *options, "x.npy")
    if None not in values and command == "median":
        assert float(plain(command, stdin=text_of(values))[1]) == float(expected[1])
        return
    assert plain(command, *options, stdin=text_of(values)) == expected


@MORE
@given(NUMBERS)
def test_none_is_rounded(values):
    text, kept = text_of(values), there(values)
    assert answer("sum", "--skip-nan", stdin=text) == str(sum(kept))
    assert answer("sum-of-squares", "--skip-nan", stdin=text) == str(sum(v * v for v in kept))
    assert answer("prod", "--skip-nan", stdin=text) == str(math.prod(kept))
    if not kept:
        return
    assert answer("max", "--skip-nan", stdin=text) == str(max(kept))
    assert answer("peak-to-peak", "--skip-nan", stdin=text) == str(max(kept) - min(kept))
    assert answer("argmin", "--skip-nan", stdin=text) == str(values.index(min(kept)))
    assert answer("argmax", "--skip-nan", stdin=text) == str(values.index(max(kept)))
    assert answer("quantile", "--skip-nan", "-q", 0.5, "--method", "lower", stdin=text) == str(
        sorted(kept)[(len(kept) - 1) // 2])
    found = json.loads(tally("describe", "--json", stdin=text).stdout)
    assert (found["sum"], found["minimum"], found["maximum"]) == tuple(map(in_json, (sum(kept), min(kept), max(kept))))
    assert (found["minimum_index"], found["maximum_index"]) == (values.index(min(kept)), values.index(max(kept)))
    assert (found["count"], found["nan_count"]) == (len(values), values.count(None))
    assert found["dtype"] == ("uint64" if max(kept) >= 2**63 else "int64")


@pytest.mark.parametrize("command, expected", [("argmax", "2"), ("max", "1700000000123456790"), ("peak-to-peak", "1"),
                                               ("argmin", "0"), ("min", "1700000000123456789")])
def test_nanosecond_times_with_a_gap(command, expected):
    assert answer(command, "--skip-nan", stdin=b"1700000000123456789\nNA\n1700000000123456790\n") == expected


def test_bits_of_integers_that_are_missing():
    assert answer("bit-and", "--skip-nan", stdin=b"NA 6 3") == "2"
    assert answer("bit-xor", "--skip-nan", stdin=b"6 NA 3 NA") == "5"
    assert plain("bit-or", stdin=b"6 NA 3") == (0, "nan")


@pytest.mark.parametrize("threads", [1, 3])
def test_wherever_text_is_cut(threads):
    """Several parts; missing at their ends, alone, in runs, and only in some."""
    random = np.random.default_rng(4)
    values = [int(v) for v in random.integers(-2**62, 2**62, 200_000)]
    for begin, end, step in ((0, 1, 1), (199_999, 200_000, 1), (1000, 90_000, 2), (90_000, 150_000, 1)):
        for i in range(begin, end, step):
            values[i] = None
    text, kept = text_of(values), there(values)
    how = ["--skip-nan", "--threads", threads]
    assert answer("sum", *how, stdin=text) == str(sum(kept))
    assert answer("argmax", *how, stdin=text) == str(values.index(max(kept)))
    assert answer("count", *how, stdin=text) == str(len(kept))
    assert plain("median", *how, stdin=text) == plain("median", stdin=text_of(kept))
    best = sorted(range(200_000), key=lambda i: (values[i] is None, -(values[i] or 0), i))[:1000]
    assert report("top-k", "-k", 1000, *how, stdin=text)["indices"] == best
    assert report("argmax", "--threads", threads, stdin=text)["value"] == 0
    found = json.loads(tally("describe", "--json", "--threads", threads, stdin=text).stdout)
    assert found["nan_count"] == values.count(None)
    assert found["minimum_index"] == values.index(min(kept))
    lines = answer("scan", *how, stdin=text).split("\n")
    assert lines == list(map(str, itertools.accumulate(v or 0 for v in values)))


def test_json_of_an_answer_that_is_missing():
    for command in ("sum", "mean", "max", "prod", "median"):
        found = json.loads(tally(command, "--json", stdin=b"1 NA 3").stdout)
        assert (found["value"], found["bits"], found["dtype"], found["nan_count"]) == ("nan", None, "int64", 1), command
    found = json.loads(tally("max", "--json", stdin=b"1 NA 3 null").stdout)
    assert (found["index"], found["result_dtype"], found["nan_count"]) == (1, "int64", 2)
    found = json.loads(tally("quantile", "--json", "-q", "0", "-q", "1", "--method", "lower", stdin=b"1 NA 3").stdout)
    assert (found["values"], found["bits"], found["result_dtype"]) == (["nan"] * 2, [None] * 2, "int64")
    found = json.loads(tally("min-max", "--json", stdin=b"1 NA 3").stdout)
    assert (found["minimum"], found["maximum"]) == ("nan", "nan")


def test_a_decimal_behind_them_makes_all_float64():
    for text in (b"NA 2 0.5", b"2 NA " + b"1 " * 300_000 + b"0.5", b"0.5 " + b"1 " * 300_000 + b"NA 2"):
        found = report("max", "--skip-nan", stdin=text)
        assert (found["value"], found["dtype"], found["nan_count"]) == (2, "float64", 1)
        assert plain("top-k", "-k", 1, stdin=text)[1].endswith("\tnan")
    assert report("min", "--skip-nan", stdin=b"-0 NA 0.5")["bits"] == "8" + 15 * "0"


@MORE
@given(NUMBERS, st.integers(0, 40), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_the_best_are_what_a_stable_sort_puts_first(values, k, smallest, distinct, unsorted, skip):
    options = [name for name, on in (("--smallest", smallest), ("--distinct", distinct), ("--unsorted", unsorted),
                                     ("--skip-nan", skip)) if on]
    rank = {v: (v is None, v or 0) for v in values}
    order = sorted(range(len(values)), key=lambda i: rank[values[i]], reverse=not smallest)  # stable both ways
    if skip:
        order = [i for i in order if values[i] is not None]
    if distinct:
        order = [i for i in order if values.index(values[i]) == i]
    order = order[:k]
    if unsorted:
        order.sort()
    status, lines = plain("top-k", "-k", k, *options, stdin=text_of(values))
    assert status == 0
    assert lines.split("\n") == [f"{i}\t{'nan' if values[i] is None else values[i]}" for i in order] or not order


def test_top_k_in_json():
    found = json.loads(tally("top-k", "--json", "-k", 2, stdin=b"1 NA 9007199254740993").stdout)
    assert (found["values"], found["indices"], found["returned"]) == (["nan", "9007199254740993"], [1, 2], 2)
    assert (found["nan_count"], found["dtype"]) == (1, "int64")


@MORE
@given(NUMBERS, st.booleans(), st.booleans(), st.booleans())
def test_prefix_sums(values, reverse, exclusive, skip):
    order = values[::-1] if reverse else values
    sums, total = [], 0
    for v in order:
        before = total
        total = None if total is None or (v is None and not skip) else total + (v or 0)
        sums.append(before if exclusive else total)
    sums = sums[::-1] if reverse else sums
    options = [name for name, on in (("--reverse", reverse), ("--exclusive", exclusive), ("--skip-nan", skip)) if on]
    assert plain("scan", *options, stdin=text_of(values)) == (0, "\n".join("nan" if s is None else str(s) for s in sums))
    found = json.loads(tally("scan", *options, "--json", stdin=text_of(values)).stdout)
    assert found["last"] == ("nan" if sums[-1] is None else in_json(sums[-1]))
    assert (found["last_bits"] is None) == (sums[-1] is None)
    assert found["nan_count"] == values.count(None)


def test_prefix_sums_in_a_file_of_integers():
    text = b"1 2 NA 4"
    for name in ("y.npy", "y.raw"):
        message = failure(1, "scan", "-o", name, stdin=text)
        assert message == (f"tally: -o {name}: element 2 is nan, for an integer is missing, and int64 has no such value; "
                           "--skip-nan leaves it out, --out-dtype float64 has NaN")
        assert "element 3 is nan" in failure(1, "scan", "--exclusive", "-o", name, stdin=text)
        assert "element 2 is nan" in failure(1, "scan", "--reverse", "-o", name, stdin=text)
        assert "element 1 is nan" in failure(1, "scan", "--reverse", "--exclusive", "-o", name, stdin=text)
    answer("scan", "--skip-nan", "-o", "y.npy", stdin=text)
    assert np.load("y.npy").tolist() == [1, 3, 3, 7]
    assert tally("scan", "--out-dtype", "float64", "-o", "y.npy", stdin=text).returncode == 0
    assert np.array_equal(np.load("y.npy"), [1, 3, math.nan, math.nan], equal_nan=True)
    assert tally("scan", "-o", "y.csv", stdin=text).returncode == 0
    assert open("y.csv").read() == "value\n1\n3\nnan\nnan\n"


def test_pairs_of_which_one_is_missing():
    a, b = [1, None, 2**62, 3, None], [4, 5, 2**62, None, None]
    for name, values in (("a", a), ("b", b)):
        with open(name, "wb") as file:
            file.write(text_of(values))
    assert answer("dot", "--skip-nan", "a", "b") == str(4 + 2**124)
    found = json.loads(tally("dot", "--json", "a", "b").stdout)
    assert (found["value"], found["bits"], found["nan_count"]) == ("nan", None, 3)
    with open("c", "wb") as file:  # in parts of its own
        file.write(b"7\n" * 300_000)
    with open("d", "wb") as file:
        file.write((b"1\n" * 999 + b"NA\n") * 300)
    assert report("dot", "--skip-nan", "c", "d") ["value"] == 7 * 299_700
    assert report("dot", "--skip-nan", "d", "c")["nan_count"] == 300


def test_text_beside_an_array():
    np.save("x.npy", np.array([1, 2], "int16"))
    with open("a.txt", "w") as file:
        file.write("NA 7")
    assert answer("sum", "--skip-nan", "x.npy", "a.txt") == "10"
    assert answer("argmax", "--skip-nan", "x.npy", "a.txt") == "3"
    assert plain("argmax", "x.npy", "a.txt") == (0, "2")
    assert plain("top-k", "-k", 2, "x.npy", "a.txt") == (0, "2\tnan\n3\t7")
    assert answer("median", "--skip-nan", "a.txt", "x.npy") == "2"
    assert answer("scan", "--skip-nan", "x.npy", "a.txt") == "1\n3\n3\n10"


def test_a_type_that_somebody_asks_for_has_all_of_its_integers():
    for dtype in ("int64", "uint8"):
        assert "'NA' is not a number" in failure(1, "sum", "--dtype", dtype, stdin=b"1 NA")
    assert answer("sum", "--dtype", "float32", "--skip-nan", stdin=b"1 NA") == "1"


def test_columns():
    with open("t.csv", "w") as file:
        file.write("id,t\n1,1700000000123456789\n,\n3,1700000000123456790\n")
    found = json.loads(tally("describe", "--json", "t.csv").stdout)["columns"]
    assert [(c["dtype"], c["nan_count"], c["sum"]) for c in found] == [
        ("int64", 1, 4), ("int64", 1, str(2 * 1700000000123456789 + 1))]
    assert [(c["minimum_index"], c["maximum_index"]) for c in found] == [(0, 2), (0, 2)]
    assert {c["column"]: c["dtype"] for c in report("info", "t.csv")["columns"]} == {"id": "int64", "t": "int64"}
    assert answer("max", "--skip-nan", "--column", "t", "t.csv") == "1700000000123456790"
    assert answer("max", "--skip-nan", "--each", "--column", "t", "t.csv", "t.csv") == "\n".join(
        ["t.csv\t1700000000123456790"] * 2)
