#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rung of the ladders, verified and timed on a GPU; and the table of it for people.

usage: ladder.py run FOLDER OUT.json [quick]
                                          FOLDER is what ./dev gpu-build made; quick: not at 2^28
       ladder.py again FOLDER OUT.json LADDER...
                                          some ladders anew, into what OUT.json has of the same GPU
       ladder.py table RESULTS.json       prints Markdown
"""

import datetime
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from result_files import write_results  # noqa: E402

LARGE = "268435456"  # verified at this size alone: the others have been by then
RUNS = [["reduce"], ["reduce", "--n", LARGE], ["squares"], ["squares", "--n", LARGE],
        ["reduce", "--dtype", "int32"], ["reduce", "--dtype", "int32", "--n", LARGE],
        ["memory"], ["memory", "--n", LARGE], ["shuffle"], ["shuffle", "--n", LARGE],
        ["scan"], ["scan", "--n", LARGE], ["scan", "--dtype", "int32", "--this-size"],
        ["scan", "--operator", "recurrence", "--this-size"],
        ["top-k"], ["top-k", "-k", "100", "--this-size"], ["top-k", "--repeats", "--this-size"],
        ["rows"], ["rows", "--n", LARGE],
        *(["reduce", "--operator", name, "--this-size"] for name in ("min", "max", "mean")),
        ["reduce", "--rung", "reduce/07_single_pass", "--sweep"]]


def lines_of(program, arguments):
    only = ["--this-size", "--only-able"] if LARGE in arguments else []
    found = []
    with subprocess.Popen([program, "run", *arguments, *only], stdout=subprocess.PIPE) as running:
        for line in running.stdout:
            found.append(row := json.loads(line))
            print(row["id"], row["n"], row["dtype"], row["op"], f'{row["grid"]} x {row["block"]}',
                  "verified" if row["verified"] else f'WRONG: {row["findings"]}',
                  row["cold_us"], row["warm_us"], row["of_ceiling"], row["speedup"], flush=True)
    if running.returncode not in (0, 1) or not found:
        sys.exit(f"ladder: {arguments} ended with status {running.returncode}")
    return found


def kept(row):
    """What only a GPU tells: its times, those that were drawn, and why another cannot run the rung."""
    told = {"steps", "scenes", "counts", "bound", "title", "why", "draws_times"}
    told |= {"drawing"} if not row["draws_times"] else set()
    told |= {"gpu_only"} if not row["gpu_only"] else set()
    return {key: row[key] for key in row if key not in told}


def save(runs, out):
    write_results(Path(out), {"device": runs[0]["rows"][0]["device"],
                              "date": datetime.date.today().isoformat(),
                              "runs": [one | {"rows": list(map(kept, one["rows"]))} for one in runs]})


def run(folder, out, quick=False):
    program = Path(folder).resolve() / "bin" / "tally-ladder-gpu"
    runs = []
    for arguments in RUNS:
        if quick and LARGE in arguments:
            continue
        runs.append({"asked": " ".join(arguments), "rows": lines_of(program, arguments)})
        save(runs, out)  # the next may take long
    return all(row["verified"] for one in runs for row in one["rows"])


def again(folder, out, ladders):
    program = Path(folder).resolve() / "bin" / "tally-ladder-gpu"
    found = json.loads(Path(out).read_text())
    for arguments in RUNS:
        if arguments[0] not in ladders:
            continue
        rows, asked = lines_of(program, arguments), " ".join(arguments)
        if rows[0]["device"] != found["device"]:
            sys.exit(f"ladder: this is a {rows[0]['device']}, {out} is of a {found['device']}")
        anew = {"asked": asked, "date": datetime.date.today().isoformat(), "rows": list(map(kept, rows))}
        found["runs"] = [one for one in found["runs"] if one["asked"] != asked] + [anew]
        write_results(Path(out), found)
    return all(row["verified"] for one in found["runs"] for row in one["rows"])


def number(value, form):
    return "" if value is None else format(value, form)


def table(file):
    found = json.loads(Path(file).read_text())
    for one in found["runs"]:
        if "--sweep" in one["asked"]:
            continue
        print(f"\n`{one['asked']}`, {found['device']}\n")
        print("| rung | n | cold us | warm us | of ceiling | speed-up | page's us "
              "| page's speed-up |\n|---|---|---|---|---|---|---|---|")
        # An experiment has a size of its own, some hundreds of bytes: n is nothing to it.
        experiments = [row["bytes"] < row["n"] / 1000 for row in one["rows"]]
        for row, experiment in zip(one["rows"], experiments):
            print("|", " | ".join([
                row["id"].split("/")[1], "-" if experiment else f"{row['n']:,}",
                number(row["cold_us"], ",.1f"), number(row["warm_us"], ",.1f"),
                "-" if experiment else number(row["of_ceiling"], ".2f"),
                "-" if experiments[0] else number(row["speedup"], ",.1f"),
                number(row["page_us"], ",.0f"), number(row["page_speedup"], ",.0f")]), "|")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", folder, out, *quick]:
            sys.exit(0 if run(folder, out, bool(quick)) else 1)
        case ["again", folder, out, *ladders]:
            sys.exit(0 if again(folder, out, ladders) else 1)
        case ["table", file]:
            table(file)
        case _:
            sys.exit(__doc__)
