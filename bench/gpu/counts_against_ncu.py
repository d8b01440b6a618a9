#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The SIMT machine's counts of ladder rungs beside Nsight Compute's, one call of each.

usage: counts_against_ncu.py FOLDER OUT.json      (FOLDER is what ./dev gpu-build made)
"""

import csv
import io
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from result_files import write_results  # noqa: E402

# Sectors: every 32 bytes that a warp's global load or store touches. Bank conflicts: the passes of
# a shared request beyond those it needs.
METRICS = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "sectors",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": "bank_conflicts",
}
N = 1 << 16
LADDERS = ("memory", "scan", "reduce", "squares")


def once(program, rung):
    ladder = rung.split("/")[0]
    return [str(program), "run", ladder, "--rung", rung, "--n", str(N), "--once"]


def machine(folder, rung):
    done = subprocess.run(once(folder / "tally-ladder-simt", rung), check=True, capture_output=True)
    return json.loads(done.stdout)


def nsight(folder, rung, shape):
    command = once(folder / "tally-ladder-gpu", rung) + [
        "--grid", str(shape["grid"]), "--block", str(shape["block"])]
    profile = ["ncu", "--clock-control", "none", "--csv", "--metrics", ",".join(METRICS)]
    done = subprocess.run(profile + command, check=True, capture_output=True, text=True)
    table = done.stdout[done.stdout.index('"ID"'):]
    found = Counter({name: 0 for name in METRICS.values()})
    for row in csv.DictReader(io.StringIO(table)):
        if row["Metric Name"] in METRICS:
            found[METRICS[row["Metric Name"]]] += int(row["Metric Value"].replace(",", ""))
    return dict(found)


def main(folder, out):
    folder = Path(folder).resolve() / "bin"
    rungs = [json.loads(line) for line in subprocess.run(
        [folder / "tally-ladder-gpu", "list"], check=True, capture_output=True).stdout.splitlines()]
    device = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                            check=True, capture_output=True, text=True).stdout.strip()
    rows = []
    for rung in (r["id"] for r in rungs if r["ladder"] in LADDERS and not (r["peer"] or r["gpu_only"])):
        counted = machine(folder, rung)
        row = {"rung": rung, "n": N, "grid": counted["grid"], "block": counted["block"],
               "machine": {k: counted["counts"][k] for k in ("sectors", "bank_conflicts")},
               "ncu": nsight(folder, rung, counted)}
        row["same"] = row["machine"] == row["ncu"]
        rows.append(row)
        print(rung, *(f"{key}: {row['machine'][key]} / {row['ncu'][key]}" for key in row["ncu"]))
        write_results(Path(out), {"device": device, "rows": rows})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
