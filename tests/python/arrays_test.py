# SPDX-License-Identifier: Apache-2.0
"""Arrays of every library come in without a copy, results are of the same library, with the same bits."""

import array
import gc
import multiprocessing
import os
import resource
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import tally

X = np.random.default_rng(0).standard_normal((64, 100))


def test_numpy_gives_numpy():
    assert type(tally.sum(X)) is np.float64
    assert type(tally.sum(X, axis=0)) is np.ndarray
    assert type(tally.any(X)) is np.bool_
    assert type(tally.argmax(X)) is np.int64


def test_what_numpy_makes_arrays_of():
    assert tally.sum([0.1] * 10) == 1.0
    assert tally.sum(((1, 2), (3, 4)), axis=0).tolist() == [4, 6]
    assert tally.sum(3) == 3 and tally.max(np.float32(2.5)) == 2.5
    assert tally.sum(array.array("d", [0.1] * 10)) == 1.0
    assert tally.sum(memoryview(bytes([1, 2, 3]))) == 6


def test_no_copy_of_what_is_read():
    big = np.ones(1 << 24)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for view in (big, big[::2], big[::-1], big.reshape(1 << 12, -1).T):
        tally.sum(view), tally.max(view)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 32 << 10  # KB


def test_arrays_that_are_not_as_this_machine_has_them():
    swapped = X.astype(">f8")
    assert tally.sum(swapped) == tally.sum(X)
    raw = np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float64)
    assert not raw.flags.aligned and tally.sum(raw) == tally.sum(X)
    packed = np.zeros(X.size, [("a", "u1"), ("x", "f8")])
    packed["x"] = X.reshape(-1)
    assert tally.sum(packed["x"]) == tally.sum(X)
    locked = X.copy()
    locked.flags.writeable = False
    assert tally.sum(locked) == tally.sum(X)


def test_memory_is_given_back():
    class Array(np.ndarray):
        pass
    x = np.ones(1000).view(Array)
    gone = weakref.ref(x)
    tally.sum(x), tally.top_k(x, 3), tally.cumulative_sum(x), tally.sum(x, where=x > 0)
    with pytest.raises(ValueError):
        tally.top_k(x, 2000)
    del x
    gc.collect()
    assert gone() is None
    count = sys.getrefcount(np.float64)
    for _ in range(1000):
        tally.sum(X), tally.minmax(X, axis=0)
    assert sys.getrefcount(np.float64) - count < 100


def test_many_threads():
    want = tally.sum(X), tally.cumulative_sum(X, axis=0).tobytes(), tally.top_k(X, 5).indices.tobytes()
    big = np.random.default_rng(1).standard_normal(1 << 18)
    exact, wrong = tally.sum(big), []

    def work():
        for _ in range(125):
            found = (tally.sum(X), tally.cumulative_sum(X, axis=0).tobytes(),
                     tally.top_k(X, 5).indices.tobytes())
            if found != want or tally.sum(big) != exact:
                wrong.append(found)
    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def sum_of(x):
    return tally.sum(x)


def test_without_numpy():
    program = ("import sys, array\n"
               "sys.modules['numpy'] = None\n"
               "import tally\n"
               "out = array.array('d', [0])\n"
               "assert tally.sum(array.array('d', [0.1] * 10), out=out, keepdims=True)[0] == 1\n"
               "try: tally.sum([1.0])\n"
               "except ImportError as e: print(e)\n")
    folder = os.path.dirname(os.path.dirname(tally.__file__))
    done = subprocess.run([sys.executable, "-c", program], check=True, timeout=60, capture_output=True,
                          env={**os.environ, "PYTHONPATH": folder})
    assert b"numpy" in done.stdout


def test_names_that_jax_has_too():
    class RayTracer:
        pass
    with pytest.raises(TypeError, match="sum: x is a RayTracer, which is no array"):
        tally.sum(RayTracer())


def test_child_processes():
    big = np.random.default_rng(1).standard_normal(1 << 20)
    exact = tally.sum(big)
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(sum_of, [big] * 4) == [exact] * 4


def test_threads_do_not_change_bits():
    big = np.random.default_rng(1).standard_normal(1 << 20)
    try:
        found = set()
        for count in (1, 2, 3, 7):
            tally.set_threads(count)
            assert tally.threads() == count
            found.add((float(tally.sum(big)), tally.cumulative_sum(big).tobytes()))
        assert len(found) == 1
    finally:
        tally.set_threads(0)


