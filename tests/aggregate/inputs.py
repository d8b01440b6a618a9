# SPDX-License-Identifier: Apache-2.0
"""Arrays that are hard to add: the generators of the literature and the edges of each type.

A generator takes a Format, NumPy's random generator and n, and gives the bits of n elements or so.
"""

import numpy as np

from .oracle import FORMATS

SIZES = [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 511, 512, 513, 1023, 1024, 1025, 2047, 2048,
         2049, 4100]
TILE = 512


def encode(f, x):
    """The bits of doubles, as elements."""
    with np.errstate(over="ignore"):
        if f is FORMATS["bfloat16"]:
            wide = np.asarray(x, np.float32).view(np.uint32)
            return ((wide + 0x7fff + (wide >> 16 & 1)) >> 16).astype(np.uint16)
        return np.asarray(x, f"f{f.width // 8}").view(f.bits)


def assemble(f, sign, field, fraction):
    sign, field, fraction = (np.atleast_1d(v).astype(np.uint64) for v in (sign, field, fraction))
    bits = sign << np.uint64(f.width - 1) | field << np.uint64(f.precision - 1) | fraction
    return bits.astype(f.bits)


def fields(f, rng, low, high, n):
    """Random elements whose exponent fields lie in [low, high)."""
    return assemble(f, rng.integers(0, 2, n), rng.integers(low, high, n),
                    rng.integers(0, 1 << (f.precision - 1), n))


def negated(f, bits):
    return bits ^ f.bits.type(f.sign)


def normal(f, rng, n):
    return encode(f, rng.standard_normal(n))


def uniform(f, rng, n):
    return encode(f, rng.random(n))


def finite_bits(f, rng, n):
    return fields(f, rng, 0, 2 * f.bias + 1, n)


def any_bits(f, rng, n):
    return fields(f, rng, 0, 2 * f.bias + 2, n)


def subnormals(f, rng, n):
    mask = f.sign | int(rng.integers(1, 1 << 10))
    return fields(f, rng, 0, 1 + rng.integers(2), n) & f.bits.type(mask)


def overflow_and_back(f, rng, n):
    greatest = f.infinity - 1
    half = greatest - (1 << (f.precision - 1))
    return rng.choice(np.array([greatest, greatest | f.sign, half, half | f.sign, 1], f.bits), n)


