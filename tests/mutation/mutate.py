# SPDX-License-Identifier: Apache-2.0
"""Which mistakes the tests see: one at a time, and in results/mutants.json what became of each.

The mutants of tests/mutation/*.json and those that generate_device.py makes of every fence, barrier,
mask and bound in device code are put into a copy of the tree, each behind a number that is read at run
time, so that three builds serve all: that of the library with its C++ and Python tests, that of device
code on the SIMT machine, and the ladder's. First every test is run alone to see which mutants it comes by, unless an
earlier run has seen that, or none that is wanted can be in it. Then each mutant is switched on for the
tests that come by it, the one that killed it last time first, the others from the quickest to the
slowest, until one fails, or takes five times as long. A mutant of a rung of the ladder names the test
that must see it: that which ladder/systems.json has for what the rung is.
"""

import argparse
import json
import os
import re
import shutil
import sys
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path

if __package__:
    from . import generate_device
    from .insert import insert
    from .kept import Kept, digest_of
    from .programs import BUILDS, must, tests_of
else:
    import generate_device
    from insert import insert
    from kept import Kept, digest_of
    from programs import BUILDS, must, tests_of

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from result_files import write_results  # noqa: E402

HERE = Path(__file__).resolve().parent
RESULTS = ROOT / "results" / "mutants.json"
CLASSES = ["window", "tolerance", "rounding", "carry", "split", "tie", "memory", "parse", "order",
           "schedule", "tree", "rung"]
START_OF_PYTEST = 1  # second


def all_mutants():
    listed = [m for file in sorted(HERE.glob("*_*.json")) for m in json.loads(file.read_text())]
    generated = generate_device.generate(ROOT)
    for known in ("equivalent", "survives"):  # and why
        why = json.loads((HERE / f"{known}.json").read_text())
        for mutant in generated:
            if mutant["name"] in why:
                mutant[known] = why[mutant["name"]]
    return listed + generated


def builds_with(files):
    """Which builds have code of some files: .cuh are for devices alone, other headers for both."""
    headers = [file for file in files if file.startswith("include/")]
    ladder = [file for file in files if file.startswith("ladder/")]
    cpu = [file for file in files if not file.endswith(".cuh") and file not in ladder]
    return [name for name, some in (("device", headers), ("cpu", cpu), ("ladder", ladder)) if some]


def is_tried(mutant, number, test):
    """Whether the test may see the mutant: it comes by it, or is the one that the mutant of a rung names."""
    if named := mutant.get("test"):
        return test.is_called(named)
    return number in test.reaches


