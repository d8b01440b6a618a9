# SPDX-License-Identifier: Apache-2.0
"""The main job on real data: exact sums, prefix sums and the longest of all, every answer checked.

The flights that left New York in 2013, then 10,000,000 sign-flipped integers. What tally answers is
compared with plain Python: integers, which are exact, and one rounding at the end.
"""

import argparse
import ast
import hashlib
import heapq
import itertools
import json
import math
import operator
import struct
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
PRECISION = {"f": 24, "d": 53}  # significant bits of float32 and float64
LOWEST = {"f": -149, "d": -1074}  # the exponent of their last bit
TYPE_CODES = {"<f4": "f", "<i4": "i", "<i8": "q"}


def read_npy(path):
    """The elements of a .npy file, version 1, as an array."""
    data = path.read_bytes()
    end = 10 + struct.unpack_from("<H", data, 8)[0]
    return array(TYPE_CODES[ast.literal_eval(data[10:end].decode())["descr"]], data[end:])


# The plain computation: integers, then one rounding to nearest, ties to even.

def nearest(code, numerator, denominator):
    """The float of type `code` nearest to a fraction."""
    top, bottom = abs(numerator), denominator
    exponent = top.bit_length() - bottom.bit_length() - PRECISION[code]
    while True:
        exponent = max(exponent, LOWEST[code])
        whole, rest = divmod(top << max(-exponent, 0), bottom << max(exponent, 0))
        if whole < 1 << PRECISION[code]:
            break
        exponent += 1
    double_rest, unit = 2 * rest, bottom << max(exponent, 0)
    whole += double_rest > unit or (double_rest == unit and whole % 2)
    return math.ldexp(whole if numerator > 0 else -whole, exponent)


def nearest_root(code, numerator, denominator):
    """The float nearest to a fraction's square root: 128 bits of it, and a bit for "and more"."""
    scaled, rest = divmod(numerator << 256, denominator)
    root = math.isqrt(scaled)
    return nearest(code, 2 * root + (rest > 0 or root * root < scaled), 1 << 129)


