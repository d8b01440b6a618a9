# SPDX-License-Identifier: Apache-2.0
"""What is known of some elements, to be put together with what is known of others: in any grouping and
any order, here or elsewhere, the bits are those of one call over all of them."""

import copy

from tally import _core
from tally._arrays import on_host


class _State:
    """Of elements of one type, that of the first array that is added."""

    _aggregate, _wide = None, False

    def __init__(self, x=None, *, nan="propagate"):
        if nan not in ("propagate", "skip"):
            raise ValueError(f"{type(self).__name__}: nan = {nan!r} is neither 'propagate' nor 'skip'")
        self._nan, self._known = nan, None
        if x is not None:
            self.add(x)

    def _start(self, dtype):
        wide = self._wide and "float" not in dtype
        self._known = _core.Reducer(self._aggregate, dtype, wide, self._nan == "skip")

    def add(self, x):
        """Adds the elements of an array, of any shape; returns self."""
        x, call = on_host(x), f"{type(self).__name__}.add"
        if self._known is None:
            self._start(_core.dtype_of_elements(call, x))
        self._known.add(call, x)
        return self

    def merge(self, other):
        """Adds what another knows; returns self."""
        if type(other) is not type(self):
            raise TypeError(f"merge: a {type(other).__name__} into a {type(self).__name__}")
        if other._nan != self._nan:
            raise ValueError(f"merge: nan = {other._nan!r} into {self._nan!r}")
        if self._known is None:
            self._known = copy.copy(other._known)
        elif other._known is not None:
            if other._known.elements != self._known.elements:
                raise TypeError(f"merge: of {other._known.elements} into {self._known.elements}")
            self._known.append(other._known)
        return self

    @property
    def count(self):
        """How many elements were added, NaNs among them."""
        return 0 if self._known is None else self._known.count

    def to_bytes(self):
        """The same bytes for the same elements, however they were grouped; from_bytes() reads them."""
        if self._known is None:
            return self._nan.encode() + b"\0\0"
        return b"\0".join((self._nan.encode(), self._known.elements.encode(), self._known.bytes()))

    @classmethod
    def from_bytes(cls, data):
        """A state from what to_bytes() of one has given, on whatever machine."""
        nan, dtype, known = bytes(data).split(b"\0", 2)
        state = cls(nan=nan.decode())
        if dtype:
            state._start(dtype.decode())
            state._known.read(known)
        return state

    def __reduce__(self):
        return type(self).from_bytes, (self.to_bytes(),)

    def __copy__(self):
        return type(self)(nan=self._nan).merge(self)

    def __deepcopy__(self, memo):
        return copy.copy(self)

    def __eq__(self, other):
        return type(other) is type(self) and other.to_bytes() == self.to_bytes()

    __hash__ = None

    def _result(self, aggregate, ddof=0, dtype=None):
        return self._known.result(f"{type(self).__name__}", aggregate, ddof, dtype)


class ExactSum(_State):
    """The exact sum of floating-point elements or of integers, added array by array.

    >>> s = tally.ExactSum([1e100, 1.0])
    >>> t = tally.ExactSum().add([-1e100]).add([2.5])
    >>> s.merge(t).value
    3.5
    """

    _aggregate, _wide = "sum", True

    @property
    def value(self):
        """The sum: rounded once to the elements' type; of integers exact, of any size. 0 of nothing."""
        return 0 if self._known is None else self._result("sum")

    def rounded_to(self, dtype):
        """The sum of floating-point elements, rounded once to another type."""
        return 0.0 if self._known is None else self._result("sum", 0, dtype)


class Moments(_State):
    """Mean, variance and standard deviation, exact and rounded once, added array by array.

    >>> m = tally.Moments([1.0, 2.0]).merge(tally.Moments([6.0]))
    >>> m.mean, m.var(ddof=1)
    (3.0, 7.0)
    """

    _aggregate = "variance"

    @property
    def mean(self):
        """NaN of nothing."""
        return float("nan") if not self.count else self._result("mean")

    def var(self, *, ddof=0):
        """NaN of `ddof` elements or fewer."""
        return float("nan") if not self.count else self._result("variance", ddof)

    def std(self, *, ddof=0):
        """The root of var(), rounded once."""
        return float("nan") if not self.count else self._result("standard_deviation", ddof)
