# SPDX-License-Identifier: Apache-2.0
"""Exact sums, means, variances, cumulative sums and top-k of Dask arrays: lazy as Dask's own, and with
the bits of one call over the whole array, whatever its chunks, the scheduler and the workers are.

>>> import dask.array as da
>>> import tally.dask
>>> x = da.from_array([1e100, 1.0, -1e100, 2.5], chunks=2)
>>> float(tally.dask.sum(x)), tally.dask.cumulative_sum(x).compute().tolist()
(3.5, [1e+100, 1e+100, 1.0, 3.5])
"""

import copy
import functools
import math
import operator

import dask.array
import numpy

import tally
from tally._reductions import _ddof
from tally._selections import TopK

# What is known of a block's elements is kept for each place beside the axes, up to so many; of more,
# the elements along the axes are brought together in one block.
_MOST_STATES = 1024


def sum(x, axis=None, *, keepdims=False, nan="propagate"):
    """As `tally.sum`: the exact sum, rounded once."""
    def value(state, dtype):
        total = state.value
        return total if dtype.kind == "f" else numpy.uint64(int(total) % 2**64).astype(dtype)
    return _reduced("sum", x, axis, keepdims, nan, tally.sum, tally.ExactSum, value)


def mean(x, axis=None, *, keepdims=False, nan="propagate"):
    """As `tally.mean`: the exact mean, rounded once."""
    return _reduced("mean", x, axis, keepdims, nan, tally.mean, tally.Moments,
                    lambda state, dtype: state.mean)


def var(x, axis=None, *, ddof=0, correction=None, keepdims=False, nan="propagate"):
    """As `tally.var`: the exact variance, rounded once."""
    ddof = _ddof("var", ddof, correction)
    return _reduced("var", x, axis, keepdims, nan, functools.partial(tally.var, ddof=ddof),
                    tally.Moments, lambda state, dtype: state.var(ddof=ddof))


def std(x, axis=None, *, ddof=0, correction=None, keepdims=False, nan="propagate"):
    """As `tally.std`: the root of the exact variance, rounded once."""
    ddof = _ddof("std", ddof, correction)
    return _reduced("std", x, axis, keepdims, nan, functools.partial(tally.std, ddof=ddof),
                    tally.Moments, lambda state, dtype: state.std(ddof=ddof))


def cumulative_sum(x, /, *, axis=None, dtype=None, nan="propagate", method="sequential"):
    """As `tally.cumulative_sum`: each result is the exact sum of all elements up to its own, rounded
    once. Chunks of an array of one dimension are scanned one after the other, or with
    method="parallel" all at once: each is read twice then, and kept until what comes before it is
    known. Of more dimensions the elements along the axis are brought together in one chunk.
    """
    x = _checked("cumulative_sum", x)
    axis, = _axes("cumulative_sum", x, None if axis is None else (axis,), one=True)
    if method not in ("sequential", "parallel"):
        raise ValueError(f"cumulative_sum: method = {method!r} is neither 'sequential' nor 'parallel'")
    scan = functools.partial(tally.cumulative_sum, axis=axis, dtype=dtype, nan=nan)
    meta = scan(numpy.empty((0,) * x.ndim, x.dtype))
    if x.ndim > 1:
        return x.rechunk({axis: -1}).map_blocks(scan, meta=meta)
    if _is_floating(meta.dtype) != _is_floating(x.dtype):  # a scanner's are of one kind
        x = x.astype(meta.dtype)
    start = tally.Scanner(dtype=dtype, nan=nan).to_bytes()
    steps = _scan_at_once if method == "parallel" else _scan_in_turn
    parts = [dask.array.from_delayed(part, (length,), meta=meta)
             for part, length in zip(steps(start, x.to_delayed()), x.chunks[0])]
    return dask.array.concatenate(parts)


def top_k(x, k, /, *, axis=-1, mode="largest", distinct=False, nan="propagate"):
    """As `tally.top_k`: a named tuple of Dask arrays (values, indices), the best first, equal ones by
    index. Chunks of an array of one dimension each give their best; of more, the elements along the
    axis are brought together in one chunk.
    """
    x = _checked("top_k", x)
    axis, = _axes("top_k", x, (axis,), one=True)
    how = {"mode": mode, "distinct": distinct, "nan": nan}
    tally.top_k(numpy.empty(1, x.dtype), 0, **how)
    if not 0 <= operator.index(k) <= x.shape[axis]:
        raise ValueError(f"top_k: k = {k} of {x.shape[axis]} elements")
    if x.ndim > 1:
        lines = x.rechunk({axis: -1})
        chunks = tuple((k,) if a == axis else c for a, c in enumerate(lines.chunks))
        at = lines.map_blocks(lambda block: tally.top_k(block, k, axis=axis, **how).indices,
                              chunks=chunks, meta=numpy.empty((0,) * x.ndim, numpy.int64))
        return TopK(lines.map_blocks(numpy.take_along_axis, at, axis, chunks=chunks, meta=x._meta), at)
    first, best = 0, []
    for chunk, length in zip(x.to_delayed(), x.chunks[0]):
        best.append(dask.delayed(_select, pure=True)(k, first, how, chunk))
        first += length
    while len(best) > 1:
        best = [dask.delayed(_together, pure=True)(best[i:i + 8]) for i in range(0, len(best), 8)]
    found = dask.delayed(tally.Selector.result, pure=True)(best[0])
    return TopK(*(dask.array.from_delayed(found[i], (k,), dtype)
                  for i, dtype in enumerate((x.dtype, numpy.dtype(numpy.int64)))))


