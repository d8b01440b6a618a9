# SPDX-License-Identifier: Apache-2.0
"""The device tests on a GPU, and what is known of them where there is none.

usage: gpu_tests.py stamp FOLDER     note in FOLDER which sources it is about to be built from
       gpu_tests.py run --prebuilt FOLDER [--json FILE] [--sanitize [TOOL...]] [--go-on]
                                        --go-on: not again what FILE has of these sources on this GPU
       gpu_tests.py status           one line: the last results, and if they are for these sources
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from summary import outcomes

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from result_files import write_results  # noqa: E402

RESULTS = ROOT / "results" / "gpu_tests.json"
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
SHARDS, AT_ONCE = 48, 6  # of tests under a tool; on each GPU. A run that is ended keeps those that are done
ALONE_AT_ONCE = 4
# They test how long things take, or go through millions of elements.
SLOW_UNDER_A_TOOL = ("Timing.*:Lines.*:ladder_*:LargeReductions.*:Reductions/*.*_a_hundred_times:"
                     "Reductions/*.*_at_every_boundary:Reductions/*.do_not_remember_other_data:"
                     "dynamic_on_a_gpu.*_have_the_bits_of_the_cpu:top_k_on_a_gpu/*:top_k_on_a_gpu_too.*:"
                     "quantile_on_a_gpu/*:quantile_on_a_gpu_too.*")
# What they do is to be the first thing that a process does with the GPU, too.
ALONE = "Gpu.*:GpuWorkspace.*:GpuInGraphs.*"
# While a kernel spins until others have run, racecheck ends the program: so do the blocks of a scan,
# whose warps the SIMT machine checks.
NOT_FOR_RACECHECK = ("Gpu.runs_beside_another_and_a_kernel_that_fills_the_device:*scans_on_a_*:"
                     "scans_in_tiles.*:*scans_of_rows*:dynamic_on_a_gpu.*")
RUNGS_NOT_FOR_RACECHECK = {"scan/18_tally", "top-k/17_tally"}


def digest():
    """Of everything that the device tests are made of."""
    sources = (path for folder in ("include", "src", "ladder", "tests", "bench")
               for path in (ROOT / folder).rglob("*")
               if path.suffix in (".cu", ".cuh", ".hpp", ".cpp"))
    found = hashlib.sha256()
    for path in sorted(sources):
        content = path.read_bytes()
        found.update(f"{path.relative_to(ROOT).as_posix()} {len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()


def gpus(folder):
    """What `tally devices` says of the GPUs; ends this program if there is none."""
    done = subprocess.run([folder / "bin" / "tally", "devices", "--json", "--no-measure"],
                          check=True, capture_output=True)
    found = json.loads(done.stdout)
    here = [device for device in found["devices"] if device["kind"] == "gpu"]
    return here or sys.exit(f"gpu-test: no GPU: {found['no_gpu']}")


def sees(number):
    """The environment of a program that knows only one of the GPUs; None: that knows all."""
    if number is None:
        return os.environ
    all_of_them = os.environ.get("CUDA_VISIBLE_DEVICES")
    which = all_of_them.split(",")[number] if all_of_them else str(number)
    return os.environ | {"CUDA_VISIBLE_DEVICES": which}


def driver():
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                              check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.split()[0]


def run_tests(folder, prefix=(), options=(), shard=(0, 1), on=None):
    """Counts of the outcomes, and what was printed. A program that ends badly is a failure more."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        command = [*prefix, folder / "bin" / "tally_gpu_tests", f"--gtest_output=xml:{report}",
                   "--gtest_brief=1", *options]
        which = {"GTEST_SHARD_INDEX": str(shard[0]), "GTEST_TOTAL_SHARDS": str(shard[1])}
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=sees(on) | which)
        found = [outcome for _, outcome in outcomes(report)]
    counts = {wanted: found.count(wanted) for wanted in ("passed", "skipped")}
    counts["failed"] = len(found) - sum(counts.values())
    if done.returncode != 0 and counts["failed"] == 0:
        counts["failed"] = 1
    if counts["failed"]:
        print(done.stdout)
    return counts, done.stdout


