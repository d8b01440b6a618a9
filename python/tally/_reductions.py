# SPDX-License-Identifier: Apache-2.0
"""Reductions: one result for each place of the axes that are left."""

from typing import NamedTuple

from tally import _core


class MinMax(NamedTuple):
    min: object
    max: object


class Description(NamedTuple):
    count: object
    nan_count: object
    sum: object
    mean: object
    std: object
    min: object
    argmin: object
    max: object
    argmax: object


_sum, _fast_sum, _prod = (_core.Reduction(*names) for names in (
    ("sum", "sum"), ("fast_sum", "fast_sum"), ("prod", "product")))
_min, _max, _minmax = (_core.Reduction(*names) for names in (
    ("min", "minimum"), ("max", "maximum"), ("minmax", "min_max")))
_argmin, _argmax = _core.Reduction("argmin", "arg_minimum"), _core.Reduction("argmax", "arg_maximum")
_mean, _var, _std = (_core.Reduction(*names) for names in (
    ("mean", "mean"), ("var", "variance"), ("std", "standard_deviation")))
_dot, _norm, _describe = (_core.Reduction(name, name) for name in ("dot", "norm", "describe"))
_any, _all = _core.Reduction("any", "any_of"), _core.Reduction("all", "all_of")
_count_nonzero = _core.Reduction("count_nonzero", "count_nonzero")


def skips(call, nan):
    """Whether NaNs are absent."""
    if nan == "propagate":
        return False
    if nan == "skip":
        return True
    raise ValueError(f"{call}: nan = {nan!r} is neither 'propagate' nor 'skip'")


def _ddof(call, ddof, correction=None):
    """One of the two names, as a natural number."""
    name, given = ("ddof", ddof) if correction is None else ("correction", correction)
    if correction is not None and ddof != 0:
        raise ValueError(f"{call}: ddof = {ddof} and correction = {correction} are one thing")
    if not isinstance(given, (int, float)) and not hasattr(given, "__index__"):
        raise TypeError(f"{call}: {name} = {given!r} is no number")
    if not 0 <= given < 2**63 or given != int(given):
        raise ValueError(f"{call}: {name} = {given!r} is no natural number")
    return int(given)


def _reduce(call, what, x, axis, dtype, out, keepdims, skip, ddof=0, initial=None, where=None,
            segments=None, y=None):
    """What reductions share."""
    if segments is None:
        return _core.reduce(what, x, axis, keepdims, out, dtype, skip, ddof, y, where, initial)
    if initial is not None or where is not None:
        raise ValueError(f"{call}: segments have neither initial nor where")
    if axis is not None or keepdims:
        raise ValueError(f"{call}: segments are of one axis: neither axis nor keepdims")
    return _core.reduce_segments(what, x, segments, out, dtype, skip, ddof, y)


def sum(x, /, axis=None, *, dtype=None, out=None, keepdims=False, initial=None, where=None,
        nan="propagate", segments=None):
    """The sum over one axis, several, or all of them.

    Of floating-point elements it is the exact sum, rounded once. Integers and bools give int64 or
    uint64, modulo 2**64; with a floating `dtype` their exact sum is rounded to it.

    axis: an axis, a tuple of axes, or None for all. The result has the shape of the other ones, or
        with `keepdims` that of x with 1 for each.
    dtype: the type of results. An integer type of floating-point elements: these are first converted,
        toward zero.
    out: an array that takes them, of that type and shape.
    initial: one more summand of each result. where: a mask, of x's shape or broadcast to it; the
        extrema of what it leaves need `initial`.
    nan: "propagate", or "skip": NaNs are absent.
    segments: ascending offsets into x, which has one axis: result i is of x[segments[i] :
        segments[i + 1]].

    >>> print(tally.sum([1e16, 1.0, -1e16]))
    1.0
    """
    if dtype is None and initial is None and where is None and segments is None:
        return _core.reduce(_sum, x, axis, keepdims, out, None,
                            nan != "propagate" and skips("sum", nan), 0, None, None, None)
    return _reduce("sum", _sum, x, axis, dtype, out, keepdims, skips("sum", nan), 0, initial, where,
                   segments)


def fast_sum(x, /, axis=None, *, dtype=None, out=None, keepdims=False, initial=None, where=None,
             nan="propagate", segments=None):
    """The sum along a fixed tree over the indices: reproducible, not exact. `sum` is as fast.

    Arguments are as in `sum`.
    """
    return _reduce("fast_sum", _fast_sum, x, axis, dtype, out, keepdims, skips("fast_sum", nan), 0, initial,
                   where, segments)


def prod(x, /, axis=None, *, dtype=None, out=None, keepdims=False, initial=None, where=None,
         nan="propagate", segments=None):
    """The product over one axis, several, or all of them.

    Floating-point elements are multiplied along a fixed tree over the indices: reproducible, with a
    rounding for each. Integers and bools give int64 or uint64, modulo 2**64.

    Arguments are as in `sum`.
    """
    return _reduce("prod", _prod, x, axis, dtype, out, keepdims, skips("prod", nan), 0, initial,
                   where, segments)


def min(x, /, axis=None, *, out=None, keepdims=False, initial=None, where=None, nan="propagate",
        segments=None):
    """The least element over one axis, several, or all; a NaN if there is one.

    -0.0 is less than 0.0. Of no elements it is a ValueError, without `initial`; an empty segment
    gives what is neutral. Arguments are as in `sum`.
    """
    if initial is None and where is None and segments is None:
        return _core.reduce(_min, x, axis, keepdims, out, None, skips("min", nan), 0, None, None, None)
    return _reduce("min", _min, x, axis, None, out, keepdims, skips("min", nan), 0, initial,
                   where, segments)


