# SPDX-License-Identifier: Apache-2.0
"""What is known of some elements, to be put together with what is known of others: in any grouping and
any order, here or elsewhere, the bits are those of one call over all of them."""

import copy

from tally import _core
from tally._reductions import _ddof, skips
from tally._selections import TopK, _is_largest


class _State:
    """What is known of elements of one type, that of the first array that is added."""

    _aggregate, _wide = None, False

    def __init__(self, x=None, *, nan="propagate"):
        skips(type(self).__name__, nan)
        self._nan, self._known = nan, None
        if x is not None:
            self.add(x)

    def _start(self, dtype):
        wide = self._wide and "float" not in dtype
        started = _core.Reducer(self._aggregate, dtype, wide, self._nan == "skip")
        self._known = self._known or started  # another thread may have been first

    def add(self, x):
        """Adds the elements of an array, of any shape; returns self."""
        call = f"{type(self).__name__}.add"
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
        if other._known is not None:
            if self._known is None:
                self._start(other._known.elements)
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
        return self._known.result(type(self).__name__, aggregate, ddof, dtype)


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
        ddof = _ddof("Moments.var", ddof)
        return float("nan") if not self.count else self._result("variance", ddof)

    def std(self, *, ddof=0):
        """The root of the exact variance, rounded once. See `var`."""
        ddof = _ddof("Moments.std", ddof)
        return float("nan") if not self.count else self._result("standard_deviation", ddof)


class Scanner:
    """Cumulative sums of an array that comes chunk by chunk: the bits of one call.

    >>> running = tally.Scanner()
    >>> running.scan([1e16, 1.0]).tolist(), running.scan([-1e16]).tolist()
    ([1e+16, 1e+16], [1.0])
    """

    def __init__(self, *, dtype=None, exclusive=False, nan="propagate"):
        """dtype: the type of results, of integers int64 or uint64 without it. exclusive: each element is
        left out of its own sum. nan: "propagate", or "skip"."""
        skips("Scanner", nan)
        to = None if dtype is None else _core.dtype_name("Scanner", dtype)
        self._types, self._known = (None, to), None
        self._exclusive, self._nan = bool(exclusive), nan

    def _types_from(self, dtype):
        wide = dtype if "float" in dtype else "uint64" if dtype[0] == "u" else "int64"
        return dtype, self._types[1] or wide

    def _start(self, dtype):
        self._types = self._types_from(dtype)
        started = _core.Scanner(*self._types, self._nan == "skip")
        self._known = self._known or started

    def scan(self, x, *, out=None):
        """The sums up to each element of x and of all chunks before it.

        x and `out` have one dimension, with elements side by side in the host's memory.
        """
        if self._known is None:
            self._start(_core.dtype_of_elements("Scanner.scan", x))
        return self._known.scan("Scanner.scan", x, out, self._exclusive)

    def skip(self, x):
        """Sees the next elements of the array, whose sums nobody asks for; returns self."""
        if self._known is None:
            self._start(_core.dtype_of_elements("Scanner.skip", x))
        self._known.skip("Scanner.skip", x)
        return self

    def append(self, other):
        """Takes over what another saw of the elements that follow; returns self. So parts of an array
        are read by several at once, each of which then knows what comes before its own.

        >>> tally.Scanner().skip([1.0]).append(tally.Scanner().skip([2.0, 3.0])).scan([4.0]).tolist()
        [10.0]
        """
        if type(other) is not Scanner:
            raise TypeError(f"append: a {type(other).__name__} to a Scanner")
        if other._nan != self._nan:
            raise ValueError(f"append: nan = {other._nan!r} to {self._nan!r}")
        if other._known is None:
            return self
        types = self._types_from(other._types[0]) if self._known is None else self._types
        if other._types != types:
            raise TypeError(f"append: {' to '.join(other._types)} to a Scanner from {' to '.join(types)}")
        if self._known is None:
            self._start(other._types[0])
        self._known.append(other._known.carry())
        return self

    @property
    def total(self):
        """The sum of all elements so far, rounded once."""
        return 0 if self._known is None else self._known.total()

    def to_bytes(self):
        """What from_bytes() makes a scanner of that goes on here, or elsewhere."""
        known = b"" if self._known is None else self._known.carry()
        head = [t or "" for t in self._types] + [self._nan, str(int(self._exclusive))]
        return " ".join(head).encode() + b"\0" + known

    @classmethod
    def from_bytes(cls, data):
        """A scanner that goes on where the one was that gave to_bytes()."""
        head, known = bytes(data).split(b"\0", 1)
        dtype, to, nan, exclusive = head.decode().split(" ")
        scanner = cls(dtype=to or None, nan=nan, exclusive=exclusive == "1")
        if dtype:
            scanner._start(dtype)
            scanner._known.resume(known)
        return scanner

    def __reduce__(self):
        return type(self).from_bytes, (self.to_bytes(),)


