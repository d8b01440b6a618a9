# SPDX-License-Identifier: Apache-2.0
"""Cumulative sums, products and extrema: a result for each element, of it and those before it."""

from tally import _core
from tally._reductions import skips


def _scan(call, aggregate, x, axis, out, dtype, initial, exclusive, reverse, nan, segments):
    skip = skips(call, nan)
    if initial and (exclusive or segments is not None):
        raise ValueError(f"{call}: include_initial is neither for exclusive=True nor for segments")
    if segments is not None:
        if axis is not None:
            raise ValueError(f"{call}: segments are of one axis: no axis is named")
        return _core.scan_segments(call, aggregate, x, segments, out, dtype, exclusive, reverse, skip)
    return _core.scan(call, aggregate, x, axis, out, dtype, exclusive, reverse, initial, skip)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False, exclusive=False,
                   reverse=False, nan="propagate", segments=None):
    """The sums of the elements up to each one, along an axis.

    Of floating-point elements each is the exact sum, rounded once. Integers and bools give int64 or
    uint64, modulo 2**64, unless `dtype` is another integer type.

    axis: may be left out where there is one.
    dtype: the type of results; elements of another kind are first converted to it.
    out: an array that takes the results, of that type and of their shape; it may be x.
    include_initial: the sum of nothing comes first, and there is one result more along the axis.
    exclusive: each element is left out of its own sum. reverse: sums begin at the last element.
    nan: "propagate", or "skip": NaNs add nothing.
    segments: ascending offsets into x, which has one axis: sums begin anew at each. What is in no
        segment is 0 in a new array; in `out` it is not specified.

    >>> tally.cumulative_sum([0.1, 0.2, 0.3])
    array([0.1, 0.3, 0.6])
    """
    return _scan("cumulative_sum", "sum", x, axis, out, dtype, include_initial, exclusive, reverse,
                 nan, segments)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False,
                    exclusive=False, reverse=False, nan="propagate", segments=None):
    """The products of the elements up to each one, along an axis. Arguments are as in
    `cumulative_sum`.

    Floating-point products are rounded each; bits are the same from run to run on one device. `dtype`,
    if given, is that in which they are computed: int64, uint64 or a floating type.
    """
    return _scan("cumulative_prod", "product", x, axis, out, dtype, include_initial, exclusive,
                 reverse, nan, segments)


def cumulative_max(x, /, *, axis=None, out=None, reverse=False, nan="propagate", segments=None):
    """The greatest of the elements up to each one, along an axis. See `max`, and `cumulative_sum` for
    the arguments."""
    return _scan("cumulative_max", "maximum", x, axis, out, None, False, False, reverse, nan,
                 segments)


def cumulative_min(x, /, *, axis=None, out=None, reverse=False, nan="propagate", segments=None):
    """The least of the elements up to each one, along an axis. See `min`, and `cumulative_sum` for
    the arguments."""
    return _scan("cumulative_min", "minimum", x, axis, out, None, False, False, reverse, nan,
                 segments)
