# SPDX-License-Identifier: Apache-2.0
"""Arrays to measure on: ordinary ones, and those that are hard on a sum, a scan or a selection."""

import numpy as np

from library import Elements

EXPONENT = {"float16": 0x7c00, "bfloat16": 0x7f80, "float32": 0x7f800000,
            "float64": 0x7ff0000000000000}


def encoded(dtype, x):
    if dtype == "bfloat16":
        wide = x.astype(np.float32).view(np.uint32)
        return ((wide + 0x7fff + (wide >> 16 & 1)) >> 16).astype(np.uint16)
    with np.errstate(over="ignore"):
        return x.astype(dtype, copy=False)


def normal(dtype, rng, n):
    if dtype in EXPONENT:
        return encoded(dtype, rng.standard_normal(n, np.float64 if dtype == "float64" else np.float32))
    return any_bits(dtype, rng, n)


def any_bits(dtype, rng, n):
    """Every pattern; the finite ones only of floating types."""
    size = 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize
    bits = np.frombuffer(rng.bytes(n * size), f"u{size}").copy()
    if dtype in EXPONENT:
        exponent = bits.dtype.type(EXPONENT[dtype])
        lowest = exponent & ~(exponent << bits.dtype.type(1))  # of the field's bits
        bits[(bits & exponent) == exponent] ^= lowest
    return bits if dtype == "bfloat16" else bits.view(dtype)


def ill_conditioned(dtype, rng, n):
    """Numbers of 80 binades (float16: 20) and their negatives, far away, and something small."""
    binades = 10 if dtype == "float16" else 40
    x = rng.standard_normal(n // 2, np.float32) * np.exp2(
        rng.integers(-binades, binades, n // 2, np.int8).astype(np.float32))
    out = encoded(dtype, x)
    sign = 0x8000 if dtype == "bfloat16" else None
    back = out[::-1] ^ np.uint16(sign) if sign else -out[::-1]
    both = np.concatenate([out, back])
    both[:: n // 64] = encoded(dtype, np.array([1e-3]))[0]
    return both


def equal(dtype, rng, n):
    return np.full(n, encoded(dtype, np.array([0.1]))[0])


def ascending(dtype, rng, n):
    x = normal(dtype, rng, n)
    x.sort()
    return x


def descending(dtype, rng, n):
    return np.ascontiguousarray(ascending(dtype, rng, n)[::-1])


def with_nan(dtype, rng, n):
    """One in a hundred is a NaN."""
    x = normal(dtype, rng, n)
    x[rng.integers(0, n, n // 100)] = np.nan
    return x


def make(name, dtype, n):
    kinds = {"normal": normal, "bits": any_bits, "ill": ill_conditioned, "equal": equal,
             "ascending": ascending, "descending": descending, "nan": with_nan}
    return Elements(dtype, kinds[name](dtype, np.random.default_rng(7), n))
