# SPDX-License-Identifier: Apache-2.0
"""--verbose: what ran a call, and how, on standard error. Plans of GPUs are tested where they are made."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from .command import answer, noted, npy, tally
from .gpu_test import COMMAND, HAS_GPU

BASELINE = {**os.environ, "TALLY_ISA": "baseline"}


def told(*arguments, threads=3, **options):
    """The line, after the name of the program."""
    note = noted(*arguments, "--verbose", "--device", "cpu", "--threads", threads, env=BASELINE, **options)[1]
    return note.removeprefix("tally: ")


def saved(x):
    np.save("x.npy", x)
    return "x.npy"


def test_a_sum_tells_its_threads_its_chunks_and_the_paths_of_its_tiles():
    x = np.ones(3_000_000, "float32")
    assert told("sum", saved(x)) == (
        "sum of 3000000 float32 in 2 chunks, on up to 3 threads (baseline): "
        "2936 x tile of a sum, fast path; 24 x part that threads shared")
    assert told("sum", "x.npy", threads=1) == (
        "sum of 3000000 float32 in 2 chunks, on 1 thread (baseline): 2930 x tile of a sum, fast path")
    assert told("max", saved(x[:1000])) == "max of 1000 float32 in one chunk, on up to 3 threads (baseline)"


def test_what_makes_a_sum_slow_is_told():
    assert told("sum", saved(np.tile([1e200, 1e-200], 5000))).endswith(
        ": 16 x tile of a sum, by a sum for every exponent; 4 x tile of a sum, one element at a time")


@pytest.mark.parametrize("call, path", [
    (["top-k", "-k", 3], "1 x selection of few, by insertion; "),
    (["top-k", "--distinct"], " x merge of candidates into the best different values"),
    (["median"], "1 x selection in one read, which keeps what can be among the best; "),
    (["quantile", "-q", "0.1,0.9"], "2 x selection in one read, which keeps what can be among the best; "),
    (["scan", "-o", "y.npy"], " x tile of a scan, fast path; "),
    (["dot", "x.npy"], " x tile of pairs whose products are doubles; "),
    (["variance"], " x tile of squares, fast path; "),
    (["fast-sum"], " x part that threads shared"),
    (["describe"], " x tile of squares, fast path; "),
], ids=str)
def test_each_command_tells_its_paths(call, path):
    line = told(*call, saved(np.random.default_rng(1).standard_normal(600_000).astype("float32")))
    assert re.match(rf"{call[0]} of 600000 float32 in (one|2) chunks?, on up to 3 threads \(baseline\): ", line)
    assert path in line


def test_streams_text_and_decimals_are_told_alike():
    assert told("sum", stdin=b"1 2 3") == (
        "sum of 3 int64 in one chunk, on up to 3 threads (baseline): 1 x tile of a sum, fast path")
    assert told("min", stdin=npy(np.ones(5))) == "min of 5 float64 in one chunk, on up to 3 threads (baseline)"
    assert told("sum", "--decimal", stdin=b"0.1 0.2") == "sum of 2 decimal on up to 3 threads (baseline)"


def test_it_is_beside_the_answer_and_before_other_lines():
    done = tally("sum", "--json", "--verbose", "--time", "--threads", 1, stdin=b"1 nan", env=BASELINE)
    assert done.stdout.startswith(b'{"') and done.stderr.startswith(b"tally: sum of 2 ")
    lines = tally("sum", "--verbose", "--time", "--threads", 1, stdin=b"1 nan", env=BASELINE).stderr.decode().split("\n")
    assert lines[0].startswith("tally: sum of 2 ") and "missing" in lines[1] and lines[2].endswith("GB/s")


def test_each_file_has_a_line_of_its_own():
    np.save("a.npy", np.ones(1000, "float32"))
    np.save("b.npy", np.ones(9))
    lines = tally("sum", "--each", "--verbose", "a.npy", "b.npy", env=BASELINE).stderr.decode().splitlines()
    assert [line.split(" in ")[0] for line in lines] == ["tally: sum of 1000 float32", "tally: sum of 9 float64"]
    assert all(line.endswith(": 1 x tile of a sum, fast path") for line in lines)


def test_commands_that_only_read_have_no_plan():
    for command in ("count", "info", "generate", "merge", "devices"):
        assert "--verbose" not in answer(command, "--help")


@pytest.mark.skipif(not (HAS_GPU or os.path.exists(COMMAND)), reason="no GPU")
@pytest.mark.parametrize("call", [["sum"], ["fast-sum"], ["dot", "x.npy"], ["scan", "-o", "y.npy"], ["top-k"],
                                  ["median"], ["describe"]], ids=lambda x: x[0])
def test_a_gpu_tells_what_it_has_started(call):
    saved(np.ones(100_000, "float32"))
    line = noted(*call, "x.npy", "--verbose", "--device", "gpu", command=COMMAND)[1]
    plan = r".* of \d+ threads.*" if HAS_GPU else "as cores do, by 1 block of 1 threads.*"
    assert re.fullmatch(rf"tally: {call[0]} of 100000 float32 in (one|2) chunks?, on gpu:0 \(.+\): {plan}", line)


if not HAS_GPU and os.path.exists(COMMAND):
    def test_why_a_gpu_was_not_taken_is_told():
        saved(np.ones(1000, "float32"))
        environment = {**BASELINE, "TALLY_HOST_GPU_BYTES": "100"}
        note = noted("max", "x.npy", "--verbose", "--device", "gpu", "--threads", 1, env=environment, command=COMMAND)[1]
        assert note == ("tally: max of 1000 float32 in one chunk, on 1 thread (baseline); "
                        "a GPU has no memory for it, or integers are missing")
