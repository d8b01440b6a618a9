# SPDX-License-Identifier: Apache-2.0
"""Runs every GPU benchmark of a folder that ./dev gpu-build made, and peers.py, and puts their rows in
one file.

usage: run.py FOLDER OUT.json
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from result_files import write_results  # noqa: E402

PEERS = [[sys.executable, Path(__file__).with_name("peers.py"), library] for library in ("torch", "cupy")]


def output_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"bench: {Path(command[-1]).name} failed")
    return [json.loads(line) for line in done.stdout.splitlines()]


def which_gpu():
    """Units of a model differ by some per cent in how fast memory is."""
    if not shutil.which("nvidia-smi"):
        return None
    asked = ["nvidia-smi", "--id=0", "--query-gpu=uuid,driver_version", "--format=csv,noheader"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip()


def main(folder, out):
    programs = Path(folder).resolve() / "bin"
    devices, = output_of(programs / "tally", "devices", "--json")
    gpus = [device for device in devices["devices"] if device["kind"] == "gpu"]
    if not gpus:
        sys.exit(f"bench: no GPU: {devices['no_gpu']}")
    rows, libraries = [], {}
    # One makes a cell of a table, as top_k_table.py tells it.
    benchmarks = sorted(set(programs.glob("bench-*")) - {programs / "bench-top_k_table"})
    for command in [[program] for program in benchmarks] + PEERS:
        print(Path(command[-1]).name, file=sys.stderr)
        for row in output_of(*command):
            if "id" in row:
                rows.append({"device": gpus[0]["name"], **row})
            else:
                libraries |= row["libraries"]
    lines = {key: gpus[0][key] for key in ("read_gb_per_s", "copy_gb_per_s", "buffer_bytes")}
    found = {"machine": devices["devices"], "gpu": which_gpu(), "lines": lines, "libraries": libraries,
             "rows": rows}
    write_results(Path(out), found)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
