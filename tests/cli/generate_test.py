# SPDX-License-Identifier: Apache-2.0
"""generate: arrays to try things on."""

import ctypes
import io
import os
from fractions import Fraction

import numpy as np
import pytest

from .command import failure, report, tally
from .oracle import exact_values, same

KINDS = ["digits", "signed", "uniform", "normal", "ill-conditioned"]


def generated(kind, *options):
    tally("generate", kind, *options, "-o", "x.npy", check=True)
    return np.load("x.npy")


def c_random(seed, n):
    """The C library's rand(), n times."""
    libc = ctypes.CDLL(None)
    libc.srand(seed)
    return np.array([libc.rand() for _ in range(n)], "int32")


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_bytes(kind):
    x = generated(kind, "-n", 1000, "--seed", 5)
    assert x.shape == (1000,)
    assert same(x, generated(kind, "-n", 1000, "--seed", 5))
    assert not same(x, generated(kind, "-n", 1000, "--seed", 6))
    assert same(generated(kind, "-n", 1000), generated(kind, "-n", 1000, "--seed", 1))


@pytest.mark.parametrize("kind", KINDS)
def test_without_an_output_file_the_array_goes_to_standard_output(kind):
    stream = tally("generate", kind, "-n", 100).stdout
    assert same(np.load(io.BytesIO(stream)), generated(kind, "-n", 100))
    assert len(np.load(io.BytesIO(tally("generate", kind, "-n", 0).stdout))) == 0


def test_a_dash_is_standard_output():
    assert tally("generate", "digits", "-n", 9, "-o", "-").stdout == tally("generate", "digits", "-n", 9).stdout
    assert os.listdir() == []


@pytest.mark.parametrize("name, header", [("x.txt", []), ("x.csv", ["value"])])
def test_an_output_named_as_text_is_text(name, header):
    tally("generate", "normal", "-n", "1e5", "-o", name, check=True)
    lines = open(name).read().splitlines()
    assert lines[:len(header)] == header
    x = generated("normal", "-n", "100k")
    assert same(np.array(lines[len(header):], "float32"), x)


@pytest.mark.parametrize("seed", [1, 42, 0, 2**31])
def test_digits_are_the_c_librarys_rand_modulo_10(seed):
    x = generated("digits", "-n", 5000, "--seed", seed)
    assert same(x, c_random(seed, 5000) % 10)


def test_signed_are_the_c_librarys_rand_negated_at_even_indices():
    x = c_random(7, 5000)
    x[::2] *= -1
    assert same(generated("signed", "-n", 5000, "--seed", 7), x)


def test_sizes_are_those_of_the_tutorials_unless_given():
    assert len(generated("digits")) == 1 << 20
    assert len(generated("signed")) == 10_000_000


def test_json_says_what_was_written():
    found = report("generate", "normal", "-n", 50, "--dtype", "float16", "-o", "x.npy")
    assert (found["output"], found["dtype"], found["shape"]) == ("x.npy", "float16", [50])
    assert np.load("x.npy").dtype == "float16"
    assert "--json" in failure(2, "generate", "normal", "--json")


def test_uniform_numbers_fill_their_interval():
    x = generated("uniform", "-n", 10**6)
    assert x.dtype == "float32"
    assert 0 <= x.min() < 1e-4 and 1 - 1e-4 < x.max() < 1
    assert abs(x.mean(dtype="float64") - 0.5) < 0.002
    counts, _ = np.histogram(x, 10, (0, 1))
    assert abs(counts - 10**5).max() < 2000


def test_normal_numbers_have_mean_0_and_variance_1():
    x = generated("normal", "-n", 10**6).astype("float64")
    assert abs(x.mean()) < 0.005
    assert abs(x.var() - 1) < 0.01
    assert abs((x**4).mean() - 3) < 0.1
    assert abs((abs(x) < 1).mean() - 0.682689) < 0.003


@pytest.mark.parametrize("condition", [1e3, 1e10, 1e20, 1e32, 1e100])
@pytest.mark.parametrize("n", [10, 1000, 1001])
def test_ill_conditioned_sums_have_about_the_condition_number_asked_for(n, condition):
    x = generated("ill-conditioned", "-n", n, "--condition", condition)
    assert x.dtype == "float64"
    exact = exact_values(x)
    found = sum(map(abs, exact)) / abs(sum(exact))
    assert Fraction(condition) / 10 < found < Fraction(condition) * 10
    assert report("sum", "x.npy")["value"] == float(sum(exact))


def test_nothing_is_left_of_an_output_that_does_not_fit():
    message = failure(1, "generate", "uniform", "-n", 10**6, "-o", "x.npy",
                      limits=["prlimit", "--fsize=1000000"])
    assert "x.npy" in message and "too large" in message


def test_an_unknown_kind_names_the_nearest_one():
    assert "normal" in failure(2, "generate", "normla", "-o", "x.npy")
    assert os.listdir() == []


def test_standard_output_stays_empty_where_the_arguments_are_wrong():
    assert "--condition" in failure(2, "generate", "ill-conditioned", "-n", 10, "--dtype", "float16",
                                    "--condition", 1e20)


@pytest.mark.parametrize("kind", ["digits", "signed", "uniform", "normal"])
def test_only_the_ill_conditioned_take_a_condition(kind):
    assert failure(2, "generate", kind, "--condition", 10, "-o", "x.npy") == f"tally: --condition: {kind} numbers have none"