def max(x, /, axis=None, *, out=None, keepdims=False, initial=None, where=None, nan="propagate",
        segments=None):
    """The greatest element over one axis, several, or all; a NaN if there is one.

    -0.0 is less than 0.0. Of no elements it is a ValueError, without `initial`; an empty segment
    gives what is neutral. Arguments are as in `sum`.
    """
    if initial is None and where is None and segments is None:
        return _core.reduce(_max, x, axis, keepdims, out, None, skips("max", nan), 0, None, None, None)
    return _reduce("max", _max, x, axis, None, out, keepdims, skips("max", nan), 0, initial,
                   where, segments)


def minmax(x, /, axis=None, *, keepdims=False, nan="propagate", segments=None):
    """`min` and `max` in one read: a named tuple (min, max).

    >>> low, high = tally.minmax([3, 1, 2])
    >>> print(low, high)
    1 3
    """
    return MinMax(*_reduce("minmax", _minmax, x, axis, None, None, keepdims, skips("minmax", nan),
                           segments=segments))


def argmin(x, /, axis=None, *, out=None, keepdims=False, nan="propagate", segments=None):
    """Where the least element is: the lowest index of those equal to it, or of the first NaN.

    Over all axes or several it counts elements in C order; in segments from a segment's beginning,
    and is -1 of an empty one. Arguments are as in `sum`.
    """
    return _reduce("argmin", _argmin, x, axis, None, out, keepdims, skips("argmin", nan),
                   segments=segments)


def argmax(x, /, axis=None, *, out=None, keepdims=False, nan="propagate", segments=None):
    """Where the greatest element is: the lowest index of those equal to it, or of the first NaN.

    Over all axes or several it counts elements in C order; in segments from a segment's beginning,
    and is -1 of an empty one. Arguments are as in `sum`.
    """
    return _reduce("argmax", _argmax, x, axis, None, out, keepdims, skips("argmax", nan),
                   segments=segments)


def mean(x, /, axis=None, *, dtype=None, out=None, keepdims=False, where=None,
         nan="propagate", segments=None):
    """The arithmetic mean: the exact value, rounded once. NaN of no elements.

    Integers and bools give float64.
    Arguments are as in `sum`.
    """
    return _reduce("mean", _mean, x, axis, dtype, out, keepdims, skips("mean", nan), 0,
                   None, where, segments)


def var(x, /, axis=None, *, dtype=None, out=None, keepdims=False, where=None, ddof=0, correction=None,
        nan="propagate", segments=None):
    """The variance: the exact value, rounded once. NaN of `ddof` elements or fewer.

    The squared deviations are divided by the number of elements less `ddof`, which is also called
    `correction`. Integers and bools give float64.
    Arguments are as in `sum`.
    """
    return _reduce("var", _var, x, axis, dtype, out, keepdims, skips("var", nan), _ddof("var", ddof, correction),
                   None, where, segments)


def std(x, /, axis=None, *, dtype=None, out=None, keepdims=False, where=None, ddof=0, correction=None,
        nan="propagate", segments=None):
    """The standard deviation: the root of the exact variance, rounded once. See `var`.

    Arguments are as in `sum`.
    """
    return _reduce("std", _std, x, axis, dtype, out, keepdims, skips("std", nan), _ddof("std", ddof, correction),
                   None, where, segments)


def norm(x, /, axis=None, *, dtype=None, out=None, keepdims=False, nan="propagate", segments=None):
    """The Euclidean norm: the root of the exact sum of squares, rounded once; it does not overflow.

    Integers and bools give float64. Arguments are as in `sum`.
    """
    return _reduce("norm", _norm, x, axis, dtype, out, keepdims, skips("norm", nan),
                   segments=segments)


def dot(x, y, /, axis=-1, *, dtype=None, out=None, keepdims=False, nan="propagate", segments=None):
    """The sum of products x * y along an axis, several, or all (None): exact, rounded once.

    x and y have one shape and one type. Unlike `numpy.dot` this is no product of matrices: of more
    than one axis it is what NumPy calls `vecdot`. Arguments are as in `sum`, but with a floating
    `dtype` integers of 64 bits are first converted to float64.
    """
    if segments is not None:
        axis = None
    return _reduce("dot", _dot, x, axis, dtype, out, keepdims, skips("dot", nan), segments=segments,
                   y=y)


def any(x, /, axis=None, *, out=None, keepdims=False, where=None, nan="propagate", segments=None):
    """Whether an element is not zero, as NaN is. Arguments are as in `sum`."""
    return _reduce("any", _any, x, axis, None, out, keepdims, skips("any", nan), 0, None, where,
                   segments)


def all(x, /, axis=None, *, out=None, keepdims=False, where=None, nan="propagate", segments=None):
    """Whether no element is zero. Arguments are as in `sum`."""
    return _reduce("all", _all, x, axis, None, out, keepdims, skips("all", nan), 0, None, where,
                   segments)


def count_nonzero(x, /, axis=None, *, out=None, keepdims=False, nan="propagate", segments=None):
    """How many elements are not zero, as int64; NaN is not zero. Arguments are as in `sum`."""
    return _reduce("count_nonzero", _count_nonzero, x, axis, None, out, keepdims,
                   skips("count_nonzero", nan), segments=segments)


def describe(x, /, axis=None, *, keepdims=False, ddof=0, correction=None, segments=None):
    """Count, NaNs, sum, mean, standard deviation and both extrema with their places, in one read.

    NaNs are skipped, and counted. A named tuple (count, nan_count, sum, mean, std, min, argmin, max,
    argmax). Arguments are as in `sum`.
    """
    return Description(*_reduce("describe", _describe, x, axis, None, None, keepdims, True,
                                _ddof("describe", ddof, correction), segments=segments))
