# SPDX-License-Identifier: Apache-2.0
"""Bad input: one clear line, the right exit status, nothing left behind."""

import os
import signal
import subprocess
import time

import numpy as np
import pytest

from .command import BINARY, answer, failure, report, tally


def write_npy(name, header, data):
    text = (header + "\n").encode()
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data)


def test_a_truncated_npy():
    np.save("whole.npy", np.ones(100))
    data = open("whole.npy", "rb").read()
    for length in (1, 6, 9, 50, 128, 500, len(data) - 1):
        with open("x.npy", "wb") as file:
            file.write(data[:length])
        assert "x.npy" in failure(1, "sum", "x.npy"), length
        if length >= 6:
            failure(1, "sum", stdin=data[:length])
            failure(1, "scan", "-", "-o", "y.npy", stdin=data[:length])


@pytest.mark.parametrize("shape", [
    "(101,)", "(99,)", "(10, 10, 2)", "()", "(-100,)", "100", "(2305843009213693952,)",
    "(4294967296, 4294967296, 4294967296)"])
def test_a_header_that_lies_about_its_shape(shape):
    write_npy("x.npy", f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}", bytes(800))
    for command in (["sum"], ["top-k"], ["scan", "-o", "y.npy"], ["info"]):
        assert "x.npy" in failure(1, *command, "x.npy")


@pytest.mark.parametrize("descr", [
    "'|O'", "'<c8'", "'<U3'", "'<M8[s]'", "[('a', '<f4')]", "'<f3'", "7"])
def test_elements_that_are_no_numbers(descr):
    write_npy("x.npy", f"{{'descr': {descr}, 'fortran_order': False, 'shape': (4,), }}", bytes(32))
    assert "x.npy" in failure(1, "sum", "x.npy")


def test_python_objects_are_never_unpickled():
    np.save("x.npy", np.array([1, "two", None], object))
    assert "objects" in failure(1, "sum", "x.npy")


def test_text_in_a_csv_column_is_told_with_line_and_column():
    with open("t.csv", "w") as file:
        file.write("name,hours\na,1\nb,2\nc,three\n")
    message = failure(1, "sum", "t.csv", "--column", "hours")
    for word in ("t.csv", "line 4", "hours", "three"):
        assert word in message


def test_a_row_of_another_width_is_told_with_its_line():
    with open("t.csv", "w") as file:
        file.write("a,b\n1,2\n3\n")
    assert "line 3" in failure(1, "sum", "t.csv", "--column", "a")


def test_a_missing_column_is_told_with_those_there_are():
    with open("t.csv", "w") as file:
        file.write("name,hours\na,1\n")
    message = failure(1, "sum", "t.csv", "--column", "minutes")
    assert "minutes" in message and "hours" in message
    assert "7" in failure(1, "sum", "t.csv", "--column", "7")
    assert "hours" in failure(1, "sum", "t.csv")


def test_a_csv_number_that_does_not_fit_its_type():
    with open("t.csv", "w") as file:
        file.write("a\n100\n300\n")
    message = failure(1, "sum", "t.csv", "--dtype", "int8")
    assert "line 3" in message and "300" in message


def test_an_empty_file_is_what_its_name_says_that_holds_nothing():
    for name in ("x.npy", "x.NPZ", "x.gz", "x.txt.zst", "x.bz2", "x.xz"):
        open(name, "w").close()
        ending = name[name.rindex("."):].lower()
        for options in ([], ["--dtype", "float32"]):
            assert failure(1, "sum", name, *options) == f"tally: {name}: is not a {ending} file: it is empty"
    for name in ("x.csv", "x.tsv"):
        open(name, "w").close()
        for command in ("sum", "describe", "info", "count"):
            assert failure(1, command, name) == f"tally: {name}: has no rows"
    assert failure(1, "sum", "--column", "a", stdin=b"") == "tally: standard input: has no rows"


def test_no_such_file():
    assert "none.npy: No such file" in failure(1, "sum", "none.npy")
    np.save("x.npy", np.ones(3))
    assert "none.npy" in failure(1, "scan", "x.npy", "none.npy", "-o", "y.npy")


def test_a_folder_instead_of_a_file():
    os.mkdir("folder")
    assert "folder" in failure(1, "sum", "folder")
    np.save("x.npy", np.ones(3))
    assert "folder" in failure(1, "scan", "x.npy", "-o", "folder")


def test_a_file_without_a_type():
    np.ones(3).tofile("x.raw")
    assert "--dtype" in failure(1, "sum", "x.raw")


def test_raw_data_that_is_no_whole_number_of_elements():
    with open("x.raw", "wb") as file:
        file.write(bytes(10))
    assert "10 bytes" in failure(1, "sum", "x.raw", "--dtype", "float32")
    assert "10 bytes" in failure(1, "sum", "--dtype", "float32", stdin=bytes(10))


