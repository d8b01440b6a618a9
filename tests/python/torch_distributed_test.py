# SPDX-License-Identifier: Apache-2.0
"""Sums over the processes of torch.distributed: each is the exact sum, rounded once, and the same on any
number of processes."""

import math
import socket
from fractions import Fraction

import pytest

torch = pytest.importorskip("torch", reason="no PyTorch")
import torch.distributed as dist  # noqa: E402
import torch.multiprocessing  # noqa: E402

import tally  # noqa: E402
import tally.torch  # noqa: E402

INTEGERS = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32,
            torch.float64: torch.int64}
STORED = {torch.float16: (10, -24), torch.bfloat16: (7, -133), torch.float32: (23, -149),
          torch.float64: (52, -1074)}
PARTS, LENGTH = 8, 120
KINDS = ["normal", "any_bits", "many_sizes", "cancelling", "largest_and_least", "zeros"]


def part_of(kind, dtype, number):
    """What comes from elsewhere; PARTS of them are to be added."""
    g = torch.Generator().manual_seed(100 * number + KINDS.index(kind))
    normal = torch.randn(LENGTH, generator=g, dtype=torch.float64)
    if kind == "normal":
        return normal.to(dtype)
    if kind == "any_bits":
        all = torch.iinfo(INTEGERS[dtype])
        return torch.randint(all.min, all.max, (LENGTH,), generator=g).to(INTEGERS[dtype]).view(dtype)
    if kind == "many_sizes":
        return (normal * 2.0 ** torch.randint(-80, 80, (LENGTH,), generator=g)).to(dtype)
    if kind == "cancelling":
        large = torch.randn(LENGTH, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
        return ((-1) ** number * 1e4 * large).to(dtype) if number < 6 else (1e-3 * normal).to(dtype)
    if kind == "largest_and_least":
        x = torch.full((LENGTH,), torch.finfo(dtype).max, dtype=dtype) * (1 if number % 3 else -1)
        x[::2] = torch.finfo(dtype).smallest_normal / 2.0 ** torch.randint(0, 8, (60,), generator=g)
        return x
    return torch.tensor([0.0, -0.0] * (LENGTH // 2)).to(dtype) * (-1) ** number


def rounded(exact, dtype):
    """To the nearest number of the type, of two the even one."""
    if exact == 0:
        return 0.0
    stored, least = STORED[dtype]
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - stored, least)
    value = round(size / unit) * unit
    value = math.inf if value > Fraction(torch.finfo(dtype).max) else float(value)
    return value if exact > 0 else -value


def exact_sum(values, dtype):
    others = [v for v in values if not math.isfinite(v)]
    return sum(others) if others else rounded(sum(map(Fraction, values)), dtype)


def expected(kind, dtype):
    parts = [part_of(kind, dtype, number).double().tolist() for number in range(PARTS)]
    sums = [exact_sum(values, dtype) for values in zip(*parts)]
    return torch.tensor(sums, dtype=torch.float64).to(dtype)


def share(rank, size):
    """The numbers of the parts of a rank; the last one has what the others leave."""
    each = PARTS // size
    return range(rank * each, PARTS if rank + 1 == size else (rank + 1) * each)


def start(rank, size, port, body, *arguments):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=size)
    try:
        body(rank, size, *arguments)
    finally:
        dist.destroy_process_group()


def on_ranks(size, body, *arguments):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(start, (size, port, body, *arguments), nprocs=size)


def sum_all(rank, size, folder):
    found = {}
    for dtype in INTEGERS:
        for kind in KINDS:
            mine = [part_of(kind, dtype, number) for number in share(rank, size)]
            before = [m.clone() for m in mine]
            found[dtype, kind] = tally.torch.all_reduce_sum(mine)
            assert all(torch.equal(a.view(INTEGERS[dtype]), b.view(INTEGERS[dtype]))
                       for a, b in zip(mine, before))
            if size == PARTS:
                alone = tally.torch.all_reduce_sum(mine[0].view(2, -1)).view(-1)
                assert torch.equal(alone.view(INTEGERS[dtype]), found[dtype, kind].view(INTEGERS[dtype]))
    torch.save(found, f"{folder}/{rank}")


@pytest.mark.parametrize("size", [1, 2, 3, 4, PARTS])
def test_sums_are_exact_on_any_number_of_processes(size, tmp_path):
    on_ranks(size, sum_all, str(tmp_path))
    for rank in range(size):
        for (dtype, kind), found in torch.load(tmp_path / str(rank)).items():
            wanted = expected(kind, dtype)
            assert torch.equal(found.isnan(), wanted.isnan()), (dtype, kind)
            same = found.view(INTEGERS[dtype]) == wanted.view(INTEGERS[dtype])
            assert (same | wanted.isnan()).all(), (dtype, kind)


def sum_beside_the_backend(rank, size, folder):
    mine = [torch.randn(5000, generator=torch.Generator().manual_seed(number)) for number in share(rank, size)]
    found = tally.torch.all_reduce_sum(mine)
    assert torch.equal(tally.torch.all_reduce_sum([m[:1000] for m in mine]), found[:1000])
    inexact = torch.stack(mine).sum(0)
    dist.all_reduce(inexact)
    torch.save((found, inexact), f"{folder}/{size}")


def test_bits_are_those_of_any_number_of_processes_where_the_backends_differ(tmp_path):
    sizes = 1, 2, 4, PARTS
    for size in sizes:
        on_ranks(size, sum_beside_the_backend, str(tmp_path))
    found, inexact = zip(*(torch.load(tmp_path / str(size)) for size in sizes))
    assert len({x.numpy().tobytes() for x in found}) == 1
    assert len({x.numpy().tobytes() for x in inexact}) > 1


def sum_integers(rank, size, folder):
    x = torch.arange(6).view(2, 3) * (rank + 1)
    assert torch.equal(tally.torch.all_reduce_sum(x), torch.arange(6).view(2, 3) * 3)
    assert torch.equal(tally.torch.all_reduce_sum([x > 2, x > 0]), (x > 100).long()
                       + sum(((torch.arange(6).view(2, 3) * r) > t).long() for r in (1, 2) for t in (0, 2)))
    assert tally.torch.all_reduce_sum(torch.full((3,), 100, dtype=torch.int8)).tolist() == [-56] * 3
    for dtype in (torch.int16, torch.uint16, torch.uint32, torch.uint64):  # which Gloo does not add
        sums = tally.torch.all_reduce_sum([torch.full((3,), torch.iinfo(dtype).max, dtype=dtype)] * 2)
        assert sums.dtype == dtype
        assert sums.tolist() == [-4 if dtype == torch.int16 else torch.iinfo(dtype).max - 3] * 3
    assert tally.torch.all_reduce_sum(torch.zeros(0)).shape == (0,)
    assert tally.torch.all_reduce_sum(torch.tensor(0.1)).shape == ()
    rows = torch.randn(40, 30, generator=torch.Generator().manual_seed(rank)).t()
    turned = tally.torch.all_reduce_sum(rows)
    assert torch.equal(turned, tally.torch.all_reduce_sum(rows.contiguous()))
    apart = torch.stack((rows.reshape(-1),) * 2, 1)[:, 1].requires_grad_()
    assert torch.equal(turned.view(-1), tally.torch.all_reduce_sum(apart))
    both = [torch.randn(40, 30, generator=torch.Generator().manual_seed(r)).t() for r in range(2)]
    assert torch.equal(tally.torch.all_reduce_sum([both[rank]] * (1 + 19 * rank)),
                       tally.torch.all_reduce_sum([both[0]] + [both[1]] * 7 if rank == 0 else [both[1]] * 13))
    tally.torch._AT_ONCE, tally.torch._LOST_AT_ONCE = 700, 3
    assert torch.equal(turned, tally.torch.all_reduce_sum(rows))
    wide = torch.cat([rows * 2.0 ** e for e in range(-100, 101, 50)], 1)
    found = tally.torch.all_reduce_sum(wide)
    tally.torch._AT_ONCE = tally.torch._LOST_AT_ONCE = 1 << 18
    assert torch.equal(found, tally.torch.all_reduce_sum(wide))
    assert torch.equal(found[:, :40], turned * 2.0 ** -100)


def test_integers_shapes_and_parts(tmp_path):
    on_ranks(2, sum_integers, str(tmp_path))


def clip(rank, size, folder):
    g = torch.Generator().manual_seed(1)
    gradients = [torch.randn(1000, generator=g) * 10.0 ** n for n in range(-3, 5)]
    mine = [torch.nn.Parameter(torch.zeros(1000)) for _ in share(rank, size)]
    for p, number in zip(mine, share(rank, size)):
        p.grad = gradients[number].clone()
    norm = tally.torch.clip_grad_norm_(mine, 1.0, group=dist.group.WORLD)
    torch.save((norm, [p.grad for p in mine]), f"{folder}/{rank}")


def test_clipping_by_the_exact_norm(tmp_path):
    found = {}
    for size in (1, 2, 3):
        folder = tmp_path / str(size)
        folder.mkdir()
        on_ranks(size, clip, str(folder))
        parts = [torch.load(folder / str(rank)) for rank in range(size)]
        assert len({norm.item() for norm, _ in parts}) == 1
        found[size] = parts[0][0], torch.cat([g for _, all in parts for g in all])
    g = torch.Generator().manual_seed(1)
    whole = torch.cat([torch.randn(1000, generator=g) * 10.0 ** n for n in range(-3, 5)])
    for norm, gradients in found.values():
        assert norm == tally.norm(whole)
        assert torch.equal(gradients, found[1][1])
    assert abs(tally.norm(found[1][1]).item() - 1) < 1e-6


def test_clipping_here():
    p, none = torch.nn.Parameter(torch.zeros(3)), torch.nn.Parameter(torch.zeros(2))
    p.grad = torch.tensor([3.0, 0.0, 4.0])
    assert tally.torch.clip_grad_norm_([p, none], 10.0) == 5
    assert p.grad.tolist() == [3.0, 0.0, 4.0]
    assert tally.torch.clip_grad_norm_(p, 1.0) == 5
    assert torch.allclose(p.grad, torch.tensor([0.6, 0.0, 0.8]))
    assert tally.torch.clip_grad_norm_([none], 1.0) == 0


@pytest.mark.parametrize("x, error, text", [
    ([1.0], TypeError, "x is no tensor but of float"),
    (3, TypeError, "x is no tensor but of int"),
    (torch.zeros(2, dtype=torch.complex64), TypeError, "torch.complex64"),
    (torch.zeros(2).to_sparse(), TypeError, "sparse"),
    ([], ValueError, "x has tensors []"),
    ([torch.zeros(2), torch.zeros(3)], ValueError, "(3, torch.float32)"),
])
def test_errors_name_what_is_wrong(x, error, text):
    with pytest.raises(error) as raised:
        tally.torch.all_reduce_sum(x)
    assert "all_reduce_sum: " in str(raised.value) and text in str(raised.value)
