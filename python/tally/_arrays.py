# SPDX-License-Identifier: Apache-2.0
"""What is done by an array's own library before or after a call: conversions, joining, masks."""

import math
import operator
import re
import sys


def _is_torch(x):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def library(x):
    """The module whose functions make arrays like x: of lists and numbers NumPy."""
    if _is_torch(x):
        return sys.modules["torch"]
    root = type(x).__module__.partition(".")[0]
    if root in ("jax", "jaxlib"):
        import jax.numpy
        return jax.numpy
    if root == "cupy":
        return sys.modules["cupy"]
    import numpy
    return numpy


def asarray(x):
    """x if it is an array, else NumPy's of it."""
    return x if hasattr(x, "shape") else library(x).asarray(x)


def dtype_name(dtype):
    """float64 of numpy.float64, torch.float64, "float64", float, ..."""
    name = getattr(dtype, "__name__", str(dtype)).rpartition(".")[2]
    return {"bool_": "bool", "int": "int64", "float": "float64"}.get(name, name)


def dtype_named(x, dtype):
    """The dtype in the way x's library spells it."""
    if not _is_torch(x):
        return dtype
    torch = sys.modules["torch"]
    if isinstance(dtype, torch.dtype):
        return dtype
    return getattr(torch, dtype_name(dtype))


def is_float(dtype):
    """Whether elements of it are floating-point numbers, however it is spelled."""
    if getattr(dtype, "kind", None) == "f":
        return True
    name = getattr(dtype, "__name__", str(dtype)).lower()
    return any(word in name for word in ("float", "double", "single", "half")) or (
        re.fullmatch(r"[<>=|]?f[248]", name) is not None)


def astype(x, dtype):
    x = asarray(x)
    return x.to(dtype_named(x, dtype)) if _is_torch(x) else x.astype(dtype)


def axes_of(axis, dimensions):
    """A tuple of axes from 0 on."""
    if axis is None:
        return tuple(range(dimensions))
    axes = [operator.index(a) for a in (axis if isinstance(axis, tuple) else (axis,))]
    for a in axes:
        if not -dimensions <= a < dimensions:
            raise ValueError(f"axis {a} is out of bounds for an array of {dimensions} dimensions")
    found = tuple(a % dimensions for a in axes)
    if len(set(found)) < len(found):
        raise ValueError(f"axis = {axis} names one twice")
    return found


def with_initial(x, axis, initial):
    """The lines of x along the axes as the last axis of an array, one more element before each."""
    lib, axes = library(x), axes_of(axis, x.ndim)
    kept = [d for d in range(x.ndim) if d not in axes]
    turned = x.permute(*kept, *axes) if _is_torch(x) else x.transpose(*kept, *axes)
    count = math.prod(x.shape[d] for d in axes)
    lines = turned.reshape(*(x.shape[d] for d in kept), count)
    first = lib.full_like(lines, initial, shape=(*lines.shape[:-1], 1)) if not _is_torch(x) else (
        lines.new_full((*lines.shape[:-1], 1), initial))
    return lib.cat((first, lines), -1) if _is_torch(x) else lib.concatenate((first, lines), -1)


def mask_like(x, where):
    """`where` in the shape of x."""
    lib = library(x)
    mask = lib.as_tensor(where, device=x.device) if _is_torch(x) else lib.asarray(where)
    if str(mask.dtype).rpartition(".")[2] != "bool":
        raise TypeError(f"where holds {mask.dtype}, not bool")
    return lib.broadcast_to(mask, x.shape)


def packed(mask):
    """The bits of a mask in C order, from the lowest one of the first byte on."""
    lib, mask = library(mask), mask.reshape(-1)
    if not _is_torch(mask):
        return lib.packbits(mask, bitorder="little")
    bits = lib.nn.functional.pad(mask.to(lib.uint8), (0, -mask.numel() % 8)).reshape(-1, 8)
    weights = lib.tensor([1, 2, 4, 8, 16, 32, 64, 128], dtype=lib.uint8, device=mask.device)
    return (bits * weights).sum(1, dtype=lib.uint8)


def in_c_order(x):
    if _is_torch(x):
        return x.contiguous()
    lib = library(x)
    return lib.ascontiguousarray(x) if hasattr(lib, "ascontiguousarray") else x  # JAX's always are


def on_host(x):
    """x in the host's memory."""
    if _is_torch(x):
        return x.detach().cpu()
    root = type(x).__module__.partition(".")[0]
    if root in ("jax", "jaxlib"):
        import numpy
        return numpy.asarray(x)
    return x.get() if root == "cupy" else x
