# SPDX-License-Identifier: Apache-2.0
"""count: how many elements there are."""

import numpy as np
import pytest

from .command import COMMON_KEYS, answer, failure, npy, report
from .oracle import FLOATS, INTEGERS, values


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_it_is_the_number_of_elements(dtype):
    np.save("x.npy", values(dtype, 700).reshape(7, 100))
    assert answer("count", "x.npy") == answer("count", "x.npy", "--skip-nan") == "700"


def test_nans_count_unless_skipped():
    x = np.arange(1000.0)
    x[::7] = np.nan
    np.save("x.npy", x)
    assert answer("count", "x.npy") == "1000"
    found = report("count", "x.npy", "--skip-nan")
    assert (found["value"], found["count"], found["nan_count"]) == (857, 1000, 143)


def test_json_has_these_keys_and_no_others():
    np.save("x.npy", np.arange(5))
    found = report("count", "x.npy")
    assert set(found) == COMMON_KEYS | {"value", "bits", "result_dtype"}
    assert (found["value"], found["bits"], found["result_dtype"]) == (5, f"{5:016x}", "uint64")


def test_what_says_how_long_it_is_is_not_read():
    np.save("x.npy", np.zeros(100_000))
    found = report("count", "x.npy")
    assert (found["bytes_read"], found["nan_count"]) == (128, None)


def test_streams_and_several_files_are_counted():
    np.save("x.npy", np.arange(5))
    assert answer("count", "x.npy", "x.npy") == "10"
    assert answer("count", "--each", "x.npy", "x.npy") == "x.npy\t5\nx.npy\t5"
    assert answer("count", stdin=b"1 2\n3\n") == "3"
    assert answer("count", stdin=b"") == "0"


@pytest.mark.parametrize("command", ["count", "info"])
def test_a_stream_is_counted_to_its_end(command):
    x = np.arange(3_000_000.0)
    assert report(command, "-", stdin=npy(x))["count"] == 3_000_000
    assert "bytes follow it" in failure(1, command, stdin=npy(x)[:-8])
    assert "bytes follow it" in failure(1, command, stdin=npy(x)[:140])
    assert "more than" in failure(1, command, stdin=npy(x) + b"1")


def test_what_is_missing_in_text_is_counted_with_it():
    for text in (b"1 NA 2", b"NA nan -", b"0.5 null"):
        missing = sum(w in (b"NA", b"nan", b"-", b"null") for w in text.split())
        assert report("count", stdin=text)["nan_count"] == missing
        assert report("count", "--skip-nan", stdin=text)["nan_count"] == missing
    assert report("count", "--column", "a", stdin=b"a,b\n1,NA\nNA,2\n,3\n")["nan_count"] == 2
    assert report("count", "--dtype", "float32", stdin=b"1 NA")["nan_count"] in (1, None)
