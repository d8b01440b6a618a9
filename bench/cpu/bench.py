# SPDX-License-Identifier: Apache-2.0
"""How fast Tally is on this machine's cores, beside the machine's own lines and beside its peers.

usage: ./dev bench [--quick] [--json OUT] [--rows REGEX] [--threads N] [--no-peers] [--against LIBRARY]

A row's line is the fastest of the ways to read (or to copy) the same memory with as many threads,
timed right before the work; its ratio is the median of the pairs. Every answer is checked.

--against times another build's libtally_bench.so instead, in turn with this one, and prints this
one's time over the other's: the median of the pairs of each row, and of each kind of row.
"""

import argparse
import platform
import re
import statistics
import sys
from pathlib import Path

import numpy as np

import rows
from library import Library

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from result_files import write_results  # noqa: E402

PAIRS = 9
PEER_RUNS = 3  # 1 with --quick


def measure(row, peer_runs):
    lines, times = [], []
    row.work()  # touches what it writes
    for _ in range(PAIRS):
        lines.append(row.line())
        times.append(row.seconds())
    found = {"id": row.id, "device": "cpu", "us": round(1e6 * statistics.median(times), 4),
             "gb_per_s": round(row.bytes / statistics.median(times) / 1e9, 2), "of": row.of,
             "ratio": round(statistics.median(a / b for a, b in zip(lines, times)), 3),
             "samples": [round(1e6 * t, 4) for t in times],
             "line_samples": [round(1e6 * t, 3) for t in lines], "state": row.state,
             "checked": bool(row.check()), "peers": {}}
    for name, seconds in row.peer_seconds.items() if peer_runs else ():
        seconds()
        found["peers"][name] = round(1e6 * min(seconds() for _ in range(peer_runs)), 4)
    return found


def compare(row, use):
    """This build's time over the other's, in the median of pairs that begin with either in turn."""
    def timed(other):
        use(other)
        return row.seconds()
    for other in (True, False):
        use(other)
        row.work()
    pairs = []
    for i in range(2 * PAIRS):
        first = timed(1 - i % 2)
        second = timed(i % 2)
        pairs.append((first, second) if i % 2 else (second, first))
    use(False)
    row.work()
    return statistics.median(here / there for here, there in pairs)


def compare_all(tally, given):
    use, groups = tally.other(str(given.against.resolve())), {}
    for row in rows.all_of(tally, given.quick, re.compile(given.rows)):
        ratio = compare(row, use)
        if not row.check():
            sys.exit(f"bench: wrong answers: {row.id}")
        groups.setdefault(row.id.split("/")[0], []).append(ratio)
        print(f"{row.id:34} {ratio:6.3f}", flush=True)
    for name, ratios in groups.items():
        print(f"{name:20} {statistics.median(ratios):6.3f}  median of {len(ratios)}")


def shown(found):
    peers = ", ".join(f"{name} {us / found['us']:.2f}" for name, us in found["peers"].items())
    line = f"{found['ratio']:5.2f} of {found['of']}" if found["of"] else 13 * " "
    digits = 1 if found["us"] >= 10 else 4
    return (f"{found['id']:34} {found['us']:12.{digits}f} us {found['gb_per_s']:6.1f} GB/s  {line}  "
            f"{'' if found['checked'] else 'WRONG '}{peers}")


def library_versions():
    found = {"numpy": np.__version__}
    if rows.torch:
        found["torch"] = rows.torch.__version__
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rows", default="")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    if given.against and given.json:
        parser.error("--json: not of --against, which prints ratios alone")
    if given.against and not given.against.is_file():
        parser.error(f"--against: no file {given.against}")
    tally = Library(given.threads)
    if rows.torch:
        rows.torch.set_num_threads(tally.threads)
    if given.against:
        return compare_all(tally, given)
    found, read, copy = [], [], []
    print(f"{tally.machine()['model']}, {tally.threads} threads; peers: their time over Tally's",
          flush=True)
    for row in rows.all_of(tally, given.quick, re.compile(given.rows)):
        result = measure(row, 0 if given.no_peers else 1 if given.quick else PEER_RUNS)
        print(shown(result), flush=True)
        found.append(result)
        if row.of:
            bytes_moved = row.bytes / 1e3
            (read if row.of == "read" else copy).extend(bytes_moved / t
                                                        for t in result["line_samples"])
    if given.json:
        lines = {"read_gb_per_s": round(max(read, default=0), 1),
                 "copy_gb_per_s": round(max(copy, default=0), 1), "threads": tally.threads,
                 "buffer_bytes": rows.bytes_of(given.quick),
                 "l3_bytes": tally.machine()["l3_bytes"]}
        machine = {**tally.machine(), "kernel": platform.release(), "libraries": library_versions()}
        write_results(given.json, {"machine": machine, "lines": lines, "rows": found})
    wrong = [row["id"] for row in found if not row["checked"]]
    if wrong:
        sys.exit(f"bench: wrong answers: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
