# SPDX-License-Identifier: Apache-2.0
"""The command under mpirun: ranks that share an array out tell what one process tells, once."""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest

from support.mpi import BUILD, mpirun, needs_mpi

from .command import BINARY, LONG, answer, npy, tally

pytestmark = needs_mpi

RNG = np.random.default_rng(7)
HARD = (RNG.standard_normal(3001) * 10.0 ** RNG.integers(-30, 30, 3001)).astype("f4")
WITH_NAN = np.where(RNG.random(2000) < 0.01, np.nan, RNG.integers(-5, 5, 2000)).astype("f8")

# More elements than one rank's piece, fewer than ranks, none, several files, and every kind of type.
ARRAYS = {
    "hard": [HARD],
    "nan": [WITH_NAN],
    "halves": [RNG.standard_normal((7, 11)).astype("f2")],
    "integers": [RNG.integers(-2**62, 2**62, 1000)],
    "bytes": [RNG.integers(0, 255, 999).astype("u1")],
    "bools": [RNG.random(100) < 0.5],
    "swapped": [RNG.standard_normal(1000).astype(">f8")],
    "fortran": [np.asfortranarray(RNG.standard_normal((30, 40)).astype("f4"))],
    "two": [np.array([3, 1], "i4")],
    "none": [np.zeros(0, "f4")],
    "files": [HARD[:1000], HARD[:0], HARD[1000:1001], HARD[1001:]],
}

CALLS = [
    "sum hard", "sum files", "sum none", "sum integers", "sum --out-dtype float32 nan",
    "fast-sum hard", "fast-sum files", "mean halves", "variance --ddof 1 files", "std integers",
    "norm two", "sum-of-squares bytes", "prod two", "prod halves", "prod --out-dtype int64 integers",
    "min files", "max --skip-nan nan", "max nan", "argmin files", "argmax nan", "describe files", "describe nan",
    "describe two", "count files", "count --skip-nan nan", "count-nonzero bools", "bit-xor integers",
    "any-of bools", "min-max swapped", "top-k -k 3 hard", "top-k files", "top-k -k 2500 --smallest files",
    "top-k -k 5 --distinct --unsorted nan", "top-k --skip-nan -k 1999 nan", "top-k two", "top-k -k 7 fortran", "top-k none", "top-k -k 0 hard",
    "quantile -q 0.1,1/3,99% files", "median nan", "median --skip-nan nan",
    "median integers", "median none", "quantile -q 0,1,0.5 two", "quantile -q 0.3 --method lower swapped", "scan --json hard",
]


def files_of(name):
    """The names of the array's files, which are there then."""
    for i, x in enumerate(ARRAYS[name]):
        np.save(f"{name}{i}.npy", x)
    return [f"{name}{i}.npy" for i in range(len(ARRAYS[name]))]


def words_of(call):
    *words, name = call.split()
    return [*words, *files_of(name)]


def told(done):
    """Exit status, standard output, and what the command, not mpirun, has said on standard error."""
    lines = done.stderr.decode().splitlines(keepends=True)
    return done.returncode, done.stdout, "".join(line for line in lines if line.startswith("tally: "))


def same(done, alone):
    """Whether the ranks told what the command does alone; their times and how many they are aside."""
    def keys(stdout):
        found = json.loads(stdout)
        return {k: v for k, v in found.items() if k not in ("seconds", "gb_per_s", "ranks", "threads")}
    (status, out, note), (status_alone, out_alone, note_alone) = told(done), told(alone)
    if out.startswith(b"{") and out_alone.startswith(b"{"):
        out, out_alone = keys(out), keys(out_alone)
    assert (status, out, note) == (status_alone, out_alone, note_alone)


def require_same(size, *words, **options):
    same(mpirun(size, BINARY, *words, **options), tally(*words, **options))


@pytest.mark.parametrize("number, call", enumerate(CALLS), ids=CALLS)
def test_ranks_tell_what_one_process_tells(number, call):
    words = words_of(call)
    require_same(2 + number % 3, *words, "--json")
    if LONG:
        for size in 1, 2, 3, 4, 7:
            require_same(size, *words)


def test_of_one_rank_that_is_so_too():
    require_same(1, *words_of("sum hard"))


def test_they_say_how_many_they_are():
    for call, size in ("sum hard", 3), ("top-k files", 2), ("count none", 2):
        done = mpirun(size, BINARY, *words_of(call), "--json")
        assert json.loads(done.stdout)["ranks"] == size
    done = mpirun(3, BINARY, *words_of("sum hard"), "--verbose")
    assert b" on 3 ranks, the first by " in done.stderr
    assert json.loads(tally(*words_of("sum hard"), "--json").stdout)["ranks"] == 1


def test_each_rank_reads_its_part():
    """All bytes are read, and none twice."""
    done = mpirun(3, BINARY, *words_of("sum files"), "--json")
    assert json.loads(done.stdout)["bytes_read"] == sum(os.path.getsize(f) for f in files_of("files"))