class Tree:
    """A copy of the sources with all mutants and their numbers, and its builds."""

    def __init__(self, folder, mutants):
        self.folder, self.source, self.mutants = folder, folder / "tree", mutants
        self.build = folder / "build"
        self.most = max(number for number, _ in mutants)

    def make(self, jobs, builds):
        self.copy()
        library = self.folder / "libmutated.so"
        must(["g++", "-std=c++20", "-O2", "-shared", "-fPIC", HERE / "mutated.cpp", "-o", library])
        link = f"{library} -Wl,-rpath,{self.folder}"
        must(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-D", "TALLY_CUDA=OFF", "-D",
              "CMAKE_BUILD_TYPE=Mutants", "-D", "CMAKE_CXX_FLAGS_MUTANTS=-O1", "-D",
              f"CMAKE_CXX_FLAGS=-w -include {HERE}/mutated.hpp", "-D",
              f"CMAKE_CXX_STANDARD_LIBRARIES={link}"])
        for name in builds:
            started = time.time()
            must(["cmake", "--build", self.build, "--parallel", jobs, "--target", *BUILDS[name]])
            say(f"built {name} in {time.time() - started:.0f} s")
        self.sources_of = dict(self.read_sources())
        self.library = {s for object, some in self.sources_of.items()
                        if not object.startswith("tests/") for s in some}
        self.library_digest = digest_of(self.build.glob("*.a"))

    def copy(self):
        """Writes what is new, so that only that is built again."""
        files = must(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"]).splitlines()
        by_file = {}
        for number, mutant in self.mutants:
            by_file.setdefault(mutant["file"], []).append((number, mutant))
        for file in files:
            if not (ROOT / file).is_file():
                continue
            content = (ROOT / file).read_bytes()
            if file in by_file:
                content = insert(content.decode(), by_file[file]).encode()
            to = self.source / file
            if not to.exists() or to.read_bytes() != content:
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(content)
                shutil.copymode(ROOT / file, to)
        for path in self.source.rglob("*"):
            if path.is_file() and path.relative_to(self.source).as_posix() not in set(files):
                path.unlink()

    def read_sources(self):
        """Of each object, which files of the tree it was made of."""
        for block in must(["ninja", "-C", self.build, "-t", "deps"]).split("\n\n"):
            first, *others = block.splitlines() or [""]
            inside = [os.path.relpath(os.path.join(self.build, o.strip()), self.source) for o in others]
            yield first.split(":")[0], {file for file in inside if not file.startswith("..")}

    def python(self):
        return {"TALLY_PROBE": str(self.build / "libtally_probe.so"),
                "TALLY_BINARY": str(self.build / "tally"), "PYTHONDONTWRITEBYTECODE": "1",
                "HYPOTHESIS_STORAGE_DIRECTORY": str(self.folder / "hypothesis")}


def look_what_is_reached(tests, tree, jobs):
    """Runs every test without a mutant: those of C++ alone, those of Python together."""
    unfit = []

    def blank():
        noted = tree.folder / f"reached.{threading.get_ident()}"
        noted.write_bytes(bytes(tree.most + 1))
        return noted, {"TALLY_MUTANTS_REACHED": str(noted)}

    def look_alone(test):
        noted, environment = blank()
        started = time.time()
        if how := test.program.run([test], environment, 600):
            return unfit.append((test.name, how[1]))
        test.seconds = time.time() - started
        test.reaches = frozenset(n for n, reached in enumerate(noted.read_bytes()) if reached)

    def look_together(some):
        noted, environment = blank()
        lines = Path(f"{noted}.json")
        lines.unlink(missing_ok=True)
        if how := some[0].program.run(some, environment | {"PYTEST_PLUGINS": "reached",
                                                           "PYTHONPATH": str(HERE)}, 1800):
            return unfit.append(how)
        by_name = {test.name: test for test in some}
        for name, seconds, reached in map(json.loads, lines.read_text().splitlines()):
            by_name[name].seconds = START_OF_PYTEST + seconds
            by_name[name].reaches = frozenset(reached)

    together = {}
    for test in tests:
        if "::" in test.name:
            together.setdefault(test.name.split("::")[0], []).append(test)
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(look_alone, (t for t in tests if "::" not in t.name)))
        list(pool.map(look_together, together.values()))
    return unfit


def look(options, mutants, files):
    """The mutants' numbers, and the tests that may come by some of these files and by which mutants."""
    options.folder.mkdir(parents=True, exist_ok=True)
    kept = Kept(options.folder)
    numbered, builds = kept.number(mutants), builds_with(files)
    kept.save()
    tree = Tree(options.folder, numbered)
    tree.make(options.jobs, builds)
    named = {m["test"] for m in mutants if "test" in m}
    tests = [t for t in tests_of(tree, builds)
             if t.sources & files and (t.program.name != "ladder" or any(map(t.is_called, named)))]
    new = [t for t in tests if not kept.recall(t)]
    say(f"{len(tests)} tests without a mutant, but for {len(tests) - len(new)} that are known")
    try:
        unfit = look_what_is_reached(new, tree, options.jobs)
    finally:
        kept.keep([t for t in new if t.reaches is not None])
    if unfit:
        sys.exit(f"without a mutant these fail: {unfit}")
    return numbered, tests


def head(mutant):
    return {key: mutant[key] for key in ("name", "file", "class")}


