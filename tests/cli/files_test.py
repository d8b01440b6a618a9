# SPDX-License-Identifier: Apache-2.0
"""Files by what they are: whatever their names, by name and by pipe; what is known and not read; outputs by name."""

import bz2
import gzip
import os
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from .command import BINARY, answer, failure, noted, report, tally

WIDE = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]


def by_name_and_pipe(data, *arguments, name="t.dat"):
    """What is told of a file, whatever it is called and asked for, and of a pipe, without their names."""
    told = set()
    for called in (name, "t.csv", "t.npy", "unnamed"):
        Path(called).write_bytes(data)
        for options in (arguments, ("--column", "b"), ("--delimiter", ";"), ("--header",)):
            message = failure(1, "sum", called, *options)
            told.add(message.removeprefix(f"tally: {called}: ").replace(called, "FILE"))
            message = failure(1, "describe", *options, stdin=data)
            told.add(message.removeprefix("tally: standard input: "))
    return told


@pytest.mark.parametrize("encoding", WIDE)
def test_utf_16_is_told_whatever_it_is_called(encoding):
    for text in ("a,b\n1,2\n", "1 2 3\n", "7"):
        data = text.encode(encoding)
        if len(data) < 8 and encoding[-3:] in ("-le", "-be"):
            continue  # of one character, nobody can tell
        (told,) = by_name_and_pipe(data)
        called = told.split()[3].rstrip(";")
        assert called.lower().startswith(encoding[:6])
        way = f"iconv -f {called} -t UTF-8 FILE"
        assert told == f"is text in {called}; {way} makes UTF-8 of it"
        Path("FILE").write_bytes(data)
        utf8 = subprocess.run(way.split(), stdout=subprocess.PIPE, check=True).stdout
        assert utf8.decode("utf-8-sig") == text
        assert answer("sum", "--raw", "--dtype", "uint8", "FILE") == str(sum(data))
    # With a type, and no word of text, it takes a mark and text behind it.
    unmarked = np.array([10, 65, 90, 32], "uint16" if "16" in encoding else "uint32")
    assert answer("sum", "--dtype", str(unmarked.dtype), stdin=unmarked.tobytes()) == str(unmarked.sum())


def zipped(**members):
    with zipfile.ZipFile("made.zip", "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return Path("made.zip").read_bytes()


def database():
    with sqlite3.connect("made.db") as made:
        made.execute("create table t(a)")
        made.execute("insert into t values (1), (2)")
    return Path("made.db").read_bytes()


def tar():
    Path("a.csv").write_text("a\n1\n")
    with tarfile.open("made.tar", "w") as made:
        made.add("a.csv")
    return Path("made.tar").read_bytes()


FORMATS = {
    "is Parquet; duckdb -c \"copy '": lambda: b"PAR1\x15\0\x15\x10" + bytes(100) + b"PAR1",
    "is an old Office file (.xls); ssconvert ": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504),
    "is an Excel workbook (.xlsx); ssconvert ": lambda: zipped(xl__workbook_xml="<>", _rels__x="<>"),
    "is an OpenDocument file (.ods); ssconvert ": lambda: zipped(mimetype="application/...", content_xml="<>"),
    "is a ZIP archive; unzip -p ": lambda: zipped(b_md="x", a_csv="a\n1\n"),
    "is a ZIP archive in which no file is a .npy": lambda: zipped(b_class="x"),
    "is an SQLite database; sqlite3 ": database,
    "is a tar archive; tar -xf unpacks it": tar,
    "is HDF5; h5dump ": lambda: b"\x89HDF\r\n\x1a\n" + bytes(100),
    "is a 7z archive; 7z e -so ": lambda: b"7z\xbc\xaf\x27\x1c\0\4" + bytes(100),
    "is compressed by lz4; lz4 -dc ": lambda: b"\x04\x22\x4d\x18\x64\x40\xa7" + bytes(10),
    "is an Arrow file; python3 -c \"import pyarrow": lambda: b"ARROW1\0\0" + bytes(20),
    "is a Python pickle; python3 -c \"import numpy": lambda: np.arange(3).dumps(),
    "is PDF; pdftotext ": lambda: b"%PDF-1.7\n%\xe2\xe3\n1 0 obj",
}


@pytest.mark.parametrize("told", FORMATS)
def test_other_formats_are_told_whatever_they_are_called(told):
    data = FORMATS[told]()
    for message in by_name_and_pipe(data):
        assert message.startswith(told), message
    assert failure(1, "sum", stdin=gzip.compress(data)).startswith(f"tally: standard input: {told}")
    message = failure(1, "sum", "--dtype", "uint8", stdin=data)
    assert message.startswith(f"tally: standard input: {told}")
    assert message.endswith("; --raw says that it is raw data")
    assert answer("sum", "--raw", "--dtype", "uint8", stdin=data) == str(sum(data))


