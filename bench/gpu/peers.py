# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans of whole arrays by PyTorch or CuPy, timed as bench/gpu/reduce.cu times Tally and CUB.

Prints a line of JSON a row, named as theirs: reduce/WHAT/TYPE/2^k/normal/cold|warm/WHO. Device time,
without the gaps between launches: calls are captured in a graph; large arrays also without one, where
that is quicker. Cold: a graph's calls read each an array of its own, and what is read before each replay
leaves nothing of them in L2. "error" is what the answer is off, of the sum of absolute values for a sum,
else of itself. A library that is not installed is left out, with a line on stderr. All of a process is on
one stream, as src/cuda/timing.cuh says.

usage: peers.py torch|cupy [WHAT...]
"""

import contextlib
import json
import statistics
import sys

CASES = [(what, "float32", log) for log in (10, 14, 16, 18, 20, 22, 24, 26, 28)
         for what in ("sum", "min", "argmin", "var", "cumsum")] + [("sum", "float64", 27), ("sum", "float16", 29)]
ROWS = {"sum": "fast_sum", "min": "minimum", "argmin": "arg_minimum", "var": "variance",
        "cumsum": "scan/fast_sum"}
BYTES = {"float16": 2, "float32": 4, "float64": 8}
REPLAYS = 5
ROTATION = 2 << 30  # bytes of arrays to take in turn
FLUSH = 200 << 20   # at least four times the L2 cache
LONG_MS = 50        # no replay takes much longer


class Torch:
    name = "torch"

    def __init__(self):
        import torch
        self.torch = torch
        self.version = torch.__version__
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        self.other = torch.zeros(FLUSH // 4, device="cuda")
        torch.manual_seed(1)

    def arrays(self, dtype, n, count):
        torch = self.torch
        return [torch.randn(n, device="cuda", dtype=getattr(torch, dtype)) for _ in range(count)]

    def call(self, what):
        torch = self.torch
        return {"sum": torch.sum, "min": torch.min, "argmin": torch.argmin,
                "var": lambda x: torch.var(x, correction=0),
                "cumsum": lambda x: torch.cumsum(x, 0)}[what]

    def flush(self):
        self.torch.sum(self.other)

    def graph(self, calls):
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph, stream=self.stream):
            kept = [call() for call in calls]  # their memory stays theirs
        graph.results = kept
        return graph

    def ms(self, prepare, work):
        torch = self.torch
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(self.stream):
            prepare()
            start.record()
            work()
            stop.record()
        stop.synchronize()
        return start.elapsed_time(stop)

    def replay(self, graph):
        graph.replay()

    def value(self, x):
        return x.double().item()

    def in_doubles(self, what, x):
        x = x.double()
        return self.call(what)(x).double().item(), x.abs().sum().item()


class Cupy:
    name = "cupy"

    def __init__(self):
        import cupy
        self.cupy = cupy
        self.version = cupy.__version__
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.stream.use()
        self.other = cupy.zeros(FLUSH // 4, dtype="float32")
        self.random = cupy.random.default_rng(1)

    def arrays(self, dtype, n, count):
        made = "float64" if dtype == "float64" else "float32"
        found = [self.random.standard_normal(n, dtype=made).astype(dtype) for _ in range(count)]
        self.cupy.cuda.Device().synchronize()
        return found

    def call(self, what):
        return getattr(self.cupy, what)

    def flush(self):
        self.cupy.sum(self.other)

    def graph(self, calls):
        with self.stream:
            kept = [call() for call in calls]  # the pool gets what the capture will take from it
            self.stream.synchronize()
            del kept
            self.stream.begin_capture()
            try:
                kept = [call() for call in calls]
            except Exception:  # a call that waits: the stream is to be used again
                with contextlib.suppress(Exception):
                    self.stream.end_capture()
                raise
            graph = self.stream.end_capture()
        return graph, kept

    def ms(self, prepare, work):
        start, stop = (self.cupy.cuda.Event() for _ in range(2))
        with self.stream:
            prepare()
            start.record()
            work()
            stop.record()
        stop.synchronize()
        return self.cupy.cuda.get_elapsed_time(start, stop)

    def replay(self, graph):
        graph[0].launch(self.stream)

    def value(self, x):
        return float(x)

    def in_doubles(self, what, x):
        x = x.astype("float64")
        return float(self.call(what)(x)), float(self.cupy.abs(x).sum())


def samples(lib, prepare, work, calls):
    lib.ms(prepare, work)
    return [1e3 * lib.ms(prepare, work) / calls for _ in range(REPLAYS)]


def error(lib, what, dtype, log, call, x):
    """None where the answer in doubles would need too much memory, or too long."""
    if x.nbytes >= 1 << 30 or dtype == "float16":
        return None
    scans = what == "cumsum"  # its last result is the sum
    got = lib.value(call(x)[-1] if scans else call(x))
    want, magnitude = lib.in_doubles("sum" if scans else what, x)
    found = abs(got - want) / (magnitude if scans or what == "sum" else abs(want) or 1)
    if not found < 1e-2:
        sys.exit(f"peers: {lib.name}'s {what} of 2^{log} {dtype}: {got}, not {want}")
    return found


def measure(lib, what, dtype, log):
    size = BYTES[dtype] << log
    count = min(max(ROTATION // size, 1), 200)
    arrays = lib.arrays(dtype, 1 << log, count)
    call = lib.call(what)
    off = error(lib, what, dtype, log, call, arrays[0])
    nothing = lambda: None
    lib.ms(nothing, lambda: call(arrays[0]))
    once = lib.ms(lib.flush, lambda: call(arrays[0]))
    most = max(int(LONG_MS / once), 1)

    def row(state, inputs):
        graph = lib.graph([lambda x=x: call(x) for x in inputs])
        replay = lambda: lib.replay(graph)
        us = samples(lib, lib.flush if state == "cold" else replay, replay, len(inputs))
        if size >= 32 << 20:
            bare = samples(lib, lib.flush, lambda: [call(x) for x in inputs], len(inputs))
            us = min(us, bare, key=statistics.median)
        kind = "sum" if dtype == "float16" else ROWS[what]
        name, moved = (kind, 2 * size) if "/" in kind else (f"reduce/{kind}", size)
        found = {"id": f"{name}/{dtype}/2^{log}/normal/{state}/{lib.name}",
                 "us": statistics.median(us), "gb_per_s": moved / statistics.median(us) / 1e3,
                 "samples": us}
        return found if off is None else found | {"error": off}

    # As many as leave no array in the cache when its turn comes again.
    again = (count - 1) * size >= FLUSH or size >= FLUSH
    yield row("cold", (arrays * 4 if again else arrays)[:min(max(count, 4), most)])
    if size <= 32 << 20:
        yield row("warm", arrays[:1] * min(200 if log <= 20 else 40, most))


def main(library, whats):
    try:
        lib = library()
    except ImportError as error:
        print(f"peers: without {library.name}: {error}", file=sys.stderr)
        return
    print(json.dumps({"libraries": {lib.name: lib.version}}), flush=True)
    for case in [case for case in CASES if not whats or case[0] in whats]:
        for row in measure(lib, *case):
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    libraries = {library.name: library for library in (Torch, Cupy)}
    if len(sys.argv) < 2 or sys.argv[1] not in libraries:
        sys.exit(__doc__)
    main(libraries[sys.argv[1]], sys.argv[2:])
