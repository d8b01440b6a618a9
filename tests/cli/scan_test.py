# SPDX-License-Identifier: Apache-2.0
"""scan: prefix sums."""

import gzip
import itertools
import math
import os
import stat
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .command import COMMON_KEYS, LONG, answer, failure, noted, npy, report, tally
from .oracle import (FLOATS, INTEGERS, exact_values, hard_floats, hexadecimal, in_json, integers, nearest,
                     same, values)


def prefix_sums(x, dtype):
    """Exact, each rounded once; integers modulo 2^64 and from there to `dtype`."""
    running = itertools.accumulate(exact_values(x))
    if dtype in FLOATS:
        return np.array([nearest(dtype, total) for total in running], dtype)
    return np.array([total % 2**64 for total in running], "uint64").astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_every_prefix_sum_is_exact_and_rounded_once(dtype):
    x = values(dtype)
    np.save("x.npy", x)
    result = dtype if dtype in FLOATS else "uint64" if dtype[0] in "ub" else "int64"
    wraps = ["--out-dtype", dtype] if dtype in ("int64", "uint64") else []
    found = report("scan", "x.npy", "-o", "y.npy", *wraps)
    y = np.load("y.npy")
    assert same(y, prefix_sums(x, result))
    assert found["output"] == "y.npy"
    assert found["out_dtype"] == result
    assert float(found["last"]) == float(y[-1])
    assert found["last_bits"] == hexadecimal(result, y[-1])


def test_json_has_these_keys_and_no_others():
    np.save("x.npy", np.arange(5))
    keys = COMMON_KEYS | {"output", "out_dtype", "last", "last_bits"}
    assert set(report("scan", "x.npy", "-o", "y.npy")) == keys


def test_without_an_output_file_the_elements_are_printed():
    np.save("x.npy", np.array([0.1, 0.2, 0.3, math.inf]))
    assert answer("scan", "x.npy").split("\n") == ["0.1", "0.30000000000000004", "0.6", "inf"]


def test_an_output_without_npy_in_its_name_is_raw():
    np.save("x.npy", np.ones(5, "float32"))
    report("scan", "x.npy", "-o", "y.raw")
    assert np.fromfile("y.raw", "float32").tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("options", [[], ["--reverse"], ["--exclusive"]], ids=" ".join)
@pytest.mark.parametrize("name, header", [("y.txt", []), ("y.csv", ["value"])])
def test_an_output_named_as_text_is_text(name, header, options):
    x = np.random.default_rng(1).standard_normal(50_000)
    np.save("x.npy", x)
    lines = answer("scan", "x.npy", *options).split("\n")
    report("scan", "x.npy", *options, "-o", name)
    with open(name) as file:
        assert file.read().splitlines() == header + lines
    assert answer("scan", "-", *options, "-o", name, stdin=b"1 2") == ""
    assert len(open(name).read().splitlines()) == len(header) + 2


def test_a_csv_that_was_written_can_be_read():
    np.save("x.npy", np.arange(5))
    answer("scan", "x.npy", "-o", "y.csv")
    assert answer("max", "y.csv", "--column", "value") == "10"


def test_a_dash_is_standard_output():
    np.save("x.npy", np.arange(5))
    for options in ([], ["--reverse"]):
        assert answer("scan", "x.npy", "-o", "-", *options) == answer("scan", "x.npy", *options)
    assert os.listdir() == ["x.npy"]
    assert failure(2, "scan", "x.npy", "-o", "-", "--json") == (
        "tally: --json: needs another -o, standard output takes the array")


def test_cumsum_is_another_name_of_scan():
    np.save("x.npy", np.arange(5))
    assert answer("cumsum", "x.npy") == answer("scan", "x.npy") == "0\n1\n3\n6\n10"


@pytest.mark.parametrize("dtype, wider", [("float16", "float32"), ("float16", "float64"),
                                          ("float32", "float64")])
