# SPDX-License-Identifier: Apache-2.0
"""Quantiles are the exact value between elements of the sorted array, rounded once, and those of
NumPy where it need not round; the k-th value is where a stable sort puts it.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from . import probe
from .inputs import encode
from .oracle import FLOATS, FORMATS, INTEGERS, rounded, value_of

CASES = 2000 if probe.LONG else 40 if probe.FEW else 200
SPECIAL_Q = [0.0, 1.0, 0.5, 0.25, 0.1, 0.3, 0.9, 1 / 3, 5e-324, 2.0**-1022, 2.0**-70, 1e-17, 1 - 2.0**-53]


def random_array(dtype, rng, n):
    """Elements, and each as a fraction, "nan", "inf" or "-inf"."""
    if dtype == "bool":
        x = rng.integers(0, 2, n).astype("uint8")
        return x, [Fraction(int(v)) for v in x]
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        low, high = [(info.min, info.max), (0, 3)][rng.integers(2)]
        x = rng.integers(low, high, n, dtype=dtype, endpoint=True)
        return x, [Fraction(int(v)) for v in x]
    f = FORMATS[dtype]
    kind = rng.integers(4)
    if kind == 0:
        x = encode(f, rng.standard_normal(n))
    elif kind == 1:
        x = encode(f, rng.integers(-2, 3, n) * 1.5)
    else:
        x = rng.integers(0, 1 << f.width, n, dtype=np.uint64).astype(f.bits)
        if kind == 2:  # finite
            x[(x & f.bits.type(f.infinity)) == f.infinity] = 0
    unit = Fraction(2) ** f.lowest
    values = (value_of(f, int(b)) for b in x)
    return x, [v if isinstance(v, str) else v * unit for v in values]


def ordered(values):
    return sorted(values, key=lambda v: (v == "inf", v if not isinstance(v, str) else 0) if v != "-inf" else (-1, 0))


def place(method, n, q):
    """The place in the sorted array, as the method defines it: of a pair, the exact one."""
    exact = (n - 1) * (Fraction(*q) if isinstance(q, tuple) else Fraction(q))
    if method == "linear":
        return exact
    at = exact if isinstance(q, tuple) else (n - 1) * np.float64(q)
    return {"lower": Fraction(math.floor(at)), "higher": Fraction(math.ceil(at)),
            "nearest": Fraction(round(at)), "midpoint": Fraction(math.floor(at) + math.ceil(at), 2)}[method]


def between(a, b, fraction):
    if fraction == 0 or (a == b and isinstance(a, str)):
        return a
    if a == "-inf":
        return "nan" if b == "inf" else a
    return b if isinstance(b, str) else a + (b - a) * fraction


def bits_of(f, value):
    if isinstance(value, str):
        return {"nan": f.nan, "inf": f.infinity, "-inf": f.infinity | f.sign}[value]
    return rounded(f, value.numerator, value.denominator)


def wanted(dtype, values, q, method, skip):
    f = FORMATS.get(dtype, FORMATS["float64"])
    if "nan" in values and not skip:
        return f.nan
    values = ordered(v for v in values if v != "nan")
    if not values:
        return f.nan
    at = place(method, len(values), q)
    i = math.floor(at)
    return bits_of(f, between(values[i], values[min(i + 1, len(values) - 1)], at - i))


def check_every_method(dtype, x, values, qs, rng, case):
    for method in probe.METHODS:
        skip = bool(rng.integers(2))
        probe.set_random_environment(rng)
        found = probe.quantiles(dtype, x, qs, method, skip)
        for q, bits in zip(qs, found):
            assert int(bits) == wanted(dtype, values, q, method, skip), (*case, q, method, skip)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_quantiles_are_exact_and_rounded_once(dtype):
    rng = np.random.default_rng(len(dtype))
    for case in range(CASES):
        n = int(rng.choice([1, 2, 3, 10, 11, 30, 101]))
        x, values = random_array(dtype, rng, n)
        qs = [*rng.choice(SPECIAL_Q, 3), *rng.random(3), rng.random() * 2.0**-rng.integers(1, 1070)]
        check_every_method(dtype, x, values, qs, rng, (case, n))
    probe.set_environment()


def random_fraction(rng):
    bits = int(rng.integers(1, 65))
    denominator = int(rng.integers(1, 2**bits, dtype=np.uint64)) if bits < 64 else 2**64 - 1 - int(rng.integers(0, 9))
    numerator = [0, 1, denominator // 2, denominator - 1, denominator,
                 int(rng.integers(0, denominator, dtype=np.uint64, endpoint=True))][rng.integers(6)]
    return min(numerator, denominator), denominator


SPECIAL_FRACTIONS = [(0, 1), (1, 1), (1, 2), (1, 10), (3, 10), (9, 10), (95, 100), (1, 3), (1, 10**19), (1, 2**64 - 1),
                     (2**63, 2**64 - 1), (5 * 10**18, 10**19)]


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_quantiles_at_fractions_are_exact_and_rounded_once(dtype):
    rng = np.random.default_rng(100 + len(dtype))
    for case in range(CASES):
        n = int(rng.choice([1, 2, 3, 10, 11, 21, 30, 101]))
        x, values = random_array(dtype, rng, n)
        qs = [SPECIAL_FRACTIONS[i] for i in rng.integers(0, len(SPECIAL_FRACTIONS), 3)]
        qs += [random_fraction(rng) for _ in range(3)]
        check_every_method(dtype, x, values, qs, rng, (case, n))
    probe.set_environment()


def test_what_a_fraction_finds_halfway_goes_to_the_even_one():
    """Ties, and what is close to one, of quotients that no binary digits hold."""
    for low, high, q in ((2**53, 2**53 + 10, (1, 10)), (2**53, 2**53 + 30, (1, 10)), (-2**53 - 30, -2**53, (9, 10)),
                         (2**53, 2**53 + 30, (1, 10 + 1)), (2**53, 2**53 + 10, (2**60 // 10 + 1, 2**60)),
                         (2**60 - 64 * 7, 2**60 + 64 * 3, (1, 7))):
        x = np.array([low, high])
        for dtype, y in (("int64", x), ("float64", x.astype("float64"))):
            exact = [Fraction(int(v)) for v in y]
            assert int(probe.quantiles(dtype, y, [q])[0]) == wanted(dtype, exact, q, "linear", False)
    x = np.array([2.0**24, 2.0**24 + 30], "float32")
    assert probe.quantiles("float32", x, [(1, 10)]).astype("uint32").view("float32")[0] == 2**24 + 4


@pytest.mark.parametrize("method", probe.METHODS)
def test_they_are_numpys(method):
    """Of integers so small that NumPy's linear is exact but for one rounding of the place."""
    rng = np.random.default_rng(5)
    for n in (1, 2, 11, 100, 2047, 2048, 3000, 70000, 300000):
        x = rng.integers(-1000, 1000, n).astype("float64")
        qs = np.concatenate([np.linspace(0, 1, 11), rng.random(10)])
        for threads in (1, 3):
            found = probe.quantiles("float64", x, qs, method, threads=threads).view(np.float64)
            np.testing.assert_allclose(found, np.quantile(x, qs, method=method), rtol=1e-12, atol=1e-9)
            if method != "linear":
                assert (found == np.quantile(x, qs, method=method)).all()