def _checked(call, x):
    if not isinstance(x, dask.array.Array):
        raise TypeError(f"{call}: x is no Dask array but of {type(x).__name__}")
    if any(math.isnan(n) for n in x.shape):
        raise ValueError(f"{call}: x has chunks of unknown size; x.compute_chunk_sizes() finds them")
    return x


def _axes(call, x, axis, one=False):
    """All that are meant, as numbers from 0 on."""
    given = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(operator.index(a) + (x.ndim if operator.index(a) < 0 else 0) for a in given)
    if not all(0 <= a < x.ndim for a in axes) or len(set(axes)) < len(axes):
        raise ValueError(f"{call}: axis = {axis} of {x.ndim} dimensions")
    if one and len(axes) != 1:
        raise ValueError(f"{call}: x has {x.ndim} dimensions: axis= names one")
    return axes


def _reduced(call, x, axis, keepdims, nan, alone, state, value):
    """`alone` reduces an array; `value` makes a result of what a `state` knows."""
    x = _checked(call, x)
    axes = _axes(call, x, axis)
    alone = functools.partial(alone, axis=axes, keepdims=keepdims, nan=nan)
    dtype = numpy.asarray(alone(numpy.ones((2,) * x.ndim, x.dtype))).dtype
    left = x.ndim if keepdims else x.ndim - len(axes)
    meta = numpy.empty((0,) * left, dtype)
    places = math.prod(max(c) for a, c in enumerate(x.chunks) if a not in axes)
    if places > _MOST_STATES or 0 in x.shape or not axes:
        lines = x.rechunk({a: -1 for a in axes})
        chunks = [(1,) if a in axes else c for a, c in enumerate(lines.chunks)]
        chunks = [c for a, c in enumerate(chunks) if keepdims or a not in axes]
        return lines.map_blocks(lambda block: numpy.asarray(alone(block)), meta=meta, chunks=chunks,
                                drop_axis=() if keepdims else axes)
    return dask.array.reduction(x, functools.partial(_states, functools.partial(state, nan=nan)),
                                functools.partial(_values, value, dtype), combine=_merged, axis=axes,
                                keepdims=keepdims, dtype=object, meta=meta, name=f"tally-{call}")


def _states(start, block, axis, keepdims):
    """What is known of the block, in an array whose axes have the length 1."""
    left = [a for a in range(block.ndim) if a not in axis]
    lines = block.transpose(left + list(axis))
    places = numpy.empty(lines.shape[:len(left)], object)
    for at in numpy.ndindex(places.shape):
        places[at] = start().add(lines[at])
    return numpy.expand_dims(places, axis)


def _merged(states, axis, keepdims):
    """What was known is left as it was: others may go on with it."""
    for a in axis:
        along = list(numpy.moveaxis(states, a, 0))
        merge = numpy.frompyfunc(lambda left, right: left.merge(right), 2, 1)
        start = numpy.frompyfunc(copy.copy, 1, 1)(along[0])
        states = numpy.expand_dims(functools.reduce(merge, along[1:], start), a)
    return states


def _values(value, to, states, axis, keepdims):
    states = _merged(states, axis, keepdims)
    values = numpy.empty(states.shape, to)
    for at in numpy.ndindex(states.shape):
        values[at] = value(states[at], to)
    return values if keepdims else values.squeeze(axis)


def _is_floating(dtype):
    return "float" in dtype.name


def _scan_in_turn(known, chunks):
    step = dask.delayed(_scan_chunk, pure=True, nout=2)
    for chunk in chunks:
        part, known = step(known, chunk)
        yield part


def _scan_at_once(start, chunks):
    scan, skip, append = (dask.delayed(f, pure=True) for f in (_scan_chunk, _skip_chunk, _append))
    known = start
    for chunk in chunks:
        yield scan(known, chunk)[0]
        known = append(known, skip(start, chunk))


def _scan_chunk(known, chunk):
    scanner = tally.Scanner.from_bytes(known)
    return scanner.scan(numpy.ascontiguousarray(chunk)), scanner.to_bytes()


def _skip_chunk(start, chunk):
    return tally.Scanner.from_bytes(start).skip(numpy.ascontiguousarray(chunk)).to_bytes()


def _append(known, following):
    return tally.Scanner.from_bytes(known).append(tally.Scanner.from_bytes(following)).to_bytes()


def _select(k, first, how, chunk):
    return tally.Selector(k, first=first, **how).add(numpy.ascontiguousarray(chunk))


def _together(selectors):
    return functools.reduce(lambda all, s: all.merge(s), selectors[1:],
                            tally.Selector.from_bytes(selectors[0].to_bytes()))
