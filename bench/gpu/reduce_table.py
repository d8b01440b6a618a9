# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of docs/how_gpu_reductions_work.md, from a results file of run.py.

usage: reduce_table.py RESULTS.json
"""

import json
import sys
from pathlib import Path

SIZES = ["2^10", "2^16", "2^20", "2^22", "2^24", "2^28"]


def times(file):
    found = {}
    for row in json.loads(Path(file).read_text())["rows"]:
        if row["id"].startswith("reduce/"):
            _, op, dtype, n, values, state, who = row["id"].split("/")
            found.setdefault((op, dtype, values), {})[n, state, who] = row["us"]
    return found


def cell(us, n, state):
    ours, peer = us.get((n, state, "tally")), us.get((n, state, "cub"))
    if ours is None:
        return ""
    return f"{ours:.4g}" + (f" / {peer:.4g}" if peer else "")


def print_peers(found):
    """Only where the results have other peers than CUB."""
    peers = ["cub", "torch", "cupy"]
    rows = [(names, n, us) for names, us in found.items() if names[2] == "normal"
            for n in sorted({key[0] for key in us}, key=lambda n: int(n[2:]))
            if any((n, "cold", peer) in us for peer in peers[1:]) and (n, "cold", "tally") in us]
    if not rows:
        return
    print("\n| cold, us | n | Tally | CUB | PyTorch | CuPy |\n|---|---|---|---|---|---|")
    for (op, dtype, _), n, us in rows:
        cells = " | ".join(f"{us[n, 'cold', who]:.4g}" if (n, "cold", who) in us else ""
                           for who in ["tally", *peers])
        print(f"| {op} of {dtype} | {n} | {cells} |")


def main(file):
    found = times(file)
    print("| Tally / CUB, us, float32 | " + " | ".join(SIZES) + " |\n|---|" + "---|" * len(SIZES))
    for (op, dtype, values), us in found.items():
        for state in ("cold", "warm") if dtype == "float32" else ():
            cells = " | ".join(cell(us, n, state) for n in SIZES)
            print(f"| {op}, {values.replace('_', ' ')}, {state} | {cells} |")
    print("\n| cold | n | Tally / CUB, us |\n|---|---|---|")
    for (op, dtype, values), us in found.items():
        for n in sorted({key[0] for key in us}, key=lambda n: int(n[2:])):
            if dtype != "float32" and int(n[2:]) >= 20:
                print(f"| {op} of {dtype}, {values.replace('_', ' ')} | {n} | {cell(us, n, 'cold')} |")
    print_peers(found)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