def test_nan_is_numpys_too():
    rng = np.random.default_rng(6)
    for n in (5, 5000, 100000):
        x = rng.integers(0, 50, n).astype("float64")
        x[rng.integers(0, n, 3)] = np.nan
        qs = np.linspace(0, 1, 21)
        for method in probe.METHODS[1:]:
            assert np.isnan(probe.quantiles("float64", x, qs, method).view(np.float64)).all()
            found = probe.quantiles("float64", x, qs, method, skip=True).view(np.float64)
            assert (found == np.nanquantile(x, qs, method=method)).all()


def test_a_tenth_of_eleven_is_an_element_unless_it_is_to_be_exact():
    x = np.arange(11.0)
    assert probe.quantiles("float64", x, [0.1, 0.3], "higher").view(np.float64).tolist() == [1, 3]
    assert probe.quantiles("float64", x, [0.1, 0.3], "lower").view(np.float64).tolist() == [1, 3]
    assert probe.quantiles("float64", x, [0.1], "linear").view(np.float64)[0] == float(Fraction(0.1) * 10)


def key_of(dtype, x):
    """Ranks that compare as the elements do: all NaNs alike and the largest, both zeros alike."""
    if dtype == "bool" or dtype in INTEGERS:
        return x.astype(object)
    f = FORMATS[dtype]
    values = [value_of(f, int(b)) for b in x]
    infinity = 1 << 5000
    return np.array([{"nan": 2 * infinity, "inf": infinity, "-inf": -infinity}.get(v, v) if isinstance(v, str) else v
                     for v in values], object)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_the_kth_value_is_where_a_stable_sort_puts_it(dtype):
    rng = np.random.default_rng(7)
    for n in (1, 2, 3, 50, 300):
        for _ in range(10):
            x, values = random_array(dtype, rng, n)
            keys = key_of(dtype, x)
            up = sorted(range(n), key=lambda i: keys[i])
            down = sorted(range(n), key=lambda i: -keys[i])
            for k in {1, (n + 1) // 2, n}:
                for largest, sort in ((False, up), (True, down)):
                    at = sort[k - 1]
                    assert probe.kth_value(dtype, x, k, largest) == (int(x[at].view(f"u{x.itemsize}")), at)
                    sort = [i for i in sort if values[i] != "nan"]
                    found = probe.kth_value(dtype, x, k, largest, skip=True)
                    if k <= len(sort):
                        assert found == (int(x[sort[k - 1]].view(f"u{x.itemsize}")), sort[k - 1])
                    else:
                        assert found == (FORMATS[dtype].nan, -1)


def test_the_kth_value_of_large_arrays_is_numpys():
    rng = np.random.default_rng(8)
    for n in (2048, 65536, 300000):
        for high in (2, 100, 1 << 31):
            x = rng.integers(0, high, n).astype("int32")
            for k in (1, 17, n // 3, n // 2, n):
                value, index = probe.kth_value("int32", x, k, threads=3)
                assert value == np.partition(x, k - 1)[k - 1]
                assert index == np.argsort(x, kind="stable")[k - 1]


def test_what_is_asked_for_must_be_there():
    x = np.zeros(5)
    for call, message in (
            (lambda: probe.kth_value("float64", x, 6), "kth_value: k = 6 is larger than n = 5"),
            (lambda: probe.kth_value("float64", x, 0), "kth_value: k = 0 is not from 1 on"),
            (lambda: probe.quantiles("float64", x, [0.5, 1.5]), "quantile: q = 1.5 is not from 0 to 1"),
            (lambda: probe.quantiles("float64", x, [math.nan]), "quantile: q = nan is not from 0 to 1"),
            (lambda: probe.quantiles("float64", x, [(1, 2), (3, 2)]), "quantile: q = 3/2 is not from 0 to 1"),
            (lambda: probe.quantiles("float64", x, [(0, 0)]), "quantile: q = 0/0 is not from 0 to 1"),
            (lambda: probe.quantiles("float64", x[:0], [0.5]), "quantile: the array is empty")):
        with pytest.raises(probe.Failure, match=message):
            call()
