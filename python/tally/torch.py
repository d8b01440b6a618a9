# SPDX-License-Identifier: Apache-2.0
"""Exact sums over the processes of torch.distributed: the same bits on 1 process or 1,000, whatever the
order in which they are added, because the backend (Gloo, NCCL, MPI) adds up nothing but integers.

An element of each process is cut into a few integers, the digits of a number in fixed point whose
highest place is that of the largest of these elements. The backend adds up each digit by itself; what
that makes is the exact sum, which is rounded once. Elements that any process has too small for so few
digits are added once more, by as many as hold all numbers of the type.
"""

from typing import NamedTuple

import torch
import torch.distributed as dist

from tally import _core

__all__ = ["all_reduce_sum", "clip_grad_norm_"]

_AT_ONCE = 1 << 24  # elements: what is computed on the way takes a hundred bytes of each
_NOT_FINITE = 255  # among places, of which the others are at most 228


class _Format(NamedTuple):
    """A number is mantissa * 2**(exponent - bias - stored), its highest bit left out unless the exponent
    is that of subnormals."""

    bits: torch.dtype  # the integers of its width
    stored: int  # bits of the mantissa
    exponents: int  # bits of the exponent
    step: int  # so many exponents are one place
    digits: int

    @property
    def bias(self):
        return 2**(self.exponents - 1) - 1

    @property
    def infinity(self):
        return (2**self.exponents - 1) << self.stored

    @property
    def nan(self):
        return self.infinity | 1 << (self.stored - 1)


_FORMATS = {torch.float16: _Format(torch.int16, 10, 5, 2, 3),
            torch.bfloat16: _Format(torch.int16, 7, 8, 2, 3),
            torch.float32: _Format(torch.int32, 23, 8, 2, 3),
            torch.float64: _Format(torch.int64, 52, 11, 9, 5)}


class _Numbers(NamedTuple):
    """mantissa * 2**(exponent - bias - stored), an exponent being 1 at least."""

    negative: torch.Tensor
    exponent: torch.Tensor
    mantissa: torch.Tensor

    def at(self, places):
        return _Numbers(*(part[:, places] for part in self))


def all_reduce_sum(x, group=None):
    """The exact sums of what the processes have at each place of x, each rounded once to its type, as a
    new tensor on its device. x: a tensor, or a list of some that are added, too, as from batches one
    after the other. All processes of the group call it, with tensors of one shape and type, and all
    with a tensor or all with lists, which may have different lengths. Integers are added modulo
    2**bits; of bools the int64 count.

    13 bytes of a float32, and 21 of a float64, go through the backend instead of 4 and 8; the host
    waits for it.
    """
    several = isinstance(x, (list, tuple))
    all = [_checked(t) for t in x] if several else [_checked(x)]
    if not all or any((t.shape, t.dtype) != (all[0].shape, all[0].dtype) for t in all):
        raise ValueError(f"all_reduce_sum: x has tensors {[(*t.shape, t.dtype) for t in all]}")
    shape, dtype = all[0].shape, all[0].dtype
    rows = torch.stack([t.detach().reshape(-1) for t in all])
    if dtype not in _FORMATS:
        total = rows.sum(0, dtype=torch.int64 if dtype == torch.bool else dtype)
        dist.all_reduce(total, group=group)
        return total.view(shape)
    count = torch.tensor([len(all)], device=rows.device)
    if several:
        dist.all_reduce(count, group=group)
    # A digit is so narrow that int32 has the sum of all.
    width = 31 - ((int(count) if several else dist.get_world_size(group)) - 1).bit_length()
    parts = [_sums(part, _FORMATS[dtype], width, group) for part in rows.split(_AT_ONCE, 1)]
    return torch.cat(parts).view(shape)


def _checked(x):
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"all_reduce_sum: x is no tensor but of {type(x).__name__}")
    is_number = x.dtype in _FORMATS or not (x.is_floating_point() or x.is_complex())
    if x.layout != torch.strided or not is_number:
        raise TypeError(f"all_reduce_sum: x is a tensor of {x.layout}, {x.dtype}")
    return x