def test_files_of_different_types_are_not_one_array():
    np.save("a.npy", np.ones(3, "float32"))
    np.save("b.npy", np.ones(3, "float64"))
    for command in (["sum"], ["scan", "-o", "y.npy"], ["top-k"]):
        message = failure(1, *command, "a.npy", "b.npy")
        for word in ("b.npy", "float32", "float64"):
            assert word in message


def test_a_type_that_is_not_the_files():
    np.save("x.npy", np.ones(3, "float32"))
    assert "float32" in failure(1, "sum", "x.npy", "--dtype", "int32")


@pytest.mark.parametrize("option", [["--delimiter", ";"], ["--header"], ["--no-header"], ["--missing", "-999"]])
def test_what_only_text_has_is_refused_of_other_files(option):
    np.save("x.npy", np.array([1.0, -999]))
    np.savez("x.npz", np.array([1.0, -999]))
    np.array([1.0, -999]).tofile("x.raw")
    with open("x.csv", "w") as file:
        file.write("a\n1\n")
    about = f": is no text, which {option[0]} is about"
    for command in ("sum", "median", "top-k"):
        for name in ("x.npy", "x.npz"):
            assert failure(1, command, name, *option) == f"tally: {name}{about}"
        assert failure(1, command, "x.raw", "--dtype", "float64", "--raw", *option) == f"tally: x.raw{about}"
    assert failure(1, "sum", "x.csv", "x.npy", "--dtype", "float64", *option) == f"tally: x.npy{about}"
    with open("x.npy", "rb") as file:
        assert failure(1, "sum", *option, stdin=file.read()) == f"tally: standard input{about}"


def test_raw_data_has_no_columns_and_no_missing_words():
    np.arange(9, dtype="uint8").tofile("x.raw")
    assert failure(1, "sum", "--raw", "--dtype", "uint8", "--column", 1, "x.raw") == (
        "tally: x.raw: is no text, which --column is about")
    assert failure(1, "sum", "--dtype", "uint8", "--missing", "8", "x.raw") == (
        "tally: x.raw: is no text, which --missing is about")


def test_text_that_is_no_number_on_standard_input():
    message = failure(1, "sum", stdin=b"1 2\n3 four\n")
    assert "line 2" in message and "four" in message


def test_csv_that_is_read_otherwise_names_the_way_out():
    way_out = "; of CSV, --header or --no-header says what its first row is, --column which column"
    assert failure(1, "sum", stdin=b"1,2\n3,4\n").endswith("'1,2' is not a number" + way_out)
    message = failure(1, "sum", stdin=b"a;b\n1,5;2\n")
    assert message.endswith("'a;b' is not a number" + way_out + ", --delimiter ';' what is between fields")
    for name, text, c in ("a.csv", "a;b\n1;2\n", "';'"), ("b.csv", "a|b\n1,5|2,5\n", "'|'"), ("c.csv", "a\tb\n1\t2\n", "tab"):
        with open(name, "w") as file:
            file.write(text)
        way_out = f"--delimiter {c} if that is between fields"
        assert failure(1, "sum", name).endswith(way_out)
        assert failure(1, "sum", "--column", "b", name).endswith(way_out)


def test_an_output_folder_that_does_not_exist():
    np.save("x.npy", np.ones(3))
    assert "none/y.npy" in failure(1, "scan", "x.npy", "-o", "none/y.npy")
    assert "none/s" in failure(1, "sum", "x.npy", "--save-state", "none/s")


def test_an_output_folder_that_cannot_be_written():
    np.save("x.npy", np.ones(3))
    os.mkdir("locked")
    os.chmod("locked", 0o555)
    # Root may write anywhere, except where nobody can.
    folder = "/proc/self" if os.geteuid() == 0 else "locked"
    assert f"{folder}/y.npy" in failure(1, "scan", "x.npy", "-o", f"{folder}/y.npy")


def test_a_full_disk():
    np.save("x.npy", np.ones(10**6))
    for command in (["scan", "x.npy"], ["generate", "normal", "-n", 10**6]):
        message = failure(1, *command, "-o", "y.npy", limits=["prlimit", "--fsize=1000000"])
        assert "y.npy" in message
    message = failure(1, "sum", "x.npy", "--save-state", "s", limits=["prlimit", "--fsize=10"])
    assert "cannot write s" in message


def test_a_full_disk_keeps_the_file_that_was_there():
    np.save("x.npy", np.ones(10**6))
    np.save("y.npy", np.arange(3))
    failure(1, "scan", "x.npy", "-o", "y.npy", limits=["prlimit", "--fsize=1000000"])
    assert np.load("y.npy").tolist() == [0, 1, 2]


