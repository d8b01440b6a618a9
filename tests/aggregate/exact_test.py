# SPDX-License-Identifier: Apache-2.0
"""Sums, means, variances and prefix sums are the exact value, rounded once: the same bits however
the array is split, merged, sent, and whatever the caller's floating-point environment.

Each floating type gets 500 random arrays for every kind of reduction and 100 for the prefix sums;
10,000 and 1,000 with TALLY_LONG. The instruction sets that are not the best get fewer.
"""

import os
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from . import probe
from .inputs import GENERATORS, cases, encode, fields
from .oracle import (FLOATS, FORMATS, INTEGERS, Floats, integer_moments, integer_prefix_sums,
                     prefix_sums, rounded, rounded_root, wrapped)

REDUCTIONS = 10000 if probe.LONG else 2 * len(GENERATORS) if probe.FEW else 500
SCANS = 1000 if probe.LONG else len(GENERATORS) if probe.FEW else 100
RESULTS = {"float16": ["float32", "float64"], "bfloat16": ["float32", "float64"],
           "float32": ["float64"], "float64": ["float32"]}


@pytest.fixture(autouse=True)
def default_environment():
    yield
    probe.set_environment()


@contextmanager
def naming(case):
    try:
        yield
    except AssertionError as e:
        raise AssertionError(case) from e


def some_threads(rng):
    return int(rng.integers(1, 9))


def some_seed(rng):
    return int(rng.integers(1, 1 << 60))


def check_sum(dtype, x, rng):
    f = FORMATS[dtype]
    exact = Floats(dtype, x)
    want = exact.sum(f)
    for _ in range(2):
        probe.set_random_environment(rng)
        assert probe.reduce("sum", dtype, x, some_threads(rng)) == want
        assert probe.reduce("sum", dtype, x, some_threads(rng), seed=some_seed(rng)) == want
    for to in RESULTS[dtype]:
        assert probe.reduce("sum", dtype, x, result=to) == exact.sum(FORMATS[to])
    one, two = (probe.state(dtype, x, some_seed(rng)) for _ in range(2))
    assert one == two
    assert one[0] == want
    if "nan" in exact.specials:
        want = Floats(dtype, x, skip=True).sum(f)
        assert probe.reduce("sum", dtype, x, skip=True) == want
        assert probe.reduce("sum", dtype, x, skip=True, seed=some_seed(rng)) == want


def check_moments(dtype, x, rng, skip=False):
    f = FORMATS[dtype]
    exact = Floats(dtype, x, skip)

    def check(name, want, **options):
        for seed in (0, some_seed(rng)):
            probe.set_random_environment(rng)
            found = probe.reduce(name, dtype, x, some_threads(rng), skip, seed=seed, **options)
            assert found == want, (name, options, seed)

    if not exact.values:
        for name in ("mean", "variance", "standard_deviation"):
            with pytest.raises(probe.Failure, match=f"{name}: the array is empty"):
                probe.reduce(name, dtype, x, skip=skip)
        return
    check("mean", exact.mean(f))
    check("mean", exact.mean(FORMATS["float64"]), result="float64")
    for ddof in (0, 1, 3):
        check("variance", exact.variance(f, ddof), ddof=ddof)
        check("standard_deviation", exact.variance(f, ddof, root=True), ddof=ddof)
    check("variance", exact.variance(FORMATS["float64"]), result="float64")


def check_prefixes(dtype, to, x, init, rng):
    g = FORMATS[to]
    for reverse in (False, True):
        for exclusive in (False, True):
            want, total = prefix_sums(dtype, x, g, init, exclusive, reverse)
            shape = dict(exclusive=exclusive, reverse=reverse, init=init)
            for seed in (0, some_seed(rng)):
                probe.set_random_environment(rng)
                found, sum_of_all = probe.scan(dtype, to, x, some_threads(rng), seed=seed, **shape)
                differ = np.flatnonzero(found != np.array(want, g.bits))
                assert not differ.size, (to, shape, seed, differ[:5], hex(found[differ[0]]),
                                         hex(want[differ[0]]))
                assert sum_of_all == total
            if dtype == to:
                assert probe.scan(dtype, to, x, in_place=True, **shape)[0].tolist() == want


