# SPDX-License-Identifier: Apache-2.0
"""CSV as people have it, against Python's csv module."""

import csv
import gzip
import io
import json
import os
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .command import LONG, answer, failure, noted, report, tally
from .oracle import nearest

MORE = settings(max_examples=1000 if LONG else 60, deadline=None)
FLIGHTS = Path(__file__).parents[2] / "examples/data/flights.csv"
MISSING = ["", "NA", "n/a", "null", "None", "#N/A", "-", "NaN"]


def write(name, text):
    with open(name, "wb") as file:
        file.write(text.encode() if isinstance(text, str) else text)


WORDS = st.text(st.sampled_from('ab,;"\n\r 1.-'), max_size=6)
NUMBERS = st.integers(-2**63, 2**63 - 1).map(str) | st.floats(-1e9, 1e9).map(repr) | st.sampled_from(MISSING)


@st.composite
def tables(draw):
    """Rows of words and numbers, as Python's csv module writes them; and which columns are numbers."""
    numeric = draw(st.lists(st.booleans(), min_size=1, max_size=5).filter(any))
    rows = draw(st.lists(st.tuples(*[NUMBERS if is_number else WORDS for is_number in numeric]),
                         min_size=1, max_size=20))
    if len(numeric) == 1:
        rows = [row if row[0].strip() else ("NA",) for row in rows]
    delimiter, end = draw(st.sampled_from(",;\t|")), draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = io.StringIO(newline="")
    lines_inside = any(c in field for row in rows for field in row for c in "\r\n")  # not all quoted else
    quoting = csv.QUOTE_ALL if lines_inside or draw(st.booleans()) else csv.QUOTE_MINIMAL
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow([f"c{i}" for i in range(len(numeric))])
    writer.writerows(rows)
    mark = draw(st.sampled_from(["", "\ufeff"]))
    whole = mark + text.getvalue()
    return (whole.removesuffix(end) if draw(st.booleans()) else whole), delimiter, numeric, rows


@MORE
@given(tables(), st.sampled_from([[], ["--threads", 1], ["--threads", 5]]))
def test_columns_are_those_of_pythons_csv(table, threads):
    text, delimiter, numeric, rows = table
    for i, is_number in enumerate(numeric):
        if not is_number:
            continue
        values = [row[i] for row in rows if row[i] not in MISSING]
        done = tally("sum", "--skip-nan", "--delimiter", delimiter, "--column", f"c{i}", "--json", *threads,
                     stdin=text.encode(), check=True)
        found = json.loads(done.stdout)
        assert found["count"] == len(rows)
        assert found["nan_count"] == len(rows) - len(values)
        if all(v.lstrip("-").isdigit() for v in values):
            assert int(found["value"]) == sum(map(int, values))
        else:
            exact = sum(Fraction(nearest("float64", int(v)) if v.lstrip("-").isdigit() else float(v)) for v in values)
            assert float(found["value"]) == nearest("float64", exact)


@MORE
@given(tables())
def test_describe_takes_the_columns_that_are_numbers(table):
    text, delimiter, numeric, rows = table
    done = tally("describe", "--delimiter", delimiter, "--json", stdin=text.encode())
    shown = {c["column"]: c for c in json.loads(done.stdout).get("columns", [])} if done.stdout else {}
    if len(numeric) == 1:
        return
    for i, is_number in enumerate(numeric):
        values = [float(row[i]) for row in rows if row[i] not in MISSING] if is_number else []
        if is_number and values:
            found = shown[f"c{i}"]
            assert found["nan_count"] == len(rows) - len(values)
            assert float(found["minimum"]) == min(values)
            assert float(found["maximum"]) == max(values)


def test_quoted_line_ends_where_threads_meet():
    rows = [(f'line\n{i},"' * (i % 5), i * i) for i in range(60_000)]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([("text", "n"), *rows])
    write("t.csv", text.getvalue())
    assert answer("sum", "--column", "n", "t.csv") == str(sum(n for _, n in rows))
    assert answer("scan", "--column", "n", "t.csv").split("\n")[-1] == str(sum(n for _, n in rows))
    assert answer("sum", "--column", "n", "-", stdin=text.getvalue().encode()) == str(sum(n for _, n in rows))


def test_a_field_across_many_parts_and_one_that_has_no_end():
    long = "x,\n\"\"" * 2_000_000
    write("t.csv", f'a,b\n"{long}",1\ny,2\n')
    assert answer("sum", "--column", "b", "t.csv") == "3"
    write("t.csv", 'a,b\n1,2\n3,"4\n' + "5,6\n" * 100_000)
    assert "line 3: a quoted field has no end: '\"4" in failure(1, "sum", "--column", "a", "t.csv")


