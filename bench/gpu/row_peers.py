# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans along the rows and columns of matrices by PyTorch, timed as peers.py times whole
arrays: cold, each call on a matrix of its own.

Prints a line of JSON a row, named as those of rows.cu and row_scans.cu: rows/WHAT/float32/ROWSxLENGTH/normal/
cold/torch, columns/..., row_scans/float32/..., column_scans/....

usage: row_peers.py [WHAT...]
"""

import json
import statistics
import sys

import peers

SHAPES = [(1 << 20, 32), (65536, 256), (65536, 1024), (4096, 16384), (64, 1 << 20), (8, 1 << 23), (8192, 256)]
CALLS = {"sum": lambda x, dim: x.sum(dim), "maximum": lambda x, dim: x.amax(dim),
         "arg_maximum": lambda x, dim: x.argmax(dim), "mean": lambda x, dim: x.mean(dim),
         "variance": lambda x, dim: x.var(dim, correction=0), "scan": lambda x, dim: x.cumsum(dim)}


def name(what, columns):
    if what == "scan":
        return "column_scans" if columns else "row_scans"
    return f"{'columns' if columns else 'rows'}/{what}"


def measure(lib, what, rows, length, columns):
    size = 4 * rows * length
    count = min(max(peers.ROTATION // size, 1), 32)
    matrices = [x.view(rows, length) for x in lib.arrays("float32", rows * length, count)]
    call = lambda x: CALLS[what](x, 0 if columns else 1)
    once = lib.ms(lib.flush, lambda: call(matrices[0]))
    once = min(once, lib.ms(lib.flush, lambda: call(matrices[0])))
    calls = matrices[:max(int(peers.LONG_MS / once), 1)]
    us = peers.samples(lib, lib.flush, lambda: [call(x) for x in calls], len(calls))
    moved = 2 * size if what == "scan" else size
    return {"id": f"{name(what, columns)}/float32/{rows}x{length}/normal/cold/{lib.name}",
            "us": statistics.median(us), "gb_per_s": moved / statistics.median(us) / 1e3, "samples": us}


def main(whats):
    lib = peers.Torch()
    print(json.dumps({"libraries": {lib.name: lib.version}}), flush=True)
    for what in whats or CALLS:
        for columns in (False, True):
            for rows, length in SHAPES:
                print(json.dumps(measure(lib, what, rows, length, columns)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
