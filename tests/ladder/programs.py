# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of the ladder that were built beside the command, each run once for all tests."""

import functools
import hashlib
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ["TALLY_BINARY"]).resolve().parent

# What pytest's workers share: one runs a program, the others read what it printed.
SHARED = Path(tempfile.gettempdir()) / f"ladder-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"


def place_of(run):
    """Where what a run printed goes, and its exit status."""
    return SHARED / hashlib.sha256("\0".join(run).encode()).hexdigest()


def run_unless_begun(run):
    place = place_of(run)
    try:
        place.with_suffix(".begun").touch(exist_ok=False)
    except FileExistsError:
        return
    done = subprocess.run([BUILD / run[0], *run[1:]], stdout=subprocess.PIPE, timeout=600)
    unfinished = place.with_suffix(".unfinished")
    unfinished.write_bytes(b"%d\n" % done.returncode + done.stdout)
    unfinished.rename(place)


def printed_by(run):
    """What a run printed, a worker's own or another's, and its exit status."""
    run_unless_begun(run)
    place, end = place_of(run), time.monotonic() + 700
    while not place.exists():
        assert time.monotonic() < end, f"no worker finished {run}"
        time.sleep(0.05)
    status, *lines = place.read_bytes().splitlines()
    return lines, int(status)


def lines(*run):
    """The objects that a program prints, a line each, and its exit status; not those that only a GPU can run."""
    SHARED.mkdir(exist_ok=True)
    printed, status = printed_by(run)
    return [one for one in map(json.loads, printed) if "only_on" not in one], status


@functools.cache
def exhibits():
    found, status = lines("tally-exhibits")
    return {e["id"]: e for e in found}, status


@functools.cache
def rungs(ladder):
    """Every rung of the ladder, verified on the machine, and whether one failed: workers share the rungs."""
    runs = [("tally-ladder-simt", "run", ladder, "--rung", name)
            for name, rung in listed().items() if rung["ladder"] == ladder]
    for run in runs:
        run_unless_begun(run)
    found = [lines(*run) for run in runs]
    return {r["id"]: r for printed, _ in found for r in printed}, max(status for _, status in found)


@functools.cache
def listed():
    found, status = lines("tally-ladder-simt", "list")
    assert status == 0
    return {r["id"]: r for r in found}
