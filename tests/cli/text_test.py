# SPDX-License-Identifier: Apache-2.0
"""Text keeps its numbers: exact integers of any size, decimals, and what is no number."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .command import LONG, answer, failure, report, tally
from .oracle import nearest, to_34

MORE = settings(max_examples=1000 if LONG else 60, deadline=None)
SIZES = st.sampled_from([2**7, 2**31, 2**53, 2**62, 2**63, 2**64, 2**65, 10**19, 10**40])


@st.composite
def integers(draw):
    most = draw(SIZES)
    return draw(st.lists(st.integers(-most - 2, most + 2) | st.just(most), min_size=1, max_size=50))


def text_of(values):
    return "\n".join(map(str, values)).encode()


def test_integers_beyond_2_53_keep_their_bits():
    assert answer("sum", stdin=b"9007199254740993\n1\n") == "9007199254740994"
    assert answer("top-k", "-k", 1, stdin=b"9007199254740992\n9007199254740993\n") == "1\t9007199254740993"
    assert answer("min", stdin=b"9223372036854775807\n9223372036854775806\n") == "9223372036854775806"
    assert answer("max", stdin=b"18446744073709551615 18446744073709551614") == "18446744073709551615"
    assert answer("quantile", "-q", 1, "--dtype", "int64", stdin=b"9007199254740992 1") == "9007199254740992"
    assert answer("scan", stdin=b"9007199254740993\n-1\n2\n").split("\n")[1] == "9007199254740992"


@MORE
@given(integers())
def test_a_sum_of_integers_is_the_integer(values):
    assert int(answer("sum", stdin=text_of(values))) == sum(values)
    found = report("sum", "-", stdin=text_of(values))
    assert int(found["value"]) == sum(values)


@MORE
@given(integers(), st.lists(st.sampled_from(["NA", "null", "-", "N/A", "nan", "#N/A", "None"]), max_size=3))
def test_what_is_missing_does_not_round_a_sum_of_integers(values, missing):
    text = text_of(values) + b" " + " ".join(missing).encode()
    assert int(answer("sum", "--skip-nan", stdin=text)) == sum(values)


@MORE
@given(integers())
def test_integers_are_ordered_as_they_are(values):
    lowest, highest = min(values), max(values)
    if -2**63 <= lowest and highest < 2**63 or 0 <= lowest and highest < 2**64:
        text = text_of(values)
        assert answer("min", stdin=text) == str(lowest)
        assert answer("max", stdin=text) == str(highest)
        order = sorted(range(len(values)), key=lambda i: (-values[i], i))
        lines = answer("top-k", "-k", len(values), stdin=text).split("\n")
        assert lines == [f"{i}\t{values[i]}" for i in order]


@MORE
@given(st.lists(st.floats(allow_nan=False) | st.integers(-2**70, 2**70), min_size=1, max_size=50))
def test_with_a_decimal_among_them_all_are_float64_rounded_once(values):
    floats = [nearest("float64", v) if isinstance(v, int) else v for v in values]
    found = json.loads(tally("max", "--json", stdin=text_of([*values, 0.5])).stdout)
    assert found["value"] == max(*floats, 0.5) or found["value"] == str(max(floats))
    assert found["dtype"] == "float64"
    finite = [v for v in floats if abs(v) != float("inf")]
    found = json.loads(tally("sum", "--json", stdin=text_of([*finite, 0.5])).stdout)
    assert float(found["value"]) == nearest("float64", sum(map(Fraction, finite)) + Fraction(1, 2))


def test_a_decimal_may_come_late():
    text = " ".join(map(str, range(1_000_000))).encode() + b" 0.5"
    assert answer("sum", stdin=text) == "499999500000.5"
    assert answer("max", stdin=text) == "999999"
    assert answer("median", stdin=text) == "499999"
    assert answer("top-k", "--smallest", "-k", 2, stdin=text) == "0\t0\n1000000\t0.5"
    assert answer("scan", stdin=text).endswith("\n499999500000\n499999500000.5")
    assert report("info", stdin=text)["dtype"] == "float64"
    report("scan", "-", "-o", "y.npy", stdin=text)
    assert np.load("y.npy")[[2, -1]].tolist() == [3, 499999500000.5]


def test_a_long_pipe_is_kept_in_a_file(monkeypatch):
    text = b"123456789\n" * 2_000_000 + b"0.5"
    assert answer("median", stdin=text) == "123456789"
    monkeypatch.setenv("TMPDIR", "/no/such/folder")
    assert "a temporary file in /no/such/folder: No such file" in failure(1, "median", stdin=text)
    assert answer("median", stdin=b"1 2 3") == "2"


def test_a_zero_may_have_a_sign():
    assert answer("sum", stdin=b"-0 9007199254740993") == "9007199254740993"
    assert answer("max", stdin=b"-0 18446744073709551615") == "18446744073709551615"
    assert answer("quantile", "-q", 1, "--method", "lower", stdin=b"-0 18446744073709551615") == "18446744073709551615"
    assert answer("min", stdin=b"-0 9007199254740993") == answer("min", stdin=b"-00000000000000000000") == "0"
    assert answer("sum", "--dtype", "uint8", stdin=b"-0 1") == "1"


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_a_zero_among_decimals_keeps_its_sign(threads):
    for between in (b" ", b" 1" * 400_000 + b" "):
        for text in (b"0 -0" + between + b"0.5", b"0.5 0 1" + between + b"-0", b"0.5 0 -0" + between + b"NA"):
            assert report("min", "--skip-nan", "--threads", threads, stdin=text)["bits"] == "8" + 15 * "0"
    text = b"1 0 -0 2" + b" 1" * 400_000 + b" 0.5"
    assert answer("top-k", "--smallest", "-k", 2, "--threads", threads, stdin=text) == "1\t0\n2\t-0"
    table = b"a,b\n-0,1\n" + b"1,2\n" * 400_000 + b"0.5,3\n"
    found = report("describe", "--delimiter", ",", "--threads", threads, stdin=table)["columns"]
    assert found[0]["minimum_bits"] == "8" + 15 * "0"


def test_a_late_integer_may_need_uint64_or_a_sign():
    text = " ".join(map(str, range(400_000))).encode()
    assert answer("max", stdin=text + b" 18446744073709551615") == "18446744073709551615"
    assert answer("min", stdin=text + b" -5") == "-5"
    done = tally("max", stdin=text + b" -5 18446744073709551615")
    assert done.stdout == b"1.8446744073709552e+19\n"
    assert b"integers beyond 2^53 are rounded" in done.stderr


def test_what_is_missing_counts_in_each_file():
    for name, text in ("a", "1 NA 2"), ("b", "3"), ("c", "NA NA 6"), ("d", "NA"):
        with open(name, "w") as file:
            file.write(text)
    for files, mean, count, missing in ("ab", "2", 4, 1), ("ba", "2", 4, 1), ("abc", "3", 7, 3), ("da", "1.5", 4, 2):
        assert answer("mean", "--decimal", "--skip-nan", *files) == mean
        assert answer("mean", "--skip-nan", *files) == mean
        for options in ([], ["--decimal"]):
            found = report("mean", "--skip-nan", *options, *files)
            assert (found["count"], found["nan_count"]) == (count, missing)
        assert tally("mean", "--decimal", *files).stdout == b"nan\n"


def test_decimals_of_54_bits_are_rounded_once():
    text = b"0.5\n957561568694982.9"
    assert answer("top-k", "-k", 1, stdin=text) == "1\t957561568694982.9"
    assert answer("max", stdin=text) == "957561568694982.9"


@pytest.mark.parametrize("integer", [n for k in range(-3, 4) for n in (2**53 + k, -2**53 + k)])
def test_a_sum_has_an_integer_near_2_53_once(integer):
    assert answer("sum", "--skip-nan", stdin=f"{integer} NA".encode()) == str(integer)
    assert answer("sum", stdin=f"{integer} {2**64}".encode()) == str(integer + 2**64)


@pytest.mark.parametrize("values", [[2**64], [-2**64 - 5, 3], [2**64 - 1, -1], [10**400, 1], [-10**30], [1, 2]], ids=lambda v: str(v)[:9])
@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_a_sum_of_any_integers_is_had_modulo_2_64(values, dtype):
    wrapped = sum(values) % 2**64
    wrapped -= 2**64 * (dtype == "int64" and wrapped >= 2**63)
    found = report("sum", "--out-dtype", dtype, "--skip-nan", stdin=text_of([*values, "NA"]))
    assert (int(found["value"]), found["result_dtype"]) == (wrapped, dtype)
    assert found["bits"] == f"{wrapped % 2**64:016x}"
    assert "cannot be " + dtype in failure(2, "sum", "--out-dtype", dtype, stdin=text_of([*values, 0.5]))


def test_dtype_on_text_is_what_it_is_read_as():
    assert answer("sum", "--dtype", "int64", stdin=b"1234567\n") == "1234567"
    assert report("sum", "--dtype", "float32", stdin=b"0.1")["dtype"] == "float32"
    assert "'1.5' is not a number of type int8" in failure(1, "sum", "--dtype", "int8", stdin=b"1 1.5")
    assert "'128' does not fit into int8" in failure(1, "sum", "--dtype", "int8", stdin=b"128")


def test_raw_bytes_that_look_like_text_are_raw_where_that_is_said():
    assert answer("sum", "--raw", "--dtype", "int64", stdin=b"1234567\n") == "736116666235302449"
    assert answer("sum", "--raw", "--dtype", "uint8", stdin=b"12") == str(ord("1") + ord("2"))
    assert "--raw needs --dtype" in failure(1, "sum", "--raw", stdin=b"12")
    assert answer("sum", "--dtype", "float64", stdin=np.array([0.5, 1]).tobytes()) == "1.5"


def test_text_with_an_odd_byte_is_not_taken_for_raw_data():
    odd = b"1 2 3\n4 5 \x006\n"
    for data in (odd, b"caf\xe9 1 2 3", "1 2 3\n".encode("utf-16"), b"\xfe\xff" + "1 2".encode("utf-16-be")):
        message = failure(1, "sum", "--dtype", "uint8", stdin=data)
        assert "looks like text" in message or "is text in UTF-16" in message
        assert message.endswith("; --raw says that it is raw data")
        assert answer("sum", "--raw", "--dtype", "uint8", stdin=data) == str(sum(data))
    # Nobody takes these for text.
    for data in (bytes(range(256)), b"\0\1\2\3", b"\xff\xfe\1\0\2\0", b"\xff\xfe"):
        assert answer("sum", "--dtype", "uint8", stdin=data) == str(sum(data))


def test_missing_values_are_told_where_they_spoil_the_answer():
    done = tally("sum", stdin=b"1 NA 3 -", check=True)
    assert (done.stdout, done.stderr) == (b"nan\n", b"tally: 2 of 4 missing; --skip-nan leaves them out\n")
    assert answer("sum", "--skip-nan", stdin=b"1 NA 3 -") == "4"
    assert report("sum", stdin=b"1 NA 3 -")["nan_count"] == 2
    assert answer("sum", "--skip-nan", "--missing", "?", "--missing", "x", stdin=b"1 ? x") == "1"
    assert "'?' is not a number" in failure(1, "sum", stdin=b"1 ?")


def test_a_missing_word_may_read_as_a_number():
    none = ["--missing=-999", "--skip-nan"]
    assert answer("sum", *none, stdin=b"1 -999 3") == "4"
    assert answer("min", *none, stdin=b"1 -999 3") == "1"
    assert answer("sum", *none, "--decimal", stdin=b"0.1 -999 0.2") == "0.3"
    assert answer("sum", *none, "--dtype", "float32", stdin=b"0.5 -999 3") == "3.5"
    assert report("sum", *none, stdin=b"0.5 -999 3 -999")["nan_count"] == 2
    assert answer("max", "--missing", "9999", "--skip-nan", stdin=b"9999 1\n9999 2\n") == "2"
    # As it is spelt, and by nothing but its spelling.
    assert answer("sum", *none, stdin=b"1 -999.0 -0999") == "-1997"
    assert answer("sum", "--missing", "nil", "--skip-nan", stdin=b"1 nil 2") == "3"
    assert "'NIL' is not a number" in failure(1, "sum", "--missing", "nil", stdin=b"1 NIL")
    for dtype in ("int64", "int8", "bool"):
        message = failure(1, "sum", "--missing=1", "--dtype", dtype, stdin=b"0 1")
        assert f"'1' says that there is no number, for which {dtype} has no value" in message


def test_a_missing_number_in_csv():
    with open("x.csv", "w") as file:
        file.write("a,b\n1,2.5\n-999,-999\n3,\"-999\"\n")
    table = answer("describe", "--missing=-999", "x.csv").splitlines()
    names = table[0].split()
    a, b = (dict(zip(names, line.split())) for line in table[1:])
    assert (a["minimum"], a["maximum"], b["minimum"], b["maximum"]) == ("1", "3", "2.5", "2.5")
    assert answer("sum", "--missing=-999", "--skip-nan", "--column", "b", "x.csv") == "2.5"


@MORE
@given(st.lists(st.decimals(min_value=-10**25, max_value=10**25, allow_nan=False), min_size=1, max_size=40))
def test_decimals_are_added_exactly(values):
    exact = sum(map(Fraction, values))
    text = " ".join(map(str, values)).encode()
    assert Fraction(answer("sum", "--decimal", stdin=text)) == exact
    assert answer("mean", "--decimal", stdin=text) == to_34(exact / len(values))


def test_decimal():
    assert answer("sum", "--decimal", stdin=b"0.1\n0.2\n") == "0.3"
    assert answer("sum", stdin=b"0.1\n0.2\n") == "0.30000000000000004"
    assert answer("sum", "--decimal", stdin=b"1e3 -.5 +2. 1E-30") == "1001.500000000000000000000000000001"
    assert answer("mean", "--decimal", stdin=b"1 1 2") == "1." + 33 * "3"
    assert answer("mean", "--decimal", stdin=b"2 2 1") == "1." + 32 * "6" + "7"
    assert answer("mean", "--decimal", stdin=b"3 0e99999999 -0.0e-99999999999999999999") == "1"
    assert answer("sum", "--decimal", stdin=b"") == "0"
    assert report("sum", "--decimal", "--skip-nan", stdin=b"0.1 NA")["value"] == "0.1"
    assert tally("sum", "--decimal", stdin=b"0.1 NA").stdout == b"nan\n"
    assert "is empty" in failure(1, "mean", "--decimal", stdin=b"")
    np.save("x.npy", np.ones(3))
    assert "is no text" in failure(1, "sum", "--decimal", "x.npy")
    assert "--out-dtype" in failure(2, "sum", "--decimal", "--out-dtype", "float32", stdin=b"1")
    assert "does not fit" in failure(1, "sum", "--decimal", stdin=b"1e99999999")


def test_a_decimal_sum_of_many_lines():
    lines = "".join(f"{i % 1000 / 100:.2f}\n" for i in range(500_000))
    exact = sum(Fraction(i % 1000, 100) for i in range(500_000))
    assert Fraction(answer("sum", "--decimal", stdin=lines.encode())) == exact


@pytest.mark.parametrize("command", ["sum", "max", "mean", "describe", "median"])
def test_text_files_by_name(command):
    text = b"3\n1.5\n2\n"
    with open("a.txt", "wb") as file:
        file.write(text)
    assert answer(command, "a.txt") == answer(command, stdin=text)


def test_text_beside_an_array_is_read_as_its_type():
    np.save("x.npy", np.array([1, 2], "int16"))
    with open("a.txt", "w") as file:
        file.write("3 4")
    assert report("sum", "x.npy", "a.txt")["dtype"] == "int16"
    with open("b.txt", "w") as file:
        file.write("0.5")
    assert "'0.5' is not a number of type int16" in failure(1, "sum", "x.npy", "b.txt")
    assert answer("sum", "a.txt", "b.txt") == "7.5"


def type_of(value):
    """The first that has it, and how many bits it has."""
    for bits in (64, 128, 256):
        if -2**(bits - 1) <= value < 2**(bits - 1):
            return f"int{bits}", bits
        if 0 <= value < 2**bits and bits < 256:
            return f"uint{bits}", bits
    return "integer", None


@pytest.mark.parametrize("values", [
    [2**65], [-2**65], [2**126, 2**126], [2**127, -2**127 - 1], [2**127, 2**127], [10**40, -10**40, -1], [-10**30],
    [2**255 - 1], [2**254, 2**254], [-2**254, -2**254], [-2**255, -1], [10**100], [-10**100], [2**65, -2**65, 2**63]])
def test_a_sum_beyond_64_bits_has_the_type_that_other_integers_have(values):
    found = report("sum", stdin=text_of(values))
    name, bits = type_of(sum(values))
    assert (int(found["value"]), found["result_dtype"]) == (sum(values), name)
    assert found["bits"] == (f"{sum(values) % 2**bits:0{bits // 4}x}" if bits else None)


def test_a_negative_zero_stays_one_behind_an_integer_beyond_int64():
    for text in (b"18446744073709551615 -0 0.5", b"-0 18446744073709551615 0.5", b"1 -0 0.5"):
        assert tally("min", stdin=text).stdout == b"-0\n"
