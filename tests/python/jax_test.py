# SPDX-License-Identifier: Apache-2.0
"""JAX's arrays on the CPU, by __dlpack__: what comes back are JAX's, with the bits that NumPy's have."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="no JAX")
import tally  # noqa: E402

jax.config.update("jax_enable_x64", True)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "int64", "uint8", "float16", "bfloat16",
                                   "float32", "float64"])
def test_arrays_give_arrays(dtype):
    x = jax.numpy.asarray(np.random.default_rng(0).integers(-100, 100, (5, 40, 3)) / 7).astype(dtype)
    y = np.asarray(x)
    for axis in (None, 1, (0, 2)):
        for f in (tally.sum, tally.mean, tally.max, tally.argmin):
            if f is tally.argmin and isinstance(axis, tuple):
                continue
            found = f(x, axis=axis)
            assert isinstance(found, jax.Array)
            assert found.dtype == f(y, axis=axis).dtype
            assert np.asarray(found).tobytes() == np.asarray(f(y, axis=axis)).tobytes()
    for found, want in ((tally.cumulative_sum(x, axis=1), tally.cumulative_sum(y, axis=1)),
                        (tally.top_k(x, 2, axis=1).indices, tally.top_k(y, 2, axis=1).indices),
                        (tally.sum(x, axis=0, where=x > 0), tally.sum(y, axis=0, where=y > 0)),
                        (tally.max(x, axis=0, initial=1), tally.max(y, axis=0, initial=1))):
        assert isinstance(found, jax.Array) and np.asarray(found).tobytes() == want.tobytes()


def test_results_stay_when_others_are_made():
    x = jax.numpy.arange(1000.0)
    found = [tally.cumulative_sum(x + i) for i in range(50)]
    for i, f in enumerate(found):
        assert np.asarray(f).tobytes() == np.cumsum(np.arange(1000.0) + i).tobytes()


def test_tracing_is_an_error_that_says_so():
    with pytest.raises(TypeError, match="jax.jit traces"):
        jax.jit(tally.sum)(jax.numpy.ones(3))