def test_rows_have_the_bits_that_they_have_alone():
    rng = np.random.default_rng(2)
    x = (rng.standard_normal((4096, 77)) * 2.0 ** rng.integers(-40, 40, (4096, 77))).astype(np.float32)
    row, batch = x[1717], x[1716:1719]
    for f in (tally.sum, tally.mean, tally.var, tally.norm):
        assert f(row) == f(batch, axis=1)[1] == f(x, axis=1)[1717]
        assert f(x.T, axis=0)[1717] == f(row) == f(row.copy())
    for f in (tally.cumulative_sum, lambda a, axis: tally.top_k(a, 9, axis=axis).values):
        assert (f(row, axis=0) == f(batch, axis=1)[1]).all() and (f(row, axis=0) == f(x, axis=1)[1717]).all()


def test_buffers_without_strides():
    import ctypes
    assert tally.sum((ctypes.c_double * 3)(1, 2, 3)) == 6
    for scalar in (np.datetime64(1, "s"), np.timedelta64("NaT")):
        with pytest.raises(TypeError, match="sum: x holds"):
            tally.sum(scalar)


def test_first_calls_of_many_threads():
    program = ("import threading, array, tally\n"
               "x = array.array('d', [1.0] * 9)\n"
               "found = []\n"
               "work = lambda: found.append((tally.sum(x), tally.cumulative_sum(x)[-1]))\n"
               "threads = [threading.Thread(target=work) for _ in range(8)]\n"
               "[t.start() for t in threads], [t.join() for t in threads]\n"
               "assert found == [(9.0, 9.0)] * 8\n")
    folder = os.path.dirname(os.path.dirname(tally.__file__))
    for _ in range(3):
        subprocess.run([sys.executable, "-c", program], check=True, timeout=60,
                       env={**os.environ, "PYTHONPATH": folder})


def in_threads(works):
    threads = [threading.Thread(target=work) for work in works]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def test_states_of_many_threads():
    total, part = tally.ExactSum(), np.ones(3000)
    in_threads([lambda: [total.add(part) for _ in range(500)]] * 8)
    assert (total.count, total.value) == (3000 * 4000, 3000.0 * 4000)


def test_the_first_elements_of_a_state_come_from_many_threads():
    interval, part = sys.getswitchinterval(), np.ones(10)
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(300):
            total, best = tally.ExactSum(), tally.Selector(1)
            in_threads([lambda: total.add(part), lambda: total.merge(tally.ExactSum(part))] * 2
                       + [lambda: best.add(part)] * 2)
            assert (total.count, best.count) == (40, 20)
    finally:
        sys.setswitchinterval(interval)


def test_states_are_read_while_others_add():
    part = np.random.default_rng(0).standard_normal(500_000)
    total, best, running = tally.ExactSum(part), tally.Selector(100_000).add(part), tally.Scanner()
    running.scan(part)
    wrong = []

    def read():
        for _ in range(15):
            try:
                seen = [type(s).from_bytes(s.to_bytes()) for s in (total, best, running)]
                wrong.extend(s.count for s in seen[:2] if s.count % part.size)
                seen[1].result(), best.result(), best.count, running.total, total.value
            except ValueError as e:
                wrong.append(e)
    in_threads([lambda f=f: [f(part) for _ in range(20)] for f in (total.add, best.add, running.scan)]
               + [read])
    assert not wrong
    assert total.count == best.count == 21 * part.size
    assert total.value == running.total


def test_elements_in_no_segment_have_sums_of_zero():
    assert tally.cumulative_sum(np.arange(5.0), segments=[1, 3]).tolist() == [0, 1, 3, 0, 0]


def test_quantiles_do_not_depend_on_earlier_ones():
    from fractions import Fraction
    x = np.arange(21.0)
    for _ in range(2):
        assert tally.quantile(x, 0.95, method="lower") == 19
        assert tally.quantile(x, Fraction(0.95), method="lower") == 18


def test_floating_types_however_they_are_spelled():
    assert tally.cumulative_prod(np.array([1.5, 2.5], ">f8")).tolist() == [1.5, 3.75]
    x = np.array([16777217.0, -16777216.0])
    assert tally.cumulative_sum(x, dtype=np.float32).tolist() == [16777216, 1]
    with pytest.raises(ValueError, match="axis 5 is out of bounds"):
        tally.sum(np.ones((2, 3)), axis=5, initial=1.0)


def test_what_fails_writes_nothing():
    b = np.arange(1.0, 5)
    with pytest.raises(ValueError):
        tally.cumulative_sum(b[:3], out=b, include_initial=True)
    assert b.tolist() == [1, 2, 3, 4]


def test_bytes_of_unknown_types():
    with pytest.raises(ValueError, match="'nope'"):
        tally.ExactSum.from_bytes(tally.ExactSum([True]).to_bytes().replace(b"bool", b"nope"))
