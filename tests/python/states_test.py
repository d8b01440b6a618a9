# SPDX-License-Identifier: Apache-2.0
"""States that are filled in parts, merged, sent as bytes and pickled have the bits of one call."""

import copy
import pickle

import numpy as np
import pytest
import tally
from aggregate.arrays import elements
from aggregate.oracle import FLOATS

from .arrays import NUMPY_TYPES, bits, elements_of


def parts_of(x, rng):
    cuts = np.sort(rng.integers(0, x.size + 1, 5))
    return [x[a:b] for a, b in zip([0, *cuts], [*cuts, x.size])]


def merged(kind, parts, rng, **options):
    states = [kind(p, **options) if rng.integers(2) else kind(**options).add(p) for p in parts]
    while len(states) > 1:
        one, other = (states.pop(int(rng.integers(len(states)))) for _ in range(2))
        one = pickle.loads(pickle.dumps(one)) if rng.integers(2) else copy.deepcopy(one)
        states.append(one.merge(kind.from_bytes(other.to_bytes())))
    return states[0]


def same(found, want):
    return found == want or found != found and want != want


@pytest.mark.parametrize("nan", ["propagate", "skip"])
@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_parts_in_any_grouping(dtype, nan):
    rng = np.random.default_rng(0)
    for _ in range(30):
        x = elements_of(elements(dtype, rng, int(rng.integers(1, 3000))), dtype)
        total = merged(tally.ExactSum, parts_of(x, rng), rng, nan=nan)
        assert total.count == x.size
        assert total == tally.ExactSum(x, nan=nan)
        if dtype in FLOATS:
            assert same(total.value, float(tally.sum(x, nan=nan)))
            for to in FLOATS:
                if to != "bfloat16":
                    assert same(total.rounded_to(to), float(tally.sum(x, dtype=to, nan=nan)))
        else:
            assert total.value == sum(int(v) for v in x)
        moments = merged(tally.Moments, parts_of(x, rng), rng, nan=nan)
        assert same(moments.mean, float(tally.mean(x, nan=nan)))
        for ddof in (0, 1):
            assert same(moments.var(ddof=ddof), float(tally.var(x, ddof=ddof, nan=nan)))
            assert same(moments.std(ddof=ddof), float(tally.std(x, ddof=ddof, nan=nan)))


def test_arrays_of_any_layout_and_of_nothing():
    x = np.arange(60.0).reshape(3, 4, 5)[::-1, :, ::2]
    assert tally.ExactSum(x).value == x.sum()
    nothing = tally.ExactSum()
    assert (nothing.value, nothing.count) == (0, 0)
    assert pickle.loads(pickle.dumps(nothing)) == nothing
    assert nothing.merge(tally.ExactSum([1.5])).merge(tally.ExactSum()).value == 1.5
    assert np.isnan(tally.Moments().mean) and np.isnan(tally.Moments([1.0]).var(ddof=1))


def test_what_does_not_fit_together():
    with pytest.raises(TypeError, match="x holds float32, those before it float64"):
        tally.ExactSum([1.0]).add(np.ones(3, np.float32))
    with pytest.raises(TypeError, match="merge: of int64 into float64"):
        tally.ExactSum([1.0]).merge(tally.ExactSum([1]))
    with pytest.raises(TypeError, match="a Moments into a ExactSum"):
        tally.ExactSum([1.0]).merge(tally.Moments([1.0]))
    with pytest.raises(ValueError, match="nan = 'skip' into 'propagate'"):
        tally.ExactSum([1.0]).merge(tally.ExactSum([1.0], nan="skip"))
    for data in (tally.ExactSum([1.0]).to_bytes()[:-3], tally.ExactSum([1.0]).to_bytes() + b"x"):
        with pytest.raises(ValueError, match="state|bytes"):
            tally.ExactSum.from_bytes(data)


@pytest.mark.parametrize("nan", ["propagate", "skip"])
@pytest.mark.parametrize("dtype", [t for t in NUMPY_TYPES if t != "bool"])
def test_cumulative_sums_chunk_by_chunk(dtype, nan):
    rng = np.random.default_rng(0)
    for exclusive in (False, True):
        x = elements_of(elements(dtype, rng, int(rng.integers(1, 5000))), dtype)
        running, found = tally.Scanner(nan=nan, exclusive=exclusive), []
        for part in parts_of(x, rng):
            found.append(running.scan(part))
            if rng.integers(2):
                running = pickle.loads(pickle.dumps(running))
        want = tally.cumulative_sum(x, nan=nan, exclusive=exclusive)
        assert bits(np.concatenate(found)).tolist() == bits(want).tolist()
        assert same(running.total, tally.sum(x, nan=nan))
    to = np.zeros(2, np.float64)
    if dtype == "float32":
        assert tally.Scanner(dtype="float64").scan(np.array([0.1, 0.2], np.float32), out=to) is to
        assert to.tolist() == tally.cumulative_sum(np.array([0.1, 0.2], np.float32), dtype="float64").tolist()


