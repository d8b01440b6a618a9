# SPDX-License-Identifier: Apache-2.0
"""The k best of one array and of rows, in order and with indices, by PyTorch or CuPy, timed as
bench/gpu/top_k.cu times Tally.

PyTorch has torch.topk. CuPy has none: there it is argpartition, which sorts all of it, and the k behind the
cut put in order. Prints a line of JSON a row, named as there. Cold: a graph's calls read each an array of its
own. Calls that cannot be captured are timed without a graph, gaps between launches included, and "how" says
so. What they give is compared with a full sort. A row takes ten seconds at most, or one call. A library that
is not installed is left out, with a line on stderr.

usage: top_k_peers.py [torch|cupy]
"""

import json
import statistics
import sys

from peers import REPLAYS, ROTATION, Cupy, Torch

SHAPES = [(1, 1 << 16, 10), (1, 1 << 16, 2048), (1, 1 << 20, 64), (1, 1 << 20, 2048), (1, 10_000_000, 10),
          (1, 1 << 24, 64), (1, 1 << 24, 2048), (1, 1 << 28, 64), (1, 1 << 24, 1 << 20), (16, 1 << 20, 100),
          (100, 1 << 20, 256), (64, 131072, 2048), (1024, 32768, 50), (64, 128256, 50), (65536, 256, 8),
          (8192, 8192, 64), (256, 131072, 50), (4096, 8192, 512), (4096, 16384, 2048),
          # samplers and indexers
          (1, 32768, 50), (8, 131072, 50), (64, 202048, 50), (64, 65536, 1024), (64, 1 << 20, 2048),
          (1024, 65536, 2048)]
ROW_MS = 10_000


class TorchTopK(Torch):
    def top_k(self, x, k):
        return tuple(self.torch.topk(x, k, dim=-1))

    def sorted(self, x):
        return self.torch.sort(x, dim=-1, descending=True).values

    def at(self, x, indices):
        return x.gather(-1, indices)


class CupyTopK(Cupy):
    def top_k(self, x, k):
        behind = self.cupy.argpartition(x, x.shape[-1] - k, axis=-1)[..., x.shape[-1] - k:]
        values = self.at(x, behind)
        order = self.cupy.argsort(-values, axis=-1)
        return self.at(values, order), self.at(behind, order)

    def sorted(self, x):
        return self.cupy.sort(x, axis=-1)[..., ::-1]

    def at(self, x, indices):
        return self.cupy.take_along_axis(x, indices, axis=-1)


def right(lib, x, k, found):
    row = x if x.ndim == 1 else x[:1]
    values, indices = (y if x.ndim == 1 else y[:1] for y in found)
    best = lib.sorted(row)[..., :k]
    return bool((values == best).all()) and bool((lib.at(row, indices) == best).all())


def replayed(lib, calls):
    """What makes all calls at once, and how that is."""
    try:
        graph = lib.graph(calls)
    except Exception as error:  # what it throws is the library's
        print(f"top_k_peers: {lib.name} without a graph: {error}", file=sys.stderr)
        return (lambda: [call() for call in calls]), {"how": "without a graph"}
    return (lambda: lib.replay(graph)), {}


def measure(lib, rows, length, k):
    size = 4 * rows * length
    count = min(max(ROTATION // size, 1), 32)
    arrays = [x.reshape(rows, length) if rows > 1 else x for x in lib.arrays("float32", rows * length, count)]
    if not right(lib, arrays[0], k, lib.top_k(arrays[0], k)):
        sys.exit(f"top_k_peers: {lib.name}'s top {k} of {rows} x {length} are wrong")
    once = lib.ms(lib.flush, lambda: lib.top_k(arrays[0], k))
    most = int(ROW_MS / once / (REPLAYS + 1))
    if most > 0:
        calls = [lambda x=x: lib.top_k(x, k) for x in arrays[:most]]
        replay, how = replayed(lib, calls)
        lib.ms(lib.flush, replay)
        us = [1e3 * lib.ms(lib.flush, replay) / len(calls) for _ in range(REPLAYS)]
    else:
        us, how = [1e3 * once], {"how": "one call"}
    return {"id": f"top_k/float32/{rows}x{length}/{k}/normal/cold/{lib.name}", "us": statistics.median(us),
            "gb_per_s": size / statistics.median(us) / 1e3} | how | {"samples": us}


def main(library):
    try:
        lib = library()
    except ImportError as error:
        print(f"top_k_peers: without {library.name}: {error}", file=sys.stderr)
        return
    print(json.dumps({"libraries": {lib.name: lib.version}}), flush=True)
    for shape in SHAPES:
        print(json.dumps(measure(lib, *shape)), flush=True)


if __name__ == "__main__":
    libraries = {library.name: library for library in (TorchTopK, CupyTopK)}
    asked = sys.argv[1:] or ["torch"]
    if len(asked) != 1 or asked[0] not in libraries:
        sys.exit(__doc__)
    main(libraries[asked[0]])