@pytest.mark.parametrize("dtype", FLOATS)
def test_sums_are_exact(dtype):
    for name, x, rng in cases(dtype, REDUCTIONS, seed=1):
        with naming(f"{dtype} {name}"):
            check_sum(dtype, x, rng)


@pytest.mark.parametrize("dtype", FLOATS)
def test_means_and_variances_are_exact(dtype):
    for name, x, rng in cases(dtype, REDUCTIONS, seed=2):
        with naming(f"{dtype} {name}"):
            check_moments(dtype, x, rng)
            if "nan" in Floats(dtype, x).specials:
                check_moments(dtype, x, rng, skip=True)


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_prefix_sum_is_exact(dtype):
    f = FORMATS[dtype]
    for name, x, rng in cases(dtype, SCANS, seed=3):
        starts = {to: [None, int(rng.integers(0, FORMATS[to].infinity)) |
                       FORMATS[to].sign * int(rng.integers(2))] for to in [dtype, *RESULTS[dtype]]}
        starts[dtype] += [int(rng.choice([f.sign, 1, f.infinity, f.nan | 3, int(encode(f, 1.0))]))]
        with naming(f"{dtype} {name}"):
            for to in [dtype] + [t for t in RESULTS[dtype] if t != "float32" or f.width == 16]:
                for init in starts[to]:
                    check_prefixes(dtype, to, x, init, rng)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_sums_and_moments_of_integers_are_exact(dtype):
    rng = np.random.default_rng(4)
    limits, f = np.iinfo(dtype), FORMATS["float64"]
    for _ in range(REDUCTIONS // 50):
        n = int(rng.choice([1, 2, 3, 31, 513, 2048, 4999]))
        x = rng.integers(limits.min, limits.max, n, dtype, endpoint=True)
        if rng.integers(2):
            x = rng.choice(np.array([limits.min, limits.max], dtype), n)
        total, spread = integer_moments(x)
        for seed in (0, some_seed(rng)):
            probe.set_random_environment(rng)

            def found(name, **options):
                return probe.reduce(name, dtype, x, some_threads(rng), seed=seed, **options)
            assert found("sum") == total % 2 ** 64
            assert found("mean") == rounded(f, total, n)
            assert found("variance") == rounded(f, spread, n * n)
            assert found("standard_deviation") == rounded_root(f, spread, n * n, 0)
            sample = rounded(f, spread, n * (n - 1)) if n > 1 else f.nan
            assert found("variance", ddof=1) == sample
        assert probe.state(dtype, x, 1, "float64") == probe.state(dtype, x, 2, "float64")
        assert probe.state(dtype, x, 3, "float64")[0] == rounded(f, total)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_prefix_sums_of_integers_wrap(dtype):
    rng = np.random.default_rng(5)
    limits = np.iinfo(dtype)
    signed = limits.min < 0
    for i in range(SCANS // 8):
        n = int(rng.choice([0, 1, 2, 31, 511, 513, 2048]))
        x = rng.integers(limits.min, limits.max, n, dtype, endpoint=True)
        to = [dtype, "int64" if signed else "uint64"][i % 2]
        range_of_out = np.iinfo(to)
        init = int(rng.integers(range_of_out.min, range_of_out.max, dtype=to)) if i % 3 else None
        for exclusive, reverse in ((False, False), (False, True), (True, False), (True, True)):
            shape = dict(exclusive=exclusive, reverse=reverse)
            want, total = integer_prefix_sums(x, init or 0, **shape)
            for seed in (0, some_seed(rng)):
                found, sum_of_all = probe.scan(dtype, to, x, some_threads(rng), init=init,
                                               seed=seed, **shape)
                assert [*found, sum_of_all] == wrapped([*want, total], range_of_out.bits, signed)


def scaled_integers(dtype, rng, n):
    """Elements k * 2^-10, and the k, whose sums stay below 2^63."""
    width = {"float16": 10, "bfloat16": 8, "float32": 24, "float64": 44}[dtype]
    k = rng.integers(-(1 << width) + 1, 1 << width, n) + (1 << width - 2)
    k = np.clip(k, -(1 << width) + 1, (1 << width) - 1)
    return encode(FORMATS[dtype], k / 1024), k


def nearest(f, k):
    """int64 k * 2^-10, each rounded once; NumPy does so, too."""
    if f is FORMATS["bfloat16"]:
        return np.array([rounded(f, v, 1, -10) for v in k.tolist()], np.uint16)
    kind = f"f{f.width // 8}"
    with np.errstate(over="ignore"):
        return (k / 1024 if f.width == 16 else k.astype(kind) / 1024).astype(kind).view(f.bits)


@pytest.mark.parametrize("dtype", FLOATS)
def test_large_arrays_give_the_same_bits_for_any_number_of_threads(dtype):
    f = FORMATS[dtype]
    rng = np.random.default_rng(6)
    for n in (65535, 65536, 131072, 262145, 300000):
        x, k = scaled_integers(dtype, rng, n)
        total = int(k.sum())
        spread = n * sum(v * v for v in k.tolist()) - total ** 2 if n < 70000 else None
        forward, backward = np.cumsum(k), np.cumsum(k[::-1])[::-1]
        forward, backward = nearest(f, forward), nearest(f, backward)
        for threads in range(1, 9) if n > 262144 else (1, 2, 3):
            probe.set_random_environment(rng)
            for seed in (0, some_seed(rng)):
                want = rounded(f, total, 1, -10)
                assert probe.reduce("sum", dtype, x, threads, seed=seed) == want
            assert probe.reduce("mean", dtype, x, threads) == rounded(f, total, n, -10)
            if spread is not None:
                assert probe.reduce("variance", dtype, x, threads) == rounded(f, spread, n * n, -20)
            if threads % 2:
                found, last = probe.scan(dtype, dtype, x, threads)
                assert np.array_equal(found, forward) and last == forward[-1]
                found, last = probe.scan(dtype, dtype, x, threads, reverse=True, in_place=True)
                assert np.array_equal(found, backward)
                found, last = probe.scan(dtype, dtype, x, threads, exclusive=True,
                                         seed=some_seed(rng))
                assert found[0] == 0 and np.array_equal(found[1:], forward[:-1])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_arrays_of_random_bits_are_exact_too(dtype):
    f = FORMATS[dtype]
    rng = np.random.default_rng(7)
    x = np.concatenate([fields(f, rng, 0, 2 * f.bias + 1, 70000), fields(f, rng, 0, 3, 8000)])
    x[40000] = f.nan | f.sign
    exact = Floats(dtype, x, skip=True)
    for threads in (1, 2, 5, 8):
        probe.set_random_environment(rng)
        assert probe.reduce("sum", dtype, x, threads) == f.nan
        for name, want in (("sum", exact.sum(f)), ("mean", exact.mean(f)),
                           ("standard_deviation", exact.variance(f, root=True))):
            assert probe.reduce(name, dtype, x, threads, skip=True) == want
    want, total = prefix_sums(dtype, x, f, skip=True)
    for threads in (1, 2, 3):
        found, sum_of_all = probe.scan(dtype, dtype, x, threads, skip=True)
        assert found.tolist() == want and sum_of_all == total


def large_and_hard(f, generator, rng):
    """More elements than one thread takes alone, of several calls of a generator."""
    x = np.concatenate([generator(f, rng, int(rng.integers(10010, 10200))) for _ in range(7)])
    assert x.size > 70000  # a second thread starts at 65536
    return x


def check_threads(dtype, x, skip, reverse, rng):
    """Every kind of answer for 1 to 8 threads: the same bits, and the right ones.

    Scans are of x twice, since their second thread starts at 131072; x alone has the oracle.
    """
    f = FORMATS[dtype]
    exact = Floats(dtype, x, skip)
    reductions = {"sum": exact.sum(f), "mean": exact.mean(f), "variance": exact.variance(f),
                  "standard_deviation": exact.variance(f, root=True)}
    prefixes, _ = prefix_sums(dtype, x, f, reverse=reverse, skip=skip)
    total = exact.sum(f) if exact.specials else rounded(f, 2 * exact.total, 1, f.lowest)
    head = np.array(prefixes[::-1] if reverse else prefixes, f.bits)
    x2, alone = np.tile(x, 2), None
    assert x2.size > 131072
    for threads in range(1, 9):
        probe.set_random_environment(rng)
        for name, want in reductions.items():
            assert probe.reduce(name, dtype, x, threads, skip) == want, (name, threads)
        found, last = probe.scan(dtype, dtype, x2, threads, False, reverse, skip)
        shifted, last_too = probe.scan(dtype, dtype, x2, threads, True, reverse, skip)
        if reverse:
            found, shifted = found[::-1], shifted[::-1]
        alone = found.copy() if alone is None else alone
        assert np.array_equal(found[:x.size], head), threads
        assert np.array_equal(found, alone), threads
        assert shifted[0] == 0 and np.array_equal(shifted[1:], alone[:-1]), threads
        assert last == last_too == total == found[-1], threads


@pytest.mark.parametrize("dtype", FLOATS)
def test_large_and_hard_arrays_are_exact_for_any_number_of_threads(dtype):
    rng = np.random.default_rng(11)
    for i, generator in enumerate(GENERATORS):
        x = large_and_hard(FORMATS[dtype], generator, rng)
        skip, reverse = bool(rng.integers(2)), bool(i % 2)
        with naming(f"{dtype} {generator.__name__} {skip=} {reverse=}"):
            check_threads(dtype, x, skip, reverse, rng)


@pytest.mark.parametrize("dtype, width, n", [("float32", 12, 9_000_001),
                                             ("float64", 40, 5_000_003)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_tiny_element_decides_every_tie_after_it(dtype, width, n, sign):
    """Of more results than caches hold, which are written past them. NumPy, too, rounds an int64
    once; an odd one between two even ones stands for what lies between them."""
    rng = np.random.default_rng(12)
    k = rng.integers(-(1 << width), 1 << width, n) + (1 << width - 9)
    where = n // 3
    k[where] = 0
    x = k.astype(dtype)
    x[where] = sign * 2.0 ** -60
    sums = np.cumsum(k)
    plain, beside = sums.astype(dtype), (2 * sums + sign).astype(dtype) / 2
    far = (np.arange(n) >= where) & (np.abs(sums) >= 1 << FORMATS[dtype].precision)
    assert (plain[far] != beside[far]).mean() > 0.01  # ties
    assert (far | (np.arange(n) < where) | (sums != 0)).all()
    want = np.where(far, beside, plain)
    for threads in (1, 2):
        found, _ = probe.scan(dtype, dtype, x.view(FORMATS[dtype].bits), threads)
        assert np.array_equal(found.view(dtype), want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_skipped_nan_repeats_the_prefix_before_it(dtype):
    f = FORMATS[dtype]
    for name, x, rng in cases(dtype, SCANS, seed=8):
        x = x.copy()
        x[rng.random(x.size) < 0.2] = f.nan | f.sign | 1
        for reverse, exclusive in ((False, False), (True, True)):
            want, total = prefix_sums(dtype, x, f, None, exclusive, reverse, skip=True)
            for seed in (0, some_seed(rng)):
                found, sum_of_all = probe.scan(dtype, dtype, x, some_threads(rng), exclusive,
                                               reverse, skip=True, seed=seed)
                assert found.tolist() == want and sum_of_all == total, (dtype, name)


@pytest.mark.parametrize("dtype", FLOATS)
def test_fast_sum_is_the_same_for_any_split_and_environment(dtype):
    for name, x, rng in cases(dtype, REDUCTIONS // 10, seed=9):
        probe.set_environment()
        want = probe.reduce("fast_sum", dtype, x)
        for seed in (0, some_seed(rng), some_seed(rng)):
            probe.set_random_environment(rng)
            found = probe.reduce("fast_sum", dtype, x, some_threads(rng), seed=seed)
            assert found == want, (dtype, name)


@pytest.mark.parametrize("isa", ["baseline", "avx2"])
def test_answers_are_exact_on_every_instruction_set(isa):
    tests = "(are_exact and not instruction and not large) or every_prefix_sum or wrap"
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
                           "-k", tests, __file__], capture_output=True, text=True,
                          env={**os.environ, "TALLY_ISA": isa, "TALLY_FEW": "1"})
    assert done.returncode == 0, done.stdout