@pytest.mark.parametrize("columns", [1, 2, 1000])
def test_any_number_of_columns(columns):
    names = [f"n{i}" for i in range(columns)]
    write("t.csv", "\n".join([",".join(names), *(",".join(str(r * i) for i in range(columns)) for r in range(1, 50))]))
    last = columns - 1
    total = sum(r * last for r in range(1, 50))
    assert answer("sum", "--column", f"n{last}", "t.csv") == str(total)
    assert answer("sum", "--column", columns, "t.csv") == str(total)
    lines = answer("describe", "t.csv").split("\n")
    assert len(lines) == (columns + 1 if columns > 1 else 7)


def test_a_first_row_of_numbers_is_not_guessed_at():
    write("y.csv", "2019\n1\n3\n")
    message = failure(1, "sum", "y.csv")
    assert "--header" in message and "--no-header" in message
    assert answer("sum", "--header", "y.csv") == "4"
    assert answer("sum", "--no-header", "y.csv") == "2023"
    write("z.csv", "2019,2020\n1,2\n")
    assert answer("sum", "--header", "--column", "2019", "z.csv") == "1"
    assert "--no-header" in failure(2, "sum", "--header", "--no-header", "z.csv")


@pytest.mark.parametrize("first, why", [
    ("NA,NA", "all of the first row says"), (",-", "all of the first row says"), ('"",null', "all of the first row says"),
    ("2024-01-31,5", "has no letter"), ("31.12.2024,Berlin", "begins with a date"), ("1/2/24,7", "has no letter"),
    ("1-Jan-2024,7", "begins with a date"), ("2024-01-31T10:00:00Z,x", "begins with a date"),
    ("2024-01-31 10:00,x", "begins with a date"), ("12:30:00.5,x", "begins with a date"),
    ("$5,7", "has no letter"), ("5%,7%", "has no letter"), ('"1,5","2,5"', "has no letter"), ("1 000,7", "has no letter"),
    ("10.0.0.1,7", "has no letter"), ("0-4,7", "has no letter"), ("(5),7", "has no letter"), ("#,7", "has no letter")])
def test_a_first_row_that_may_be_data_is_not_guessed_at(first, why):
    write("t.csv", first + "\n1,2\n")
    for command in (["sum", "--column", 2], ["describe"], ["info"], ["sum", "--decimal", "--column", 2]):
        message = failure(1, *command, "t.csv")
        assert why in message and "--header says that they are names, --no-header that they are data" in message
    assert answer("sum", "--header", "--column", 2, "t.csv") == "2"
    if first[-1].isdigit():
        assert answer("sum", "--no-header", "--column", 2, "t.csv") == str(2 + int(first[-1]))


def test_a_word_that_is_said_to_mean_nothing_is_no_name():
    write("t.csv", "unk,unk\n1,2\n")
    assert answer("sum", "--column", 2, "t.csv") == "2"
    assert "--no-header" in failure(1, "sum", "--missing", "unk", "--column", 2, "t.csv")


@pytest.mark.parametrize("name", ["0-4", "2020-21", "1.2", "10:30", "2024-Q1-x", "3 km", "a-1-2", "1-2-", "2024-01"])
def test_a_name_with_digits_is_a_name(name):
    assert answer("sum", "--column", 1, "--delimiter", ",", stdin=f"{name},y\n1,2\n".encode()) == "1"


def test_columns_are_counted_from_1():
    write("t.csv", "a,b\n1,20\n")
    assert answer("sum", "--column", 1, "t.csv") == "1"
    assert answer("sum", "--column", 2, "t.csv") == "20"
    assert "counted from 1" in failure(1, "sum", "--column", 0, "t.csv")


def test_lines_that_end_in_cr_alone():
    write("t.csv", "x,y\r1,2\r3,4\r")
    assert answer("sum", "--column", "y", "t.csv") == "6"
    write("t.csv", "x,y\r1,2\n3,4\r\n5,6")
    assert answer("sum", "--column", "y", "t.csv") == "12"


def test_a_header_without_rows_is_no_zero():
    write("t.csv", "x,y\n")
    assert "has a header and no rows" in failure(1, "sum", "--column", "y", "t.csv")
    assert "has a header and no rows" in failure(1, "describe", "t.csv")
    assert "has a header and no rows" in failure(1, "sum", "--column", "x", stdin=b"x\n")


