# SPDX-License-Identifier: Apache-2.0
"""prod of integers: every digit."""

import json
import math
import random
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .command import LONG, answer, failure, report, tally
from .oracle import INTEGERS, hexadecimal, integers, nearest

MORE = settings(max_examples=1000 if LONG else 100, deadline=None)
sys.set_int_max_str_digits(0)


def text_of(values):
    return " ".join(map(str, values)).encode()


def test_the_factorial_of_25():
    assert answer("prod", stdin=text_of(range(1, 26))) == "15511210043330985984000000"
    found = report("prod", stdin=text_of(range(1, 26)))
    assert (found["value"], found["result_dtype"]) == ("15511210043330985984000000", "int128")
    assert found["bits"] == f"{math.factorial(25):032x}"
    assert report("prod", stdin=text_of(range(1, 100)))["bits"] is None


@MORE
@given(st.lists(st.integers(-2**63, 2**63 - 1) | st.integers(-3, 3) | st.sampled_from([1, -1, 10**7, 10**14 - 1, 2**32]),
                max_size=200))
def test_every_digit(values):
    assert answer("prod", stdin=text_of(values)) == str(math.prod(values))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_of_every_type(dtype):
    x = integers(dtype, 300)
    x[x == 0] = 1
    np.save("x.npy", x)
    exact = math.prod(x.tolist())
    assert answer("prod", "x.npy") == str(exact)
    assert answer("prod", "--raw", "--dtype", dtype, stdin=x.tobytes()) == str(exact)
    np.savez("x.npz", x=x)
    assert answer("prod", "x.npz") == str(exact)
    natural = "uint64" if dtype[0] in "ub" else "int64"
    wrapped = report("prod", "--out-dtype", natural, "x.npy")
    assert wrapped["bits"] == hexadecimal("uint64", exact % 2**64)


@pytest.mark.parametrize("bits", [1, 20, 63])
@pytest.mark.parametrize("n", [2_000, 14_000])
def test_long_products(n, bits):
    values = [random.Random(bits).randrange(2**(bits - 1), 2**bits) for _ in range(n)]
    values[3] *= -1
    exact = str(math.prod(values))
    assert answer("prod", stdin=text_of(values)) == exact
    one = [1] * n + [3, 2**62]
    assert answer("prod", stdin=text_of(one)) == str(3 * 2**62)


def test_a_million_digits_and_no_more():
    tens = [10**18] * 55_555 + [10**9]  # 10^999999
    assert answer("prod", stdin=text_of(tens)) == "1" + "0" * 999_999
    assert answer("prod", stdin=text_of([*tens, 9])) == "9" + "0" * 999_999
    for beyond in ([*tens, 10], [10, *tens], [*tens, 2, 5], [-3] * 2_200_000):
        message = failure(1, "prod", stdin=text_of(beyond))
        assert message == "tally: prod: the product has more than 1000000 digits; --out-dtype float64 rounds it"
    assert answer("prod", "--out-dtype", "float64", stdin=text_of([*tens, -10])) == "-inf"
    assert answer("prod", stdin=text_of([*tens, 10, 0])) == "0"
    assert answer("prod", stdin=text_of([0, *tens, 10])) == "0"
    assert answer("prod", "--skip-nan", stdin=text_of([*tens, "NA"])) == "1" + "0" * 999_999
    assert tally("prod", stdin=text_of([*tens, 10, "NA"])).stdout == b"nan\n"


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_as_a_floating_type_it_is_rounded_once(dtype):
    for values in ([3] * 40, [-7, 11] * 9, [2**53 + 1, 3], [2049, 1], [10**18] * 17, [10**18] * 18, [0, -5], []):
        exact = math.prod(values)
        found = report("prod", "--out-dtype", dtype, stdin=text_of(values))
        assert float(found["value"]) == nearest(dtype, Fraction(exact)), values
        assert found["result_dtype"] == dtype


def test_zeros_signs_and_nothing():
    assert answer("prod", stdin=b"") == answer("prod", "--skip-nan", stdin=b"NA") == "1"
    assert answer("prod", stdin=b"-5 0 -7") == answer("prod", stdin=b"0 -1") == "0"
    assert answer("prod", stdin=b"-1 -1 -1") == "-1"
    assert answer("prod", stdin=b"-9223372036854775808 -1") == "9223372036854775808"
    assert answer("prod", stdin=b"0.5 3") == "1.5"
    assert "cannot be int8" in failure(2, "prod", "--out-dtype", "int8", stdin=b"1")
    np.save("x.npy", np.ones(3, "float32"))
    assert "cannot be float64" in failure(2, "prod", "--out-dtype", "float64", "x.npy")


def test_several_files():
    for i in range(3):
        np.save(f"{i}.npy", np.arange(10 * i + 1, 10 * i + 11))
    names = [f"{i}.npy" for i in range(3)]
    assert answer("prod", *names) == str(math.factorial(30))
    assert answer("prod", "--each", *names) == "\n".join(
        f"{i}.npy\t{math.perm(10 * i + 10, 10)}" for i in range(3))


def test_states_hold_the_product():
    values = [random.Random(i).randrange(-2**63, 2**63) for i in range(500)]
    for i, part in enumerate((values[:7], values[7:8], values[8:20], values[20:])):
        with open(f"{i}.txt", "wb") as file:
            file.write(text_of(part))
        answer("prod", f"{i}.txt", "--save-state", f"{i}.state")
    parts = [f"{i}.state" for i in range(4)]
    assert answer("merge", *parts) == str(math.prod(values))
    answer("merge", *parts[::-1], "--save-state", "all.state")
    assert report("merge", "all.state")["count"] == 500
    assert answer("merge", "all.state") == str(math.prod(values))


def test_states_of_products_that_are_too_long():
    tens = text_of([10**18] * 50_000)
    for name, options in (("a", []), ("b", ["--out-dtype", "float64"])):
        answer("prod", "--save-state", name, *options, stdin=tens)
    assert "more than 1000000 digits" in failure(1, "merge", "a", "a")
    assert answer("merge", "b", "b") == "inf"
    answer("merge", "b", "b", "--save-state", "c")
    assert answer("merge", "c", "b") == "inf"
    answer("prod", "--save-state", "zero", stdin=b"0")
    assert answer("merge", "a", "a", "zero") == "0"
