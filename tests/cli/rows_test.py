# SPDX-License-Identifier: Apache-2.0
"""--axis and --segments: an answer for each row, in the shape that NumPy gives it, and the one that the
row alone has."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from .command import BINARY, answer, failure, report, tally
from .gpu_test import COMMAND, HAS_GPU, ON_CORES
from .oracle import exact_total, exact_values, exact_variance, nearest, nearest_root, values

COMMANDS = [("cpu", BINARY)] + [("gpu", COMMAND)] * bool(HAS_GPU or ON_CORES.exists())


@pytest.fixture(params=COMMANDS, ids=[device for device, _ in COMMANDS])
def place(request):
    """Options of a call on cores, and of one on a GPU, or with cores in its place."""
    device, command = request.param
    return {"options": ["--device", device], "command": command}


def lines(place, *arguments, **options):
    text = answer(*arguments, *place["options"], command=place["command"], **options)
    return [line.split("\t") for line in text.split("\n")]


def told(place, *arguments, **options):
    return report(*arguments, *place["options"], command=place["command"], **options)


def each(x, axis):
    """What f makes of each line along the axis, as nested lists of its shape."""
    return lambda f: np.apply_along_axis(lambda row: np.array([f(row)], object), axis,
                                         x).take(0, axis).tolist()


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_reductions_are_those_of_each_line(place, dtype, axis):
    x = values(dtype, 120).reshape(4, 5, 6)
    np.save("x.npy", x)
    of = each(x, axis)
    natural = exact_total(dtype, 0)[0]

    def sums(row):
        return exact_total(dtype, sum(exact_values(row)))[1]

    found = told(place, "sum", "x.npy", "--axis", axis)
    as_numbers = np.array(found["value"], object)
    assert as_numbers.shape == tuple(n for d, n in enumerate(x.shape) if d != axis % 3)
    assert np.vectorize(lambda v: float(v) if natural.startswith("f") else int(v),
                        otypes=[object])(as_numbers).tolist() == of(sums)
    assert found["axis"] == axis % 3 and found["shape"] == [4, 5, 6]
    table = lines(place, "min", "x.npy", "--axis", axis)
    minima = np.array(of(lambda row: row.min()), object).reshape(len(table), -1)
    assert [[x.dtype.type(v) for v in line] for line in table] == minima.tolist()
    mean = "float64" if dtype[0] in "iu" else dtype
    found = told(place, "mean", "x.npy", "--axis", axis)["value"]
    assert found == of(lambda row: nearest(mean, Fraction(sum(exact_values(row)), row.size)))
    found = told(place, "std", "x.npy", "--axis", axis, "--ddof", 1)["value"]
    assert found == of(lambda row: nearest_root(mean, exact_variance(row, 1)))


def test_lines_are_places_before_the_axis_and_columns_those_behind_it(place):
    np.save("x.npy", np.arange(24).reshape(2, 3, 4))
    assert lines(place, "sum", "x.npy", "--axis", "1") == [["12", "15", "18", "21"],
                                                           ["48", "51", "54", "57"]]
    assert lines(place, "max", "x.npy", "--axis", "0") == [[str(n) for n in range(12, 24)]]
    assert lines(place, "argmax", "x.npy", "--axis", "2") == [["3"]] * 6


def test_integers_have_every_digit(place):
    x = np.array([[2**63 - 1, 2**63 - 1], [1, -(2**63)]])
    np.save("x.npy", x)
    assert lines(place, "sum", "x.npy", "--axis", "1") == [[str(2**64 - 2)], [str(1 - 2**63)]]
    assert lines(place, "prod", "x.npy", "--axis", "1") == [[str((2**63 - 1)**2)], [str(-(2**63))]]
    assert lines(place, "sum", "x.npy", "--axis", "1", "--out-dtype", "int64")[0] == ["-2"]
    failure(1, "sum", "x.npy", "--axis", "1", "-o", "y.npy")
    failure(1, "scan", "x.npy", "--axis", "1", "-o", "y.npy")
    answer("sum", "x.npy", "--axis", "1", "--out-dtype", "int64", "-o", "y.npy")
    assert np.load("y.npy").tolist() == [-2, 1 - 2**63]


def test_a_file_has_the_shape_that_numpy_gives(place):
    x = values("float32", 120).reshape(4, 5, 6)
    np.save("x.npy", x)
    for axis in range(3):
        answer("max", "x.npy", "--axis", axis, "-o", "y.npy", *place["options"],
               command=place["command"])
        y = np.load("y.npy")
        assert y.dtype == np.float32 and (y == x.max(axis=axis)).all()
        answer("scan", "x.npy", "--axis", axis, "-o", "y.npy", "--out-dtype", "float32",
               *place["options"], command=place["command"])
        y = np.load("y.npy")
        rows = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
        for row, sums in zip(rows, np.moveaxis(y, axis, -1).reshape(rows.shape)):
            total = Fraction(0)
            for v, s in zip(row.tolist(), sums.tolist()):
                total += Fraction(v)
                assert s == nearest("float32", total)
        answer("median", "x.npy", "--axis", axis, "-o", "y.npy", *place["options"],
               command=place["command"])
        assert np.load("y.npy").shape == np.median(x, axis=axis).shape


def test_describe_has_a_line_a_row(place):
    x = values("float32", 40).reshape(4, 10)
    x[1, 3] = np.nan
    np.save("x.npy", x)
    table = lines(place, "describe", "x.npy", "--axis", "1")
    assert table[0][:3] == ["count", "nan_count", "sum"] and len(table) == 5
    assert [line[:2] for line in table[1:]] == [["10", str(int(i == 1))] for i in range(4)]
    assert [float(line[2]) for line in table[1:]] == [
        nearest("float64", sum(exact_values(row[~np.isnan(row)]))) for row in x]
    found = told(place, "describe", "x.npy", "--axis", "1")
    assert found["maximum"] == np.nanmax(x, axis=1).tolist()
    assert found["maximum_index"] == np.nanargmax(x, axis=1).tolist()


def test_integers_are_told_as_of_an_array(place):
    np.save("x.npy", np.array([[2**62] * 3, [-1, 0, 0]]))
    assert [line[2] for line in lines(place, "describe", "x.npy", "--axis", "1")[1:]] == [str(3 * 2**62), "-1"]
    assert lines(place, "sum", "x.npy", "--axis", "1", "--out-dtype", "uint64")[1] == [str(2**64 - 1)]
    np.save("one.npy", np.array([1]))
    assert "beyond 2^63" in failure(1, "scan", "one.npy", "--axis", "0", "--init", str(2**63 - 1))
    assert answer("scan", "one.npy", "--axis", "0", "--init", str(2**62)) == str(2**62 + 1)


def test_selections_and_quantiles(place):
    x = np.random.default_rng(3).permutation(60).reshape(3, 4, 5).astype(np.int16)
    np.save("x.npy", x)
    found = told(place, "top-k", "x.npy", "--axis", "1", "-k", "2")
    order = np.argsort(-x, axis=1, kind="stable")[:, :2].transpose(0, 2, 1)
    assert found["indices"] == order.tolist() and found["returned"] == 2
    best = np.take_along_axis(x, np.argsort(-x, axis=1, kind="stable")[:, :2], 1)
    assert found["values"] == best.transpose(0, 2, 1).tolist()
    table = lines(place, "top-k", "x.npy", "--axis", "2", "-k", "3", "--smallest")
    for line, row in zip(table, x.reshape(12, 5).tolist()):
        assert [int(v) for v in line[1::2]] == sorted(row)[:3]
        assert [row[int(i)] for i in line[::2]] == sorted(row)[:3]
    asked = "quantile", "x.npy", "--axis", "0", "-q", "0.5,1"
    expected = np.quantile(x, [0.5, 1], axis=0)
    found = told(place, *asked)
    assert found["values"] == expected.tolist() and found["result_dtype"] == "float64"
    answer(*asked, "-o", "y.npy", *place["options"], command=place["command"])
    assert np.load("y.npy").tolist() == expected.tolist()
    found = told(place, "quantile", "x.npy", "--axis", "1", "-q", "0.25")
    assert found["values"] == [np.quantile(x, 0.25, axis=1).tolist()]
    found = told(place, "median", "x.npy", "--axis", "1")
    assert found["value"] == np.median(x, axis=1).tolist()
    assert lines(place, "median", "x.npy", "--axis", "2") == [
        [f"{v:g}"] for v in np.median(x, axis=2).reshape(-1)]


@pytest.mark.parametrize("method", ["lower", "higher", "nearest"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint64"])
def test_quantiles_of_integers_are_elements(place, method, dtype):
    ends = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    x = np.array([[ends[1], ends[0], ends[1], ends[1] - 1], [1, 0, 1, 1]], dtype)
    np.save("x.npy", x)
    at = {"lower": 1, "higher": 2, "nearest": 1}[method]
    expected = [sorted(row)[at] for row in x.tolist()]
    asked = "quantile", "x.npy", "--axis", "1", "-q", "0.4", "--method", method
    assert lines(place, *asked) == [[str(int(v))] for v in expected]
    answer(*asked, "-o", "y.npy", *place["options"], command=place["command"])
    y = np.load("y.npy")
    assert y.dtype == dtype and y.tolist() == expected
    assert told(place, *asked)["result_dtype"] == dtype


def test_dot_and_count_of_each_row(place):
    a, b = np.arange(12).reshape(3, 4), np.arange(12, 24).reshape(3, 4)
    np.save("a.npy", a), np.save("b.npy", b)
    # A GPU has the integers modulo 2^64 only.
    if place["options"] == ["--device", "cpu"]:
        assert lines(place, "dot", "a.npy", "b.npy", "--axis", "0") == [
            [str(n) for n in (a * b).sum(axis=0)]]
    x = np.array([[1, np.nan, 2], [np.nan, np.nan, 3]])
    np.save("x.npy", x)
    assert answer("count", "x.npy", "--axis", "1", "--skip-nan") == "2\n1"
    assert answer("count", "x.npy", "--axis", "0") == "2\t2\t2"
    assert lines(place, "sum", "x.npy", "--axis", "1", "--skip-nan") == [["3"], ["3"]]


def test_segments(place):
    x = values("float32", 100)
    offsets = np.array([0, 3, 3, 50, 99, 100])
    np.save("x.npy", x), np.save("offsets.npy", offsets)
    rows = [x[a:b] for a, b in zip(offsets, offsets[1:])]
    found = told(place, "sum", "x.npy", "--segments", "offsets.npy")
    assert found["value"] == [nearest("float64", sum(exact_values(row))) for row in rows]
    assert found["axis"] is None
    told_k = told(place, "top-k", "x.npy", "--segments", "offsets.npy", "-k", "70")
    assert told_k["returned"] == 49 and np.array(told_k["indices"]).shape == (5, 49)
    table = lines(place, "max", "x.npy", "--segments", "offsets.npy")
    assert [np.float32(v) for line in table for v in line] == [
        row.max() if row.size else -np.inf for row in rows]
    found = told(place, "top-k", "x.npy", "--segments", "offsets.npy", "-k", "4")
    assert found["indices"][1] == [-1] * 4
    assert found["indices"][3] == np.argsort(-rows[3], kind="stable")[:4].tolist()


def test_json_of_rows_has_what_that_of_an_array_has(place):
    x = values("float32", 60).reshape(3, 20)
    x[1, 7] = np.nan
    np.save("x.npy", x), np.save("none.npy", np.zeros((0, 4), np.float32))
    for command in ("sum", "fast-sum", "mean", "min", "max", "peak-to-peak", "argmax", "variance", "std",
                    "norm", "count-nonzero", "any-of", "describe", "median", "quantile"):
        found = told(place, command, "x.npy", "--axis", "1")
        rows = []
        for row in x:
            np.save("row.npy", row)
            rows.append(told(place, command, "row.npy"))
        told_of_row = {"nan_count", "shape", "count", "seconds", "bytes_read", "gb_per_s", "inputs"}
        for key in rows[0].keys() - told_of_row:
            # A description has the index of what is there, rows have it in any case.
            each = [row[key] for row in rows]
            alike = found[key] == each[0] and len({json.dumps(v) for v in each}) == 1
            by_place = key in ("values", "bits") and command == "quantile"
            assert alike or found[key] == ([sum(each, [])] if by_place else each), (command, key)
        none = told(place, command, "none.npy", "--axis", "1")
        assert none.get("result_dtype") == rows[0].get("result_dtype")


def test_products_are_told_as_of_an_array(place):
    np.save("x.npy", np.array([[3, -5], [2**62, 2**62], [7, 0]]))
    found = told(place, "prod", "x.npy", "--axis", "1")
    assert found["value"] == [-15, str(2**124), 0] and found["result_dtype"] == "int128"
    assert found["bits"][0] == "fffffffffffffff1"
    answer("prod", "x.npy", "--axis", "1", "--out-dtype", "float64", "-o", "y.npy")
    y = np.load("y.npy")
    assert y.dtype == np.float64 and y.tolist() == [-15, 2.0**124, 0]
    assert "is no int64" in failure(1, "prod", "x.npy", "--axis", "1", "-o", "y.npy")
    answer("prod", "x.npy", "--axis", "0", "--out-dtype", "int64", "-o", "y.npy")
    np.save("x.npy", np.array([[3, -5], [2, 2]]))
    answer("prod", "x.npy", "--axis", "1", "-o", "y.npy")
    assert np.load("y.npy").tolist() == [-15, 4]


def test_what_integers_of_a_text_have_lost_is_said():
    def notes(*arguments, stdin):
        done = tally(*arguments, "--shape", "2,2", "--axis", "1", stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stderr.decode()

    exact, near = b"3 4 4 3", b"9007199254740993 9007199254740994 3 4"
    for command in ("mean", "norm", "std", "median"):
        assert notes(command, stdin=exact) == ""
    for command in ("mean", "norm", "median"):
        assert notes(command, stdin=near) == "tally: integers beyond 2^53 are rounded to float64\n"
    assert notes("sum", stdin=near) == notes("max", stdin=near) == ""
    beyond = b"99999999999999999999999 1 3 4"
    assert "rounded" in notes("max", stdin=beyond)
    assert "rounded" in notes("mean", stdin=beyond)
    for command in ("sum", "describe"):
        arguments = command, "--shape", "2,2", "--axis", "1"
        assert "--dtype float64 rounds them" in failure(1, *arguments, stdin=beyond)
        assert tally(*arguments, "--dtype", "float64", stdin=beyond).returncode == 0


def test_sums_of_a_files_integers_beyond_64_bits_have_every_digit():
    rng = np.random.default_rng(7)
    x = np.array([int(rng.integers(-2**62, 2**62)) * int(rng.integers(1, 2**62)) for _ in range(24)],
                 object).reshape(2, 3, 4)
    Path("x.txt").write_text(" ".join(map(str, x.reshape(-1))))
    for axis in range(3):
        asked = "sum", "x.txt", "--shape", "2,3,4", "--axis", axis
        expected = x.sum(axis=axis).reshape(-1).tolist()
        assert [int(v) for v in answer(*asked).split()] == expected
        found = report(*asked)
        assert [int(v) for v in np.array(found["value"], object).reshape(-1)] == expected
        assert found["result_dtype"] == "int128" or max(map(abs, expected)) >= 2**127
    Path("offsets.txt").write_text("1 1 5 24")
    flat = x.reshape(-1)
    assert [int(v) for v in answer("sum", "x.txt", "--segments", "offsets.txt").split()] == [
        0, sum(flat[1:5]), sum(flat[5:])]
    assert "is no int64" in failure(1, *asked, "-o", "y.npy")
    assert "in sums of files alone" in failure(1, "describe", *asked[1:])
    Path("gap.txt").write_text(f"{2**70} NA 3 {-2**70}")
    assert answer("sum", "gap.txt", "--shape", "2,2", "--axis", "1", "--skip-nan") == f"{2**70}\n{3 - 2**70}"
    assert "in sums of files alone" in failure(1, "sum", "gap.txt", "--shape", "2,2", "--axis", "1")


def test_offsets_say_what_is_wrong_with_them(place):
    np.save("x.npy", np.arange(12))
    np.array([0, 12]).tofile("offsets.bin")
    Path("offsets.csv").write_text("a,b\n0,1\n12,2\n")
    Path("offsets.txt").write_text("0 5 12")
    Path("far.txt").write_text("0 5 13")
    Path("down.txt").write_text("0 5 4")
    for offsets, message in {
            "offsets.bin": "begins with '\\x00", "offsets.csv": "offsets.csv: which column: offsets are",
            "nowhere.npy": "--segments: nowhere.npy: No such file",
            "far.txt": "--segments: offsets[2] = 13 of an array of 12 elements",
            "down.txt": "--segments: offsets[2] = 4 is less than offsets[1] = 5"}.items():
        said = failure(1, "sum", "x.npy", "--segments", offsets, *place["options"],
                       command=place["command"])
        assert message in said
        if offsets in ("offsets.bin", "offsets.csv"):
            assert "offsets are an .npy file of int64, or text of one column" in said
    assert "standard input is the array" in failure(2, "sum", "--segments", "-", stdin=b"1 2")
    assert "standard input is empty" in failure(1, "sum", "x.npy", "--segments", "-", stdin=b"")
    assert lines(place, "sum", "x.npy", "--segments", "-", stdin=b"0 5 12") == [["10"], ["56"]]


def test_each_element_that_is_scanned_is_in_a_segment(place):
    np.save("x.npy", np.arange(12))
    for offsets, message in {"2 5": "from 0 to 2", "0 5": "from 5 to 12", "12": "from 0 to 12"}.items():
        said = failure(1, "scan", "x.npy", "--segments", "-", "-o", "y.npy", *place["options"],
                       command=place["command"], stdin=offsets.encode())
        assert f"scan: x.npy has elements in no segment, {message}; offsets from 0 to 12" in said
    assert not Path("y.npy").exists()
    assert lines(place, "scan", "x.npy", "--segments", "-", stdin=b"0 0 3 12 12") == [
        [str(n) for n in [0, 1, 3, *np.cumsum(range(3, 12))]]]


def test_raw_data_and_text_have_the_shape_that_they_are_told():
    x = np.arange(12, dtype=np.int32)
    Path("x.bin").write_bytes(x.tobytes())
    assert answer("sum", "x.bin", "--dtype", "int32", "--shape", "3,4", "--axis", "0") == "12\t15\t18\t21"
    assert answer("sum", "--shape", "2,2", "--axis", "1", stdin=b"1 2\n3 4\n") == "3\n7"
    assert answer("sum", "--axis", "0", stdin=b"1 2 3") == "6"


def test_what_rows_have_no_answer_to():
    np.save("x.npy", np.zeros((3, 4)))
    np.save("offsets.npy", np.array([0, 5, 4]))
    np.save("floats.npy", np.array([0.0, 1.0]))
    assert "--axis: 2 of an array of the shape (3, 4)" in failure(2, "sum", "x.npy", "--axis", "2")
    assert "'a' is not a whole number" in failure(2, "sum", "x.npy", "--axis", "a")
    assert "--shape: (5, 5) has 25 elements, x.npy has 12" in failure(
        1, "sum", "x.npy", "--shape", "5,5", "--axis", "0")
    assert "offsets[2] = 4 is less than offsets[1] = 5" in failure(1, "sum", "x.npy", "--segments",
                                                                   "offsets.npy")
    assert "more elements than 2^64" in failure(1, "sum", "--shape", "4,4611686018427387907", "--axis",
                                                "0", stdin=b"1 2 3 4")
    Path("gap.txt").write_text("0 NA 10")
    assert "1 of gap.txt are missing" in failure(1, "sum", "x.npy", "--segments", "gap.txt")
    assert "floats.npy holds float64" in failure(1, "sum", "x.npy", "--segments", "floats.npy")
    for others in (["--each"], ["--decimal"], ["--save-state", "s"], ["--first-index", "3"],
                   ["--segments", "offsets.npy"]):
        failure(2, "sum", "x.npy", "--axis", "0", *others)
    failure(2, "sum", "x.npy", "-o", "y.npy")
    failure(2, "sum", "x.npy", "--shape", "3,4")
    failure(2, "info", "x.npy", "--axis", "0")
    failure(2, "generate", "digits", "--axis", "0")
    failure(1, "sum", "--axis", "0", stdin=b"1 2 NA 3")


def test_no_rows_and_empty_ones(place):
    np.save("x.npy", np.zeros((3, 0), np.float32))
    assert lines(place, "sum", "x.npy", "--axis", "1") == [["0"]] * 3
    assert lines(place, "max", "x.npy", "--axis", "1") == [["-inf"]] * 3
    assert lines(place, "mean", "x.npy", "--axis", "1") == [["nan"]] * 3
    done = tally("sum", "x.npy", "--axis", "0", *place["options"], command=place["command"])
    assert (done.returncode, done.stdout) == (0, b"")
    assert json.dumps(told(place, "sum", "x.npy", "--axis", "0")["value"]) == "[]"
