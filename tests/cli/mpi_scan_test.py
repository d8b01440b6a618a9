# SPDX-License-Identifier: Apache-2.0
"""A scan under mpirun: ranks write one file, which is there whole or not at all."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from support.mpi import mpirun, needs_mpi

from .command import BINARY, LONG, tally
from .mpi_test import HARD, files_of, require_same, same, told, words_of

pytestmark = needs_mpi

SCANS = [
    "hard", "--exclusive hard", "--reverse files", "--reverse --exclusive files", "--init 0.1 files",
    "--out-dtype float64 hard", "--skip-nan nan", "nan", "halves", "two", "none", "bytes", "bools",
    "--reverse --init -5 bytes", "--exclusive --out-dtype uint8 bytes", "--reverse swapped", "fortran",
    "--out-dtype int64 integers", "--reverse --exclusive --out-dtype uint64 --init 7 integers",
]


@pytest.mark.parametrize("number, call", enumerate(SCANS), ids=SCANS)
def test_the_file_is_what_one_process_writes(number, call):
    words = words_of(call)
    for size in (2, 3, 4) if LONG else (2 + number % 3,):
        done = mpirun(size, BINARY, "scan", *words, "-o", "y.npy", "--json")
        assert json.loads(done.stdout)["ranks"] == size
        written = Path("y.npy").read_bytes()
        same(done, tally("scan", *words, "-o", "y.npy", "--json"))
        assert written == Path("y.npy").read_bytes()
    assert not [f for f in os.listdir() if f.endswith(".tmp")]


def test_raw_data_is_written_too():
    HARD.tofile("x.dat")
    done = mpirun(3, BINARY, "scan", "--raw", "--dtype", "float32", "x.dat", "-o", "y.dat")
    assert told(done) == (0, b"", "")
    tally("scan", "--raw", "--dtype", "float32", "x.dat", "-o", "z.dat")
    assert Path("y.dat").read_bytes() == Path("z.dat").read_bytes()


def sums_that_leave_int64(at):
    """The sum up to element `at` is the first that int64 does not hold; later ones are back in it."""
    x = np.zeros(3000, "i8")
    x[100], x[at], x[at + 1] = 2**63 - 1, 1, -1
    return x


@pytest.mark.parametrize("at", [500, 999, 1000, 2500])
def test_what_no_element_holds_is_told_wherever_it_is(at):
    np.save("x.npy", sums_that_leave_int64(at))
    done = mpirun(3, BINARY, "scan", "x.npy", "-o", "y.npy")
    status, out, note = told(done)
    alone = tally("scan", "x.npy", "-o", "y.npy").stderr.decode()
    assert f"element {at} is 9223372036854775808" in alone
    rank = at // 1000
    assert (status, out, note) == (1, b"", alone.replace("tally: ", f"tally: rank {rank}: ") if rank else alone)
    assert os.listdir() == ["x.npy"]


def test_back_in_int64_a_rank_writes_what_it_should():
    x = sums_that_leave_int64(1999)
    x[100] -= 1
    np.save("x.npy", x)
    require_same(3, "scan", "x.npy", "--init", 2**64, "--out-dtype", "float64")
    same(mpirun(3, BINARY, "scan", "x.npy", "--json"), tally("scan", "x.npy", "--json"))
    same(mpirun(3, BINARY, "scan", "x.npy", "--json", "--init", 2**70), tally("scan", "x.npy", "--json", "--init", 2**70))


def test_where_one_rank_cannot_write_there_is_no_file():
    """Rank 2 may write no byte beyond the first 4000 of a file."""
    files_of("hard")
    scan = [BINARY, "scan", "hard0.npy", "-o", "y.npy"]
    done = mpirun(2, *scan, ":", "-n", 1, "prlimit", "--fsize=4000", *scan)
    assert told(done) == (1, b"", "tally: rank 2: cannot write y.npy: File too large\n")
    assert os.listdir() == ["hard0.npy"]


def test_a_file_that_is_there_is_replaced_or_kept():
    files_of("hard")
    Path("y.npy").write_bytes(b"old")
    os.chmod("y.npy", 0o640)
    scan = [BINARY, "scan", "hard0.npy", "-o", "y.npy"]
    mpirun(2, *scan, ":", "-n", 1, "prlimit", "--fsize=4000", *scan)
    assert Path("y.npy").read_bytes() == b"old"
    assert told(mpirun(3, *scan)) == (0, b"", "")
    tally("scan", "hard0.npy", "-o", "z.npy")
    assert Path("y.npy").read_bytes() == Path("z.npy").read_bytes()
    assert os.stat("y.npy").st_mode & 0o777 == 0o640


def process_of_rank(rank, started):
    """Once it is there; None if mpirun ends before."""
    while started.poll() is None:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                environment = (process / "environ").read_bytes().split(b"\0")
                if (f"OMPI_COMM_WORLD_RANK={rank}".encode() in environment
                        and os.readlink(process / "cwd") == os.getcwd() and os.readlink(process / "exe") == BINARY):
                    return int(process.name)
            except OSError:
                pass  # it has ended, or is another user's
    return None


# On a busy machine a rank that is ended does not always remove its file within a second, which is how
# long Open MPI waits before it kills.
PATIENT = {"OMPI_MCA_odls_base_sigkill_timeout": "5"}


def unfinished():
    return [f for f in os.listdir() if f.endswith(".tmp")]


def scan_of_which_a_rank_is_stopped():
    """mpirun, and the process of rank 1, which is stopped; it has not written all of its part."""
    for size in 50_000_000, 100_000_000, 200_000_000:
        with open("x.dat", "wb") as file:
            file.truncate(size)
        started = mpirun(3, BINARY, "scan", "--raw", "--dtype", "int8", "x.dat", "-o", "y.npy",
                         launch=subprocess.Popen, env=os.environ | PATIENT)
        process = process_of_rank(1, started)
        while started.poll() is None and not unfinished():
            pass
        if started.poll() is None:
            os.kill(process, signal.SIGSTOP)
            time.sleep(0.2)
            if unfinished():  # the others wait
                return started, process
            os.kill(process, signal.SIGCONT)
        started.communicate(timeout=60)
        os.remove("y.npy")
    raise AssertionError("no rank could be stopped")


@pytest.mark.parametrize("what", ["rank", "mpirun", "interrupt"])
def test_where_a_rank_is_killed_all_end_and_leave_no_file(what):
    started, process = scan_of_which_a_rank_is_stopped()
    if what == "rank":
        os.kill(process, signal.SIGKILL)
    else:
        started.send_signal(signal.SIGTERM if what == "mpirun" else signal.SIGINT)
    started.communicate(timeout=60)
    assert started.returncode != 0
    left = set(os.listdir()) - {"x.dat"}
    if what == "rank":
        assert not left
    elif left:  # mpirun wakes the rank before it ends it, which has sometimes done its work by then
        assert left == {"y.npy"} and np.load("y.npy", mmap_mode="r").shape == (os.path.getsize("x.dat"),)


def test_a_file_that_becomes_shorter_ends_all_ranks():
    started, process = scan_of_which_a_rank_is_stopped()
    os.truncate("x.dat", 5000)
    os.kill(process, signal.SIGCONT)
    _, note = started.communicate(timeout=60)
    assert b"tally: a file became shorter while it was read\n" in note
    assert started.returncode != 0
    assert os.listdir() == ["x.dat"]