def ties(f, rng, n):
    """Numbers with exactly half a unit of the last place, and perhaps a last bit to either side."""
    field = int(rng.integers(f.precision + 1, 2 * f.bias))
    big = assemble(f, 0, field, rng.integers(0, 1 << (f.precision - 1)))
    half = assemble(f, rng.integers(2), field - f.precision, 0)
    last = np.array([[], [1], [f.sign | 1]][rng.integers(3)], f.bits)
    pairs = finite_bits(f, rng, n // 2)
    return rng.permutation(np.concatenate([big, half, last, pairs, negated(f, pairs)]))


def a_few_tiny(f, rng, n):
    """Ordinary numbers and a few far smaller ones, of which sums keep what is below all others."""
    x = rng.standard_normal(n)
    few = rng.random(n) < 3 / TILE
    x[few] *= 2.0 ** -rng.integers(20, 70, np.count_nonzero(few))
    return encode(f, x)


def ties_after_a_tiny_tile(f, rng, n):
    """Prefixes that are ties but for what an earlier tile left far below them."""
    field = int(rng.integers(f.precision + 3, 2 * f.bias - 10))
    one = assemble(f, [0, 0, 1], field, 0)
    unit = assemble(f, [0, 1], field - f.precision + 1, 0)
    half = assemble(f, [0, 1], field - f.precision, 0)
    x = rng.choice(np.concatenate([one, unit, half, half]), n)
    depth = int(rng.integers(max(1, field - int(rng.choice([50, 100, 140, 2000]))), field))
    x[:1] = assemble(f, rng.integers(2), depth, 0)
    x[1:2] = assemble(f, rng.integers(2), rng.integers(0, 2), 1)
    return x


def with_specials(f, rng, n):
    x = normal(f, rng, n)
    special = [[f.infinity], [f.infinity | f.sign], [f.infinity, f.infinity | f.sign], [f.nan],
               [f.infinity | 1, f.sign | f.nan | 5, f.infinity]][rng.integers(5)]
    at = rng.integers(0, max(n, 1), 1 + rng.integers(4))
    if n:
        x[at] = rng.choice(np.array(special, f.bits), at.size)
    return x


def many_nans(f, rng, n):
    x = finite_bits(f, rng, n)
    x[rng.random(n) < 0.4] = f.nan | f.sign
    return x


def negative_zeros(f, rng, n):
    return np.full(n, f.sign, f.bits)


def zeros(f, rng, n):
    return rng.choice(np.array([0, f.sign], f.bits), n)


def ill_conditioned(f, rng, n):
    """What is left is some 2^-107 of what was added."""
    width = min(107, f.bias)
    low = int(rng.integers(1, 2 * f.bias - width))
    pairs = fields(f, rng, low, low + width, n // 2)
    left = fields(f, rng, low, low + 1, 1)
    return rng.permutation(np.concatenate([pairs, negated(f, pairs), left]))


def cancelling(f, rng, n):
    x = finite_bits(f, rng, n // 2)
    return rng.permutation(np.concatenate([x, negated(f, x)]))


def powers_of_two(f, rng, n):
    return assemble(f, rng.integers(0, 2, n), rng.integers(0, 2 * f.bias + 1, n), 0)


def ascending(f, rng, n):
    return encode(f, np.sort(rng.standard_normal(n)))


def alternating_harmonic(f, rng, n):
    k = np.arange(1, n + 1)
    return encode(f, (-1.0) ** k / k)


def anderson(f, rng, n):
    """What is left after the mean has been taken away."""
    x = rng.random(n)
    return encode(f, x - x.mean()) if n else encode(f, x)


def large_then_ones(f, rng, n):
    x = np.ones(n)
    x[:1] = 2.0 ** f.precision
    return encode(f, x)


def lognormal(f, rng, n):
    return encode(f, np.minimum(rng.lognormal(0, 3, n), 60000))


def quantised(f, rng, n):
    return encode(f, rng.integers(-40, 40, n) / 8)


def tenths(f, rng, n):
    return encode(f, np.full(n, 0.1))


def sine(f, rng, n):
    return encode(f, np.sin(2 * np.pi * np.arange(n) / max(n, 1)))


def edges_of_tiles(f, rng, n):
    """Tiny everywhere, huge and back where one tile ends and the next begins."""
    x = fields(f, rng, 0, 3, n)
    for at in range(TILE - 1, n - 1, TILE):
        huge = fields(f, rng, 2 * f.bias - 2, 2 * f.bias, 1)
        x[at], x[at + 1] = huge[0], negated(f, huge)[0]
    return x


def one_window(f, rng, n):
    """Exponents in a band whose width is near what one fast path or another can take."""
    width = int(rng.integers(1, min(90, 2 * f.bias - 1)))
    low = int(rng.integers(0, 2 * f.bias + 1 - width))
    return fields(f, rng, low, low + width, n)


def full_window(f, rng, n):
    """What fills a window: all bits of many elements, of which a last bit far below is left when
    the same elements with the other sign have followed."""
    top = int(rng.integers(1, 2 * f.bias + 1))
    depth, middle = (int(rng.integers(0, min(top, 130))) for _ in range(2))
    x = assemble(f, 0, np.full(n // 2, top - min(middle, depth)), (1 << f.precision - 1) - 1)
    x[:1] = assemble(f, 0, top, (1 << f.precision - 1) - 1)
    return np.concatenate([x, assemble(f, rng.integers(2), top - depth, 1), negated(f, x)])


GENERATORS = [normal, uniform, finite_bits, any_bits, subnormals, overflow_and_back, ties,
              a_few_tiny, ties_after_a_tiny_tile, with_specials, many_nans, negative_zeros, zeros,
              ill_conditioned, cancelling, powers_of_two, ascending, alternating_harmonic,
              anderson, large_then_ones, lognormal, quantised, tenths, sine, edges_of_tiles,
              one_window, full_window]


def cases(dtype, count, seed):
    """`count` arrays: every generator in turn, at sizes around every boundary and at others."""
    rng = np.random.default_rng(seed)
    f = FORMATS[dtype]
    for i in range(count):
        generator = GENERATORS[i % len(GENERATORS)]
        n = int(rng.choice(SIZES)) if rng.random() < 0.7 else int(5000 * rng.random() ** 2)
        x = generator(f, rng, n)
        assert x.dtype == f.bits
        at = int(rng.integers(9))  # any address that is aligned to the element
        room = np.empty(x.size + at, f.bits)
        room[at:] = x
        yield f"{generator.__name__} n={x.size}", room[at:], rng