def scaled_integers(values):
    """The values times a power of two that makes all of them integers, and that power."""
    if values.typecode != "f":
        return values, 1
    ratios = [x.as_integer_ratio() for x in values]
    scale = max((bottom for _, bottom in ratios), default=1)
    return [top * (scale // bottom) for top, bottom in ratios], scale


def plain_sum(values):
    integers, scale = scaled_integers(values)
    total = sum(integers)
    return nearest("d", total, scale) if values.typecode == "f" else total


def plain_prefix_sums(values):
    integers, scale = scaled_integers(values)
    running = itertools.accumulate(integers)
    if values.typecode != "f":
        return array("q", running)
    return array("f", (nearest("f", total, scale) for total in running))


def plain_describe(values):
    present = values
    if values.typecode == "f":
        present = array("f", (x for x in values if x == x))
    integers, scale = scaled_integers(present)
    moment = "f" if values.typecode == "f" else "d"
    n, total, least, most = len(present), sum(integers), min(present), max(present)
    spread = n * sum(map(operator.mul, integers, integers)) - total * total
    return {
        "nan_count": len(values) - n,
        "sum": nearest("d", total, scale) if values.typecode == "f" else total,
        "mean": nearest(moment, total, n * scale),
        "standard_deviation": nearest_root(moment, spread, (n * scale) ** 2),
        "minimum": least,
        "minimum_index": values.index(least),
        "maximum": most,
        "maximum_index": values.index(most),
    }


def plain_top_k(values, k, distinct):
    if distinct:
        best = set()
        for at in range(0, len(values), 1 << 16):
            best = set(heapq.nlargest(k, best.union(values[at:at + (1 << 16)])))
        found = sorted(best, reverse=True)
        return {"values": found, "indices": [values.index(x) for x in found]}
    present = (i for i, x in enumerate(values) if x == x)
    indices = heapq.nlargest(k, present, key=values.__getitem__)  # equal ones: the first found
    return {"values": [values[i] for i in indices], "indices": indices}


def naive_prefix_sums(values):
    """What a loop over float32 gives: every addition is rounded."""
    running, total = array("f"), array("f", [0.0])
    for x in values:
        total[0] += x
        running.append(total[0])
    return running


def summary(prefix_sums):
    """Stands for a scan's output: equal only if every bit of every element is."""
    digest = hashlib.sha256(prefix_sums.tobytes()).hexdigest()
    return {"elements": len(prefix_sums), "last": prefix_sums[-1], "sha256": digest}


# What is shown.

def text(x):
    if isinstance(x, float):
        return f"{x:,.0f}" if x.is_integer() else f"{x:,.9g}"
    return f"{x:,}"


def duration(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


class Demo:
    """Runs the steps, one line for each and what it found below; a step is an answer of tally."""

    def __init__(self, binary, quiet):
        self.binary, self.quiet, self.steps = binary, quiet, []

    def say(self, line=""):
        if not self.quiet:
            print(line, flush=True)

    def tally(self, *arguments):
        done = subprocess.run([self.binary, *map(str, arguments), "--json"], stdout=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"demo: tally {arguments[0]} ended with {done.returncode}")
        return json.loads(done.stdout)

    def check(self, name, report, answer, expected):
        equal = answer == expected
        seconds, speed = report["seconds"], report["gb_per_s"]
        self.steps.append({"name": name, "answer": answer, "expected": expected, "equal": equal,
                           "seconds": seconds, "gb_per_s": speed})
        verdict = "equal to plain Python" if equal else "DIFFERS"
        self.say(f"\n  {name:<44}{duration(seconds):>10}{speed:>9.2f} GB/s   {verdict}")
        if not equal:
            self.note(f"expected {expected}")
            self.note(f"answered {answer}")
        return answer

    def note(self, line):
        self.say(f"    {line}")

    def describe(self, name, path, values):
        report, expected = self.tally("describe", path), plain_describe(values)
        found = self.check(name, report, {key: report[key] for key in expected}, expected)
        self.note(f"{'elements':<20}{len(values):>20,}    {found['nan_count']:,} of them missing")
        for key in ("sum", "mean", "standard_deviation"):
            self.note(f"{key.replace('_', ' '):<20}{text(found[key]):>20}")
        for key in ("minimum", "maximum"):
            self.note(f"{key:<20}{text(found[key]):>20}    at {found[key + '_index']:,}")

    def sum(self, name, path, values):
        report = self.tally("sum", path)
        return self.check(name, report, report["value"], plain_sum(values))

    def scan(self, name, path, values, output):
        report = self.tally("scan", path, "-o", output)
        got = read_npy(output)
        output.unlink()
        self.check(name, report, summary(got), summary(plain_prefix_sums(values)))
        return got

    def top_k(self, name, path, values, *options):
        report = self.tally("top-k", path, "-k", 10, *options)
        expected = plain_top_k(values, 10, "--distinct" in options)
        found = self.check(name, report, {key: report[key] for key in expected}, expected)
        rows = [f"{text(x)} at {i:,}" for x, i in zip(found["values"], found["indices"])]
        width = max(map(len, rows)) + 3
        columns = 5 if 5 * width <= 100 else 2
        for at in range(0, len(rows), columns):
            self.note("".join(f"{row:<{width}}" for row in rows[at:at + columns]).rstrip())


def flights(job, scratch):
    delays, distances = DATA / "flights_arr_delay.npy", DATA / "flights_distance.npy"
    delay, distance = read_npy(delays), read_npy(distances)
    job.say(f"The {len(distance):,} flights that left New York in 2013: minutes late, and miles")
    job.describe("describe the delays", delays, delay)
    job.describe("describe the distances", distances, distance)

    total = job.sum("sum of the distances", distances, distance)
    naive = naive_prefix_sums(distance)
    exact = sum(map(int, distance))
    for who, value in (("exact", total), ("as float32", nearest("f", exact, 1)),
                       ("naive float32 loop", naive[-1])):
        off = int(value) - exact
        job.note(f"{who:<20}{text(value):>20}    off by {abs(off):,}")

    output = scratch / "running.npy"
    running = job.scan("prefix sums of the distances", distances, distance, output)
    gaps = [abs(a - b) for a, b in zip(running, naive)]
    wrong, worst = sum(map(bool, gaps)), text(max(gaps))
    job.note(f"{'exact, rounded once':<20}{len(running):>20,}    prefix sums, every one right")
    job.note(f"{'naive float32 loop':<20}{wrong:>20,}    of them wrong, by up to {worst}")

    job.top_k("the 10 longest delays", delays, delay, "--skip-nan")
    job.top_k("the 10 longest distances", distances, distance)
    ties = distance.count(max(distance))
    job.note(f"{ties:,} flights tie for the longest: the first ones come first")
    job.top_k("the 10 longest different distances", distances, distance, "--distinct")


def signed_integers(job, scratch):
    path = scratch / "signed.npy"
    job.tally("generate", "signed", "-n", 10_000_000, "-o", path)
    values = read_npy(path)
    job.say(f"\n\n{len(values):,} random integers, every other one negated")
    job.describe("describe the integers", path, values)
    total = job.sum("sum of the integers", path, values)
    wrapped = (total + 2**31) % 2**32 - 2**31
    job.note(f"{'in 64 bits':<20}{total:>20,}")
    job.note(f"{'in 32 bits':<20}{wrapped:>20,}    (had it wrapped)")
    running = job.scan("prefix sums of the integers", path, values, scratch / "running.npy")
    job.note(f"{len(running):,} of them, every one right")
    job.top_k("the 10 largest integers", path, values)
    job.top_k("the 10 largest different integers", path, values, "--distinct")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tally", required=True, metavar="PATH", help="the command to run")
    parser.add_argument("--json", action="store_true", help="print one JSON object alone")
    arguments = parser.parse_args()

    started = time.monotonic()
    job = Demo(str(Path(arguments.tally).resolve()), quiet=arguments.json)
    with tempfile.TemporaryDirectory() as scratch:
        flights(job, Path(scratch))
        signed_integers(job, Path(scratch))

    wrong = [step["name"] for step in job.steps if not step["equal"]]
    if arguments.json:
        print(json.dumps({"steps": job.steps, "ok": not wrong}))
    elif wrong:
        print(f"\n{len(wrong)} of {len(job.steps)} answers differ: {', '.join(wrong)}")
    else:
        print(f"\nAll {len(job.steps)} answers equal those of plain Python, bit for bit "
              f"({time.monotonic() - started:.0f} s).")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
