# SPDX-License-Identifier: Apache-2.0
"""sum, fast-sum, mean, variance, min, max."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .command import COMMON_KEYS, LONG, answer, failure, noted, npy, report, tally
from .oracle import (FLOATS, INTEGERS, exact_total, exact_values, exact_variance, hard_floats,
                     hexadecimal, in_json, integers, nearest, nearest_root, total_type, values)

REDUCTIONS = ["sum", "fast-sum", "mean", "variance", "min", "max"]


def modulo_2_64(exact, dtype):
    return int(np.array(exact % 2**64, "uint64").astype(dtype))


def significant_digits(text):
    return len(text.lower().split("e")[0].lstrip("-0.").replace(".", "").rstrip("0"))


def tree_sum(x):
    """The sum along the aligned binary tree over the index, every addition rounded."""
    wide = x.astype(np.float32 if x.dtype == np.float16 else x.dtype)
    while len(wide) > 1:
        pairs = wide[:-1:2] + wide[1::2]
        wide = np.append(pairs, wide[2 * len(pairs):])
    return x.dtype.type(wide[0])


def check_total(command, *arguments, of, exact):
    """That it is shown in full if it is an integer, else rounded once to a wider type than the elements'."""
    result, expected = exact_total(of, exact)
    found = report(command, *arguments)
    assert found["value"] == in_json(expected)
    assert found["bits"] == hexadecimal(result, expected)
    assert found["result_dtype"] == result
    read = np.dtype(result).type if "float" in result else int
    assert read(answer(command, *arguments)) == expected


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_sum_is_exact_and_rounded_once(dtype):
    x = values(dtype)
    np.save("x.npy", x)
    check_total("sum", "x.npy", of=dtype, exact=sum(exact_values(x)))
    check_total("sum-of-squares", "x.npy", of=dtype, exact=sum(v * v for v in exact_values(x)))


@pytest.mark.parametrize("dtype, x", [
    ("int64", [2**63 - 1, 1]), ("int64", [-2**63, -2**63]), ("int64", [-2**63, -1] * 1000),
    ("uint64", [2**64 - 1] * 3), ("uint64", [2**64 - 1]), ("int32", [2**31 - 1] * 5)])
def test_a_sum_of_integers_never_wraps(dtype, x):
    np.save("x.npy", np.array(x, dtype))
    for command in ("sum", "fast-sum"):
        check_total(command, "x.npy", of=dtype, exact=sum(x))
    check_total("sum-of-squares", "x.npy", of=dtype, exact=sum(v * v for v in x))
    assert report("describe", "x.npy")["sum"] == in_json(sum(x))
    for wrapped in ("int64", "uint64"):
        expected = modulo_2_64(sum(x), wrapped)
        assert answer("sum", "x.npy", "--out-dtype", wrapped) == str(expected)
        found = report("sum", "x.npy", "--out-dtype", wrapped)
        assert (found["value"], found["result_dtype"]) == (in_json(expected), wrapped)
        assert found["bits"] == f"{sum(x) % 2**64:016x}"


@settings(max_examples=60 if not LONG else 2000, deadline=None)
@given(st.data(), st.sampled_from(["bool", "int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"]))
def test_of_any_integers_every_digit_is_right(data, dtype):
    limits = np.iinfo(dtype) if dtype != "bool" else np.iinfo("uint8")
    element = st.integers(limits.min, limits.max) | st.sampled_from([limits.min, limits.max])
    x = np.array(data.draw(st.lists(element, max_size=40)), "uint64" if dtype == "uint64" else "int64").astype(dtype)
    exact = exact_values(x)
    for command, expected in (("sum", sum(exact)), ("sum-of-squares", sum(v * v for v in exact))):
        result, _ = exact_total(dtype, expected)
        found = report(command, stdin=npy(x))
        assert (found["value"], found["result_dtype"]) == (in_json(int(expected)), result)
        assert found["bits"] == hexadecimal(result, expected)


def test_a_sum_of_halves_is_shown_as_float32():
    np.save("x.npy", np.ones(70000, "float16"))
    assert answer("sum", "x.npy") == "70000"
    assert report("describe", "x.npy")["sum"] == 70000
    assert answer("sum", "x.npy", "--out-dtype", "float16") == "inf"
    (np.full(3, 300.5, "float32").view("uint32") >> 16).astype("uint16").tofile("x.raw")
    check_total("sum", "x.raw", "--dtype", "bfloat16", of="bfloat16", exact=900)