def test_a_name_in_front_of_each_row():
    write("t.csv", '"mpg","cyl"\n"Mazda RX4",21,6\n"Fiat, 128",32.4,4\n')
    assert noted("sum", "--column", "mpg", "t.csv")[0] == "53.4"
    assert noted("sum", "--column", 2, "t.csv")[0] == "10"


@pytest.mark.parametrize("command", [
    ["sum"], ["mean", "--json"], ["describe"], ["describe", "--column", "1"], ["info"], ["info", "--column", "1"], ["count"],
    ["scan"], ["top-k"], ["median"], ["sum", "--decimal"], ["max", "--decimal"], ["scan", "--decimal"]], ids=" ".join)
def test_a_comma_in_a_number_is_told_that_makes_it_two(command):
    """Of one column, of two, of several: the first would else be lost without a word."""
    for text in "price\n1,50\n2,75\n", "item,price\nA,1,50\nB,2,75\n", "a,b,c,d\n1,2,3,4,50\n5,6,7,8,75\n":
        first = text.split("\n")[1].split(",")[0]
        write("t.csv", text)
        column = [] if command[0] in ("describe", "info") or "--column" in command else ["--column", 1]
        assert noted(*command, *column, "t.csv")[1] == (
            f"tally: rows have a field more than the first one: '{first}' is taken for the name of a row, not for a "
            "number; quotes keep a number with a comma together")
    write("t.csv", 'item,price\n"1",50\n')
    answer(*command, *column, "t.csv")


def test_other_delimiters():
    write("t.tsv", "a\tb\n1,5\t2\n")
    assert answer("sum", "--column", "b", "t.tsv") == "2"
    write("t.csv", "a;b\n1;2\n")
    for name in (";", ","):
        done = tally("sum", "--delimiter", name, "--column", "b", "t.csv")
        assert (done.returncode == 0) == (name == ";")
    assert answer("sum", "--delimiter", "tab", "--column", "b", stdin=b"a\tb\n1\t2\n") == "2"
    assert "--delimiter" in failure(2, "sum", "--delimiter", "::", "t.csv")


@pytest.mark.parametrize("delimiter", [*"/:;<=@[_`{|~!#$%,&'*^ \t", "\\t"])
def test_any_other_character_can_be_between_numbers(delimiter):
    c = "\t" if delimiter == "\\t" else delimiter
    assert answer("sum", "--delimiter", delimiter, "--column", "b", stdin=f"a{c}b\n1{c}2\n".encode()) == "2"


@pytest.mark.parametrize("delimiter", [*'.+-"09azAZ\n\r', "", ",,", "é", "tabs"])
def test_what_a_number_is_written_with_is_not_between_numbers(delimiter):
    message = failure(2, "sum", f"--delimiter={delimiter}", stdin=b"a,b\n1,2\n")
    assert message.startswith("tally: --delimiter: ")


def test_an_empty_name_of_a_column_is_refused():
    write("f.csv", "a,b\n1,2\n")
    assert "--column: its value is missing" in failure(2, "sum", "--column=", "f.csv")


def test_flights_by_column_and_by_table():
    with open(FLIGHTS) as file:
        rows = list(csv.DictReader(file))
    delays = [int(r["arr_delay"]) for r in rows if r["arr_delay"] not in MISSING]
    assert answer("sum", "--skip-nan", "--column", "arr_delay", FLIGHTS) == str(sum(delays))
    found = {c["column"]: c for c in report("describe", FLIGHTS)["columns"]}
    assert set(found) == {"distance", "arr_delay"}
    assert found["distance"]["sum"] == sum(int(r["distance"]) for r in rows)
    assert found["arr_delay"]["mean"] == float(Fraction(sum(delays), len(delays)))
    assert found["arr_delay"]["nan_count"] == len(rows) - len(delays) > 0
    one = report("describe", "--column", "arr_delay", FLIGHTS)
    for key in ("sum", "mean", "standard_deviation", "minimum", "maximum_index"):
        assert found["arr_delay"][key] == one[key]
    table, left_out = noted("describe", FLIGHTS)
    lines = table.split("\n")
    assert len({len(line) for line in lines}) == 1 and len(lines) == 3
    first = ", ".join(f"{name} (line 2: '{rows[0][name]}')" for name in ("carrier", "origin", "dest"))
    assert left_out == f"tally: left out: {first}"


def test_info_of_all_columns():
    found = report("info", FLIGHTS)
    types = {c["column"]: c["dtype"] for c in found["columns"]}
    assert types == {"carrier": None, "origin": None, "dest": None, "distance": "int64", "arr_delay": "int64"}
    assert found["bytes"] == FLIGHTS.stat().st_size
    assert found["shape"] == [1000, 5]
    assert answer("info", FLIGHTS).split("\n")[4].split() == ["distance", "int64", "1000", "0"]
    assert report("info", "--column", "distance", FLIGHTS)["bytes"] == FLIGHTS.stat().st_size


