# SPDX-License-Identifier: Apache-2.0
"""What is wrong is a TypeError or a ValueError, unless memory is short, that names the function, the argument and its value."""

import numpy as np
import pytest
import tally

X = np.arange(24.0).reshape(2, 3, 4)
WRONG = {
    "tally.sum('abc')": (TypeError, "sum: x is a str, which is no array"),
    "tally.sum(None)": (TypeError, "sum: x is a NoneType, which is no array"),
    "tally.sum({})": (TypeError, "sum: x is a dict, which is no array"),
    "tally.sum([1, 'a'])": (TypeError, "sum: x holds <U21, which Tally does not have"),
    "tally.sum([[1], [1, 2]])": (TypeError, "sum: x is a list, which is no array|holds object"),
    "tally.max(np.array([1j]))": (TypeError, "max: x holds complex128, which Tally does not have"),
    "tally.mean(np.zeros(3, 'M8[s]'))": (TypeError, "mean: x holds datetime64"),
    "tally.sum(np.zeros(3, 'longdouble'))": (TypeError, "sum: x holds float128"),
    "tally.sum(np.ma.array([1.0, 2.0]))": (TypeError, "where=~numpy.ma.getmaskarray"),
    "tally.sum(X, 3)": (ValueError, "sum: axis 3 is out of bounds for an array of 3 dimensions"),
    "tally.sum(X, -4)": (ValueError, "sum: axis -4 is out of bounds"),
    "tally.sum(X, (0, 0))": (ValueError, "sum: axis 0 is named twice"),
    "tally.sum(X, 1.5)": (TypeError, "sum: axis = 1.5 is no integer"),
    "tally.sum(X, dtype='complex64')": (TypeError, "sum: dtype = 'complex64' is none of Tally's"),
    "tally.sum(X, nan='omit')": (ValueError, "sum: nan = 'omit' is neither 'propagate' nor 'skip'"),
    "tally.sum(X, ddof=1)": (TypeError, "ddof"),
    "tally.sum(X, foo=1)": (TypeError, "foo"),
    "tally.sum(X, True)": (TypeError, "sum: axis = True is no integer"),
    "tally.sum(X, 0, out=[0.0] * 12)": (TypeError, "sum: out is a list, which is no array"),
    "tally.sum(X, out=np.float64(0))": (TypeError, "sum: out is a float64, which is no array"),
    "tally.sum(X, out=np.zeros(3))": (ValueError, "sum: out has another shape"),
    "tally.sum(X, 0, out=np.zeros((3, 4), 'f4'))": (TypeError, "sum: out holds float32, results"),
    "tally.sum(X, out=np.broadcast_to(0.0, ()))": (ValueError, "sum: out cannot be written"),
    "tally.sum(X, where=[1, 0, 1, 1])": (TypeError, "where holds int64, not bool"),
    "tally.sum(X, segments=[0, 1])": (ValueError, "sum: x has not one dimension"),
    "tally.sum(X[0, 0], 0, segments=[0, 1])": (ValueError, "neither axis nor keepdims"),
    "tally.sum(X[0, 0], segments=[0, 9])": (ValueError, "9"),
    "tally.sum(X[0, 0], segments=[2, 1])": (ValueError, "1"),
    "tally.sum(X[0, 0], segments=[0.5])": (TypeError, "segments holds float64, not integers"),
    "tally.max([])": (ValueError, "max: of no elements, which have no maximum"),
    "tally.argmin(np.zeros((0, 3)), 0)": (ValueError, "argmin: of no elements"),
    "tally.median([])": (ValueError, "median: of no elements"),
    "tally.var(X, correction=0.5)": (ValueError, "var: correction = 0.5"),
    "tally.dot(X, X[:1])": (ValueError, "different shapes"),
    "tally.dot(X, X.astype('f4'))": (TypeError, "dot: y holds float32, and x float64"),
    "tally.cumulative_sum(X)": (ValueError, "cumulative_sum: axis is needed: x has 3 dimensions"),
    "tally.cumulative_sum(3.0)": (ValueError, "cumulative_sum: x has no axis"),
    "tally.cumulative_sum([1.0], exclusive=True, include_initial=True)": (ValueError, "include_initial"),
    "tally.top_k(X, 5)": (ValueError, "top_k: k = 5 is larger than axis 2 of x, which has 4"),
    "tally.top_k(X, -1)": (ValueError, "top_k: k = -1 is less than 0"),
    "tally.top_k(X, 1.0)": (TypeError, "top_k: k = 1.0 is no integer"),
    "tally.top_k(X, 1, mode='best')": (ValueError, "mode = 'best' is neither 'largest' nor"),
    "tally.top_k(X, 1, 0)": (TypeError, "positional"),
    "tally.kth_value(X, 0)": (ValueError, "kth_value: k = 0 is less than 1"),
    "tally.kth_value(X, 5)": (ValueError, "kth_value: k = 5 is larger than the number of elements, 4"),
    "tally.quantile(X, 1.5)": (ValueError, "quantile: q = 1.5 is not between 0 and 1"),
    "tally.quantile(X, float('nan'))": (ValueError, "quantile: q = nan"),
    "tally.quantile(X, 0.5, method='best')": (ValueError, "method = 'best' is none of linear, lower"),
    "tally.quantile(X, None)": (TypeError, "quantile: q = None is no number"),
    "tally.quantile(X, [[0.5], [0.25]])": (TypeError, r"quantile: q = \[0.5\] is no number"),
    "tally.quantile(X, 'half')": (ValueError, "quantile: q = 'half' is not between 0 and 1"),
    "tally.var(X, correction='a')": (TypeError, "var: correction = 'a' is no number"),
    "tally.minmax([])": (ValueError, "minmax: of no elements, which have no extrema"),
    "tally.set_threads(-1)": (ValueError, "set_threads: count = -1 is negative"),
    "tally.Selector(1.5)": (TypeError, "Selector: k = 1.5 is no integer"),
    "tally.Selector(2**63)": (ValueError, "Selector: k = 9223372036854775808 is beyond 64 bits"),
    "tally.Selector(2, first=-1)": (ValueError, "Selector: k = 2 and first = -1 are not both natural"),
    "tally.Selector(3).add([1.0]).result()": (ValueError, "Selector.result: k = 3 is larger than n = 1"),
    "tally.Moments([1.0]).var(ddof=-1)": (ValueError, "Moments.var: ddof = -1 is no natural number"),
    "tally.ExactSum([1.0]).rounded_to('int8')": (TypeError, "ExactSum: as = int8: the sum of float64 can"),
    "tally.prod(np.broadcast_to(np.int8(1), 2**61), dtype='float64')": (MemoryError, None),
}


@pytest.mark.parametrize("call", WRONG)
def test_what_is_wrong_is_named(call):
    kind, text = WRONG[call]
    with pytest.raises(kind, match=text):
        eval(call)


def test_nothing_is_left_wrong_by_an_error():
    for call, (kind, _) in WRONG.items():
        with pytest.raises(kind):
            eval(call)
    assert tally.sum(X) == X.sum()
