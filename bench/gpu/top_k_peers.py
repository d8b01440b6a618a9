# SPDX-License-Identifier: Apache-2.0
"""torch.topk, sorted, with indices, of one array and of rows, timed as bench/gpu/top_k.cu times Tally.

Prints a line of JSON a row, named as there. Cold: a graph's calls read each an array of its own. What it
gives is compared with the values of a full sort. Without PyTorch nothing is printed, but a line on stderr.

usage: top_k_peers.py
"""

import json
import statistics
import sys

from peers import REPLAYS, ROTATION, Torch

SHAPES = [(1, 1 << 16, 10), (1, 1 << 16, 2048), (1, 1 << 20, 64), (1, 1 << 20, 2048), (1, 10_000_000, 10),
          (1, 1 << 24, 64), (1, 1 << 24, 2048), (1, 1 << 28, 64), (1, 1 << 24, 1 << 20), (16, 1 << 20, 100),
          (100, 1 << 20, 256), (64, 131072, 2048), (1024, 32768, 50), (64, 128256, 50), (65536, 256, 8),
          (8192, 8192, 64), (256, 131072, 50), (4096, 8192, 512), (4096, 16384, 2048)]


def right(lib, x, k, found):
    best = lib.torch.sort(x[:1], dim=1, descending=True).values[:, :k]
    return bool((found.values[:1] == best).all()) and bool((x[:1].gather(1, found.indices[:1]) == best).all())


def measure(lib, rows, length, k):
    size = 4 * rows * length
    count = min(max(ROTATION // size, 1), 32)
    arrays = [x.view(rows, length) for x in lib.arrays("float32", rows * length, count)]
    call = lambda x: lib.torch.topk(x, k, dim=1)
    if not right(lib, arrays[0], k, call(arrays[0])):
        sys.exit(f"top_k_peers: {lib.name}'s top {k} of {rows} x {length} are wrong")
    graph = lib.graph([lambda x=x: call(x) for x in arrays])
    replay = lambda: lib.replay(graph)
    lib.ms(lib.flush, replay)
    us = [1e3 * lib.ms(lib.flush, replay) / count for _ in range(REPLAYS)]
    return {"id": f"top_k/float32/{rows}x{length}/{k}/normal/cold/{lib.name}", "us": statistics.median(us),
            "gb_per_s": size / statistics.median(us) / 1e3, "samples": us}


def main():
    try:
        lib = Torch()
    except ImportError as error:
        print(f"top_k_peers: without torch: {error}", file=sys.stderr)
        return
    print(json.dumps({"libraries": {lib.name: lib.version}}), flush=True)
    for shape in SHAPES:
        print(json.dumps(measure(lib, *shape)), flush=True)


if __name__ == "__main__":
    main()
