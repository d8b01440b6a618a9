# SPDX-License-Identifier: Apache-2.0
"""Files larger than memory: 4 GiB, with 256 MB of data allowed."""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest

from support.mpi import mpirun, needs_mpi

from .command import BINARY, LONG, report, tally
from .mpi_test import told

LIMITS = ["prlimit", "--data=256000000"]
MARKS = {0: 1.0, 12_345_678: 3.0, 800_000_000: -2.0, 2**30 - 1: 3.0}


def sparse_npy(name, dtype, n, marks):
    """Zeros that take no room on the disk, except for a few elements."""
    itemsize = np.dtype(dtype).itemsize
    with open(name, "wb") as file:
        header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": (n,)}
        np.lib.format.write_array_header_1_0(file, header)
        begin = file.tell()
        file.truncate(begin + n * itemsize)
        for index, value in marks.items():
            file.seek(begin + index * itemsize)
            file.write(np.array([value], dtype).tobytes())


@pytest.fixture(scope="module")
def four_gib(tmp_path_factory):
    path = tmp_path_factory.mktemp("four_gib") / "x.npy"
    sparse_npy(path, "float32", 2**30, MARKS)
    yield path
    path.unlink()


def test_sum_of_4_gib(four_gib):
    found = report("sum", four_gib, limits=LIMITS)
    assert (found["value"], found["count"]) == (5, 2**30)


def test_describe_of_4_gib(four_gib):
    found = report("describe", four_gib, limits=LIMITS)
    assert found["sum"] == 5
    assert (found["minimum_index"], found["maximum_index"]) == (800_000_000, 12_345_678)


def test_top_k_of_4_gib(four_gib):
    found = report("top-k", four_gib, "-k", 5, limits=LIMITS)
    assert found["indices"] == [12_345_678, 2**30 - 1, 0, 1, 2]
    assert found["values"] == [3, 3, 1, 0, 0]


def test_scan_of_4_gib(four_gib):
    found = report("scan", four_gib, "-o", "/dev/null", limits=LIMITS)
    assert (found["last"], found["count"]) == (5, 2**30)


def test_a_scan_to_a_file_larger_than_the_memory_allowed():
    n = 2**30 if LONG else 2**27
    assert shutil.disk_usage(".").free > 8 * n, "too little room on the disk"
    marks = {0: 1.0, 12_345_678: 3.0, n - 1: -2.0}
    sparse_npy("x.npy", "float32", n, marks)
    report("scan", "x.npy", "-o", "y.npy", limits=LIMITS)
    y = np.load("y.npy", mmap_mode="r")
    assert (y.dtype, y.shape) == ("float32", (n,))
    assert (y[:12_345_678] == 1).all()
    assert (y[12_345_678:-1] == 4).all()
    assert y[-1] == 2
    os.unlink("y.npy")


def test_top_k_of_random_numbers_in_less_memory_than_they_take():
    n = 2**30 if LONG else 2**26
    limits = ["prlimit", f"--data={n}"]  # a quarter of the file
    tally("generate", "uniform", "-n", n, "-o", "x.npy", check=True)
    x = np.load("x.npy", mmap_mode="r")
    for k in (10, 100_000):
        found = report("top-k", "x.npy", "-k", k, limits=limits)
        least = found["values"][-1]
        assert np.count_nonzero(x > least) < k <= np.count_nonzero(x >= least)
        assert (x[found["indices"]] == found["values"]).all()
        order = list(zip((-v for v in found["values"]), found["indices"]))
        assert order == sorted(order)
    os.unlink("x.npy")


