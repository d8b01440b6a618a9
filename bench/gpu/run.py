# SPDX-License-Identifier: Apache-2.0
"""Runs every GPU benchmark of a folder that ./dev gpu-build made, but those that have a script of their own, and
peers.py, and puts their rows in one file.

usage: ./dev bench --gpu --prebuilt DIR --json OUT [--against DIR] [--quick] [--rows REGEX] [--groups NAME,...]

--against runs those of another folder in turn instead, without peers; prints this build's time over the other's
where they differ by more than 2 %, and ends with status 1 if a row was slower by so much in each of three
repetitions. --rows: what the expression finds in a row's name, up to how it is measured; --groups: those of
bench-top_k, and it alone.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import against  # noqa: E402
from result_files import write_results  # noqa: E402

PEERS = [[sys.executable, Path(__file__).with_name("peers.py"), library] for library in ("torch", "cupy")]
LINES = "bench-ceilings"  # of the machine
OF_THEIR_OWN = ("bench-top_k_table", "bench-cliffs")  # top_k_table.py and cliffs.py run them
GROUPED = "bench-top_k"


def output_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"bench: {Path(command[0]).name} failed")
    return [json.loads(line) for line in done.stdout.splitlines()]


def which_gpu():
    """Units of a model differ by some per cent in how fast memory is."""
    if not shutil.which("nvidia-smi"):
        return None
    asked = ["nvidia-smi", "--id=0", "--query-gpu=uuid,driver_version", "--format=csv,noheader"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip()


def devices_of(folder, *options):
    """Of the machine, and the first GPU among them."""
    devices, = output_of(folder / "bin" / "tally", "devices", "--json", *options)
    gpus = [device for device in devices["devices"] if device["kind"] == "gpu"]
    if not gpus:
        sys.exit(f"bench: no GPU: {devices['no_gpu']}")
    return devices["devices"], gpus[0]


def benchmarks_of(folder, given):
    names = sorted(path.name for path in (folder / "bin").glob("bench-*"))
    return [name for name in names if name not in OF_THEIR_OWN and (name == GROUPED or not given.groups)]


def options_of(given):
    """For each of the programs."""
    return [*(["--quick"] if given.quick else []), *(["--rows", given.rows] if given.rows else []),
            *(["--groups", given.groups] if given.groups else [])]


def measure(given):
    folder = given.prebuilt
    machine, gpu = devices_of(folder)
    options = options_of(given)
    commands = [[folder / "bin" / name, *(options if name != LINES else [])] for name in benchmarks_of(folder, given)]
    rows, libraries = [], {}
    for command in commands + ([] if options else PEERS):
        print(" ".join(map(str, command)), file=sys.stderr)
        for row in output_of(*command):
            if "id" in row:
                rows.append({"device": gpu["name"], **row})
            else:
                libraries |= row["libraries"]
    lines = {key: gpu[key] for key in ("read_gb_per_s", "copy_gb_per_s", "buffer_bytes")}
    write_results(given.json, {"machine": machine, "gpu": which_gpu(), "lines": lines, "libraries": libraries,
                               "rows": rows})


def compare(given):
    """Whether no row is slower. What is known is written after each program."""
    machine, _ = devices_of(given.prebuilt, "--no-measure")
    options = [*options_of(given), "--no-peers"]
    found, ratios = {"machine": machine, "gpu": which_gpu(), "rows": []}, {}
    for name in benchmarks_of(given.prebuilt, given):
        if name == LINES or not (given.against / "bin" / name).exists():
            continue
        pairs = against.in_turn(*(lambda folder=folder: output_of(folder / "bin" / name, *options)
                                  for folder in (given.prebuilt, given.against)))
        here = against.ratios_of(pairs)
        alone = [f"not in both: {row}" for row in against.of_one_build(pairs)]
        print("\n".join([name, *against.table(here), *alone]), flush=True)
        ratios |= here
        found["rows"] += [{"id": row, "us": [times[row] for times, _ in pairs],
                           "against_us": [times[row] for _, times in pairs]} for row in here]
        write_results(given.json, found)
    print(*against.summary(ratios), sep="\n")
    return not against.slower(ratios)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench --gpu", usage=__doc__.partition("usage: ")[2].replace("%", "%%"))
    for folder in ("--prebuilt", "--against"):
        parser.add_argument(folder, type=lambda path: Path(path).resolve(), required=folder == "--prebuilt")
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rows")
    parser.add_argument("--groups")
    given = parser.parse_args()
    for folder in filter(None, (given.prebuilt, given.against)):
        if not (folder / "bin" / "tally").exists():
            parser.error(f"{folder} is no folder that ./dev gpu-build made")
    if given.against:
        sys.exit(0 if compare(given) else 1)
    measure(given)


if __name__ == "__main__":
    main()