def test_float_outputs_of_a_wider_type_are_rounded_once(dtype, wider):
    x = hard_floats(dtype)
    np.save("x.npy", x)
    report("scan", "x.npy", "-o", "y.npy", "--out-dtype", wider)
    assert same(np.load("y.npy"), prefix_sums(x, wider))
    assert dtype in failure(2, "scan", "y.npy", "--out-dtype", dtype)


@pytest.mark.parametrize("out", ["int8", "uint8", "int32", "uint64"])
def test_integers_wrap_in_the_outputs_type(out):
    x = integers("int16")
    np.save("x.npy", x)
    report("scan", "x.npy", "-o", "y.npy", "--out-dtype", out)
    assert same(np.load("y.npy"), prefix_sums(x, out))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_exclusive_scans_leave_the_element_out(dtype):
    x = values(dtype)
    np.save("x.npy", x)
    result = dtype if dtype in FLOATS else "int64"
    report("scan", "x.npy", "--exclusive", "-o", "y.npy")
    expected = np.concatenate([np.zeros(1, result), prefix_sums(x, result)[:-1]])
    assert same(np.load("y.npy"), expected)


@pytest.mark.parametrize("dtype, init", [("float32", 0.1), ("float64", -1e16), ("int32", -7)])
def test_init_comes_before_the_first_element(dtype, init):
    x = values(dtype, 500)
    result = dtype if dtype in FLOATS else "int64"
    first = np.array([init], result)
    np.save("x.npy", x)
    whole = prefix_sums(np.concatenate([first, x]), result)
    report("scan", "x.npy", "--init", init, "-o", "inclusive.npy")
    assert same(np.load("inclusive.npy"), whole[1:])
    report("scan", "x.npy", "--init", init, "--exclusive", "-o", "exclusive.npy")
    assert same(np.load("exclusive.npy"), whole[:-1])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_reverse_scans_sum_from_the_element_on(dtype):
    x = values(dtype)
    np.save("x.npy", x)
    backward = prefix_sums(x[::-1], dtype)[::-1]
    wraps = ["--out-dtype", dtype] if dtype == "int64" else []
    found = report("scan", "x.npy", "--reverse", "-o", "y.npy", *wraps)
    assert same(np.load("y.npy"), backward)
    assert found["last_bits"] == hexadecimal(dtype, backward[-1])
    report("scan", "x.npy", "--reverse", "--exclusive", "-o", "y.npy", *wraps)
    assert same(np.load("y.npy"), np.concatenate([backward[1:], np.zeros(1, dtype)]))


def test_several_files_are_one_array():
    x = hard_floats("float64")
    np.save("x.npy", x)
    parts = np.split(x, [700, 701])
    for i, part in enumerate(parts):
        np.save(f"part{i}.npy", part)
    for options in ([], ["--reverse"], ["--exclusive"]):
        report("scan", "x.npy", "-o", "y.npy", *options)
        found = report("scan", *(f"part{i}.npy" for i in range(3)), "-o", "z.npy", *options)
        assert found["count"] == len(x)
        assert same(np.load("y.npy"), np.load("z.npy"))


@pytest.mark.parametrize("byte_order", ["<", ">"])
def test_reverse_scans_of_several_chunks(byte_order):
    x = integers("int32", 2_500_000)
    np.save("x.npy", x.astype(f"{byte_order}i4"))
    backward = np.cumsum(x[::-1], dtype="int64")[::-1]
    found = report("scan", "x.npy", "--reverse", "-o", "y.npy")
    assert same(np.load("y.npy"), backward)
    assert found["last_bits"] == hexadecimal("int64", backward[-1])