def test_describe_says_what_it_cannot_do_for_all_columns():
    write("t.csv", "a,b\nx,y\n")
    assert "no column of numbers" in failure(1, "describe", "t.csv")
    assert "--save-state: needs --column" in failure(2, "describe", FLIGHTS, "--save-state", "s")
    write("u.csv", "a,c\n1,2\n")
    assert "other columns" in failure(1, "describe", FLIGHTS, "u.csv")
    write("v.csv", "a,b\n1,2\n")
    write("w.csv", "a,b\n3,0.5\n")
    assert report("describe", "v.csv", "w.csv")["columns"][1]["sum"] == 2.5


@pytest.mark.parametrize("order", ["C", "F"])
def test_bytes_read_are_those_that_are_stored(order):
    np.save("x.npy", np.arange(40_000.0).reshape(1000, -1, order=order))
    data = open("x.npy", "rb").read()
    write("x.npy.gz", gzip.compress(data))
    for command in ("sum", "argmax", "median"):
        assert report(command, stdin=data)["bytes_read"] == report(command, "x.npy")["bytes_read"] == len(data)
        assert report(command, "x.npy.gz")["bytes_read"] == os.path.getsize("x.npy.gz")
        assert report(command, stdin=gzip.compress(data))["bytes_read"] == os.path.getsize("x.npy.gz")
    np.savez_compressed("x.npz", x=np.load("x.npy"))
    packed = zipfile.ZipFile("x.npz").infolist()[0].compress_size
    assert report("sum", "x.npz")["bytes_read"] == packed
    assert report("sum", stdin=open("x.npz", "rb").read())["bytes_read"] == packed


def test_names_may_end_in_upper_case():
    write("T.CSV", b"a,b\n1,2\n")
    write("T.TSV.GZ", gzip.compress(b"a\tb\n1,5\t2\n"))
    assert answer("describe", "T.CSV").splitlines()[2].split()[0] == "b"
    assert "'1,5' is not a number" in failure(1, "sum", "--column", "a", "T.TSV.GZ")
    answer("scan", "--column", "b", "T.CSV", "-o", "X.CSV")
    assert open("X.CSV").read() == "value\n2\n"
    answer("scan", "--column", "b", "T.CSV", "-o", "X.NPY")
    assert np.load("X.NPY").tolist() == [2]
    write("Z.NPY", b"1 2")
    assert "is not a .npy file" in failure(1, "sum", "Z.NPY")


def test_control_characters_of_names_stay_out_of_a_terminal():
    write("a.csv", "plain,\x1b[31mred,\x7f,\u009b1m,Größe\n1,2,3,4,5\n".encode())
    for command in ("describe", "info"):
        text = answer(command, "a.csv")
        assert not set(text) & {chr(c) for c in [*range(9), *range(11, 32), *range(127, 160)]}
        names = [line.split()[0] for line in text.splitlines()]
        assert [n for n in names if n in (r"\x1b[31mred", r"\x7f", r"\xc2\x9b1m", "Größe")] == names[-4:]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("rows", [1, 400_000])
def test_a_line_has_the_same_number_in_a_file_and_from_a_pipe(end, rows):
    text = end.join(["a,b", *["1,2"] * rows, "3,x", ""])
    write("t.csv", text)
    place = f": line {rows + 2}: column 'b': 'x' is not a number"
    assert failure(1, "sum", "--column", "b", "t.csv") == "tally: t.csv" + place
    assert failure(1, "sum", "--column", "b", stdin=text.encode()) == "tally: standard input" + place
    assert failure(1, "median", "--column", "b", stdin=text.encode()) == "tally: standard input" + place


@pytest.mark.parametrize("before, between", [(0, 200_000), (200_000, 0), (200_000, 200_000)])
def test_any_empty_lines_around_a_header(before, between):
    text = "\n" * before + "a,b\n" + "\n" * between + "1,2\n3,4\n"
    write("t.csv", text)
    assert answer("sum", "--column", "b", "t.csv") == "6"
    assert answer("sum", "--column", "b", stdin=text.encode()) == "6"


def test_a_space_may_be_the_delimiter():
    for text in (b"1 2\n3 4\n", b"1 2 9\n3 4 9\n"):
        for column, total in (1, "4"), (2, "6"):
            assert answer("sum", "--delimiter", " ", "--no-header", "--column", column, stdin=text) == total