def outcome_of(number, mutant, tests, before, kills):
    """What became of a mutant, as a row of the results."""
    row = head(mutant)
    if why := mutant.get("equivalent"):
        return row | {"outcome": "equivalent", "why": why}
    near = [t for t in tests if is_tried(mutant, number, t)]
    for some in batches(near, before, kills[mutant["file"]]):
        timeout = 5 * sum(t.seconds for t in some) + 20
        if dead := some[0].program.run(some, {"TALLY_MUTANT": str(number)}, timeout):
            kills[mutant["file"]][dead[0]] += 1
            return row | {"outcome": "killed", "by": dead[0], "how": dead[1]}
    row |= {"outcome": "survived", "tests": len(near), "wrong": mutant["wrong"]}
    return row | {k: mutant[k] for k in ("survives",) if k in mutant}


def batches(tests, first, kills):
    """What one process runs: the test named first; then, of each program, tests that take two seconds
    together, four seconds, eight, beginning with those that killed most mutants of this file for the
    time they take."""
    rest = sorted((t for t in tests if t.name != first),
                  key=lambda t: -(kills[t.name] + 0.05) / (t.seconds + 0.01))
    some = [[t] for t in tests if t.name == first]
    limit = 2
    while rest:
        taken = list(accumulate(t.seconds for t in rest))
        count = max(1, sum(s <= limit for s in taken))
        groups = {}
        for test in rest[:count]:
            groups.setdefault(test.program, []).append(test)
        some += groups.values()
        rest, limit = rest[count:], 2 * limit
    return some


def summary(rows):
    """By class: killed, and how many there are that are not equivalent, tried or not."""
    counts = {}
    for row in rows:
        if row["outcome"] != "equivalent":
            killed, all_of_it = counts.get(row["class"], (0, 0))
            counts[row["class"]] = (killed + (row["outcome"] == "killed"), all_of_it + 1)
    return counts


def totals(classes):
    return [sum(c[i] for c in classes.values()) for i in (0, 1)]


def write(file, rows):
    classes = summary(rows)
    killed, count = totals(classes)
    results = {"killed": killed, "of": count,
               "classes": {c: list(n) for c, n in sorted(classes.items())}, "mutants": rows}
    write_results(file, results)
    return classes


def say(text):
    print(f"mutate: {text}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.split("\n")[0])
    parser.add_argument("--only", metavar="REGEX", default="", help="mutants whose file:name match")
    parser.add_argument("--survivors", action="store_true", help="only what survived the last time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutants",
                        help="where the copy and its builds go")
    parser.add_argument("--json", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.folder = options.folder.resolve()

    mutants = all_mutants()
    last = json.loads(options.json.read_text())["mutants"] if options.json.exists() else []
    last = {row["name"]: row for row in last}

    def wanted(m):
        lives = last.get(m["name"], {"outcome": "not tried"})["outcome"] in ("survived", "not tried")
        named = re.search(options.only, f"{m['file']}:{m['name']}")
        return named and (lives or not options.survivors)

    files = {m["file"] for m in mutants if wanted(m)}
    if not files:
        sys.exit("mutate: no mutant is so")
    numbered, tests = look(options, mutants, files)

    kills = defaultdict(Counter)
    for row in last.values():
        kills[row["file"]][row.get("by")] += 1

    def outcome(numbered):
        number, mutant = numbered
        before = last.get(mutant["name"])
        if not wanted(mutant):
            return before or head(mutant) | {"outcome": "not tried"}
        row = outcome_of(number, mutant, tests, (before or {}).get("by"), kills)
        if row["outcome"] == "survived":
            say(f"survived: {row['file']}: {row['name']}: {row['wrong']}")
        return row

    rows = [last.get(m["name"]) or head(m) | {"outcome": "not tried"} for m in mutants]
    with ThreadPoolExecutor(options.jobs) as pool:
        for i, row in enumerate(pool.map(outcome, numbered)):
            changed, rows[i] = rows[i] != row, row
            if changed:
                write(options.json, rows)
    classes = write(options.json, rows)
    killed, count = totals(classes)
    for name, (k, n) in sorted(classes.items()):
        print(f"{name:10} {k:4} of {n:4} killed")
    print(f"{'all':10} {killed:4} of {count:4} killed, {len(rows) - count} equivalent")
    return killed < 0.95 * count or any(k < 0.9 * n for k, n in classes.values())


if __name__ == "__main__":
    sys.exit(main())
