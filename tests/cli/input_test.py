# SPDX-License-Identifier: Apache-2.0
"""What the command reads: .npy, raw, CSV, standard input."""

import math
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from .command import BINARY, answer, failure, report
from .oracle import FLOATS, INTEGERS, hard_floats, same, values


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("byte_order", ["<", ">"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_of_every_version_and_order(version, byte_order, order):
    for dtype in FLOATS + INTEGERS:
        x = values(dtype, 60).reshape(3, 4, 5)
        stored = np.array(x, np.dtype(dtype).newbyteorder(byte_order), order=order)
        with open("x.npy", "wb") as file:
            np.lib.format.write_array(file, stored, version)
        wraps = ["--out-dtype", dtype] if dtype in ("int64", "uint64") else []
        found = report("scan", "x.npy", "-o", "y.npy", *wraps)
        assert (found["dtype"], found["shape"]) == (dtype, [3, 4, 5])
        np.save("flat.npy", x.ravel())
        report("scan", "flat.npy", "-o", "z.npy", *wraps)
        assert same(np.load("y.npy").ravel(), np.load("z.npy")), dtype


def test_npy_scalars_and_unaligned_data():
    np.save("scalar.npy", np.float64(0.5))
    assert answer("sum", "scalar.npy") == "0.5"
    x = np.arange(10, dtype="float64")
    with open("x.npy", "wb") as file:
        text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10,)}\n"
        file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + x.tobytes())
    assert answer("sum", "x.npy") == "45"


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_raw_data_of_every_type(dtype):
    x = values(dtype)
    x.tofile("x.raw")
    np.save("x.npy", x)
    assert answer("top-k", "x.raw", "--dtype", dtype) == answer("top-k", "x.npy")


def test_bfloat16_is_the_upper_half_of_float32():
    (np.array([1.5, -3, 1e30], "float32").view("uint32") >> 16).astype("uint16").tofile("x.raw")
    assert answer("top-k", "x.raw", "--dtype", "bfloat16", "-k", 2).split("\t")[0] == "2"
    assert answer("min", "x.raw", "--dtype", "bfloat16") == "-3"
    report("scan", "x.raw", "--dtype", "bfloat16", "-o", "y.npy")
    assert np.load("y.npy").dtype.str == "|V2"
    assert report("min", "y.npy", "--dtype", "bfloat16")["dtype"] == "bfloat16"


CSV = 'name,hours,"miles, all"\r\n"Ada ""L""",1.5,10\r\nBo,NA,20\r\n"two\r\nlines",2.5,30\r\n'


def test_csv_columns_go_by_name_or_number():
    with open("t.csv", "w", newline="") as file:
        file.write(CSV)
    assert answer("sum", "t.csv", "--column", "miles, all") == "60"
    assert answer("sum", "t.csv", "--column", "3") == "60"
    assert "'2nd'" in failure(1, "sum", "t.csv", "--column", "2nd")
    assert answer("sum", "t.csv", "--column", "hours", "--skip-nan") == "4"
    found = report("sum", "t.csv", "--column", "miles, all", "--dtype", "int16")
    assert (found["dtype"], found["count"], found["shape"]) == ("int16", 3, [3])
    assert found["bytes_read"] == len(CSV)


def test_csv_without_a_header_and_with_one_column():
    with open("t.csv", "w") as file:
        file.write("1\n2\n3.5\n")
    assert answer("sum", "t.csv", "--no-header") == "6.5"
    os.rename("t.csv", "t.txt")
    assert answer("sum", "t.txt", "--column", "1", "--no-header") == "6.5"
    assert answer("sum", "t.txt") == "6.5"


def test_standard_input_of_numbers():
    piped = subprocess.run(f"seq 100 | '{BINARY}' sum", shell=True, stdout=subprocess.PIPE)
    assert piped.stdout == b"5050\n"
    assert answer("sum", stdin=b" 1.5\n\n2\t-3e2 +4\r\n") == "-292.5"
    assert answer("sum", "-", stdin=b"1 2") == "3"
    found = report("sum", stdin=b"1 2.5 nan")
    assert (found["dtype"], found["shape"]) == ("float64", [3])
    assert (found["count"], found["nan_count"]) == (3, 1)
    assert answer("sum", stdin=b"") == "0"


def test_standard_input_in_npy_is_known_by_its_magic():
    np.save("x.npy", np.arange(12, dtype="int16").reshape(3, 4))
    with open("x.npy", "rb") as file:
        assert report("sum", stdin=file)["shape"] == [3, 4]
    found = report("sum", stdin=open("x.npy", "rb").read())
    assert (found["value"], found["dtype"], found["shape"]) == (66, "int16", [3, 4])


def test_standard_input_is_raw_if_a_type_is_given():
    assert answer("sum", "--dtype", "uint8", stdin=bytes(range(256))) == "32640"
    assert answer("max", "-", "--dtype", "float32", stdin=np.float32([1, 3, 2]).tobytes()) == "3"


def test_standard_input_is_one_file_among_others():
    np.save("x.npy", np.array([1.0, 2.0]))
    assert answer("scan", "x.npy", "-", "x.npy", stdin=b"10 20") == "1\n3\n13\n33\n34\n36"


def test_a_named_pipe_is_read_like_a_stream():
    os.mkfifo("pipe")
    writer = subprocess.Popen("seq 100000 > pipe", shell=True)
    assert answer("sum", "pipe") == "5000050000"
    assert writer.wait() == 0


def test_a_stream_gives_the_bits_of_the_file():
    x = hard_floats("float32", 300_000)
    x[77] = math.inf
    for data in (x[78:], x):
        np.save("x.npy", data)
        for command in ("sum", "fast-sum", "mean", "variance", "min", "max"):
            piped = report(command, stdin=open("x.npy", "rb").read())
            assert piped["bits"] == report(command, "x.npy")["bits"], command


def test_the_flights_that_come_with_the_project():
    data = Path(__file__).parents[2] / "examples/data"
    delay = np.load(data / "flights_arr_delay.npy")
    found = report("describe", data / "flights_arr_delay.npy")
    assert found["nan_count"] == np.isnan(delay).sum() > 0
    assert found["maximum"] == np.nanmax(delay)
    distance = np.load(data / "flights_distance.npy")
    exact = int(distance.astype("float64").sum())
    assert answer("sum", data / "flights_distance.npy", "--out-dtype", "float64") == str(exact)