def test_a_median_of_a_pipe_larger_than_the_memory_allowed():
    n = 2**27 + 1
    tally("generate", "normal", "-n", n, "-o", "x.npy", check=True)
    x = np.load("x.npy")
    expected = np.partition(x, n // 2)[n // 2]
    command = [*LIMITS, BINARY, "median", "--memory", "16M", "--json"]
    with open("x.npy", "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as cat:
        done = subprocess.run(command, stdin=cat.stdout, stdout=subprocess.PIPE,
                              env={**os.environ, "TMPDIR": os.getcwd()})
    assert json.loads(done.stdout)["value"] == expected
    os.unlink("x.npy")
    assert os.listdir() == []


def scan_of_a_pipe(x, *options, data, **others):
    """tally scan --reverse of raw bytes from a pipe, with so much data allowed, and less kept in memory."""
    command = ["prlimit", f"--data={data}", BINARY, "scan", "--reverse", "--memory", "16M", *options]
    return subprocess.run([*command, "--dtype", str(x.dtype), "--raw"], input=x.tobytes(), check=True,
                          env={**os.environ, "TMPDIR": os.getcwd()}, **others)


def test_a_reverse_scan_of_a_pipe_larger_than_the_memory_allowed():
    x = np.random.default_rng(1).integers(-2**31, 2**31, 2**26 + 1, "int32")
    scan_of_a_pipe(x, "-o", "y.raw", data=200_000_000)
    y = np.memmap("y.raw", "int64")
    assert (y == np.cumsum(x[::-1], dtype="int64")[::-1]).all()
    os.unlink("y.raw")
    assert os.listdir() == []


def test_a_reverse_scan_prints_more_sums_than_the_memory_allowed_has():
    x = np.random.default_rng(2).integers(0, 100, 10**7, "uint8")
    with open("y.txt", "wb") as file:
        scan_of_a_pipe(x, data=70_000_000, stdout=file)
    assert (np.loadtxt("y.txt", "int64") == np.cumsum(x[::-1], dtype="int64")[::-1]).all()
    os.unlink("y.txt")
    assert os.listdir() == []


@pytest.mark.parametrize("command", [["sum"], ["describe"], ["top-k"], ["scan", "-o", "/dev/null"]])
def test_a_pipe_is_read_in_chunks(command):
    n = 2**27
    arguments = [*LIMITS, BINARY, *command, "--json", "--dtype", "float32"]
    zeros = subprocess.Popen(["head", "-c", str(4 * n), "/dev/zero"], stdout=subprocess.PIPE)
    done = subprocess.run(arguments, stdin=zeros.stdout, stdout=subprocess.PIPE)
    zeros.stdout.close()
    assert zeros.wait() == 0
    found = json.loads(done.stdout)
    assert (found["count"], found["bytes_read"]) == (n, 4 * n)


@pytest.mark.parametrize("command", [["sum", "--column", "x"], ["top-k", "--column", "x"], ["describe"],
                                     ["scan", "--column", "x", "-o", "/dev/null"]])
def test_csv_is_read_in_parts(command):
    size, limit = (2**32, 256_000_000) if LONG else (2**28, 60_000_000)
    block = "".join(f"{i},{i / 8}\n" for i in range(100_000)).encode()
    blocks = size // len(block) + 1
    assert shutil.disk_usage(".").free > 2 * size, "too little room on the disk"
    with open("x.csv", "wb") as file:
        file.write(b"i,x\n")
        for _ in range(blocks):
            file.write(block)
    found = report(*command, "x.csv", limits=["prlimit", f"--data={limit}"])
    assert found["count"] == blocks * 100_000
    if command[0] == "top-k":
        assert found["values"] == [99_999 / 8] * 10
        assert found["indices"] == [(b + 1) * 100_000 - 1 for b in range(10)]
    else:
        sums = (found.get("value"), found.get("last"), found.get("columns", [{}])[-1].get("sum"))
        assert blocks * sum(range(100_000)) / 8 in sums
    os.unlink("x.csv")


@needs_mpi
def test_where_one_rank_has_no_memory_all_end():
    """Wherever it lacks: for its own work, for what it tells, or for what the other one tells."""
    np.save("x.npy", np.random.default_rng(1).standard_normal(8_000_000, np.float32))
    call = [BINARY, "top-k", "-k", 3_000_000, "--threads", 1, "x.npy"]
    ends = [told(mpirun(1, *call, ":", "-n", 1, "prlimit", f"--data={limit}", *call))
            for limit in range(80_000_000, 360_000_000, 30_000_000)]
    failures = [end for end in ends if end[0] != 0]
    assert len(failures) > 5
    assert set(failures) <= {(1, b"", "tally: rank 1: not enough memory\n"),
                             (1, b"", "tally: not enough memory\n")}  # it tells itself where the others do not hear it
