# SPDX-License-Identifier: Apache-2.0
"""The k best, the k-th value, quantiles: what a sorted array has at its places, without sorting."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import NamedTuple

from tally import _core
from tally._reductions import skips


class TopK(NamedTuple):
    values: object
    indices: object


class KthValue(NamedTuple):
    values: object
    indices: object


def _is_largest(call, mode):
    if mode not in ("largest", "smallest"):
        raise ValueError(f"{call}: mode = {mode!r} is neither 'largest' nor 'smallest'")
    return mode == "largest"


def top_k(x, k, /, *, axis=-1, mode="largest", sorted=True, distinct=False, bias=None,
          nan="propagate", segments=None):
    """The k largest elements along an axis, and where they are: a named tuple (values, indices).

    The largest come first, of equal ones that with the lower index; a NaN is the largest. The same
    bits on every device. `sorted=False`: in the order of their indices.

    mode: "largest", or "smallest".
    distinct: different values only, each at its first index; where there are fewer than k, the rest
        has the index -1.
    bias: is added to x, in its type, to choose, but what comes back are elements of x: a router's
        experts. Of x's shape or broadcast to it.
    nan: "propagate", or "skip".
    segments: ascending offsets into x, which has one axis: k of each x[segments[i] : segments[i + 1]],
        with indices from its beginning; where it is shorter, the rest has the index -1.

    >>> tally.top_k([2.0, 7.0, 5.0, 7.0], 3)
    TopK(values=array([7., 7., 5.]), indices=array([1, 3, 2]))
    """
    smallest, skip = not _is_largest("top_k", mode), skips("top_k", nan)
    if bias is not None and (segments is not None or distinct):
        raise ValueError("top_k: bias is neither for segments nor for distinct=True")
    if segments is not None:
        return TopK(*_core.top_k_segments(x, segments, k, smallest, sorted, distinct, skip))
    return TopK(*_core.top_k(x, k, axis, smallest, sorted, distinct, skip, bias))


def kth_value(x, k, /, *, axis=-1, mode="smallest", keepdims=False, nan="propagate"):
    """The element at place k of the sorted ones, from 1 on, and where it was: a named tuple (values,
    indices).

    axis: an axis, a tuple of axes, or None for all. Of equal elements the one with the lower index
    comes first; a NaN is the largest.

    >>> value, index = tally.kth_value([5, 1, 4], 2)
    >>> print(value, index)
    4 2
    """
    largest = _is_largest("kth_value", mode)
    return KthValue(*_core.kth_value(x, k, axis, keepdims, largest, skips("kth_value", nan)))


@lru_cache(maxsize=1024, typed=True)
def _place(call, q):
    """Numerator and denominator. A float means the decimal that it is written as: 0.95 is 95/100."""
    exact = None
    if isinstance(q, float) and math.isfinite(q):
        q = Decimal(repr(float(q)))
    if isinstance(q, Decimal) and q.is_finite() and abs(q.adjusted()) > 60:
        q = 0 if 0 <= q < 1 else -1
    if not isinstance(q, float) and q == q:
        exact = Fraction(q) if not isinstance(q, Decimal) or q.is_finite() else None
    if exact is None or not 0 <= exact <= 1:
        raise ValueError(f"{call}: q = {q} is not between 0 and 1")
    exact = exact.limit_denominator(2**63 - 1)
    return exact.numerator, exact.denominator


def _number(call, q):
    """Python's of an array's element."""
    if isinstance(q, (int, float, Rational, Decimal)) and q == q:
        return q
    try:
        number = float(q) if not isinstance(q, (str, bytes)) else math.nan
    except (TypeError, ValueError):
        raise TypeError(f"{call}: q = {q!r} is no number") from None
    if number != number:
        raise ValueError(f"{call}: q = {q!r} is not between 0 and 1")
    return number


def _places(call, q):
    one = not hasattr(q, "__len__") or isinstance(q, (str, bytes)) or getattr(q, "ndim", 1) == 0
    return [_place(call, _number(call, g)) for g in ([q] if one else list(q))], one


def quantile(x, q, /, axis=None, *, method="linear", keepdims=False, nan="propagate",
             segments=None):
    """What is at place q of the sorted elements, from 0 to 1, for one q or several.

    q: a float means the decimal that it is written as, so that 0.95 is 95/100; fractions and decimals
        are what they are, or the nearest with a denominator below 2**63. Several come first in the result's shape.
    method: "linear", "lower", "higher", "nearest" or "midpoint", as NumPy has them.
    Integers give float64, unless the method chooses an element. Other arguments are as in `sum`.

    >>> tally.quantile(list(range(101)), [0.5, 0.95])
    array([50., 95.])
    """
    return _quantile("quantile", x, q, axis, method, keepdims, nan, segments)


def median(x, /, axis=None, *, keepdims=False, nan="propagate", segments=None):
    """The middle of the sorted elements, of two the mean: `quantile` at 1/2."""
    return _quantile("median", x, Fraction(1, 2), axis, "linear", keepdims, nan, segments)


def _quantile(call, x, q, axis, method, keepdims, nan, segments):
    places, one = _places(call, q)
    skip = skips(call, nan)
    if segments is not None:
        if axis is not None or keepdims:
            raise ValueError(f"{call}: segments are of one axis: neither axis nor keepdims")
        return _core.quantile_segments(call, x, segments, places, one, method, skip)
    return _core.quantile(call, x, places, one, axis, keepdims, method, skip)
