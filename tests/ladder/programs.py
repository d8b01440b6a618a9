# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of the ladder that were built beside the command, once for all tests."""

import functools
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ["TALLY_BINARY"]).resolve().parent


def lines(program, *arguments):
    """The objects that the program prints, a line each, and its exit status."""
    done = subprocess.run([BUILD / program, *arguments], stdout=subprocess.PIPE, timeout=600)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode


@functools.cache
def exhibits():
    found, status = lines("tally-exhibits")
    return {e["id"]: e for e in found}, status


@functools.cache
def rungs(ladder):
    """Every rung of the ladder, verified on the machine, and the program's exit status."""
    found, status = lines("tally-ladder-simt", "run", ladder)
    return {r["id"]: r for r in found}, status


@functools.cache
def listed():
    found, status = lines("tally-ladder-simt", "list")
    assert status == 0
    return {r["id"]: r for r in found}