@pytest.mark.parametrize("memory", ["0", "1M", "6M", "1G"])
def test_reverse_scans_of_what_is_kept(memory):
    """Two compressed files, one that is mapped between them, and text: in memory or beyond it."""
    x = integers("int32", 2_500_000)
    parts = np.split(x, [1_200_000, 1_300_000, 2_400_000])
    for name, part in zip("abc", parts):
        np.save(f"{name}.npy", part)
    for name in "ac":
        with gzip.open(f"{name}.npy.gz", "wb", 1) as file:
            file.write(npy(parts["abc".index(name)]))
    with open("d.txt", "w") as file:
        file.writelines(f"{i}\n" for i in parts[3])
    backward = np.cumsum(x[::-1], dtype="int64")[::-1]
    files = ["a.npy.gz", "b.npy", "c.npy.gz", "d.txt"]
    report("scan", *files, "--reverse", "--memory", memory, "-o", "y.npy")
    assert same(np.load("y.npy"), backward)
    lines = answer("scan", *files, "--reverse", "--memory", memory)
    assert (np.array(lines.split(), "int64") == backward).all()


def test_the_output_keeps_the_shape_of_one_file():
    x = np.arange(24).reshape(2, 3, 4)
    np.save("x.npy", x)
    report("scan", "x.npy", "-o", "y.npy")
    assert same(np.load("y.npy"), x.cumsum().reshape(x.shape))


def test_nan_stays_in_every_later_sum():
    np.save("x.npy", np.array([1, math.nan, 2], "float32"))
    note = "tally: 1 of 3 are NaN; --skip-nan leaves them out"
    assert noted("scan", "x.npy") == ("1\nnan\nnan", note)
    assert noted("scan", "--reverse", "x.npy") == ("nan\nnan\n2", note)
    assert noted("scan", "--exclusive", "x.npy") == ("0\n1\nnan", note)


def test_skipped_nan_repeats_the_sum_before():
    x = np.array([math.nan, 1, math.nan, 2], "float32")
    np.save("x.npy", x)
    assert answer("scan", "x.npy", "--skip-nan") == "0\n1\n1\n3"
    assert report("scan", "x.npy", "--skip-nan", "-o", "y.npy")["nan_count"] == 2


def test_an_empty_array_has_no_prefix_sums():
    np.save("x.npy", np.zeros(0, "float32"))
    assert answer("scan", "x.npy") == ""
    report("scan", "x.npy", "-o", "y.npy")
    assert same(np.load("y.npy"), np.zeros(0, "float32"))


def test_a_stream_is_scanned_as_it_comes():
    x = integers("int32", 10**6)
    tally("scan", "-", "--dtype", "int32", "-o", "y.npy", stdin=x.tobytes())
    assert same(np.load("y.npy"), x.cumsum())


def test_the_number_of_threads_changes_no_bit():
    np.save("x.npy", np.tile(hard_floats("float32"), 300))
    for n in (1, 2, 3, 4):
        report("scan", "x.npy", "--threads", n, "-o", f"{n}.npy")
    assert all(same(np.load("1.npy"), np.load(f"{n}.npy")) for n in (2, 3, 4))


def test_an_existing_output_is_replaced_and_nothing_else_is_left():
    np.save("x.npy", np.ones(100))
    for _ in range(2):
        assert report("scan", "x.npy", "-o", "y.npy")["last"] == 100
    assert sorted(os.listdir()) == ["x.npy", "y.npy"]
    assert stat.S_IMODE(os.stat("y.npy").st_mode) == stat.S_IMODE(os.stat("x.npy").st_mode)


def test_the_input_may_be_the_output():
    np.save("x.npy", np.ones(10**6))
    report("scan", "x.npy", "-o", "x.npy")
    assert same(np.load("x.npy"), np.arange(1.0, 10**6 + 1))


def test_an_init_that_is_no_number_is_a_usage_error():
    np.save("x.npy", np.ones(3, "int32"))
    for init in ("one", "1.5", "1x", "--1", "9" * 38, "1e37"):
        assert init in failure(2, "scan", "x.npy", f"--init={init}")
    for dtype, init in ("int64", 2**63), ("uint64", -1), ("int8", 128):
        assert str(init) in failure(2, "scan", "x.npy", f"--init={init}", "--out-dtype", dtype)