def clip_grad_norm_(parameters, max_norm, *, group=None):
    """As torch.nn.utils.clip_grad_norm_ of the 2-norm, but of the exact norm, rounded once: returns it, and
    scales gradients so that it is at most max_norm. group: the processes that share out the
    parameters, each of which calls this with its own; None if all are here.
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


def _sums(x, form, width, group):
    """Down the columns of x, and over the group."""
    bits = x.view(form.bits).to(torch.int64)
    exponent = bits >> form.stored & 2**form.exponents - 1
    mantissa = (bits & 2**form.stored - 1) + ((exponent > 0).to(torch.int64) << form.stored)
    mine = _Numbers(bits < 0, exponent.clamp(min=1), mantissa)
    finite = mine.exponent < 2**form.exponents - 1

    place = torch.where(finite, mine.exponent // form.step + 1, _NOT_FINITE) * (mantissa != 0)
    place = place.to(torch.uint8).amax(0)
    dist.all_reduce(place, op=dist.ReduceOp.MAX, group=group)
    highest = place.to(torch.int64) * form.step - 1  # of the exponents at such a place

    low = form.digits * width - form.stored - 1 - (highest - mine.exponent)
    digits, lost = _digits(mine, low, form.digits, width)
    some = place == _NOT_FINITE
    kinds = ~finite & (mantissa != 1 << form.stored), ~finite & (bits > 0), ~finite & (bits < 0)
    for digit, kind in zip(digits, kinds):
        digit[some] = kind.sum(0, dtype=torch.int32)[some]
    lost &= ~some
    sent = torch.cat((*digits, lost.any().view(1).to(torch.int32)))
    dist.all_reduce(sent, group=group)
    digits = list(sent[:-1].view(form.digits, -1))
    total = _rounded(digits, highest + 1 - form.bias - form.digits * width, width, form)
    total = torch.where(some, _not_finite(digits, form), total)
    if sent[-1]:
        lost = lost.to(torch.uint8)
        dist.all_reduce(lost, op=dist.ReduceOp.MAX, group=group)
        at = lost.nonzero().view(-1)
        total[at] = _sums_by_all_digits(mine.at(at), width, form, group)
    return total.to(form.bits).view(x.dtype)


def _sums_by_all_digits(mine, width, form, group):
    count = -(-(2**form.exponents + form.stored) // width)
    digits, _ = _digits(mine, mine.exponent - 1, count, width)
    sent = torch.stack(digits)
    dist.all_reduce(sent, group=group)
    return _rounded(list(sent), torch.full_like(mine.exponent[0], 1 - form.bias - form.stored),
                    width, form)


def _shifted(x, by):
    """x * 2**by, rounded down."""
    return torch.where(by >= 0, x << by.clamp(0, 63), x >> (-by).clamp(0, 63))


def _digits(numbers, low, count, width):
    """Digits of so many bits, the highest first, of mantissas whose lowest bit is at the place `low`, added
    down the columns; and in which columns mantissas have bits below the place 0."""
    sign = torch.where(numbers.negative, -1, 1)
    found = []
    for d in range(count):
        by = low - (count - 1 - d) * width
        part = torch.where(by < width, _shifted(numbers.mantissa, by) & 2**width - 1, 0)
        found.append((sign * part).sum(0).to(torch.int32))
    whole = _shifted(_shifted(numbers.mantissa, low), -low) == numbers.mantissa
    return found, ((low < 0) & ~whole).any(0)


def _carried(digits, width):
    for d in range(len(digits) - 1, 0, -1):
        digits[d - 1] = digits[d - 1] + (digits[d] >> width)
        digits[d] = digits[d] & 2**width - 1


def _rounded(digits, base, width, form):
    """The bits of the numbers of such digits, the last of which counts 2**base, rounded to the nearest."""
    digits = [d.to(torch.int64) for d in digits]
    _carried(digits, width)
    negative = digits[0] < 0
    digits = [torch.where(negative, -d, d) for d in digits]
    _carried(digits, width)

    # The first digit that is not 0 comes first.
    base = base + width * (len(digits) - 1)
    for _ in range(len(digits) - 1):
        none = digits[0] == 0
        behind = [*digits[1:], torch.zeros_like(base)]
        digits = [torch.where(none, b, d) for d, b in zip(digits, behind)]
        base = base - width * none

    # All in 62 bits, the last of which is set if there is more.
    room = 62 - torch.frexp(digits[0].to(torch.float64)).exponent.to(torch.int64)
    base, all_bits = base - room, digits[0] << room
    for digit in digits[1:]:
        room = room - width
        part = _shifted(digit, room)
        all_bits = all_bits | part | (_shifted(part, -room) != digit)

    least = 1 - form.bias - form.stored  # the exponent of the least number
    unit = torch.clamp(base + 61 - form.stored, min=least)
    drop = (unit - base).clamp(max=63)
    kept, rest, half = all_bits >> drop, all_bits & ((1 << drop) - 1), 1 << (drop - 1)
    kept = kept + ((rest > half) | ((rest == half) & (kept & 1 == 1)))
    exponent = (unit - least).clamp(max=2**form.exponents - 3)
    found = torch.where(unit - least > exponent, form.infinity, (exponent << form.stored) + kept)
    found = torch.where(all_bits == 0, 0, found)
    return found + torch.where(negative, -2**(form.stored + form.exponents), 0)


def _not_finite(digits, form):
    nans, infinities, negative = (d > 0 for d in digits[:3])
    found = torch.where(infinities, form.infinity, form.infinity - 2**(form.stored + form.exponents))
    return torch.where(nans | (infinities & negative), form.nan, found)