class Selector:
    """The k best of an array that comes chunk by chunk, with their indices in it: `top_k` of all.

    >>> best = tally.Selector(2).add([3.0, 9.0]).add([5.0])
    >>> best.result()
    TopK(values=array([9., 5.]), indices=array([1, 2]))
    """

    def __init__(self, k, *, mode="largest", distinct=False, nan="propagate", first=0):
        """first: the index of the first element to come, of a part of an array. Others as in `top_k`."""
        k, first = _core.integer("Selector", "k", k), _core.integer("Selector", "first", first)
        if min(k, first) < 0:
            raise ValueError(f"Selector: k = {k} and first = {first} are not both natural numbers")
        self._asked = (k, not _is_largest("Selector", mode), bool(distinct), skips("Selector", nan), first)
        self._known = None

    def _start(self, dtype):
        started = _core.Selector(dtype, *self._asked)
        self._known = self._known or started

    def add(self, x):
        """Sees the next elements of the array; returns self. x has one dimension, with elements side by side."""
        if self._known is None:
            self._start(_core.dtype_of_elements("Selector.add", x))
        self._known.add("Selector.add", x)
        return self

    def merge(self, other):
        """Takes over what another saw of the same array, at other indices. Returns self."""
        if type(other) is not Selector:
            raise TypeError(f"merge: a {type(other).__name__} into a Selector")
        if other._asked[:4] != self._asked[:4]:
            raise ValueError("merge: the selectors are asked for different things")
        if other._known is not None:
            if self._known is None:
                self._start(other._known.elements)
            if self._known.elements != other._known.elements:
                raise TypeError(f"merge: of {other._known.elements} into {self._known.elements}")
            self._known.append(other._known)
        return self

    @property
    def count(self):
        """How many elements were seen."""
        return 0 if self._known is None else self._known.count

    def result(self):
        """A named tuple (values, indices), the best first; there have to be k elements."""
        if self._known is None:
            raise ValueError(f"Selector.result: k = {self._asked[0]} of no elements")
        return TopK(*self._known.result())

    def to_bytes(self):
        """What from_bytes() makes a selector of that knows the same."""
        asked = " ".join(str(int(a)) for a in self._asked).encode()
        if self._known is None:
            return asked + b"\0\0"
        return b"\0".join((asked, self._known.elements.encode(), self._known.bytes()))

    @classmethod
    def from_bytes(cls, data):
        """A selector from what to_bytes() of one has given, on whatever machine."""
        asked, dtype, known = bytes(data).split(b"\0", 2)
        k, smallest, distinct, skip, first = (int(a) for a in asked.decode().split(" "))
        selector = cls(k, mode="smallest" if smallest else "largest", distinct=bool(distinct),
                       nan="skip" if skip else "propagate", first=first)
        if dtype:
            selector._start(dtype.decode())
            selector._known.read(known)
        return selector

    def __reduce__(self):
        return type(self).from_bytes, (self.to_bytes(),)