ALONE = {
    "text": ["sum", "x.txt"],
    "CSV": ["mean", "--column", "a", "x.csv"],
    "compressed": ["sum", "x.npy.gz"],
    "rows": ["sum", "--axis", "0", "halves0.npy"],
    "each file": ["sum", "--each", "hard0.npy", "halves0.npy"],
    "two arrays": ["dot", "hard0.npy", "hard0.npy"],
    "lines": ["scan", "two0.npy"],
    "text of a scan": ["scan", "two0.npy", "-o", "/dev/stdout"],
    "no array": ["info", "hard0.npy"],
    "help": ["sum", "--help"],
}


@pytest.mark.parametrize("words", ALONE.values(), ids=ALONE)
def test_what_cannot_be_cut_the_first_rank_does_alone(words):
    for name in "hard", "halves", "two":
        files_of(name)
    Path("x.txt").write_text("1 2 3.5\n")
    Path("x.csv").write_text("a,b\n1,2\n3,4\n")
    Path("x.npy.gz").write_bytes(gzip.compress(npy(HARD)))
    require_same(3, *words)


def test_the_first_rank_reads_standard_input():
    for stdin in b"1 2 3\n", npy(HARD):
        done = mpirun(3, BINARY, "sum", input=stdin)
        same(done, tally("sum", stdin=stdin))


FAILURES = {
    "no file": ["sum", "nowhere.npy"],
    "truncated": ["sum", "hard0.npy", "short.npy"],
    "of two types": ["sum", "hard0.npy", "two0.npy"],
    "empty": ["min", "none0.npy"],
    "only NaN": ["mean", "--skip-nan", "nans.npy"],
    "no such type": ["variance", "--out-dtype", "int8", "hard0.npy"],
    "no such option": ["sum", "--nothing", "hard0.npy"],
    "no folder": ["scan", "hard0.npy", "-o", "nowhere/y.npy"],
    "no folder for a state": ["sum", "hard0.npy", "--save-state", "nowhere/s"],
}


@pytest.mark.parametrize("words", FAILURES.values(), ids=FAILURES)
def test_an_error_is_told_once(words):
    for name in "hard", "two", "none":
        files_of(name)
    Path("short.npy").write_bytes(npy(HARD)[:-10])
    np.save("nans.npy", np.full(10, np.nan))
    before = sorted(os.listdir())
    done, alone = mpirun(3, BINARY, *words), tally(*words)
    assert alone.returncode in (1, 2)
    assert told(done) == told(alone)
    assert sorted(os.listdir()) == before


def test_what_one_rank_alone_finds_wrong_is_told():
    """Of its own folder, say: the second program's rank looks for the file elsewhere."""
    files_of("hard")
    os.mkdir("elsewhere")
    done = mpirun(2, BINARY, "sum", "hard0.npy", ":", "-n", 1, "-wdir", "elsewhere", BINARY, "sum", "hard0.npy")
    assert told(done) == (1, b"", "tally: rank 2: hard0.npy: No such file or directory\n")


def test_ranks_that_see_other_files_do_not_add_them_up():
    files_of("hard")
    os.mkdir("elsewhere")
    np.save("elsewhere/hard0.npy", HARD[1:])
    done = mpirun(1, BINARY, "sum", "hard0.npy", ":", "-n", 1, "-wdir", "elsewhere", BINARY, "sum", "hard0.npy")
    assert told(done) == (1, b"", "tally: hard0.npy: is not the same for the ranks 0 and 1\n")


def test_ranks_of_other_command_lines_do_not_add_up_what_they_find():
    files_of("nan")
    done = mpirun(2, BINARY, "sum", "nan0.npy", ":", "-n", 1, BINARY, "sum", "--skip-nan", "nan0.npy")
    assert told(done) == (2, b"", "tally: the ranks 0 and 2 have different command lines\n")


def test_a_state_is_saved_once_and_goes_on():
    words = words_of("variance files")
    same(mpirun(3, BINARY, *words, "--first-index", 5, "--save-state", "a"),
         tally(*words, "--first-index", 5, "--save-state", "b"))
    assert Path("a").read_bytes() == Path("b").read_bytes()
    words = words_of("fast-sum files")
    same(mpirun(3, BINARY, *words, "--save-state", "a"), tally(*words, "--save-state", "b"))
    assert answer("merge", "a") == answer("merge", "b")


def test_without_mpi_a_command_is_none_of_several():
    without = BUILD / "tests" / "tally_without_mpi"
    words = words_of("sum hard")
    done = mpirun(2, without, *words)
    assert told(done) == (2, b"", "tally: is one of 2 processes, and was built without MPI; "
                                  "TALLY_MPI=ON builds it with\n")
    same(mpirun(1, without, *words), tally(*words))
