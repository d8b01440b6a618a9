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
    ("^(kth_value|quantiles_.*)/(float32|bfloat16|float64)/2\\^16/",
     "A read and a meeting of the blocks for each digit of the keys, and one more for NaNs."),
    ("/2\\^16/", "So few bytes are read in less time than a launch and the meeting of its blocks take."),
    ("^(kth_value|quantiles_1)/.*/65536x256/",
     "A warp counts a dozen times how many of a row's keys reach the middle of the range in which the wanted one is."),
    ("^quantiles_.*/65536x256/",
     "A warp sorts a row: some 600 instructions, and 120 shuffles."),
    ("^(kth_value|quantiles_.*)/(float32|bfloat16)/64x131072/",
     "Rows of so few elements a thread are read once for each digit of the keys."),
    ("^(kth_value|quantiles_.*)/.*/64x131072/",
     "A read of a dozen microseconds; a sample, and digits of what it brackets, each take as long."),
    ("^kth_value/int8/2\\^28/",
     "A count in shared memory for each byte: 11 of them a clock and multiprocessor, where 20 are read."),
    ("^kth_value/bfloat16/2\\^28/",
     "Three comparisons an element, and registers that did not suffice when this was measured."),
    ("^kth_value/.*/2\\^28/",
     "The read takes 1.1 times the line; the rest is the sample, and some meetings of all blocks."),
    ("^quantiles_.*/int8/2\\^28/",
     "A count in shared memory for each byte: 11 of them a clock and multiprocessor, where 20 are read."),
    ("^quantiles_.*/2\\^28/",
     "A count in shared memory for each element, and 0.6 % of all elements for each quantile are read twice more."),
    ("^top_k_distinct_.*/65536x256/", "Networks in registers that sort, and that find what is equal."),
    ("^top_k_distinct_.*/(bfloat16|int8)/64x131072/",
     "Each block first has to see enough different values of its part before it passes over the others."),
    ("^top_k_distinct_", "What is different among the best is looked for behind a selection, or by sets of values."),
    ("^top_k_8/.*/65536x256/", "Sorting networks in registers: half-rate instructions for each element."),
    ("^top_k_.*/(bfloat16|int8)/2\\^28/",
     "Presumably: a comparison an element, of which a byte of input has twice or four times as many."),
    ("^top_k_8/.*/64x131072/", "Presumably: a sample and its threshold come before the read, and take as long."),
    ("^(fast_sum|product)/.*/65536x256/", "A row's eight vectors are folded over its lanes by seven shuffles, and rounded."),
    ("_(fast_sum|product)/int8/(65536x256|64x131072)/",
     "Presumably: a byte an element: the tile's scan takes longer than its bytes."),
    ("^(in|ex)clusive_(minimum|maximum|fast_sum|product)/.*/64x131072/",
     "Tiles of a few rows: a block has two or three, which its multiprocessors do not share evenly."),
    ("^(in|ex)clusive_(minimum|maximum)/",
     "Two comparisons an element, which a lane makes one after another in each of its chains."),
    ("^arg_(minimum|maximum)/",
     "Where an extremum is, is looked for among a lane's words once more, by as many instructions."),
    ("^(in|ex)clusive_sum/float64/",
     "Presumably: both ends of an interval of two doubles: 16 double-precision instructions an element."),
    ("_(sum|fast_sum)_to_int64/",
     "Presumably: results of eight times the input's bytes, of which a warp's stores are not whole lines."),
    ("^(in|ex)clusive_(sum|fast_sum)/",
     "Presumably: two bytes, or one, an element: the tile's scan takes longer than its bytes."),
    ("^describe/bfloat16/", "Five aggregates in one read; its registers let two blocks run on a multiprocessor."),
    ("^describe/float32/.*x", "Five aggregates in one read; its registers let two blocks run on a multiprocessor."),
    ("^describe/", "Presumably: five aggregates in one read, each with instructions of its own."),
    ("^dot/float64/", "Products of doubles with their errors: double precision is at its rate."),
    ("^dot/", "Presumably: each row's total is folded by its lanes and rounded, and there are two rows to be read."),
    ("^(variance|standard_deviation|sum_of_squares|norm|mean)/float64/2\\^28/",
     "Presumably: squares with their errors: double precision is at its rate."),
    ("/64x131072/", "Presumably: a dozen microseconds, of which a launch and the meeting of its blocks take five."),
    ("/65536x256/",
     "Presumably: each row's total is folded by its lanes and rounded: as many instructions as its elements take."),
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