def run(message):
    """The command that the message names, done."""
    way = message.split("; ", 1)[1]
    way = way[:way.index(" makes " if " makes " in way else " prints ")]
    return subprocess.run(["bash", "-c", way.replace("python3", sys.executable)], stdout=subprocess.PIPE, check=True).stdout


def test_what_a_message_names_makes_of_the_file_what_is_read():
    Path("a.csv").write_text("a\n1\n2\n")
    Path("t.zip").write_bytes(zipped(a_csv="a\n1\n2\n"))
    assert answer("sum", "--column", "a", stdin=run(failure(1, "sum", "t.zip"))) == "3"
    Path("t.db").write_bytes(database())
    way = failure(1, "sum", "t.db").replace("COLUMN", "a").replace("TABLE", "t")
    assert "sqlite3 t.db " in way
    np.arange(5.).dump("t.pkl")
    run(failure(1, "sum", "t.pkl"))
    assert answer("sum", "t.npy") == "10"
    for text in ("[1, 2]", '{"FIELD": 1}\n{"FIELD": 2}\n', '[{"FIELD": 1}, {"FIELD": 2}]'):
        Path("t.json").write_text(text)
        assert "jq " in failure(1, "sum", "t.json")


def test_json_and_web_pages_are_told():
    fields = "; jq .FIELD {} prints a field of each object"
    for text, told in (('{"f": 1}\n{"f": 2}\n', fields), ("[1, 2]\n", "; jq '.[]' {} prints its numbers"),
                       ('[{"f": 1}]', "; jq '.[].FIELD' {} prints a field of each object")):
        Path("t.json").write_text(text)
        assert failure(1, "sum", "t.json") == "tally: t.json: is JSON" + told.format("t.json")
        assert failure(1, "describe", stdin=text.encode()) == "tally: standard input: is JSON" + told.format("FILE")
    Path("t.jsonl").write_text('{"f": 1, "g": 2}\n')
    assert failure(1, "sum", "--column", "f", "t.jsonl").endswith("; it is JSON" + fields.format("t.jsonl"))
    Path("t.csv").write_text("<!DOCTYPE html>\n<title>404</title>\n")
    assert failure(1, "sum", "t.csv") == "tally: t.csv: is an HTML page"
    # A column's name may begin like any of these.
    assert answer("sum", "--column", "[a]", stdin=b"[a],{b}\n1,2\n") == "1"
    assert answer("sum", "--column", "PAR1", stdin=b"PAR1,<b>\n1,2\n") == "1"


def test_what_is_said_of_a_file_counts_more_than_its_name():
    Path("t.npy").write_text("a;b\n1;2\n")
    assert "is not a .npy file: it begins with 'a;b" in failure(1, "sum", "t.npy")
    assert answer("sum", "--column", "b", "--delimiter", ";", "t.npy") == "2"
    np.save("x.npy", np.arange(4))
    os.rename("x.npy", "x.csv")
    assert answer("sum", "x.csv") == "6"
    assert answer("describe", "x.csv").startswith("count")
    assert report("info", "x.csv")["dtype"] == "int64"
    Path("t.gz").write_text("1 2 3")
    assert answer("sum", "t.gz") == "6"


def test_csv_on_a_pipe_is_known_by_names_between_commas():
    text = b"a,b\n1,2\n3,x\n"
    assert noted("describe", stdin=text)[0].split("\n")[1].split()[:4] == ["a", "2", "0", "4"]
    assert noted("describe", stdin=text)[1] == "tally: left out: b (line 3: 'x')"
    assert [c["column"] for c in report("info", stdin=text)["columns"]] == ["a", "b"]
    assert failure(1, "sum", stdin=text) == (
        "tally: standard input: which column? --column takes one of 'a', 'b', or its number from 1")
    for header in ("id,2019,2020", '"a b",c', ",a,b", "Größe,b", "a,NA", "_,1", "\ufeffa,b"):
        assert report("info", stdin=(header + "\n1,2,3\n"[:2 * header.count(",") + 2] + "\n").encode())["columns"]
    # None of these; where numbers are between commas, nobody can tell what the first line is.
    for first in ("1,2", "NA,1", "1,5 2,5", "a", "a;b", "1x,b"):
        message = failure(1, "describe", stdin=(first + "\n1,2\n").encode())
        assert "line 1: " in message and "is not a number" in message
    assert "--header" in failure(1, "describe", stdin=b"1,2\n3,4\n")
    assert "--no-header" in failure(1, "describe", stdin=b"1,2\n3,4\n")
    assert failure(1, "sum", stdin=b"distance\n1\n2\n").endswith(
        "line 1: 'distance' is not a number; --header if that is the name of a column")
    assert answer("sum", "--header", stdin=b"distance\n1\n2\n") == "3"


