# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors on the CPU: what comes back are tensors, with the bits that NumPy's arrays have."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="no PyTorch")
import tally  # noqa: E402

from .arrays import bits  # noqa: E402

DTYPES = [torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.float16,
          torch.bfloat16, torch.float32, torch.float64]


def some(dtype, *shape):
    x = torch.from_numpy(np.random.default_rng(0).integers(-100, 100, shape))
    return (x / 7).to(dtype) if dtype.is_floating_point else x.to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tensors_give_tensors(dtype):
    x = some(dtype, 5, 40, 3)
    for view in (x, x.transpose(0, 1), x[:, ::2], x[1:, :, 0]):
        wide = view.double() if dtype.is_floating_point else view.long()
        found = tally.sum(view, axis=1)
        assert isinstance(found, torch.Tensor)
        assert found.dtype == (dtype if dtype.is_floating_point else torch.int64)
        assert torch.equal(found, wide.sum(1).to(found.dtype))
        assert torch.equal(tally.cumulative_sum(view, axis=1), wide.cumsum(1).to(found.dtype))
        assert torch.equal(tally.max(view, axis=0), view.amax(0))
        values, indices = tally.top_k(view, 2, axis=1)
        assert torch.equal(values, view.sort(dim=1, descending=True, stable=True).values[:, :2])
        assert torch.equal(indices, view.sort(dim=1, descending=True, stable=True).indices[:, :2])
    assert tally.sum(x).shape == () and isinstance(tally.sum(x), torch.Tensor)
    assert torch.equal(tally.sum(x, where=x > 0), wide_sum(x * (x > 0)).to(tally.sum(x).dtype))
    assert torch.equal(tally.sum(x, axis=0, initial=1), wide_sum(x, 0, 1).to(tally.sum(x).dtype))


def wide_sum(x, axis=None, more=0):
    x = x.double() if x.is_floating_point() else x.long()
    return (x.sum() if axis is None else x.sum(axis)) + more


def test_dtypes_are_pytorchs():
    x = some(torch.bfloat16, 100)
    assert tally.sum(x, dtype=torch.float32).dtype == torch.float32
    assert tally.sum(some(torch.int32, 9), dtype=torch.int8).dtype == torch.int8
    assert tally.mean(some(torch.int32, 9), dtype=torch.float32).dtype == torch.float32
    assert tally.cumulative_sum(x, dtype=torch.float64).dtype == torch.float64
    out = torch.empty(())
    assert tally.sum(x, dtype=torch.float32, out=out) is out and out == tally.sum(x.float())


def test_exactness():
    x = torch.tensor([1e16, 1.0, -1e16], dtype=torch.float64)
    assert tally.sum(x) == 1
    assert tally.ExactSum(x).merge(tally.ExactSum(x[:1])).value == 1e16
    bf16 = torch.full((1 << 12,), 0.01, dtype=torch.bfloat16)
    assert tally.sum(bf16) == (bf16.double().sum()).to(torch.bfloat16)


def test_subnormal_numbers_where_they_are_flushed_to_zero():
    x = np.array([3, 5, 7], np.uint32).view(np.float32)
    want = [bits(f(x)) for f in (tally.sum, tally.max, tally.median)]
    assert torch.set_flush_denormal(True) or pytest.skip("cannot be flushed here")
    try:
        assert [bits(f(x)) for f in (tally.sum, tally.max, tally.median)] == want
        assert tally.ExactSum(x).value.hex() == (15 * 2.0**-149).hex()
    finally:
        torch.set_flush_denormal(False)


def test_more_bytes_than_there_can_be():
    x = torch.ones(1).expand(2**62)
    for call in (lambda: tally.ExactSum(x), lambda: tally.top_k(x, 1, bias=torch.zeros(1))):
        with pytest.raises(MemoryError):
            call()


def test_tensors_with_gradients_are_refused():
    with pytest.raises(TypeError, match="requires grad"):
        tally.sum(torch.ones(3, requires_grad=True))
    assert tally.sum(torch.ones(3, requires_grad=True).detach()) == 3


def test_tensors_of_other_kinds_are_refused():
    with pytest.raises((TypeError, BufferError, RuntimeError)):
        tally.sum(torch.ones(3, dtype=torch.complex64))
    with pytest.raises((TypeError, BufferError, RuntimeError)):
        tally.sum(torch.eye(3).to_sparse())
    with pytest.raises((TypeError, BufferError, RuntimeError)):
        tally.sum(torch.empty(3, device="meta"))


def test_negative_views_and_tensors_without_memory():
    x = torch.tensor([1 + 2j, 3 + 4j]).conj().imag
    assert tally.sum(x) == -6 and tally.top_k(x, 1).values == -2
    from torch._subclasses.fake_tensor import FakeTensorMode
    with FakeTensorMode():
        fake = torch.ones(3)
    with pytest.raises(TypeError, match="sum: x"):
        tally.sum(fake)
    for other in (torch.eye(3).to_sparse(), torch.empty(3, device="meta")):
        with pytest.raises(TypeError, match="sum: x"):
            tally.sum(other)
