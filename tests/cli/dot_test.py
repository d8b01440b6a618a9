# SPDX-License-Identifier: Apache-2.0
"""dot: the exact sum of the products of two arrays' elements."""

from fractions import Fraction

import numpy as np
import pytest

from .command import COMMON_KEYS, answer, failure, noted, npy, report
from .oracle import (FLOATS, INTEGERS, exact_total, exact_values, hexadecimal, in_json, nearest, values)


def exact_dot(x, y):
    return sum(a * b for a, b in zip(exact_values(x), exact_values(y)))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_it_is_exact_and_rounded_once(dtype):
    x = values(dtype)
    y = np.roll(x, 1)
    np.save("x.npy", x)
    np.save("y.npy", y)
    result, expected = exact_total(dtype, exact_dot(x, y))
    found = report("dot", "x.npy", "y.npy")
    assert set(found) == COMMON_KEYS | {"value", "bits", "result_dtype"}
    assert (found["value"], found["result_dtype"]) == (in_json(expected), result)
    assert found["bits"] == hexadecimal(result, expected)
    assert (found["inputs"], found["count"]) == (["x.npy", "y.npy"], len(x))
    assert found["bytes_read"] == sum(len(open(name, "rb").read()) for name in ("x.npy", "y.npy"))


@pytest.mark.parametrize("dtype, x, y", [
    ("int64", [-2**63] * 5, [-2**63] * 5), ("int64", [-2**63, 2**63 - 1], [2**63 - 1, -2**63]),
    ("uint64", [2**64 - 1] * 9, [2**64 - 1] * 9), ("int64", [3, -4], [5, 6]), ("uint32", [2**32 - 1] * 2, [2**32 - 1] * 2),
    ("int32", [-2**31] * 3, [-2**31] * 3), ("int8", [-128, 127], [-128, -128])])
def test_of_integers_it_never_wraps(dtype, x, y):
    np.save("x.npy", np.array(x, dtype))
    np.save("y.npy", np.array(y, dtype))
    exact = sum(a * b for a, b in zip(x, y))
    assert answer("dot", "x.npy", "y.npy") == str(exact)
    for wrapped in ("int64", "uint64"):
        expected = int(np.array(exact % 2**64, "uint64").astype(wrapped))
        assert answer("dot", "x.npy", "y.npy", "--out-dtype", wrapped) == str(expected)


def test_the_results_type_can_be_chosen():
    x = np.array([300.5, 400], "float16")
    np.save("x.npy", x)
    exact = sum(Fraction(v) ** 2 for v in x.tolist())
    assert answer("dot", "x.npy", "x.npy") == "250300.25"
    for out in ("float16", "float32", "float64"):
        assert report("dot", "x.npy", "x.npy", "--out-dtype", out)["value"] in (nearest(out, exact), "inf")


def test_pairs_with_a_nan_count_as_absent_if_that_is_asked_for():
    np.save("x.npy", np.array([1, np.nan, 2, 3]))
    np.save("y.npy", np.array([4, 5, np.nan, 6]))
    assert noted("dot", "x.npy", "y.npy") == ("nan", "tally: 2 of 4 are NaN; --skip-nan leaves them out")
    found = report("dot", "x.npy", "y.npy", "--skip-nan")
    assert (found["value"], found["nan_count"]) == (22, 2)


def test_chunks_of_other_lengths_meet():
    x = np.random.default_rng(1).integers(-9, 9, 3_000_000)
    np.save("x.npy", x)
    expected = str(int(np.dot(x, x)))
    text = "\n".join(map(str, x)).encode()
    np.save("floats.npy", x.astype("float64"))
    assert answer("dot", "-", "x.npy", stdin=npy(x)) == expected
    assert float(answer("dot", "floats.npy", "-", stdin=text)) == float(expected)


def test_states_of_parts_merge():
    x = np.array([2**63 - 1, -2**63, 5] * 400)
    for i, part in enumerate(np.split(x, [100, 777])):
        np.save("part.npy", part)
        answer("dot", "part.npy", "part.npy", "--save-state", f"{i}.state")
    assert answer("merge", "0.state", "1.state", "2.state") == str(exact_dot(x, x))


def test_arrays_that_do_not_go_together_are_refused():
    np.save("x.npy", np.ones(5))
    np.save("y.npy", np.ones(4))
    np.save("z.npy", np.ones(5, "float32"))
    assert failure(1, "dot", "x.npy", "y.npy") == "tally: dot: x.npy has 5 elements, y.npy has 4"
    assert failure(1, "dot", "x.npy", "-", stdin=b"1 2 3") == (
        "tally: dot: standard input has 3 elements, x.npy has more")
    assert failure(1, "dot", "-", "y.npy", stdin=b"1 2 3 4 5") == (
        "tally: dot: y.npy has 4 elements, standard input has more")
    assert failure(1, "dot", "x.npy", "z.npy") == (
        "tally: dot: needs two arrays of one type: x.npy holds float64, z.npy float32")
    for files in ([], ["x.npy"], ["x.npy", "x.npy", "x.npy"]):
        assert failure(2, "dot", *files) == "tally: dot: takes two files, A and B"
    assert "twice" in failure(2, "dot", "-", "-")


def test_of_nothing_it_is_zero():
    np.save("x.npy", np.zeros(0))
    assert answer("dot", "x.npy", "x.npy") == "0"


@pytest.mark.parametrize("a, b", [([1, 2], [2**64 - 1, 3]), ([2**63, 0], [7, 5]), ([0, 1], [2**64 - 1, 2**63 + 1])])
def test_text_of_which_one_needs_uint64_loses_nothing(a, b):
    for name, values in ("a.txt", a), ("b.txt", b):
        with open(name, "w") as file:
            file.write(" ".join(map(str, values)))
    found = report("dot", "a.txt", "b.txt")
    assert (int(found["value"]), found["dtype"]) == (sum(x * y for x, y in zip(a, b)), "uint64")
    assert answer("dot", "b.txt", "a.txt") == answer("dot", "--decimal", "a.txt", "b.txt") == found["value"]
    with open("c.txt", "w") as file:
        file.write("-1 2")
    assert report("dot", "a.txt", "c.txt", "--dtype", "float64")["dtype"] == "float64"