@pytest.mark.parametrize("command, nothing", [("sum", "0"), ("count", "0"), ("top-k", ""), ("scan", ""), ("prod", "1"),
                                              ("norm", "0"), ("any", "false"), ("all", "true")])
@pytest.mark.parametrize("options", [[], ["--dtype", "float32"], ["--raw", "--dtype", "uint8"]])
def test_an_empty_file_is_an_empty_array_by_name_and_by_pipe(command, nothing, options):
    if command in ("any", "all"):
        command += "-of"
        nothing = {"false": "0", "true": "1"}[nothing]
    Path("e").touch()
    Path("e.txt.gz").write_bytes(gzip.compress(b""))
    with open("e", "rb") as file:
        found = {answer(command, "e", *options), answer(command, *options, stdin=b""),
                 answer(command, *options, stdin=file)}
        if "--raw" not in options:
            found.add(answer(command, "e.txt.gz", *options))
    assert found == {nothing}


def test_an_empty_file_has_no_mean_by_name_and_by_pipe():
    Path("e").touch()
    for command in ("mean", "min", "max", "std", "median", "describe", "argmax"):
        assert failure(1, command, "e") == f"tally: {command}: e is empty"
        assert failure(1, command, stdin=b"") == f"tally: {command}: standard input is empty"
    found, piped = report("info", "e"), report("info", stdin=b"")
    assert (found["count"], found["shape"], found["bytes"]) == (piped["count"], piped["shape"], piped["bytes"])
    answer("scan", "e", "-o", "e.npy")
    assert np.load("e.npy").shape == (0,)
    np.save("x.npy", np.arange(3, dtype="int16"))
    assert answer("sum", "e", "x.npy") == answer("sum", "x.npy", "e") == "3"
    assert answer("sum", "--each", "e", "x.npy") == "e\t0\nx.npy\t3"


def test_a_header_without_rows_is_no_zero_by_name_and_by_pipe():
    for name, text in ("a.csv", "x,y\n"), ("b.csv", "x\n"), ("c.csv", "x,y"):
        Path(name).write_text(text)
        for command in ("sum", "count", "describe", "info"):
            for options in ([], ["--column", "x"]):
                assert failure(1, command, name, *options) == f"tally: {name}: has a header and no rows"
                if options or "," in text:
                    assert failure(1, command, *options, stdin=text.encode()) == (
                        "tally: standard input: has a header and no rows")


@pytest.mark.parametrize("path", ["/proc/uptime", "/proc/loadavg", "/proc/sys/kernel/pid_max", "/proc/self/statm",
                                  "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"])
def test_a_file_without_a_size_is_read(path):
    if not os.access(path, os.R_OK):
        path = "/proc/sys/kernel/pid_max"
    words = Path(path).read_text().split()
    if path == "/proc/loadavg":
        assert "is not a number" in failure(1, "sum", path)  # 1/234
        return
    assert answer("count", path) == str(len(words)) == answer("count", stdin=open(path, "rb"))
    if path.endswith(("max", "size")):
        assert answer("sum", path) == answer("median", path) == words[0]
    assert answer("sum", "--raw", "--dtype", "uint8", "/proc/sys/kernel/pid_max") == str(
        sum(Path("/proc/sys/kernel/pid_max").read_bytes()))


def test_standard_input_by_its_path():
    assert answer("sum", "/dev/stdin", stdin=b"1 2") == "3"
    Path("a").write_text("1 2")
    with open("a", "rb") as file:
        assert answer("sum", "/dev/stdin", stdin=file) == "3"
    os.mkfifo("pipe")
    for text, found in ("", "0"), ("x,y\n1,2\n", "2"):
        writer = subprocess.Popen(["bash", "-c", f"printf '{text}' > pipe"])
        assert answer("sum", "pipe", *(["--column", "y"] if text else [])) == found
        assert writer.wait() == 0
    assert subprocess.run(["bash", "-c", f"'{BINARY}' sum <(bzip2 < a)"], stdout=subprocess.PIPE).stdout == b"3\n"


@pytest.mark.parametrize("word", ["-nan", "+nan", "NaN", "nan(0x1)", "-nan(ind)", "+NAN(SNAN)", "nan()", "-NaN",
                                  "1.#QNAN", "-1.#IND", "1.#SNAN"])
def test_nan_in_any_spelling_is_missing(word):
    note = "tally: 2 of 4 missing; --skip-nan leaves them out"
    text = f"1 nan {word} 2\n".encode()
    for options in ([], ["--dtype", "float32"], ["--decimal"]):
        assert noted("sum", *options, stdin=text) == ("nan", note)
        assert answer("sum", "--skip-nan", *options, stdin=text) == "3"
    Path("t.csv").write_text(f'a,b\n1,x\n{word},y\n"{word}",z\n2,w\n')
    assert noted("sum", "--column", "a", "t.csv") == ("nan", note)
    assert report("describe", "t.csv")["columns"][0]["nan_count"] == 2
    assert "is not a number of type int64" in failure(1, "sum", "--dtype", "int64", stdin=text)
    for other in ("nan(", "nan)", "nan(1", "nanx", "--nan", "nan(a b)", "1.#"):
        assert "is not a number" in failure(1, "sum", stdin=other.encode())