def test_a_sum_of_float32_is_shown_as_float64():
    x = np.array([2**24, 1, 2**24, 1], "float32")
    np.save("x.npy", x)
    assert answer("sum", "x.npy") == "33554434"
    assert report("describe", "x.npy")["sum"] == 2**25 + 2
    assert answer("sum", "x.npy", "--out-dtype", "float32") == "33554432"


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_norm_is_the_root_of_the_exact_sum_of_squares(dtype):
    x = values(dtype)
    np.save("x.npy", x)
    result = total_type(dtype) if dtype in FLOATS else "float64"
    expected = nearest_root(result, Fraction(sum(v * v for v in exact_values(x))))
    found = report("norm", "x.npy")
    assert (found["value"], found["result_dtype"]) == (expected, result)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_std_is_the_populations_unless_ddof_says_otherwise(dtype):
    x = values(dtype)
    np.save("x.npy", x)
    result = dtype if dtype in FLOATS else "float64"
    for ddof in (0, 1):
        expected = nearest_root(result, exact_variance(x, ddof))
        for name in ("std", "stddev", "standard-deviation"):
            found = report(name, "x.npy", "--ddof", ddof)
            assert (found["command"], found["value"], found["ddof"]) == ("std", expected, ddof)
    assert "population" in answer("std", "--help").splitlines()[0]


