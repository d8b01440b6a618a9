# SPDX-License-Identifier: Apache-2.0
"""Sums, cumulative sums and top-k of arrays: one answer, the right answer, at memory speed.

Takes NumPy, PyTorch, CuPy and JAX arrays, whatever has Python's buffers or DLPack, and gives arrays of
the same library, on the device where the array is; columns of pandas, Polars and pyarrow, lists and
numbers give NumPy's. Floating-point sums, means, variances, norms and cumulative sums are the exact
values, rounded once: the bits do not depend on threads, devices or strides.

>>> import tally
>>> print(tally.sum([0.1] * 10), tally.sum([1e100, 1.0, -1e100]))
1.0 1.0
>>> tally.top_k([3, 1, 4, 1, 5], 2)
TopK(values=array([5, 4]), indices=array([4, 2]))
"""

from tally._core import set_threads, threads
from tally._reductions import (all, any, argmax, argmin, count_nonzero, describe, dot, fast_sum,
                               max, mean, min, minmax, norm, prod, std, sum, var)
from tally._scans import cumulative_max, cumulative_min, cumulative_prod, cumulative_sum
from tally._selections import kth_value, median, quantile, top_k
from tally._states import ExactSum, Moments, Scanner, Selector

__all__ = ["ExactSum", "Moments", "Scanner", "Selector", "all", "any", "argmax", "argmin",
           "count_nonzero", "cumulative_max", "cumulative_min", "cumulative_prod", "cumulative_sum",
           "describe", "dot", "fast_sum", "kth_value", "max", "mean", "median", "min", "minmax",
           "norm", "prod", "quantile", "set_threads", "std", "sum", "threads", "top_k", "var"]
__version__ = "0.1.0"