@pytest.mark.parametrize("init, value", [
    ("9223372036854775808", 2**63), ("-9223372036854775809", -2**63 - 1), ("-1", -1), ("1e3", 1000), ("-2.5k", -2500), ("+1M", 10**6),
    ("18446744073709551616", 2**64), ("9" * 37, 10**37 - 1), ("-" + "9" * 37, 1 - 10**37), ("0e5", 0), ("10e-1", 1)])
@pytest.mark.parametrize("values", [[1, -2, 3], [2**64 - 1, 2**64 - 1], [-2**63, -2**63, 5], [0, 2**63]], ids=str)
def test_an_init_of_printed_integers_is_any_integer(init, value, values):
    text = " ".join(map(str, values)).encode()
    for options in ([], ["--exclusive"], ["--reverse"], ["--decimal"]):
        sums = list(itertools.accumulate(values[::-1] if "--reverse" in options else values, initial=value))
        sums = sums[:-1] if options == ["--exclusive"] else sums[1:]
        wanted = list(map(str, sums[::-1] if "--reverse" in options else sums))
        assert answer("scan", f"--init={init}", *options, stdin=text).split("\n") == wanted
    np.save("x.npy", np.array([1, 2], "int8"))
    assert answer("scan", f"--init={init}", "x.npy") == f"{value + 1}\n{value + 3}"
    if not -2**63 <= value + 1 < 2**63 - 2:
        assert "which int64 does not hold" in failure(1, "scan", f"--init={init}", "x.npy", "-o", "y.npy")
    np.save("z.npy", np.array([0.5]))
    assert float(answer("scan", f"--init={init}", "z.npy")) == float(Fraction(value) + Fraction(1, 2))


def test_an_init_is_read_like_input():
    np.save("x.npy", np.zeros(1, "float32"))
    beside_a_midpoint = "1.000000059604644775390625000000001"
    assert answer("scan", "x.npy", "--init", beside_a_midpoint) == "1.0000001"
    assert answer("scan", "x.npy", "--init", "1e400") == "inf"
    assert answer("scan", "x.npy", "--init", "nan") == "nan"


def test_an_output_that_replaces_a_file_keeps_its_permissions():
    np.save("x.npy", np.ones(3))
    np.save("y.npy", np.ones(3))
    for mode in (0o600, 0o666):
        os.chmod("y.npy", mode)
        report("scan", "x.npy", "-o", "y.npy")
        assert stat.S_IMODE(os.stat("y.npy").st_mode) == mode


def test_an_output_written_from_its_end_has_to_be_a_file():
    np.save("x.npy", np.ones(3))
    message = failure(1, "scan", "--reverse", "x.npy", "-o", "/dev/null")
    assert "/dev/null" in message and "regular file" in message and "--reverse" in message
    assert report("scan", "x.npy", "-o", "/dev/null")["last"] == 3
    os.symlink("/dev/null", "null.npy")
    assert "length" in failure(1, "scan", "-", "-o", "null.npy", stdin=b"1 2")


def test_what_cannot_be_written_to_a_pipe_leaves_nothing_in_it():
    os.mkfifo("pipe.npy")
    reader = os.open("pipe.npy", os.O_RDONLY | os.O_NONBLOCK)
    assert "length" in failure(1, "scan", "-", "-o", "pipe.npy", stdin=b"1 2")
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_printed_sums_of_a_text_are_of_the_type_that_all_of_it_has():
    text = b"9223372036854775807\n" * 300_000 + b"0.5"
    expected = [float(2**63 * i) for i in range(1, 300_001)]
    with open("x.txt", "wb") as file:
        file.write(text)
    for n in (1, 2, 3):
        for done in (tally("scan", "x.txt", "--threads", n), tally("scan", "--threads", n, stdin=text)):
            assert list(map(float, done.stdout.split()[:-1])) == expected
            assert done.stderr == (
                b"tally: integers beyond 2^53 are rounded to float64; --decimal keeps them\n")