def test_prod_argmin_and_argmax_have_numpys_names():
    x = np.array([3, -1, 4, -1, 5])
    np.save("x.npy", x)
    for names, expected in ((("prod", "product"), x.prod()), (("argmin", "arg-minimum"), x.argmin()),
                            (("argmax", "arg-maximum"), x.argmax())):
        for name in names:
            assert answer(name, "x.npy") == str(expected)
            assert report(name, "x.npy")["command"] == names[0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
@pytest.mark.parametrize("wider", ["float16", "bfloat16", "float32", "float64"])
def test_out_dtype_is_what_the_exact_sum_is_rounded_to(dtype, wider):
    x = hard_floats("float16" if dtype == "bfloat16" else dtype)
    if dtype == "bfloat16":
        x = (x.astype("float32").view("uint32") & 0xffff0000).view("float32")
        (x.view("uint32") >> 16).astype("uint16").tofile("x.raw")
    else:
        x.tofile("x.raw")
    found = report("sum", "x.raw", "--dtype", dtype, "--out-dtype", wider)
    expected = nearest(wider, sum(exact_values(x)))
    assert float(found["value"]) == expected
    assert found["bits"] == hexadecimal(wider, expected)
    assert found["result_dtype"] == wider


@pytest.mark.parametrize("dtype", FLOATS)
def test_fast_sum_follows_the_aligned_tree(dtype):
    for n in (1, 2, 3, 511, 512, 513, 5000):
        x = np.random.default_rng(n).standard_normal(n).astype(dtype)
        np.save("x.npy", x)
        assert report("fast-sum", "x.npy")["bits"] == hexadecimal(dtype, tree_sum(x)), n


@pytest.mark.parametrize("dtype", INTEGERS)
def test_fast_sum_of_integers_is_their_sum(dtype):
    np.save("x.npy", integers(dtype))
    assert answer("fast-sum", "x.npy") == answer("sum", "x.npy")


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_mean_and_variance_are_exact_and_rounded_once(dtype):
    x = values(dtype)
    np.save("x.npy", x)
    result = dtype if dtype in FLOATS else "float64"
    exact = Fraction(sum(exact_values(x)), len(x))
    mean = report("mean", "x.npy")
    assert mean["bits"] == hexadecimal(result, nearest(result, exact))
    assert mean["result_dtype"] == result
    for ddof in (0, 1):
        variance = report("variance", "x.npy", "--ddof", ddof)
        assert variance["bits"] == hexadecimal(result, nearest(result, exact_variance(x, ddof)))
        assert variance["ddof"] == ddof
    assert report("variance", "x.npy")["ddof"] == 0


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_min_and_max_are_numpys_at_the_first_index(dtype):
    x = np.tile(values(dtype, 500), 3)
    np.save("x.npy", x)
    for command, value, index in (("min", x.min(), x.argmin()), ("max", x.max(), x.argmax())):
        found = report(command, "x.npy")
        assert found["value"] == in_json(value.item())
        assert found["bits"] == hexadecimal(dtype, value)
        assert found["index"] == index
        assert found["result_dtype"] == dtype


def test_json_has_these_keys_and_no_others():
    np.save("x.npy", np.arange(5, dtype="float32"))
    for command in REDUCTIONS:
        own = {"value", "bits", "result_dtype"}
        own |= {"min": {"index"}, "max": {"index"}, "variance": {"ddof"}}.get(command, set())
        assert set(report(command, "x.npy")) == COMMON_KEYS | own


def test_json_says_what_was_read():
    np.save("x.npy", np.full((30, 40), 0.5, "float32"))
    found = report("sum", "x.npy", "--threads", 2)
    assert found["command"] == "sum"
    assert found["inputs"] == ["x.npy"]
    assert found["dtype"] == "float32"
    assert found["shape"] == [30, 40]
    assert found["count"] == 1200
    assert found["nan_count"] == 0
    assert found["device"] == "cpu"
    assert found["threads"] == 2
    assert found["bytes_read"] == 128 + 4 * 1200
    assert found["seconds"] > 0
    assert found["gb_per_s"] == pytest.approx(found["bytes_read"] / found["seconds"] / 1e9)


@pytest.mark.parametrize("dtype", FLOATS)
def test_plain_answers_are_the_shortest_text_that_gives_the_bits_back(dtype):
    for value in (0.1, 1 / 3, 20479, 1e-7, 5e-5, 65504, 6e-8, -2.5):
        x = np.array([value], dtype)
        np.save("x.npy", x)
        text = answer("max", "x.npy")
        assert np.dtype(dtype).type(text) == x[0]
        assert significant_digits(text) <= significant_digits(str(x[0])), text


def test_numbers_that_are_not_finite_are_words():
    for x, text in ([math.inf, 1], "inf"), ([-math.inf], "-inf"), ([math.inf, -math.inf], "nan"), \
                   ([math.nan, 1], "nan"), ([1.5e308, 1.5e308], "inf"):
        np.save("x.npy", np.array(x))
        assert tally("sum", "x.npy").stdout.decode() == text + "\n"
        assert report("sum", "x.npy")["value"] == text


def test_every_nan_comes_out_as_the_positive_quiet_one():
    x = np.array([0xffc12345, 0x7f800001], "uint32").view("float32")
    np.save("x.npy", x)
    for command in REDUCTIONS:
        quiet = "7ff8000000000000" if command == "sum" else "7fc00000"
        assert report(command, "x.npy")["bits"] == quiet, command


def test_a_finite_sum_may_overflow_on_the_way():
    np.save("x.npy", np.array([3e38, 3e38, -3e38, -3e38, 1], "float32"))
    assert answer("sum", "x.npy") == "1"


def test_sums_of_negative_zeros_are_positive():
    np.save("x.npy", np.array([-0.0, -0.0], "float32"))
    assert answer("sum", "x.npy") == "0"
    assert report("sum", "x.npy")["bits"] == "0000000000000000"


def test_negative_zero_is_the_lesser_zero_at_the_first_ones_index():
    np.save("x.npy", np.array([0.0, -0.0], "float32"))
    low, high = report("min", "x.npy"), report("max", "x.npy")
    assert (low["bits"], low["index"]) == ("80000000", 0)
    assert (high["bits"], high["index"]) == ("00000000", 0)


def test_nan_comes_first_among_extremes():
    np.save("x.npy", np.array([1, math.nan, -math.inf, math.nan]))
    for command in ("min", "max"):
        assert noted(command, "x.npy") == ("nan", "tally: 2 of 4 are NaN; --skip-nan leaves them out")
        assert report(command, "x.npy")["index"] == 1


def test_who_is_told_of_nans():
    """Whom they spoil the answer of, and nobody else."""
    note = "tally: 1 of 3 are NaN; --skip-nan leaves them out"
    np.save("x.npy", np.array([1, math.nan, 2], "float16"))
    np.array([1, math.nan, 2]).tofile("x.raw")
    for command, nan in ("sum", "nan"), ("norm", "nan"), ("argmax", "1"), ("min-max", None), ("std", "nan"):
        for file in (["x.npy"], ["x.raw", "--dtype", "float64"]):
            found, told = noted(command, *file)
            assert told == note and nan in (found, None), command
        answer(command, "x.npy", "--skip-nan"), report(command, "x.npy")
    np.save("y.npy", np.array([math.inf, -math.inf]))
    assert answer("sum", "y.npy") == "nan"
    assert answer("describe", "x.npy") and answer("count", "x.npy") == "3"
    assert noted("top-k", "-k", 1, "x.npy") == ("1\tnan", "tally: some elements are NaN, the largest of all; "
                                                         "--skip-nan leaves them out")
    assert answer("top-k", "-k", 1, "--smallest", "x.npy") == "0\t1"


def test_skip_nan_leaves_them_out_and_counts_them():
    x = hard_floats("float32")
    x[::7] = math.nan
    np.save("x.npy", x)
    kept = x[~np.isnan(x)]
    np.save("kept.npy", kept)
    for command in ("sum", "mean", "variance"):
        found = report(command, "x.npy", "--skip-nan")
        assert found["bits"] == report(command, "kept.npy")["bits"]
        assert found["nan_count"] == len(x) - len(kept)
    found = report("max", "x.npy", "--skip-nan")
    assert (found["value"], found["index"]) == (np.nanmax(x), np.nanargmax(x))


def test_an_empty_array_has_a_sum_and_nothing_else():
    np.save("empty.npy", np.zeros((3, 0), "float32"))
    np.save("none.npy", np.zeros(0, "int32"))
    for name in ("empty.npy", "none.npy"):
        assert answer("sum", name) == answer("fast-sum", name) == "0"
        for command in ("mean", "variance", "min", "max"):
            assert "empty" in failure(1, command, name)


def test_skipping_every_nan_leaves_an_empty_array():
    np.save("x.npy", np.full(9, math.nan, "float32"))
    assert answer("sum", "x.npy", "--skip-nan") == "0"
    assert "empty" in failure(1, "max", "x.npy", "--skip-nan")


def test_too_few_elements_for_ddof_have_variance_nan():
    np.save("x.npy", np.ones(1, "float32"))
    assert answer("variance", "x.npy") == "0"
    assert answer("variance", "x.npy", "--ddof", 1) == "nan"


def test_several_files_are_one_array_in_the_order_given():
    x = hard_floats("float32")
    parts = np.split(x, [0, 300, 301, 1500])
    names = [f"part{i}.npy" for i in range(len(parts))]
    for name, part in zip(names, parts):
        np.save(name, part)
    np.save("x.npy", x)
    for command in REDUCTIONS:
        assert answer(command, *names) == answer(command, "x.npy"), command
    found = report("max", *names)
    assert found["inputs"] == names
    assert found["count"] == len(x)
    assert found["index"] == x.argmax()


def test_each_gives_a_line_a_file():
    np.save("a.npy", np.arange(5))
    np.save("b.npy", np.arange(50))
    lines = answer("sum", "--each", "a.npy", "b.npy").split("\n")
    assert [line.split("\t") for line in lines] == [["a.npy", "10"], ["b.npy", "1225"]]


def test_each_with_json_gives_an_object_a_file():
    np.save("a.npy", np.arange(5))
    np.save("b.npy", np.ones(3, "float32"))
    lines = answer("mean", "--each", "--json", "a.npy", "b.npy").split("\n")
    found = [json.loads(line) for line in lines]
    assert [(f["inputs"], f["value"]) for f in found] == [(["a.npy"], 2), (["b.npy"], 1)]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8"])
def test_the_number_of_threads_changes_no_bit(dtype):
    x = np.tile(values(dtype), 200)
    np.save("x.npy", x)
    for command in REDUCTIONS:
        assert len({report(command, "x.npy", "--threads", n)["bits"] for n in (1, 2, 3, 4)}) == 1


def test_time_is_told_on_stderr():
    np.save("x.npy", np.ones(100, "float32"))
    done = tally("sum", "x.npy", "--time")
    assert done.stdout == b"100\n"
    assert done.stderr.count(b"\n") == 1 and b"GB/s" in done.stderr
