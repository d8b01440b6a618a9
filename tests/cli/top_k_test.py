# SPDX-License-Identifier: Apache-2.0
"""top-k: what a stable sort puts first."""

import math

import numpy as np
import pytest

from .command import COMMON_KEYS, answer, failure, report
from .oracle import FLOATS, INTEGERS, integers, values


def stable(x, k, order="largest", distinct=False, skip_nan=False):
    """The indices of the k best: equal ones by index, NaN above everything."""
    indices = np.arange(len(x))
    if skip_nan:
        indices = indices[~np.isnan(x[indices])]
    _, rank = np.unique(x[indices], return_inverse=True)  # all NaN are one value, the last
    indices = indices[np.argsort(rank if order == "smallest" else -rank, kind="stable")]
    if distinct:
        _, first = np.unique(x[indices], return_index=True)
        indices = indices[np.sort(first)]
    return indices[:k].tolist()


def check(x, k, *options, indices, dtype=None):
    found = report("top-k", "x.npy", "-k", k, *options)
    assert found["indices"] == indices
    assert [float(v) for v in found["values"]] == pytest.approx(
        [float(v) for v in x[indices]], rel=0, abs=0, nan_ok=True)
    assert found["returned"] == len(indices)
    assert found["k"] == k


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_top_k_is_what_a_stable_sort_puts_first(dtype):
    x = np.tile(values(dtype, 700), 3)
    np.save("x.npy", x)
    n = len(x)
    for k in (0, 1, 2, 10, 48, 384, n // 2, n - 1, n):
        check(x, k, indices=stable(x, k))
        check(x, k, "--smallest", indices=stable(x, k, "smallest"))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_distinct_values_come_with_their_first_index(dtype):
    x = np.tile(values(dtype, 40), 30)
    np.save("x.npy", x)
    for k in (1, 10, 40, 1000):
        check(x, k, "--distinct", indices=stable(x, k, distinct=True))
        check(x, k, "--distinct", "--smallest", indices=stable(x, k, "smallest", distinct=True))


def test_unsorted_comes_by_index():
    x = integers("int8", 5000)
    np.save("x.npy", x)
    check(x, 300, "--unsorted", indices=sorted(stable(x, 300)))


def test_nan_is_the_largest_unless_skipped():
    x = np.random.default_rng(1).standard_normal(2000).astype("float32")
    x[::100] = math.nan
    x[1::200] = -0.0
    x[2::200] = 0.0
    np.save("x.npy", x)
    for k in (5, 30, 2000):
        check(x, k, indices=stable(x, k))
        check(x, k, "--smallest", indices=stable(x, k, "smallest"))
        check(x, k, "--skip-nan", indices=stable(x, k, skip_nan=True))
        check(x, k, "--distinct", indices=stable(x, k, distinct=True))
    assert report("top-k", "x.npy", "--skip-nan")["nan_count"] == 20


def test_negative_zero_comes_through_but_equals_zero():
    np.save("x.npy", np.array([-1, -0.0, 0.0, -0.0], "float32"))
    assert answer("top-k", "x.npy", "-k", 3) == "1\t-0\n2\t0\n3\t-0"
    assert answer("top-k", "x.npy", "-k", 3, "--distinct") == "1\t-0\n0\t-1"


def test_plain_output_is_a_line_an_element_index_first():
    np.save("x.npy", np.array([0.5, 2.5, -1, 2.5]))
    assert answer("top-k", "x.npy", "-k", 3) == "1\t2.5\n3\t2.5\n0\t0.5"
    assert answer("top-k", "x.npy", "-k", 0) == ""


def test_k_is_10_or_all_of_fewer_unless_given():
    np.save("x.npy", np.arange(100))
    assert report("top-k", "x.npy")["indices"] == list(range(99, 89, -1))
    np.save("x.npy", np.arange(3))
    assert report("top-k", "x.npy")["indices"] == [2, 1, 0]


def test_json_has_these_keys_and_no_others():
    np.save("x.npy", np.arange(100))
    found = report("top-k", "x.npy")
    assert set(found) == COMMON_KEYS | {"k", "order", "distinct", "returned", "values", "indices"}
    assert (found["order"], found["distinct"]) == ("largest", False)
    found = report("top-k", "x.npy", "--smallest", "--distinct")
    assert (found["order"], found["distinct"]) == ("smallest", True)


def test_values_that_are_not_finite_are_words():
    np.save("x.npy", np.array([1, math.inf, math.nan, -math.inf]))
    found = report("top-k", "x.npy", "-k", 4)
    assert found["values"] == ["nan", "inf", 1, "-inf"]


def test_integers_beyond_2_to_the_53_are_exact():
    x = np.array([2**63 - 1, -2**63, 2**63 - 2], "int64")
    np.save("x.npy", x)
    found = report("top-k", "x.npy", "-k", 3)["values"]
    assert found == [str(2**63 - 1), str(2**63 - 2), str(-2**63)]
    np.save("x.npy", np.array([2**53, 2**53 + 1, -2**53, -2**53 - 1], "int64"))
    found = report("top-k", "x.npy", "-k", 4)["values"]
    assert found == [str(2**53 + 1), 2**53, -2**53, str(-2**53 - 1)]


def test_several_files_are_one_array():
    x = integers("uint8", 3000)
    np.save("x.npy", x)
    np.save("a.npy", x[:1100])
    np.save("b.npy", x[1100:])
    assert answer("top-k", "a.npy", "b.npy", "-k", 500) == answer("top-k", "x.npy", "-k", 500)


def test_the_default_k_is_of_all_files_together():
    for i in range(3):
        np.save(f"{i}.npy", np.arange(4 * i, 4 * i + 4))
    assert report("top-k", "0.npy", "1.npy", "2.npy")["values"] == list(range(11, 1, -1))
    assert report("top-k", "0.npy", "1.npy")["values"] == list(range(7, -1, -1))


def test_the_number_of_threads_changes_nothing():
    np.save("x.npy", integers("int16", 500_000))
    outputs = {answer("top-k", "x.npy", "-k", 5000, "--threads", n) for n in (1, 2, 3, 4)}
    assert len(outputs) == 1


def test_k_larger_than_the_array_takes_all_of_it():
    np.save("x.npy", np.array([2, 9, 4]))
    everything = "1\t9\n2\t4\n0\t2"
    for k in (3, 4, 100, "1e6", 2**64 - 1):
        assert answer("top-k", "x.npy", "-k", k) == everything
        assert answer("top-k", "-k", k, stdin=b"2 9 4") == everything
    found = report("top-k", "x.npy", "-k", 7)
    assert (found["k"], found["returned"], found["indices"]) == (7, 3, [1, 2, 0])
    assert answer("top-k", "-k", 5, stdin=b"") == ""


def test_k_is_a_whole_number_in_any_form():
    np.save("x.npy", np.arange(3000))
    for k, meant in (("1e3", 1000), ("1k", 1000), ("1.5k", 1500), ("+7", 7), ("20e-1", 2), ("0.002M", 2000),
                     ("0", 0), ("2.50e3", 2500)):
        found = report("top-k", "x.npy", "-k", k)
        assert (found["k"], found["returned"]) == (meant, meant), k
    for k in (-1, "ten", 1.5, "1e-1", "k", "", ".", "1kk", "1e", "0x10", "1 0", "1e3x"):
        assert f"'{k}' is not a whole number" in failure(2, "top-k", "x.npy", "-k", k)
    for k in ("1e20", 2**64, "99e18"):
        assert f"'{k}' is not from 0 to" in failure(2, "top-k", "x.npy", "-k", k)
