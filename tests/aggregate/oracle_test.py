# SPDX-License-Identifier: Apache-2.0
"""The oracle itself, against arithmetic that is not its own."""

import math
import random
import struct
from fractions import Fraction

import numpy as np
import pytest

from .oracle import FORMATS, Floats, prefix_sums, rounded, rounded_root, value_of

CODES = {"float16": "<e", "float32": "<f", "float64": "<d"}


def packed(dtype, value):
    """The bits of a Python float that is rounded to `dtype` by the interpreter."""
    try:
        raw = struct.pack(CODES[dtype], value)
    except OverflowError:
        return FORMATS[dtype].infinity | (FORMATS[dtype].sign if value < 0 else 0)
    return int.from_bytes(raw, "little")


@pytest.mark.parametrize("dtype", CODES)
def test_rounding_agrees_with_the_interpreter(dtype):
    rng = random.Random(1)
    f = FORMATS[dtype]
    spread = {"float16": (-30, 20), "float32": (-160, 135), "float64": (-1080, 1023)}[dtype]
    for _ in range(5000):
        x = math.ldexp(rng.uniform(-1, 1), rng.randrange(*spread))
        if x == 0:
            continue
        exact = Fraction(x)
        assert rounded(f, exact.numerator, exact.denominator) == packed(dtype, x), x
    for _ in range(1000):  # ties and their neighbours, in both directions of the denominator
        whole = rng.getrandbits(f.precision) * 2 + 1
        scale = rng.randrange(*spread) - f.precision - 2
        for near in (0, -1, 1):
            exact = (Fraction(whole) + Fraction(near, 2**8)) * Fraction(2) ** scale
            assert rounded(f, exact.numerator * 3, exact.denominator * 3) == \
                packed(dtype, float(exact))


def test_rounding_to_float64_agrees_with_division_of_integers():
    rng = random.Random(2)
    for _ in range(5000):
        a, b = rng.getrandbits(rng.randrange(1, 400)), 1 + rng.getrandbits(rng.randrange(1, 400))
        assert rounded(FORMATS["float64"], a, b) == packed("float64", a / b)


def test_rounding_to_bfloat16_agrees_with_carrying_into_the_upper_half_of_a_float():
    rng = random.Random(3)
    f, wide = FORMATS["bfloat16"], FORMATS["float32"]
    for _ in range(5000):
        bits = rng.getrandbits(31)
        if bits >= wide.infinity:
            continue
        if rng.random() < 0.3:
            bits = bits & ~0xffff | 0x8000
        upper = (bits + 0x7fff + (bits >> 16 & 1)) >> 16
        assert rounded(f, value_of(wide, bits), 1, wide.lowest) == upper


def test_roots_lie_between_the_midpoints_around_them():
    rng = random.Random(4)
    for f in FORMATS.values():
        for _ in range(1000):
            a, b = rng.getrandbits(rng.randrange(1, 200)), 1 + rng.getrandbits(rng.randrange(1, 90))
            e = 2 * rng.randrange(-80, 60)
            bits = rounded_root(f, a, b, e)
            if 0 < bits < f.infinity - 1:
                below, here, above = (value_of(f, x) for x in (bits - 1, bits, bits + 1))
                square = Fraction(a, b) * Fraction(2) ** (e - 2 * f.lowest)
                assert (below + here) ** 2 <= 4 * square <= (here + above) ** 2
    for _ in range(2000):
        a, b = Fraction(rng.uniform(0, 1e6)).as_integer_ratio()
        assert rounded_root(FORMATS["float64"], a, b, 0) == packed("float64", math.sqrt(a / b))


def test_sums_agree_with_fsum_and_prefixes_with_sums_of_prefixes():
    rng = random.Random(5)
    f = FORMATS["float64"]
    for n in (0, 1, 2, 3, 50, 400):
        x = np.array([math.ldexp(rng.gauss(0, 1), rng.randrange(-300, 300)) for _ in range(n)])
        bits = x.view(np.uint64)
        assert Floats("float64", bits).sum(f) == packed("float64", math.fsum(x))
        found, total = prefix_sums("float64", bits, f)
        assert found == [packed("float64", math.fsum(x[:i + 1])) for i in range(n)]
        assert total == packed("float64", math.fsum(x))


def test_elements_are_read_as_numpy_reads_them():
    for dtype in CODES:
        f = FORMATS[dtype]
        rng = np.random.default_rng(6)
        bits = rng.integers(0, 2 ** f.width, 3000, f.bits)
        for b, x in zip(bits.tolist(), bits.view(dtype).tolist()):
            v = value_of(f, b)
            assert str(x) == v if isinstance(v, str) else Fraction(x) == Fraction(v) * \
                Fraction(2) ** f.lowest
