# SPDX-License-Identifier: Apache-2.0
"""Arrays of PyTorch, CuPy and JAX in a GPU's memory: the bits of NumPy's on cores, results where the array
is, and the caller's stream.

Runs with a module that was built with CUDA, on a machine with a GPU, under pytest or alone."""

import importlib.util

import numpy as np
import pytest
import tally


def libraries():
    """Of each that sees a GPU: its name, how to bring an array there, and back."""
    found = []
    if importlib.util.find_spec("torch"):
        import torch
        if torch.cuda.is_available():
            found.append(("torch", lambda x: torch.from_numpy(x.copy()).cuda(), lambda x: x.cpu().numpy()))
    if importlib.util.find_spec("cupy"):
        import cupy
        if cupy.cuda.is_available():
            found.append(("cupy", cupy.asarray, lambda x: x.get()))
    if importlib.util.find_spec("jax"):
        import jax
        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() == "gpu":
            found.append(("jax", jax.numpy.asarray, np.asarray))
    return found


LIBRARIES = libraries()
pytestmark = pytest.mark.skipif(not LIBRARIES, reason="no GPU")


def arrays():
    rng = np.random.default_rng(0)
    for dtype in ("float32", "float64", "float16", "int32", "int64", "int8", "bool"):
        for shape in ((1,), (1000,), (1 << 20,), (64, 1000), (1000, 64), (3, 40, 50)):
            x = rng.standard_normal(shape) * 2.0 ** rng.integers(-20, 20, shape)
            yield x.astype(dtype) if dtype.startswith("float") else rng.integers(
                -100, 100, shape).astype(dtype)


FUNCTIONS = {
    **{name: getattr(tally, name) for name in (
        "sum", "mean", "var", "std", "norm", "min", "max", "argmin", "argmax", "any", "all", "prod",
        "count_nonzero", "fast_sum", "median")},
    "sum of some": lambda x, axis: tally.sum(x, axis=axis, where=x > 0),
    "minimum of some": lambda x, axis: tally.min(x, axis=axis, where=x > 0, initial=1),
    "mean of some": lambda x, axis: tally.mean(x, axis=axis, where=x > 0),
    "maximum and one": lambda x, axis: tally.max(x, axis=axis, initial=1),
    "sum and one as float64": lambda x, axis: tally.sum(x, axis=axis, initial=1, dtype="float64"),
    "sum as float64": lambda x, axis: tally.sum(x, axis=axis, dtype="float64"),
    "sum as int16": lambda x, axis: tally.sum(x, axis=axis, dtype="int16"),
    "elements as int8": lambda x, axis: tally.sum(x, axis=(), dtype="int8"),
}


def same(found, want, told):
    found, want = np.asarray(found), np.asarray(want)
    assert found.dtype == want.dtype and found.shape == want.shape, told
    assert found.tobytes() == want.tobytes(), told


def test_reductions():
    for kind, there, here in LIBRARIES:
        for x in arrays():
            y = there(x)
            for name, f in FUNCTIONS.items():
                for axis in (None, *range(x.ndim)):
                    told = (kind, name, x.dtype, x.shape, axis)
                    found = f(y, axis=axis)
                    assert type(found) is type(y), told
                    same(here(found), f(x, axis=axis), told)


def test_scans_and_selections():
    for kind, there, here in LIBRARIES:
        for x in arrays():
            y = there(x)
            for axis in range(x.ndim):
                told = (kind, x.dtype, x.shape, axis)
                same(here(tally.cumulative_sum(y, axis=axis)), tally.cumulative_sum(x, axis=axis), told)
                same(here(tally.cumulative_sum(y, axis=axis, include_initial=True, reverse=True)),
                     tally.cumulative_sum(x, axis=axis, include_initial=True, reverse=True), told)
                same(here(tally.cumulative_max(y, axis=axis)), tally.cumulative_max(x, axis=axis), told)
                if x.dtype.kind != "f":  # those are rounded in a device's own order
                    same(here(tally.cumulative_prod(y, axis=axis)), tally.cumulative_prod(x, axis=axis),
                         told)
                for k in {1, min(7, x.shape[axis])}:
                    for got, want in zip(tally.top_k(y, k, axis=axis), tally.top_k(x, k, axis=axis)):
                        same(here(got), want, told)
                    for got, want in zip(tally.kth_value(y, k, axis=axis),
                                         tally.kth_value(x, k, axis=axis)):
                        same(here(got), want, told)
                if x.dtype.kind != "b":
                    found = tally.top_k(y, 1, axis=axis, bias=y[:1])
                    for got, want in zip(found, tally.top_k(x, 1, axis=axis, bias=x[:1])):
                        same(here(got), want, told)
                same(here(tally.cumulative_sum(y, axis=axis, dtype="int32")),
                     tally.cumulative_sum(x, axis=axis, dtype="int32"), told)
                same(here(tally.quantile(y, [0.1, 0.95], axis=axis)),
                     tally.quantile(x, [0.1, 0.95], axis=axis), told)


