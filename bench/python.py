#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tally in Python beside NumPy and PyTorch: `python bench/python.py [--gpu] [--json OUT]`, with the package
installed. A time is that of a whole call, Python included, and on a GPU until the result is there:
the median of several, in microseconds. Every answer is checked. `host` is what a call takes that
does not wait for the GPU."""

import argparse
import json
import platform
import statistics
import time

import numpy as np
import tally


def microseconds(call, wait, limit=0.3):
    call(), wait()
    times, begin = [], time.perf_counter()
    while len(times) < 5 or (time.perf_counter() - begin < limit and len(times) < 2000):
        start = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def host_microseconds(call, wait):
    wait()
    times = []
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(20):
            call()
        times.append((time.perf_counter() - start) / 20)
        wait()
    return min(times) * 1e6


def on_cores():
    rng = np.random.default_rng(0)
    small, large = rng.standard_normal(1000), rng.standard_normal(1 << 22).astype(np.float32)
    for name in ("sum", "max", "mean", "var", "argmax"):
        yield f"{name}/float64/1000", small, getattr(tally, name), {"numpy": getattr(np, name)}
    for n in (1 << 20, 1 << 24):
        x = rng.standard_normal(n).astype(np.float32)
        for name in ("sum", "max", "mean", "var"):
            yield f"{name}/float32/{n}", x, getattr(tally, name), {"numpy": getattr(np, name)}
        yield f"cumulative_sum/float32/{n}", x, tally.cumulative_sum, {"numpy": np.cumsum}
        for k in (10, 1000):
            yield (f"top_k/float32/{n}/{k}", x, lambda a, k=k: tally.top_k(a, k),
                   {"numpy": lambda a, k=k: np.argpartition(a, a.size - k)[-k:]})
    rows = large.reshape(-1, 256)
    yield "sum/float32/16384x256", rows, lambda a: tally.sum(a, axis=1), {"numpy": lambda a: a.sum(1)}
    yield ("cumulative_sum/float32/16384x256", rows, lambda a: tally.cumulative_sum(a, axis=1),
           {"numpy": lambda a: a.cumsum(1)})


def torch_peer(name):
    import torch
    kind, *rest = name.split("/")
    by_row = "x" in rest[1]
    axis = {"dim": 1} if by_row else {}
    if kind == "top_k":
        return lambda t: torch.topk(t, int(rest[2]))
    if kind == "cumulative_sum":
        return lambda t: torch.cumsum(t, 1 if by_row else 0)
    call = getattr(torch, {"max": "amax" if by_row else "max"}.get(kind, kind))
    return lambda t: call(t, **axis)


def on_a_gpu():
    import torch
    shapes = {"sum": [(1 << 10,), (1 << 20,), (1 << 24,), (1 << 28,), (65536, 256), (1 << 20, 32), (8, 1 << 23)],
              "cumulative_sum": [(1 << 20,), (1 << 24,), (1 << 28,), (65536, 256), (8, 1 << 23)],
              "top_k": [((1 << 20,), 64), ((10**7,), 64), ((1 << 24,), 64), ((64, 131072), 2048),
                        ((65536, 256), 8)]}
    for kind, all_shapes in shapes.items():
        for shape in all_shapes:
            shape, k = shape if kind == "top_k" else (shape, None)
            x = torch.randn(shape, device="cuda")
            name = f"{kind}/float32/{'x'.join(map(str, shape))}" + (f"/{k}" if k else "")
            axis = {"axis": 1} if len(shape) == 2 else {}
            yield name, x, (lambda a, k=k: tally.top_k(a, k)) if k else (
                lambda a, f=getattr(tally, kind), axis=axis: f(a, **axis))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--json")
    given = parser.parse_args()
    rows = []
    if given.gpu:
        import torch
        machine, wait = torch.cuda.get_device_name(), torch.cuda.synchronize
        for name, x, call in on_a_gpu():
            peer = torch_peer(name)
            row = {"id": name, "tally": microseconds(lambda: call(x), wait),
                   "torch": microseconds(lambda: peer(x), wait),
                   "tally_host": host_microseconds(lambda: call(x), wait),
                   "torch_host": host_microseconds(lambda: peer(x), wait)}
            found = call(x)
            ours, theirs = (found.values, peer(x).values) if name.startswith("top_k") else (found, peer(x))
            row["checked"] = bool(torch.allclose(ours, theirs, rtol=1e-2, atol=1e-1 * x.numel() ** 0.5))
            rows.append(row)
            print(json.dumps(row), flush=True)
    else:
        machine = platform.processor() or platform.machine()
        try:
            import torch
        except ImportError:
            torch = None
        for name, x, call, peers in on_cores():
            row = {"id": name, "tally": microseconds(lambda: call(x), lambda: None)}
            for peer, f in peers.items():
                row[peer] = microseconds(lambda: f(x), lambda: None)
            if torch:
                t, f = torch.from_numpy(x), torch_peer(name)
                row["torch"] = microseconds(lambda: f(t), lambda: None)
            rows.append(row)
            print(json.dumps(row), flush=True)
    if given.json:
        with open(given.json, "w") as out:
            json.dump({"machine": machine, "threads": tally.threads(), "numpy": np.__version__, "rows": rows},
                      out, indent=1)


if __name__ == "__main__":
    main()
