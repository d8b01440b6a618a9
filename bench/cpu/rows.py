# SPDX-License-Identifier: Apache-2.0
"""What is measured."""

import os
import time

import numpy as np

import inputs
import checks



def import_torch():
    """PyTorch, if it is there; older ones complain of a new NumPy, which nothing here needs."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        import torch
        torch.set_num_threads(1)
        return torch
    except ImportError:
        return None
    finally:
        os.dup2(kept, 2)


torch = import_torch()

HARD = ["normal", "bits", "ill", "equal", "ascending", "nan"]


def bytes_of(quick):
    return 1 << (28 if quick else 29)


def seconds(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


class Row:
    state = "rotates"  # through more than four times the last-level cache

    def __init__(self, name, of, moved, line, work, check, peers):
        self.id, self.of, self.bytes = name, of, moved
        self.line, self.work, self.check = line, work, check
        self.peer_seconds = {name: lambda run=run: seconds(run) for name, run in peers.items()}

    def seconds(self):
        return seconds(self.work)


class SmallRow(Row):
    """Many calls on the same few elements, beside std::reduce, compiled for this machine."""
    state = "warm"

    def __init__(self, name, tally, op, x):
        super().__init__(name, None, x.bytes, lambda: 0.0, self.seconds, self.is_right, {})
        self.tally, self.op, self.x = tally, op, x
        self.calls = 100 + 500_000 // x.size
        self.peer_seconds = {"std": lambda: tally.small(op, "std", x, self.calls)[0]}

    def seconds(self):
        return self.tally.small(self.op, "tally", self.x, self.calls)[0]

    def is_right(self):
        bits = self.tally.small(self.op, "tally", self.x, 1)[1]
        sums = checks.Sums(self.x) if self.x.dtype in checks.FORMATS else None
        return checks.reduction_is_right(self.op, self.x, bits, sums)


def torch_tensor(x):
    """None where PyTorch has no such type or is not installed."""
    if torch is None or x.dtype not in ("float32", "float64", "int32", "int64", "float16"):
        return None
    return torch.frombuffer(memoryview(x.array).cast("B"), dtype=getattr(torch, x.dtype))


def peers_in_cpp(tally, what, x, out, k=0):
    return {who: (lambda who=who: tally.peer(what, who, x, out, k)) for who in ("std", "std_par", "tbb")
            if x.dtype in ("float32", "float64", "int32", "int64") and not (what == "top_k" and who == "tbb")}


def reduction(tally, op, x, name, sums, peers):
    answer = []

    def work():
        answer[:] = [tally.reduce(op, x)]

    others = {}
    if peers:
        if op in ("sum", "minimum"):
            others = peers_in_cpp(tally, op, x, np.empty(1))
        numpy_call = {"sum": np.sum, "fast_sum": np.sum, "minimum": np.min, "maximum": np.max,
                      "arg_minimum": np.argmin, "mean": np.mean, "variance": np.var}[op]
        if x.dtype != "bfloat16":
            others["numpy"] = lambda: numpy_call(x.array)
        t = torch_tensor(x)
        torch_call = {"sum": "sum", "fast_sum": "sum", "minimum": "min", "maximum": "max", "mean": "mean",
                      "arg_minimum": "argmin", "variance": "var"}[op]
        if t is not None and x.dtype != "float16":
            others["torch"] = lambda: getattr(t, torch_call)()
    return Row(f"{op}/{x.dtype}/{name}", "read", x.bytes, lambda: tally.read_line(x), work,
               lambda: checks.reduction_is_right(op, x, answer[0], sums()), others)


def scan(tally, x, name, peers):
    out = np.empty_like(x.array)
    others = {}
    if peers:
        others = peers_in_cpp(tally, "scan", x, out)
        if x.dtype != "bfloat16":
            others["numpy"] = lambda: np.cumsum(x.array, out=out, dtype=x.array.dtype)
        t = torch_tensor(x)
        if t is not None and x.dtype != "float16":
            to = torch.empty_like(t)
            others["torch"] = lambda: torch.cumsum(t, 0, dtype=t.dtype, out=to)

    def check():
        tally.scan(x, out)
        return checks.scan_is_right(x, out)

    return Row(f"scan/{x.dtype}/{name}", "copy", 2 * x.bytes, lambda: tally.copy_line(x, out),
               lambda: tally.scan(x, out), check, others)


def top_k(tally, x, k, k_name, name, peers):
    values, indices = np.empty(k, x.array.dtype), np.empty(k, np.int64)
    others = {}
    if peers:
        others = peers_in_cpp(tally, "top_k", x, np.empty(k, x.array.dtype), k)
        others["numpy"] = lambda: np.argpartition(x.array, x.size - k)[x.size - k:]
        t = torch_tensor(x)
        if t is not None:
            others["torch"] = lambda: torch.topk(t, k)
    return Row(f"top_k/{x.dtype}/{name}/k={k_name}", "read", x.bytes, lambda: tally.read_line(x),
               lambda: tally.top_k(x, k, values, indices),
               lambda: checks.top_k_is_right(x, k, values, indices), others)


class Lazy:
    def __init__(self, make):
        self._make, self._made = make, None

    def __call__(self):
        self._made = self._made or self._make()
        return self._made


# dtype, input: the reductions, whether a scan, the k of the selections, whether with peers
WORK = [
    ("float32", "normal", ["sum", "fast_sum", "minimum", "maximum", "arg_minimum", "mean", "variance"],
     True, ["10", "1000", "n/100"], True),
    *[("float32", name, ["sum", "minimum", "variance"], True, ["1000", "n/100"], False)
      for name in ("bits", "ill", "equal", "ascending", "descending", "nan")],
    ("float64", "normal", ["sum", "minimum", "variance"], True, ["1000"], True),
    *[("float64", name, ["sum", "minimum"] + ["variance"] * (name != "bits"), True, ["1000"], False)
      for name in ("bits", "ill", "equal", "ascending", "nan")],
    ("float16", "normal", ["sum", "minimum", "variance"], True, [], True),
    *[("float16", name, ["sum"], True, [], False) for name in ("bits", "ill", "equal")],
    ("bfloat16", "normal", ["sum"], True, [], True),
    *[("bfloat16", name, ["sum"], True, [], False) for name in ("bits", "ill", "equal")],
    ("int32", "normal", ["sum", "minimum", "maximum"], True, ["1000"], True),
    ("int64", "normal", ["sum"], True, [], True),
    ("uint8", "normal", ["sum", "minimum"], False, [], True),
]
SMALL = [("float32", ["sum", "fast_sum", "minimum"]), ("float64", ["fast_sum", "minimum"]),
         ("int32", ["sum", "minimum"])]
QUICK = {("float32", "normal"), ("float32", "bits"), ("float64", "normal"), ("float16", "normal"),
                    ("int32", "normal")}


def all_of(tally, quick, wanted):
    for dtype, kind, ops, with_scan, ks, peers in WORK:
        if quick and (dtype, kind) not in QUICK:
            continue
        size = {"bfloat16": 2}.get(dtype) or np.dtype(dtype).itemsize
        # The oracle goes through every element: fewer of the narrow types.
        n = bytes_of(quick) // max(size, 4)
        name = f"2^{n.bit_length() - 1}/{kind}"
        names = ([f"{op}/{dtype}/{name}" for op in ops] + [f"scan/{dtype}/{name}"] * with_scan
                 + [f"top_k/{dtype}/{name}/k={k}" for k in ks])
        if not any(wanted.search(row) for row in names):
            continue
        x = inputs.make(kind, dtype, n)
        sums = Lazy(lambda: checks.Sums(x, squares="variance" in ops) if dtype in checks.FORMATS else None)
        for op in ops:
            if wanted.search(f"{op}/{dtype}/{name}"):
                yield reduction(tally, op, x, name, sums, peers)
        if with_scan and wanted.search(f"scan/{dtype}/{name}"):
            yield scan(tally, x, name, peers)
        for k in ks:
            if wanted.search(f"top_k/{dtype}/{name}/k={k}"):
                yield top_k(tally, x, n // 100 if k == "n/100" else int(k), k, name, peers)
    for dtype, ops in SMALL:
        for power in (4, 8, 10, 12, 14, 16):
            x = inputs.make("normal", dtype, 1 << power)
            for op in ops:
                name = f"{op}/{dtype}/2^{power}/normal"
                if wanted.search(name):
                    yield SmallRow(name, tally, op, x)
