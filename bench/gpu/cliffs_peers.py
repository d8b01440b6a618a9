# SPDX-License-Identifier: Apache-2.0
"""PyTorch's calls beside those of cliffs.cu, timed as peers.py times whole arrays: cold, each call on an array of
its own, in a graph where that can be captured.

Prints a line of JSON a row: the id, and what the peer is and takes, or why there is none. A call that takes long is
made once.

usage: cliffs_peers.py < IDS, a line each
"""

import json
import statistics
import sys
from itertools import groupby

import peers
from top_k_peers import replayed

SHAPES = {"2^16": (1 << 16,), "2^28": (1 << 28,), "65536x256": (65536, 256), "64x131072": (64, 131072)}
REPLAYS = 5
MOST_CALLS = 32
LONG_MS = 300  # a call that takes longer is made once, and a replay takes no longer


def halves(x):
    return x[:x.shape[0] // 2], x[x.shape[0] // 2:]


def dot(torch, a, b):
    return torch.dot(a, b) if a.ndim == 1 else torch.linalg.vecdot(a, b)


# What each is called, and what it is: f(torch, x).
REDUCTIONS = {
    "sum": ("sum", lambda torch, x: x.sum(-1)), "fast_sum": ("sum", lambda torch, x: x.sum(-1)),
    "product": ("prod", lambda torch, x: x.prod(-1)),
    "count_nonzero": ("count_nonzero", lambda torch, x: torch.count_nonzero(x, -1)),
    "any_of": ("any", lambda torch, x: torch.any(x, -1)), "all_of": ("all", lambda torch, x: torch.all(x, -1)),
    "minimum": ("amin", lambda torch, x: x.amin(-1)), "maximum": ("amax", lambda torch, x: x.amax(-1)),
    "min_max": ("aminmax", lambda torch, x: torch.aminmax(x, dim=-1)),
    "peak_to_peak": ("aminmax, -", lambda torch, x: torch.sub(*torch.aminmax(x, dim=-1)[::-1])),
    "arg_minimum": ("argmin", lambda torch, x: x.argmin(-1)), "arg_maximum": ("argmax", lambda torch, x: x.argmax(-1)),
    "mean": ("mean", lambda torch, x: x.mean(-1)), "variance": ("var", lambda torch, x: x.var(-1, correction=0)),
    "standard_deviation": ("std", lambda torch, x: x.std(-1, correction=0)),
    "norm": ("linalg.vector_norm", lambda torch, x: torch.linalg.vector_norm(x, dim=-1)),
    "sum_of_squares": ("dot", lambda torch, x: dot(torch, x, x)), "dot": ("dot", lambda torch, x: dot(torch, *halves(x)))}
SCANS = {"sum": "cumsum", "fast_sum": "cumsum", "product": "cumprod", "minimum": "cummin", "maximum": "cummax"}


def peer_of(name, length):
    """What PyTorch calls it and the call, or None. Its scans are inclusive."""
    if name in REDUCTIONS:
        return REDUCTIONS[name]
    kind, _, rest = name.partition("_")
    if kind in ("inclusive", "exclusive"):
        op, _, to = rest.partition("_to_")
        if op not in SCANS:
            return None
        how = SCANS[op]
        if how in ("cummin", "cummax"):
            return how, lambda torch, x: getattr(torch, how)(x, -1)
        return how, lambda torch, x: getattr(torch, how)(x, -1, dtype=getattr(torch, to) if to else x.dtype)
    if name.startswith("top_k_") and "distinct" not in name:
        return "topk", lambda torch, x: torch.topk(x, int(name.rpartition("_")[2]), dim=-1)
    if name == "kth_value":
        return "kthvalue", lambda torch, x: torch.kthvalue(x, length // 2, dim=-1)
    if name.startswith("quantiles_"):
        count = int(name.rpartition("_")[2])
        # Made once: a call that made them would copy them from the host.
        qs = {}
        return "quantile", lambda torch, x: torch.quantile(
            x, qs.setdefault(x.dtype, torch.arange(1, count + 1, device=x.device, dtype=x.dtype) / (count + 1)), dim=-1)
    return None


def arrays_of(lib, dtype, shape, data):
    """As many as peers.py takes of a size, of equal values."""
    torch, kind = lib.torch, getattr(lib.torch, dtype)
    n = torch.Size(shape).numel()
    if data == "equal":
        x = torch.ones(shape, device="cuda", dtype=kind)
    elif data == "sorted":
        row = (torch.arange(shape[-1], device="cuda", dtype=torch.float64) * (100 / shape[-1])).to(kind)
        x = row.expand(shape).contiguous()
    elif data == "two":
        x = torch.randint(0, 2, shape, device="cuda", dtype=torch.int8).to(kind) * 3 - 2
    elif dtype == "int8":
        x = torch.randint(-128, 128, shape, device="cuda", dtype=kind)
    elif data == "binades":
        x = torch.randn(shape, device="cuda", dtype=kind) * torch.exp2(
            torch.randint(-40, 40, shape, device="cuda", dtype=torch.int8).to(kind))
    else:
        x = torch.randn(shape, device="cuda", dtype=kind)
    count = min(max(peers.ROTATION // (n * x.element_size()), 1), MOST_CALLS)
    return [x, *(x.clone() for _ in range(count - 1))]


def measure(lib, call, arrays):
    """Microseconds a call, and how they were measured."""
    first = lib.ms(lib.flush, lambda: call(arrays[0]))
    once = lib.ms(lib.flush, lambda: call(arrays[0])) if first < LONG_MS else first
    if once >= LONG_MS:
        return 1e3 * once, {"peer_how": "one call"}
    inputs = arrays[:max(int(LONG_MS / 10 / once), 1)]
    replay, how = replayed(lib, [lambda x=x: call(x) for x in inputs])
    lib.ms(lib.flush, replay)
    us = [1e3 * lib.ms(lib.flush, replay) / len(inputs) for _ in range(REPLAYS)]
    return statistics.median(us), {f"peer_{key}": value for key, value in how.items()}


def row(lib, name, length, arrays):
    peer = peer_of(name, length)
    if peer is None:
        return {"no_peer": "PyTorch has none"}
    what, call = peer
    try:
        us, how = measure(lib, lambda x: call(lib.torch, x), arrays)
    except Exception as error:  # what it throws is the library's
        return {"no_peer": f"torch.{what}: {(str(error).splitlines() or [type(error).__name__])[0][:100]}"}
    finally:
        lib.torch.cuda.synchronize()
        lib.torch.cuda.empty_cache()
    return {"peer": f"torch.{what}", "peer_us": float(f"{us:.5g}")} | how


def main():
    try:
        lib = peers.Torch()
    except ImportError as error:
        print(f"cliffs_peers: without torch: {error}", file=sys.stderr)
        return
    print(json.dumps({"libraries": {lib.name: lib.version}}), flush=True)
    for (dtype, shape, data), ids in groupby(map(str.strip, sys.stdin), lambda one: tuple(one.split("/")[1:])):
        arrays = arrays_of(lib, dtype, SHAPES[shape], data)
        for one in ids:
            print(json.dumps({"id": one} | row(lib, one.split("/")[0], SHAPES[shape][-1], arrays)), flush=True)
        del arrays


if __name__ == "__main__":
    main()
