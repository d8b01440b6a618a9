# SPDX-License-Identifier: Apache-2.0
"""The recorded bits of random calls: the same each time, and on cores and a GPU.

Where there is no GPU, cores stand in for one (tests/support/host_kernels.cpp), with memory of its own.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

TESTS = Path(os.environ["TALLY_BINARY"]).resolve().parent / "tests"
RECORD, ON_CORES = TESTS / "tally_record", TESTS / "tally_record_on_a_host_gpu"
MARKS = ("ordered", "cores")
CALLS = set("""sum fast_sum mean variance standard_deviation sum_of_squares norm product min_max peak_to_peak
    arg_minimum arg_maximum describe count_nonzero all_of any_of bit_xor dot sum_state moments_state dot_state
    all_together last_odd minimum maximum kth_value quantile top_k top_k_into""".split()) | {
    "sum as double", "mean as float", "sum of absolute", "maximum of square", "scan sum", "scan minimum",
    "scan maximum", "scan fast_sum", "scan last_odd", "scan sum to double", "scan sum to float",
    "scan sum to widest", "top_k with payload", "top_k of rows", "top_k_into of rows",
    "top_k of rows with payload", "kth_value of rows", "quantile of rows"}


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def lines(*arguments):
    done = run(RECORD, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def kind(line):
    """What was called, without how."""
    what = re.fullmatch(r"\d+ \w+ ([^:]+?)(: .*)? [0-9a-f]{16}( ordered| cores)?", line)[1]
    return re.sub(" (otherwise|in place)$", "", what)


def test_every_call_and_type_occurs_and_bits_are_the_same_each_time():
    found = lines(2500, 7)
    assert [line.split()[0] for line in found] == [str(i) for i in range(2500)]
    assert {kind(line) for line in found} == CALLS
    assert len({line.split()[1] for line in found}) == 13
    assert len({line.split()[-1] for line in found}) > 1500
    assert any("otherwise" in line for line in found) and any("in place" in line for line in found)
    assert lines(500, 7) == found[:500] != lines(500, 8)


def test_what_another_place_cannot_have_is_left_out_if_asked():
    found = lines(500)
    assert lines("--exact", 500) == [line for line in found if not line.endswith(MARKS)]
    ordered, cores = ({kind(line) for line in found if line.endswith(mark)} for mark in MARKS)
    assert ordered == {"scan fast_sum"}
    assert cores == {"last_odd", "scan last_odd", "mean as float"}


def test_large_calls_are_recorded_too():
    assert len(lines("--large", 3)) == 3


def test_a_gpu_gives_the_bits_that_cores_give():
    program = ON_CORES if ON_CORES.exists() else RECORD
    done = run(program, "--both", 1000, 3)
    if done.stderr.startswith("no GPU"):
        pytest.skip("no GPU")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if not line.endswith(MARKS)] == lines("--exact", 1000, 3)


@pytest.mark.parametrize("words", [["1", "2", "3"], ["-1"], ["1x"], [""], ["--fast"]])
def test_what_is_no_option_is_named(words):
    done = run(RECORD, *words)
    assert done.returncode == 2
    assert done.stderr == f"tally_record: {words[-1]} is no option and no number here\n"