@pytest.mark.parametrize("nan", ["propagate", "skip"])
@pytest.mark.parametrize("dtype", [t for t in NUMPY_TYPES if t != "bool"])
def test_cumulative_sums_of_chunks_that_are_read_apart(dtype, nan):
    rng = np.random.default_rng(1)
    for exclusive in (False, True):
        x = elements_of(elements(dtype, rng, int(rng.integers(1, 5000))), dtype)
        chunks = parts_of(x, rng)
        told = [pickle.dumps(tally.Scanner(nan=nan).skip(part)) for part in chunks]
        before, found = tally.Scanner(nan=nan, exclusive=exclusive), []
        for part, known in zip(chunks, told):
            found.append(tally.Scanner.from_bytes(before.to_bytes()).scan(part))
            assert before.append(pickle.loads(known)) is before
        want = tally.cumulative_sum(x, nan=nan, exclusive=exclusive)
        assert bits(np.concatenate(found)).tolist() == bits(want).tolist()
        assert same(before.total, tally.sum(x, nan=nan))


def test_scanners_of_other_sums_are_not_appended():
    with pytest.raises(TypeError, match="append: a list to a Scanner"):
        tally.Scanner().append([1.0])
    with pytest.raises(ValueError, match="append: nan = 'skip' to 'propagate'"):
        tally.Scanner().append(tally.Scanner(nan="skip"))
    with pytest.raises(TypeError, match="append: float32 to float32 to a Scanner from float64 to float64"):
        tally.Scanner().skip([1.0]).append(tally.Scanner().skip(np.ones(2, np.float32)))
    wide = tally.Scanner(dtype="float64")
    with pytest.raises(TypeError, match="append: float32 to float32 to a Scanner from float32 to float64"):
        wide.append(tally.Scanner().skip(np.ones(2, np.float32)))
    assert wide.scan([1.0]).tolist() == [1]  # as if nothing had been asked
    with pytest.raises(TypeError, match="x holds float32, those before it float64"):
        tally.Scanner().skip([1.0]).skip(np.ones(2, np.float32))
    with pytest.raises(ValueError, match="do not lie side by side"):
        tally.Scanner().skip(np.ones(4)[::2])
    assert tally.Scanner().append(tally.Scanner()).total == 0


@pytest.mark.parametrize("mode", ["largest", "smallest"])
@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_the_best_chunk_by_chunk(dtype, mode):
    rng = np.random.default_rng(0)
    for distinct in (False, True):
        x = elements_of(elements(dtype, rng, 3000), dtype)
        k = int(rng.integers(0, 100)) if not distinct else 2
        best, rest, at = tally.Selector(k, mode=mode, distinct=distinct), [], 0
        for part in parts_of(x, rng):
            if rng.integers(2):
                rest.append(tally.Selector(k, mode=mode, distinct=distinct, first=at).add(part))
            elif rest:
                rest.append(tally.Selector(k, mode=mode, distinct=distinct, first=at).add(part))
            else:
                best.add(part)
            at += part.size
        for other in rest[::-1]:
            best.merge(pickle.loads(pickle.dumps(other)))
        assert best.count == x.size
        if distinct and np.unique(x).size < k:
            continue
        found, want = best.result(), tally.top_k(x, k, mode=mode, distinct=distinct)
        assert found.indices.tolist() == want.indices.tolist()
        assert bits(found.values).tolist() == bits(want.values).tolist()
        assert tally.Selector.from_bytes(best.to_bytes()).result().indices.tolist() == want.indices.tolist()


def test_chunks_that_do_not_fit():
    with pytest.raises(TypeError, match="x holds float32, those before it float64"):
        running = tally.Scanner()
        running.scan([1.0]), running.scan(np.ones(2, np.float32))
    with pytest.raises(ValueError, match="has not one dimension"):
        tally.Scanner().scan([[1.0]])
    with pytest.raises(ValueError, match="asked for different things"):
        tally.Selector(2).merge(tally.Selector(3))
    with pytest.raises(ValueError, match="k = 2 of no elements"):
        tally.Selector(2).result()
    with pytest.raises(ValueError):
        tally.Selector(2).add([1.0]).result()
    with pytest.raises(ValueError, match="mode = 'best'"):
        tally.Selector(2, mode="best")