@settings(max_examples=1000 if LONG else 100, deadline=None)
@given(st.lists(st.integers(-2**63, 2**63 - 1) | st.integers(-2, 2), max_size=60)
       | st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 2), max_size=60),
       st.integers(-2**63, 2**63 - 1), st.booleans(), st.booleans(), st.booleans())
def test_printed_sums_of_integers_have_all_their_digits(values, init, reverse, exclusive, has_init):
    dtype = "uint64" if any(v >= 2**63 for v in values) else "int64"
    init = abs(init) if dtype == "uint64" else init
    order = values[::-1] if reverse else values
    sums = list(itertools.accumulate(order, initial=init if has_init else 0))
    sums = sums[:-1] if exclusive else sums[1:]
    sums = sums[::-1] if reverse else sums
    options = [*["--reverse"] * reverse, *["--exclusive"] * exclusive, *["--init", init] * has_init]
    np.save("x.npy", np.array(values, dtype))
    text = "\n".join(map(str, values)).encode()
    for source, stdin in (["x.npy"], b""), (["-"], text), (["--raw", "--dtype", dtype], np.array(values, dtype).tobytes()):
        assert answer("scan", *source, *options, stdin=stdin) == "\n".join(map(str, sums))
    if not values:
        return
    found = report("scan", "x.npy", *options)
    assert int(found["last"]) == sums[-1]
    assert found["last"] == in_json(sums[-1])
    assert found["last_bits"] == hexadecimal(found["out_dtype"], sums[-1])
    answer("scan", "x.npy", *options, "-o", "y.csv")
    assert open("y.csv").read().split() == ["value", *map(str, sums)]
    limits = np.iinfo(dtype)
    wrong = [i for i, s in enumerate(sums) if not limits.min <= s <= limits.max]
    if not wrong:
        report("scan", "x.npy", *options, "-o", "y.npy")
        assert np.load("y.npy").tolist() == sums
    else:
        first = wrong[-1 if reverse else 0]
        message = failure(1, "scan", "x.npy", *options, "-o", "z.npy")
        assert message == (f"tally: -o z.npy: element {first} is {sums[first]}, which {dtype} does not hold; "
                           f"a name in .txt or .csv does, --out-dtype {dtype} takes it modulo 2^64")
        report("scan", "x.npy", *options, "-o", "z.npy", "--out-dtype", dtype)
        assert same(np.load("z.npy"), np.array([s % 2**64 for s in sums], "uint64").astype(dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("options", [[], ["--reverse"]], ids=" ".join)
def test_printed_sums_of_many_chunks_have_all_their_digits(dtype, options):
    x = integers(dtype, 1_500_000)
    np.save("x.npy", x)
    order = x.tolist()[::-1] if options else x.tolist()
    sums = list(itertools.accumulate(order))
    lines = answer("scan", "x.npy", *options).split("\n")
    assert list(map(int, lines)) == (sums[::-1] if options else sums)
    assert int(report("scan", "x.npy", *options)["last"]) == (sums[0] if options else sums[-1])


def test_the_sum_that_wrapped():
    assert answer("scan", stdin=b"9223372036854775807\n1\n") == "9223372036854775807\n9223372036854775808"
    assert answer("scan", stdin=b"18446744073709551615 1") == "18446744073709551615\n18446744073709551616"
    assert answer("scan", stdin=b"-9223372036854775808 -1 1").split("\n")[1] == "-9223372036854775809"
    np.save("x.npy", np.array([2**63 - 1, 1]))
    assert answer("scan", "x.npy").split("\n")[1] == str(2**63)
    assert report("scan", "x.npy")["out_dtype"] == "int128"
    # Each of a lower type's sums is an int64.
    np.save("x.npy", np.full(300, 127, "int8"))
    report("scan", "x.npy", "-o", "y.npy")
    assert np.load("y.npy")[-1] == 300 * 127