def run_alone(folder):
    """Counts of the outcomes of tests each of which has a process of its own; some run at once."""
    listed = subprocess.run([folder / "bin" / "tally_gpu_tests", "--gtest_list_tests",
                             f"--gtest_filter={ALONE}"], check=True, capture_output=True, text=True)
    names, suite = [], ""
    for line in listed.stdout.splitlines():
        if line.startswith("  "):
            names.append(suite + line.split()[0])
        elif line.endswith("."):
            suite = line
    counts = Counter(failed=int(not names))
    with ThreadPoolExecutor(ALONE_AT_ONCE) as pool:
        filters = [[f"--gtest_filter={name}"] for name in names]
        for found, _ in pool.map(lambda options: run_tests(folder, options=options), filters):
            counts.update(found)
    return dict(counts)


def errors_in(output):
    """What a tool found; None: it broke down."""
    found = re.search(r"ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard", output)
    return int(found[1] or found[2]) if found else None


def rungs_to_run(folder, left_out):
    """Arguments for each rung alone."""
    listed = subprocess.run([folder / "bin" / "tally-ladder-gpu", "list"], check=True,
                            capture_output=True, text=True)
    rungs = [json.loads(line) for line in listed.stdout.splitlines()]
    unknown = left_out - {rung["id"] for rung in rungs}
    if unknown:
        sys.exit(f"gpu-test: there are no rungs {', '.join(sorted(unknown))}")
    for rung in rungs:
        if rung["id"] not in left_out:
            yield [rung["ladder"], "--rung", rung["id"]]