@pytest.mark.parametrize("name", ["x.npz", "x.npy.gz", "x.csv.gz", "x.txt.xz", "x.tsv.bz2", "out.Z", "x.npy.Z", "a.tbz2", "x.json", "x.JSONL",
                                  "x.parquet", "x.xlsx", "x.h5", "x.mat", "x.pkl", "x.log", "x.md", "folder/x.zip"])
@pytest.mark.parametrize("command", [["scan"], ["generate", "digits"], ["scan", "--json"]])
def test_no_raw_data_under_a_name_that_says_otherwise(name, command):
    message = failure(2, *command, "-o", name, stdin=b"1 2 3")
    ending = name[name.rindex("."):].lower()
    assert message == (f"tally: -o {name}: no {ending} is written; .npy is, text in .txt, .csv and .tsv, and raw data "
                       "under other names")


@pytest.mark.parametrize("name, text", [("x.tsv", "value\n1\n3\n6\n"), ("X.TSV", "value\n1\n3\n6\n"),
                                        ("x.csv", "value\n1\n3\n6\n"), ("x.txt", "1\n3\n6\n")])
def test_text_is_written_under_names_of_text(name, text):
    for options in ([], ["--reverse"]):
        answer("scan", *options, "-o", name, stdin=b"1 2 3")
        assert Path(name).read_text() == (text if not options else text.replace("1\n3\n6", "6\n5\n3"))
        assert answer("sum", name) == ("10" if not options else "14")
    answer("generate", "digits", "-n", 3, "-o", name)
    assert answer("count", name) == "3"


def test_other_names_are_raw():
    for name in ("x", "x.raw", "x.bin", "x.f64", "x.dat", "npz", "gz"):
        answer("scan", "-o", name, stdin=b"1 2 3")
        assert np.fromfile(name, "int64").tolist() == [1, 3, 6]


def test_compressed_numbers_of_column_one():
    Path("z.csv.bz2").write_bytes(bz2.compress(b"a\n1\n2\n"))
    assert answer("sum", "--column", "a", "z.csv.bz2") == answer("sum", "z.csv.bz2") == "3"
    assert tally("describe", "z.csv.bz2").returncode == 0


@pytest.mark.parametrize("text, told", [(b'{"a":1}\n', "is JSON"), (b"<?xml ?>", "is XML"),
                                        (b"<html>", "is an HTML page"), (b'[{"a": 1}]', "is JSON")])
def test_what_stands_behind_a_byte_order_mark_is_told(text, told):
    for name in ("t.dat", "t.csv", "t.txt"):
        Path(name).write_bytes(b"\xef\xbb\xbf" + text)
        assert told in failure(1, "sum", name)
    assert told in failure(1, "sum", stdin=b"\xef\xbb\xbf" + text)


def test_letters_of_another_encoding_have_a_way_out():
    table = "a,b\nMüller,1\nGroß,2\n".encode("latin-1")
    for message in (failure(1, "sum", stdin=table), failure(1, "describe", stdin=table)):
        assert "iconv -f LATIN1 -t UTF-8 FILE makes UTF-8 of it, and --column or --header reads CSV as it is" in message
    assert answer("sum", "--column", "b", stdin=table) == "3"
    assert answer("describe", "--header", "--column", "b", stdin=table).split("\n")[2].split()[1] == "3"
    assert "iconv" not in failure(1, "sum", stdin=b"1 2 3\n4 5 \x00 6 7 8 9 10 11 12\n")


@pytest.mark.parametrize("text", [b"# x y\n1 2\n", b"#x y\n1 2\n", b"## made today\n1\n"])
def test_a_first_line_of_names_in_text_is_told(text):
    assert "line 1: '#" in failure(1, "sum", stdin=text)
    assert failure(1, "sum", stdin=text).endswith("; tail -n +2 leaves out a first line of names")
    assert "tail" not in failure(1, "sum", stdin=b"1\n# 2\n")


def test_names_with_control_characters_stay_on_their_line():
    for name in ("a\nb.txt", "a\tb.txt", "a\x1b[31m.txt"):
        Path(name).write_text("1 2")
        shown = name.encode("unicode_escape").decode().replace("\\n", "\\x0a").replace("\\t", "\\x09")
        assert answer("sum", "--each", name) == f"{shown}\t3"
        assert answer("info", name).split("\n")[0] == f"file   {shown}"
        assert report("sum", "--each", name)["inputs"] == [name]
