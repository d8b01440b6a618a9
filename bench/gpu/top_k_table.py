#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""T4's table on this machine: the K greatest of the page's 10,000,000 ints, by the page's ways and by
Tally's. First and later runs in milliseconds; a cell that takes too long says so.

usage: top_k_table.py run FOLDER OUT.json [SECONDS]
                                          FOLDER is what ./dev gpu-build made; a cell gets so many
                                          seconds (20), and is ended after three times that
                                          and half a minute; what OUT.json has of this machine is
                                          not measured again
       top_k_table.py table RESULTS.json  prints Markdown
"""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from result_files import write_results  # noqa: E402

# As on the page: K, and the threads of its blocks.
ROWS = [(5, 256), (10, 256), (20, 256), (40, 256), (48, 256), (50, 128), (96, 128), (100, 64),
        (192, 64), (384, 32), (48, 128), (48, 64), (48, 32)]
GRACE_S = 30.0  # to make the numbers and sort them
WHO = {"insertion-cpu": "CPU, insertion", "tally-cpu": "CPU, Tally", "page-gpu": "GPU, the page's",
       "tally-gpu": "GPU, Tally"}


def cell(program, k, threads, who, seconds):
    """What the program says of a cell; without "ms" where it took too long or broke down."""
    about = {"k": k, "threads": threads, "who": who}
    try:
        done = subprocess.run([program, str(k), str(threads), who, str(seconds)],
                              stdout=subprocess.PIPE, text=True, timeout=GRACE_S + 3 * seconds)
    except subprocess.TimeoutExpired:
        return about | {"right": None, "ended_after_s": GRACE_S + 3 * seconds}
    if done.returncode not in (0, 1):
        return about | {"right": False}
    return json.loads(done.stdout)


def key(one):
    """What two cells have in common that are the same: only the page's kernel depends on the threads."""
    return one["k"], one["who"], one["threads"] if one["who"] == "page-gpu" else None


def device(folder):
    done = subprocess.run([folder / "bin" / "tally", "devices", "--json", "--no-measure"],
                          check=True, capture_output=True)
    return json.loads(done.stdout)


def run(folder, out, seconds=20.0):
    folder, out, here = Path(folder).resolve(), Path(out), device(Path(folder).resolve())
    before = json.loads(out.read_text()) if out.exists() else {}
    known = {key(one): one for one in before.get("cells", []) if before["devices"] == here}
    cells = []
    for k, threads in ROWS:
        for who in WHO:
            asked = {"k": k, "threads": threads, "who": who}
            if key(asked) not in known:
                program = folder / "bin" / "bench-top_k_table"
                known[key(asked)] = cell(program, k, threads, who, seconds)
            cells.append(known[key(asked)] | {"threads": threads})
            print(cells[-1], flush=True)
            write_results(out, {"n": 10_000_000, "devices": here, "cells": cells})
    return all(one["right"] is not False for one in cells)


def shown(one):
    if one is None:
        return ""
    if one["right"] is False:
        return "wrong"
    if "ms" not in one:
        return f'> {one["ended_after_s"]:.0f} s'
    first, *later = one["ms"]
    if not later:
        return f"{first:,.4g}"
    return f"{first:,.4g} / {sorted(later)[len(later) // 2]:,.4g}"


def table(file):
    cells = {(one["k"], one["threads"], one["who"]): one
             for one in json.loads(Path(file).read_text())["cells"]}
    print("| K | threads | " + " | ".join(WHO.values()) + " |\n|---|---|" + "---|" * len(WHO))
    for k, threads in ROWS:
        print(f"| {k} | {threads} |", " | ".join(shown(cells.get((k, threads, who))) for who in WHO), "|")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", folder, out, *seconds]:
            sys.exit(0 if run(folder, out, *map(float, seconds)) else 1)
        case ["table", file]:
            table(file)
        case _:
            sys.exit(__doc__)