def run_rungs(folder, prefix, left_out=frozenset(), on=None):
    """How many rungs were right, and what the tool found in them."""
    def output_of(which):
        return subprocess.run([*prefix, folder / "bin" / "tally-ladder-gpu", "run", *which,
                               "--verify-only", "--this-size", "--n", "4099"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=sees(on)).stdout

    verified, errors = 0, 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for output in pool.map(output_of, rungs_to_run(folder, left_out)):
            found = errors_in(output)
            verified += output.count('"verified":true')
            errors = None if errors is None or found is None else errors + found
            if found != 0 or '"verified":false' in output:
                print(output)
    return verified, errors


def distinct_cubins(tool, programs, scratch):
    """Files of machine code, the largest first. Tests have the library's, too: it is there once."""
    found = {}
    for program in programs:
        extracted = scratch / program.name
        extracted.mkdir()
        subprocess.run([tool, "-xelf", "all", program], cwd=extracted, check=True, capture_output=True)
        for cubin in extracted.iterdir():
            found[hashlib.sha256(cubin.read_bytes()).digest()] = cubin
    return sorted(found.values(), key=lambda cubin: -cubin.stat().st_size)


def split_loads(folder):
    """How often machine code reads a status word with two loads (device/grid/status_word.cuh says what is
    wrong with that); None: there is no cuobjdump. Kernels of libraries that tests use have words of their own."""
    tool = shutil.which("cuobjdump") or "/usr/local/cuda/bin/cuobjdump"
    if not os.access(tool, os.X_OK):
        return None

    def loads(cubin):
        done = subprocess.run([tool, "-sass", cubin], check=True, capture_output=True)
        kernels = re.split(rb"Function : ", done.stdout)
        ours = [kernel for kernel in kernels if not re.match(rb"\S*(3cub|6thrust)\d", kernel)]
        return Counter(re.findall(rb" LDG?\.E\.(64|128)\.STRONG\.GPU", b"".join(ours)))

    found = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        programs = [folder / "bin" / name for name in ("tally", "tally_gpu_tests")]
        cubins = distinct_cubins(tool, programs, Path(scratch))
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for in_one in pool.map(loads, cubins):
                found.update(in_one)
    if found[b"128"] == 0:
        sys.exit("gpu-test: no status word is read at all: has cuobjdump another format?")
    return found[b"64"]


def part_under_a_tool(folder, tool, part, on):
    """Counts of the outcomes of a shard of the tests, or of the rungs, and `errors`: what the tool found;
    on the GPU of that number."""
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.access(sanitizer, os.X_OK):
        sys.exit("gpu-test: --sanitize needs compute-sanitizer, a part of the CUDA toolkit")
    prefix = [sanitizer, "--tool", tool]
    if tool == "memcheck":
        prefix += ["--report-api-errors", "no"]  # the tests check what calls refuse
    left_out, rungs_left_out = SLOW_UNDER_A_TOOL, set()
    if tool == "racecheck":
        left_out += ":" + NOT_FOR_RACECHECK
        rungs_left_out = RUNGS_NOT_FOR_RACECHECK
    if part == "rungs":
        rungs, errors = run_rungs(folder, prefix, rungs_left_out, on)
        return {"rungs": rungs, "errors": errors}
    counts, output = run_tests(folder, prefix, [f"--gtest_filter=-{left_out}"], (part, SHARDS), on)
    errors = errors_in(output)
    if errors != 0 and not counts["failed"]:
        print(output)
    return counts | {"errors": errors}


def run_tool(folder, tool, count, before, keep):
    """Adds up the parts that are `left` of what was found before, or all, on so many GPUs. Calls keep(found)
    after each."""
    found = {"passed": 0, "skipped": 0, "failed": 0, "errors": 0, "rungs": 0,
             "left": ["rungs", *range(SHARDS)]} | before
    with ThreadPoolExecutor(AT_ONCE * count) as pool:  # a tool keeps one core busy, and the GPU seldom
        running = {pool.submit(part_under_a_tool, folder, tool, part, i % count): part
                   for i, part in enumerate(found["left"])}
        for done in as_completed(running):
            for what, number in done.result().items():
                found[what] = None if None in (found[what], number) else found[what] + number
            found["left"] = [part for part in found["left"] if part != running[done]]
            keep(found)
    print(f"{tool}: {found}", flush=True)


def known(file):
    return json.loads(file.read_text()) if file.exists() else {}


def save(results, file):
    file.parent.mkdir(exist_ok=True)
    write_results(file, results)


def timed(what, function, *arguments):
    """What the function returns; says how long it took."""
    begin = time.monotonic()
    result = function(*arguments)
    print(f"{what}: {time.monotonic() - begin:.0f} s", flush=True)
    return result


def run_all(folder):
    """All tests, and some in a process each; and what is in the machine code."""
    counts, _ = timed("all tests in one process", run_tests, folder)
    with ThreadPoolExecutor() as pool:  # one needs no GPU
        splits = pool.submit(timed, "loads in the machine code", split_loads, folder)
        alone = pool.submit(timed, "some tests in a process each", run_alone, folder)
        return counts | {"split_loads": splits.result(), "alone": alone.result()}


def run(folder, file, tools, goes_on):
    device, *others = gpus(folder)
    here = {"device": device["name"], "driver": driver(), "cuda": device["runtime_cuda"],
            "digest": (folder / "sources.sha256").read_text().strip()}
    before = known(file)
    same = all(before.get(key) == here[key] for key in ("device", "digest"))
    found = before if same and goes_on else here | {"sanitizers": {}} | run_all(folder)
    if same and not goes_on:
        found["sanitizers"] = before["sanitizers"]
    save(found, file)

    def keep(tool):
        def keep_it(result):
            found["sanitizers"][tool] = dict(result)
            save(found, file)
        return keep_it

    with ThreadPoolExecutor() as pool:
        befores = {tool: found["sanitizers"].get(tool, {}) if goes_on else {} for tool in tools}
        list(pool.map(lambda tool: run_tool(folder, tool, 1 + len(others), befores[tool], keep(tool)), tools))
    print(f"{summary(found)} on {found['device']}")
    if found["split_loads"]:
        print(f"{found['split_loads']} status words are read with two loads")
    return found["failed"] > 0 or found["alone"]["failed"] > 0 or found["split_loads"] or any(
        tool["failed"] or tool["errors"] != 0 for tool in found["sanitizers"].values())


def summary(results):
    return ", ".join(f"{results[key]} {key}" for key in ("passed", "failed", "skipped")
                     if results[key] or key == "passed")


def status():
    results = known(RESULTS)
    if not results:
        return "GPU tests: not run yet, see ./dev gpu-build and ./dev gpu-test"
    current = results["digest"] == digest()
    return (f"GPU tests: {summary(results)} on {results['device']}, for "
            + ("these sources" if current else "older sources: run ./dev gpu-test"))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("stamp").add_argument("folder", type=Path)
    runner = commands.add_parser("run")
    runner.add_argument("--prebuilt", type=Path, required=True)
    runner.add_argument("--json", type=Path, default=RESULTS)
    runner.add_argument("--sanitize", nargs="*", choices=TOOLS)
    runner.add_argument("--go-on", action="store_true")
    commands.add_parser("status")
    given = parser.parse_args()
    if given.command == "status":
        print(status())
    elif given.command == "stamp":
        given.folder.mkdir(parents=True, exist_ok=True)
        (given.folder / "sources.sha256").write_text(digest() + "\n")
    else:
        tools = TOOLS if given.sanitize == [] else given.sanitize or []
        sys.exit(bool(run(given.prebuilt.resolve(), given.json, tools, given.go_on)))


if __name__ == "__main__":
    main()