def test_views():
    for kind, there, here in LIBRARIES:
        x = np.random.default_rng(1).standard_normal((40, 60, 10)).astype(np.float32)
        y = there(x)
        for view in (lambda a: a[::2], lambda a: a[:, 1:, ::3], lambda a: a.transpose(2, 0, 1) if kind !=
                     "torch" or isinstance(a, np.ndarray) else a.permute(2, 0, 1)):
            for axis in (0, 1, 2):
                same(here(tally.sum(view(y), axis=axis)), tally.sum(view(x), axis=axis), kind)
                same(here(tally.cumulative_sum(view(y), axis=axis)),
                     tally.cumulative_sum(view(x), axis=axis), kind)


def test_segments():
    for kind, there, here in LIBRARIES:
        rng = np.random.default_rng(2)
        at = np.concatenate([[0], np.cumsum(rng.integers(0, 90, 500))])
        x = rng.standard_normal(at[-1]).astype(np.float32)
        y, ends = there(x), there(at)
        for f in (tally.sum, tally.max, tally.cumulative_sum, tally.median):
            same(here(f(y, segments=ends)), f(x, segments=at), (kind, f))
        for got, want in zip(tally.top_k(y, 3, segments=ends), tally.top_k(x, 3, segments=at)):
            same(here(got), want, kind)


def test_the_callers_stream():
    """What is asked for behind a long kernel on a side stream comes after it."""
    for kind, there, here in LIBRARIES:
        x = np.random.default_rng(3).standard_normal(1 << 22).astype(np.float32)
        want = tally.sum(x * 2)
        if kind == "torch":
            import torch
            y, stream = there(x), torch.cuda.Stream()
            torch.cuda.synchronize()
            for _ in range(20):
                with torch.cuda.stream(stream):
                    torch.cuda._sleep(2_000_000)
                    found = tally.sum(y * 2)
                    tally.top_k(y * 3, 5)
                stream.synchronize()
                same(here(found), want, kind)
        elif kind == "cupy":
            import cupy
            y, stream = there(x), cupy.cuda.Stream(non_blocking=True)
            cupy.cuda.Device().synchronize()
            for _ in range(20):
                with stream:
                    for _ in range(50):
                        z = y * 2
                    found = tally.sum(z)
                stream.synchronize()
                same(here(found), want, kind)
        else:
            y = there(x)
            for _ in range(20):
                same(here(tally.sum(y * 2)), want, kind)


def test_memory_of_arrays_that_are_gone():
    for kind, there, here in LIBRARIES:
        x = np.random.default_rng(4).standard_normal((512, 2048)).astype(np.float32)
        want = tally.sum(x, axis=1)
        found = [tally.sum(there(x), axis=1) for _ in range(50)]
        for f in found:
            same(here(f), want, kind)


def test_states():
    for kind, there, here in LIBRARIES:
        x = np.random.default_rng(5).standard_normal(10000)
        s = tally.ExactSum(there(x[:3000])).merge(tally.ExactSum(there(x[3000:])))
        assert s == tally.ExactSum(x) and s.value == tally.sum(x), kind
        assert tally.Moments(there(x[::2])) == tally.Moments(x[::2]), kind
        found, want = (tally.Selector(9).add(a) for a in (there(x), x))
        assert found.result().indices.tolist() == want.result().indices.tolist(), kind


if __name__ == "__main__":
    import time
    import traceback
    print("libraries:", [kind for kind, _, _ in LIBRARIES])
    failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            begin = time.perf_counter()
            try:
                test()
                print("passed", name, f"{time.perf_counter() - begin:.1f} s", flush=True)
            except Exception:
                failed += 1
                traceback.print_exc()
                print("FAILED", name, flush=True)
    raise SystemExit(failed > 0)
