# SPDX-License-Identifier: Apache-2.0
"""info: what is in a file."""

import numpy as np
import pytest

from .command import answer, failure, report


def test_info_tells_type_shape_and_size():
    np.save("x.npy", np.zeros((30, 40), "float16"))
    found = report("info", "x.npy")
    assert (found["command"], found["inputs"]) == ("info", ["x.npy"])
    assert (found["dtype"], found["shape"], found["count"]) == ("float16", [30, 40], 1200)
    text = answer("info", "x.npy")
    for word in ("x.npy", "float16", "30", "40", "1200"):
        assert word in text, word


def test_info_counts_what_only_reading_tells():
    with open("t.csv", "w") as file:
        file.write("a,b\n1,2\n3,4\n")
    assert report("info", "t.csv", "--column", "b")["count"] == 2
    assert report("info", stdin=b"1 2 3")["shape"] == [3]


def test_info_finds_what_is_wrong_with_a_file():
    np.save("x.npy", np.zeros(30))
    with open("x.npy", "r+b") as file:
        file.truncate(200)
    assert "x.npy" in failure(1, "info", "x.npy")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint64"])
def test_columns_may_be_read_as_any_type(dtype):
    with open("t.csv", "w") as file:
        file.write("a,b\n1,2\n3,x\n")
    columns = [(c["column"], c["dtype"]) for c in report("info", "--dtype", dtype, "t.csv")["columns"]]
    assert columns == [("a", dtype), ("b", None)]
    with open("t.csv", "rb") as file:
        assert report("info", "--dtype", dtype, "--delimiter", ",", stdin=file)["columns"][0]["dtype"] == dtype
    with open("t.csv", "w") as file:
        file.write("a\n1\n\n3\n")
    assert report("info", "--dtype", dtype, "t.csv")["columns"][0]["dtype"] == dtype
