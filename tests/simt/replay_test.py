# SPDX-License-Identifier: Apache-2.0
"""A program of device tests searches for a schedule that fails, saves it, and repeats it."""

import os
import subprocess
from pathlib import Path

PROGRAM = Path(os.environ["TALLY_BINARY"]).resolve().parent / "tests/simt_simt_tests"
TEST = "schedule.that_fails_can_be_saved_by_the_program"


def run(*arguments, fails=True):
    environment = dict(os.environ)
    if fails:
        environment["TALLY_RARE_FAILURE"] = "1"
    done = subprocess.run(
        [PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def test_a_failing_schedule_is_saved_and_replayed(tmp_path):
    file = tmp_path / "schedule.txt"
    status, said = run(f"--gtest_filter={TEST}", "--search", str(file))
    assert status == 0, said
    assert "failure at " in said
    text = file.read_text().splitlines()
    assert text[:2] == ["simt-schedule 1", f"test {TEST}"]
    assert 1 <= sum(line.startswith("choice ") for line in text) <= 2, text
    for _ in range(2):
        status, said = run("--replay", str(file))
        assert status == 1
        assert f"[  FAILED  ] {TEST}" in said
    status, said = run(f"--gtest_filter={TEST}")
    assert status == 0, said


def test_without_a_failure_nothing_is_saved(tmp_path):
    file = tmp_path / "schedule.txt"
    status, said = run("--gtest_filter=order.release*", "--search", str(file), "--runs", "3", fails=False)
    assert status == 1
    assert said == "no failure in 3 runs\n"
    assert not file.exists()


def test_a_file_that_is_no_schedule_is_refused(tmp_path):
    file = tmp_path / "schedule.txt"
    file.write_text("choice\n")
    status, said = run("--replay", str(file))
    assert status == 2
    assert 'the first line is not "simt-schedule 1"' in said


def test_a_finding_is_said_before_the_failure_that_comes_of_it():
    status, said = run("--gtest_filter=findings.*")
    assert status == 1
    assert said.index("before it: race in") < said.index("Failure")
    assert said.count("race in") == 1
