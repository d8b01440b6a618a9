# SPDX-License-Identifier: Apache-2.0
"""The right answers for NumPy arrays, from Python's integers and Fraction."""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import numpy as np
from aggregate.oracle import FORMATS, rounded, rounded_root

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

def from_bits(dtype, bits):
    if dtype == "bfloat16":
        dtype, bits = "float32", bits << 16
    return float(np.array(bits, FORMATS[dtype].bits).view(dtype))


def nearest(dtype, exact):
    """The float nearest to an integer or Fraction, ties to even, as a Python float."""
    exact = Fraction(exact)
    return from_bits(dtype, rounded(FORMATS[dtype], exact.numerator, exact.denominator))


def nearest_root(dtype, exact):
    return from_bits(dtype, rounded_root(FORMATS[dtype], exact.numerator, exact.denominator, 0))


def exact_values(x):
    """The elements as integers or Fractions, in C order."""
    values = np.ravel(x).tolist()
    return values if x.dtype.kind in "biu" else [Fraction(v) for v in values]


def exact_variance(x, ddof=0):
    values = exact_values(x)
    n, total = len(values), sum(values)
    return Fraction(n * sum(v * v for v in values) - total * total, n * (n - ddof))


def total_type(dtype):
    """Of what elements of a type add up to, but for integers beyond 64 bits."""
    if dtype in FLOATS + ["bfloat16"]:
        return "float64" if dtype in ("float32", "float64") else "float32"
    return "uint64" if dtype[0] in "ub" else "int64"


def exact_total(dtype, exact):
    """The type and the value of what elements of a type add up to exactly, as it is shown."""
    natural = total_type(dtype)
    if natural.startswith("float"):
        return natural, nearest(natural, exact)
    for bits in (64, 128, 256):
        least, end = (0, 2**bits) if natural == "uint64" else (-2**(bits - 1), 2**(bits - 1))
        if least <= exact < end:
            return natural.replace("64", str(bits)), exact
    raise OverflowError(exact)


def in_json(value):
    """What no double has comes as a string."""
    return str(value) if isinstance(value, int) and abs(value) > 2**53 else value


def hexadecimal(dtype, value):
    """The bits of a value of type `dtype`."""
    if "int" in dtype:
        bits = int(dtype.lstrip("uint"))
        return f"{int(value) % 2**bits:0{bits // 4}x}"
    if dtype == "bfloat16":
        return hexadecimal("float32", value)[:-4]
    raw = np.array([value], dtype).astype(np.dtype(dtype).newbyteorder(">")).tobytes()
    return raw.hex()


def same(x, y):
    """Whether two arrays have the same type, shape and bits."""
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


def hard_floats(dtype, n=2000, seed=1):
    """Numbers over many binades, most of which cancel: a sum in any floating type is far off."""
    random = np.random.default_rng(seed)
    low, high = {"float16": (-14, 12), "float32": (-60, 60), "float64": (-300, 300)}[dtype]
    x = random.standard_normal(n) * 2.0 ** random.integers(low, high, n)
    x[n // 2:] = -x[:n - n // 2]
    x[-5:] = random.standard_normal(5)
    return random.permutation(x).astype(dtype)


def integers(dtype, n=3000, seed=2):
    """Integers from the whole range of the type."""
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.integers(0, 2, n).astype(bool)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, n, dtype, endpoint=True)


def values(dtype, n=2000):
    return hard_floats(dtype, n) if dtype in FLOATS else integers(dtype, n)


def in_full(exact):
    """A fraction whose decimal ends: no exponent, no zeros to spare."""
    exact = Fraction(exact)
    text = format(Context(prec=5000).divide(Decimal(exact.numerator), Decimal(exact.denominator)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def ends(exact):
    rest = Fraction(exact).denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def shown_digits(whole, most=10**6):
    """Of what is rounded: 34, or all before the point and one behind it."""
    return Context(prec=min(max(34, len(str(abs(whole))) * (whole != 0) + 1), most), rounding=ROUND_HALF_EVEN)


def to_34(exact):
    exact = Fraction(exact)
    if ends(exact):
        return in_full(exact)
    return format(shown_digits(int(exact)).divide(Decimal(exact.numerator), Decimal(exact.denominator)), "f")
