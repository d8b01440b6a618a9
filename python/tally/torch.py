# SPDX-License-Identifier: Apache-2.0
"""Exact sums over the processes of torch.distributed: the same bits on 1 process or 1,000, whatever the
order in which they are added, because the backend (Gloo, NCCL, MPI) adds up nothing but integers.

Elements of a process are cut into digits, a few integers, of numbers in fixed point whose highest place
is that of the largest element of all processes. The backend adds up each digit by itself; what that
makes is the exact sum, which is rounded once (include/tally/digits.hpp). Elements that any process has
too small for so few digits are added once more, by as many as hold all numbers of the type.
"""

import torch
import torch.distributed as dist

from tally import _core

__all__ = ["all_reduce_sum", "clip_grad_norm_"]

_FLOATING = {torch.float16, torch.bfloat16, torch.float32, torch.float64}
_ADDED = {torch.int8, torch.uint8, torch.int32, torch.int64}  # by every backend
_AT_ONCE = 1 << 24  # elements: what is computed on the way takes up to 17 bytes of each
_LOST_AT_ONCE = 1 << 18  # groups of eight; one of float64 takes 2,304 bytes on 8 processes


def all_reduce_sum(x, group=None):
    """The exact sums of what the processes have at each place of x, each rounded once to its type, as a
    new tensor on its device. x: a tensor, or a list of some that are added, too, as from batches one
    after the other. All processes of the group call it, with tensors of one shape and type, of which
    each may have another number. Integers are added modulo 2**bits, by a backend that has sums of
    their type (NCCL has none of int16); of bools the int64 count.

    8.1 bytes of a float32, and 16.1 of a float64, go through the backend instead of 4 and 8; the host
    waits for it.
    """
    all = [_checked(t) for t in (x if isinstance(x, (list, tuple)) else [x])]
    if not all or any((t.shape, t.dtype) != (all[0].shape, all[0].dtype) for t in all):
        raise ValueError(f"all_reduce_sum: x has tensors {[(*t.shape, t.dtype) for t in all]}")
    rows = [t.detach().contiguous().view(-1) for t in all]
    if not all[0].is_floating_point():
        total = torch.int64 if all[0].dtype == torch.bool else all[0].dtype
        wide = total if total in _ADDED else torch.int64
        sums = torch.stack([row.to(wide) for row in rows]).sum(0, dtype=wide)
        dist.all_reduce(sums, group=group)
        return sums.to(total).view(all[0].shape)
    out = torch.empty_like(rows[0])
    for at in range(0, len(out), _AT_ONCE):
        _sums([row[at:at + _AT_ONCE] for row in rows], out[at:at + _AT_ONCE], group)
    return out.view(all[0].shape)


def _sums(rows, out, group):
    """Writes to `out` the exact sums of the rows of all processes of the group."""
    processes = dist.get_world_size(group)
    places, digits = _core.find_places(rows)
    dist.all_reduce(places, op=dist.ReduceOp.MAX, group=group)
    _core.cut_digits(rows, processes, places, digits)
    dist.all_reduce(digits, group=group)
    if _core.round_digits(processes, places, digits, out):
        lost = _core.find_lost_groups(rows, processes, places)
        dist.all_reduce(lost, op=dist.ReduceOp.MAX, group=group)
        count = processes << int(places[-1])
        for groups in lost.nonzero().view(-1).split(_LOST_AT_ONCE):
            digits = _core.cut_all_digits(rows, count, groups)
            dist.all_reduce(digits, group=group)
            _core.round_all_digits(count, groups, digits, out)


def _checked(x):
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"all_reduce_sum: x is no tensor but of {type(x).__name__}")
    is_number = x.dtype in _FLOATING or not (x.is_floating_point() or x.is_complex())
    if x.layout != torch.strided or not is_number:
        raise TypeError(f"all_reduce_sum: x is a tensor of {x.layout}, {x.dtype}")
    return x


def clip_grad_norm_(parameters, max_norm, *, group=None):
    """As torch.nn.utils.clip_grad_norm_ of the 2-norm, but of the exact norm, rounded once: returns it, and
    scales gradients so that it is at most max_norm. group: the processes that share out the
    parameters, each of which calls this with its own; None if all are here. The norm is a tensor
    in the host's memory.
    """
    parameters = [parameters] if isinstance(parameters, torch.Tensor) else parameters
    gradients = [p.grad for p in parameters if p.grad is not None]
    wide = any(g.dtype == torch.float64 for g in gradients)
    if group is not None:
        wide = max(_of_all(wide, group))
    known = _core.Reducer("norm", "float64" if wide else "float32", False, False)
    for g in gradients:
        known.add("clip_grad_norm_", g.detach().to(torch.float64 if wide else torch.float32))
    if group is not None:
        merged = _core.Reducer("norm", known.elements, False, False)
        for data in _of_all(known.bytes(), group):
            other = _core.Reducer("norm", known.elements, False, False)
            other.read(data)
            merged.append(other)
        known = merged
    norm = torch.tensor(known.result("clip_grad_norm_", "norm", 0, None) if known.count else 0.0,
                        dtype=torch.float64 if wide else torch.float32)
    factor = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
    for g in gradients:
        g.mul_(factor.to(g.device))
    return norm


def _of_all(mine, group):
    everyone = [None] * dist.get_world_size(group)
    dist.all_gather_object(everyone, mine, group=group)
    return everyone
