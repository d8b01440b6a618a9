# SPDX-License-Identifier: Apache-2.0
"""A namespace for the array API's own tests: array_api_strict's, with Tally's functions in the place of
its own.

What Tally does not have is left to array_api_strict: complex numbers, without which those tests do not
start, and corrections of variances that are no natural numbers."""

from functools import wraps

import array_api_strict
import tally
from array_api_strict import *  # noqa: F403
from array_api_strict import __array_api_version__, __array_namespace_info__  # noqa: F401

OURS = ["all", "any", "argmax", "argmin", "count_nonzero", "cumulative_prod", "cumulative_sum",
        "max", "mean", "min", "prod", "std", "sum", "var"]
COMPLEX = [array_api_strict.complex64, array_api_strict.complex128]


def in_place_of(theirs, ours):
    @wraps(ours)
    def function(x, /, *args, **options):
        left = x.dtype in COMPLEX or options.get("dtype") in COMPLEX or options.get("correction", 0) % 1
        return (theirs if left else ours)(x, *args, **options)
    return function


globals().update({name: in_place_of(getattr(array_api_strict, name), getattr(tally, name))
                  for name in OURS})