@pytest.mark.parametrize("command", ["sum", "describe", "top-k", "scan", "info"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_standard_output_that_cannot_be_written(command, options):
    np.save("x.npy", np.ones(1000))
    with open("/dev/full", "wb") as full:
        done = tally(command, "x.npy", *options, stdout=full)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1 and b"standard output" in done.stderr


@pytest.mark.parametrize("arguments", ["scan x.npy", "top-k -k 200000 x.npy", "generate normal",
                                       "scan x.npy -o /dev/stdout", "generate normal -o /proc/self/fd/1"])
def test_a_closed_pipe_ends_quietly(arguments):
    np.save("x.npy", np.ones(200_000))
    script = f"'{BINARY}' {arguments} | head -c 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.stdout, done.stderr) == (b"0\n", b"")


def test_another_pipe_that_is_closed_is_an_error():
    np.save("x.npy", np.ones(200_000))
    script = f"'{BINARY}' scan x.npy --json -o >(head -c 1 >/dev/null)"
    done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (1, b"") and b"Broken pipe" in done.stderr


@pytest.mark.parametrize("command", ["mean", "min", "variance", "describe", "median", "quantile", "argmax"])
def test_an_empty_standard_input_is_called_so(command):
    assert failure(1, command) == f"tally: {command}: standard input is empty"


def test_each_goes_on_after_a_bad_file_and_fails_at_the_end():
    np.save("a.npy", np.arange(5))
    np.save("b.npy", np.zeros(0))
    np.save("c.npy", np.arange(3))
    for command, first, last in (("sum", "10", "3"), ("median", "2", "1"), ("count", "5", "3")):
        done = tally(command, "--each", "a.npy", "none.npy", "c.npy")
        assert (done.returncode, done.stdout.decode()) == (1, f"a.npy\t{first}\nc.npy\t{last}\n")
        assert done.stderr == b"tally: none.npy: No such file or directory\n"
    done = tally("mean", "--each", "b.npy", "c.npy", "none.npy", "a.npy")
    assert (done.returncode, done.stdout) == (1, b"c.npy\t1\na.npy\t2\n")
    assert done.stderr == b"tally: mean: b.npy is empty\ntally: none.npy: No such file or directory\n"


def test_a_gpu_that_is_not_there_has_status_1():
    np.save("x.npy", np.ones(3))
    why = report("devices", "--no-measure")["no_gpu"]
    for device in ("gpu", "gpu:0", "gpu:0-3"):
        if why:
            wanted = f"tally: --device {device}: no GPU: {why}"
            assert failure(1, "sum", "x.npy", "--device", device) == wanted
            assert failure(1, "scan", "x.npy", "--device", device) == wanted
    failure(1, "sum", "x.npy", "--device", "gpu:999")
    failure(1, "mean", "x.npy", "--device", "gpu")


def test_a_strange_name_stays_on_one_line():
    assert "no?such" in failure(1, "sum", "no\nsuch")


def test_bytes_that_are_not_printable_are_told_in_hexadecimal():
    assert r"begins with '\x1b[31m\xc3\xa4'" in failure(1, "sum", stdin="\x1b[31m\u00e4".encode())


def closed(streams, arguments):
    """The finished process, begun with these streams closed."""
    script = f"'{BINARY}' {arguments} {streams}"
    return subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("streams", ["<&-", "2>&-", "<&- 2>&-"])
def test_a_file_is_no_standard_stream_though_that_is_closed(streams):
    np.arange(4.0).tofile("x.raw")
    done = closed(streams, "sum x.raw --dtype float64")
    assert (done.returncode, done.stdout) == (0, b"6\n")
    done = closed(streams, "sum x.raw")
    assert (done.returncode, done.stdout) == (1, b"")


def test_a_closed_standard_input_is_empty():
    done = closed("<&-", "sum")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"0\n", b"")


def test_a_closed_standard_output_is_an_error_if_something_is_written():
    np.save("x.npy", np.ones(3))
    done = closed(">&-", "sum x.npy")
    assert done.returncode == 1 and b"standard output" in done.stderr
    assert closed(">&-", "generate normal").returncode == 1
    done = closed("<&- >&- 2>&-", "scan x.npy -o y.npy")
    assert done.returncode == 0
    assert np.load("y.npy").tolist() == [1, 2, 3]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command_and_leaves_nothing_behind(number):
    def by_default():
        signal.signal(number, signal.SIG_DFL)

    command = [BINARY, "scan", "--dtype", "float64", "-", "-o", "y.npy"]
    with subprocess.Popen(command, stdin=subprocess.PIPE,
                          preexec_fn=by_default) as process:
        process.stdin.write(b"1 2 3 " + 5000 * b" ")  # enough to see what it is
        process.stdin.flush()
        while not os.listdir():
            time.sleep(0.01)
        process.send_signal(number)
        assert process.wait(60) == -number
    assert os.listdir() == []


def test_a_signal_that_is_ignored_stays_ignored():
    script = f"trap '' HUP; exec '{BINARY}' scan --dtype float64 - -o y.npy"
    with subprocess.Popen(["bash", "-c", script], stdin=subprocess.PIPE) as process:
        process.stdin.write(b"1 2 3 " + 5000 * b" ")  # enough to see what it is
        process.stdin.flush()
        while not os.listdir():
            time.sleep(0.01)
        process.send_signal(signal.SIGHUP)
        process.stdin.close()
        process.wait(60)
        assert process.returncode == 0
    assert np.load("y.npy").tolist() == [1, 3, 6]
