#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public call of four types and shapes on this machine's GPU, beside the line of what it reads or copies and
beside PyTorch: where a call falls off.

usage: cliffs.py run FOLDER OUT.json [DATA,...] [REGEX]
                                 FOLDER is what ./dev gpu-build made, or has the programs itself; of the data that
                                 cliffs.cu names (all), the rows that the expression finds; other rows that OUT.json
                                 has of this GPU stay
       cliffs.py page OUT.json   prints docs/cliffs.md
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from result_files import write_results  # noqa: E402
from run import devices_of, output_of, which_gpu  # noqa: E402

CLIFF = 1.3  # times its line
TYPES = ["float32", "bfloat16", "int8", "float64"]
SHAPES = {"2^28": "arrays of 2^28", "2^16": "arrays of 2^16", "65536x256": "65536 rows of 256",
          "64x131072": "64 rows of 131072"}
DATA = {"normal": "normal numbers, of int8 any bits", "equal": "one value", "sorted": "ascending",
        "two": "two values", "binades": "magnitudes of 80 binades"}

# Why rows whose names an expression finds take more than CLIFF times their line; the first that does.
REASONS = [
    ("/2\\^16/", "So few bytes are read in less time than a launch and the meeting of its blocks take."),
]


def call_of(row):
    return row["id"].split("/")[0]


def ratio(row):
    return row["us"] / row["line_us"]


def reason(row):
    """None: nobody has said it."""
    return next((why for pattern, why in REASONS if re.search(pattern, row["id"])), None)


# ---- Measuring.

def joined(rows, peers):
    """Each row with what is known of its peer."""
    known = {peer["id"]: peer for peer in peers}
    return [row | known.get(row["id"], {"no_peer": "not measured"}) for row in rows]


def merged(before, rows):
    """The rows of both, in the order in which they came first; new ones count."""
    return list(({row["id"]: row for row in before} | {row["id"]: row for row in rows}).values())


def seconds(what, call):
    begin = time.monotonic()
    found = call()
    print(f"cliffs: {what}: {time.monotonic() - begin:.1f} s", file=sys.stderr)
    return found


def peers_of(rows):
    program = Path(__file__).with_name("cliffs_peers.py")
    ids = "".join(row["id"] + "\n" for row in rows)
    done = subprocess.run([sys.executable, program], input=ids, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print("cliffs: cliffs_peers.py failed; what it said before counts", file=sys.stderr)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    libraries = {name: version for one in found for name, version in one.get("libraries", {}).items()}
    return [one for one in found if "id" in one], libraries


def run(folder, out, data="", rows=""):
    folder, out = Path(folder).resolve(), Path(out)
    program = next((path for path in (folder / "bin" / "bench-cliffs", folder / "bench-cliffs") if path.exists()), None)
    if program is None:
        sys.exit(f"cliffs: {folder} has no bench-cliffs")
    here = {"gpu": which_gpu()}
    if (folder / "bin" / "tally").exists():
        here["device"] = devices_of(folder, "--no-measure")[1]["name"]
    before = json.loads(out.read_text()) if out.exists() else {}
    if before.get("gpu") != here["gpu"]:
        before = {}
    options = [*(["--groups", data] if data else []), *(["--rows", rows] if rows else [])]
    found = seconds("Tally", lambda: output_of(program, *options))
    known = before | here
    write_results(out, known | {"rows": merged(before.get("rows", []), joined(found, []))})
    peers, libraries = seconds("PyTorch", lambda: peers_of(found))
    write_results(out, known | {"libraries": libraries or before.get("libraries", {}),
                                "rows": merged(before.get("rows", []), joined(found, peers))})
    wrong = [row["id"] for row in found if not row["checked"]]
    for one in wrong:
        print(f"wrong: {one}")
    return not wrong


# ---- The page.

def us(x):
    return f"{x:,.3g}" if x < 1000 else f"{x:,.0f}"


def cell(row):
    """The time, how many times the line's it is, and the peer's."""
    if row is None:
        return ""
    times = f"{ratio(row):.2f}"
    found = f"{us(row['us'])}, {f'**{times}**' if ratio(row) > CLIFF else times}"
    return f"{found}, {us(row['peer_us'])}" if "peer_us" in row else found


def table(rows):
    """A line a call, a column a type."""
    known = {(call_of(row), row["id"].split("/")[1]): row for row in rows}
    yield "| call | " + " | ".join(TYPES) + " |"
    yield "|---|" + "---|" * len(TYPES)
    for call in dict.fromkeys(call for call, _ in known):
        yield f"| `{call}` | " + " | ".join(cell(known.get((call, one))) for one in TYPES) + " |"


def reasons(rows):
    """Each reason, and the rows that have it, the worst first."""
    cliffs = sorted((row for row in rows if ratio(row) > CLIFF), key=ratio, reverse=True)
    for why in dict.fromkeys(map(reason, cliffs)):
        names = ", ".join(f"`{row['id']}` ({ratio(row):.2f})" for row in cliffs if reason(row) == why)
        yield f"- {why or 'Not known.'} {names}"


def page(file):
    found = json.loads(Path(file).read_text())
    rows, torch = found["rows"], found.get("libraries", {}).get("torch")
    slow = sum(ratio(row) > CLIFF for row in rows)
    behind = sum(row.get("peer_us", row["us"]) < row["us"] for row in rows)
    yield f"""\
# Cliffs
Every public call of arrays and of rows on {found.get("device", "a GPU")}, of four types: where it falls off. `bench/gpu/cliffs.py
run` measures, `page` writes this page of `results/{Path(file).name}`.

A cell is the time in microseconds, how many times its line that is, and what PyTorch{f" {torch}" if torch else ""} takes
where it has the call. The line is the best kernel that reads the same bytes, or for scans copies them, in the same
run. Arrays are cold; Tally's calls come each behind a kernel that is not Tally's, PyTorch's one behind the other,
and inclusive ones stand for its exclusive scans. Every answer has been compared with that of cores, and some with what
a loop or counts say: `checked` of each row. Of {len(rows)} rows {slow} are above {CLIFF} times their line, in bold, and
have their reason below; in {behind} PyTorch is quicker."""
    for data, what in DATA.items():
        for shape, of in SHAPES.items():
            some = [row for row in rows if row["id"].endswith(f"/{shape}/{data}")]
            if some:
                yield f"\n## {of[0].upper()}{of[1:]}: {what}\n" + "\n".join(table(some))
    if slow:
        yield f"\n## Above {CLIFF} times the line\n" + "\n".join(reasons(rows))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", folder, out, *asked] if len(asked) <= 2:
            sys.exit(0 if run(folder, out, *asked) else 1)
        case ["page", file]:
            print("\n".join(page(file)))
        case _:
            sys.exit(__doc__)
