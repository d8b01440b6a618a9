# SPDX-License-Identifier: Apache-2.0
"""Who is told of numbers in text that the answer, or its elements, had to round."""

from fractions import Fraction

import numpy as np
import pytest

from .command import answer, noted, tally

ROUNDED = b"tally: integers beyond 2^53 are rounded to float64"


def text_of(values):
    return "\n".join(map(str, values)).encode()


def test_integers_that_had_to_be_rounded_are_told():
    done = tally("max", "--skip-nan", stdin=b"9007199254740993 0.5 NA", check=True)
    assert b"rounded to float64" in done.stderr
    done = tally("mean", stdin=b"99999999999999999999", check=True)
    assert b"--decimal keeps them" in done.stderr
    assert answer("mean", "--decimal", stdin=b"99999999999999999999") == "99999999999999999999"


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_integers_that_had_to_be_rounded_are_told_wherever_they_are(threads):
    for text in (b"9007199254740993 " * 100_000 + b"0.5", b"9007199254740993 " + b"1 " * 400_000 + b"0.5"):
        done = tally("max", "--skip-nan", "--threads", threads, stdin=text, check=True)
        assert (done.stdout, done.stderr) == (
            b"9007199254740992\n", ROUNDED + b"; --decimal keeps them\n")


def test_integers_that_had_to_be_rounded_are_told_in_answers_of_float64():
    assert ROUNDED in tally("sum", stdin=b"9007199254740993 0.5", check=True).stderr
    for command in ("mean", "median", "quantile"):
        assert ROUNDED in tally(command, stdin=b"9007199254740993", check=True).stderr
        assert answer(command, stdin=b"9007199254740992") == "9007199254740992"
    for command in ("max", "sum", "variance", "std", "peak-to-peak", "argmax", "count-nonzero"):
        answer(command, stdin=b"9007199254740993")
    for method in ("lower", "higher", "nearest"):
        assert answer("quantile", "--method", method, stdin=b"9007199254740993") == "9007199254740993"


@pytest.mark.parametrize("command", ["max", "argmax", "scan", "top-k", "median", "sum-of-squares"])
def test_who_is_told_of_rounded_integers_is_told_what_keeps_them(command):
    text = b"99999999999999999999 100000000000000000001"
    assert ROUNDED + b"; --decimal keeps them" in tally(command, stdin=text, check=True).stderr
    answer(command, "--decimal", stdin=text)


def test_integers_that_nobody_asked_to_round_are_told():
    np.save("x.npy", np.array([0.5]))
    np.save("y.npy", np.array([0.5], "float32"))
    with open("a.txt", "w") as file:
        file.write("9007199254740993")
    with open("b.txt", "w") as file:
        file.write("99999999999999999999")
    for text in ("a.txt", "b.txt"):
        assert ROUNDED in tally("max", "x.npy", text, check=True).stderr
        assert ROUNDED in tally("dot", "x.npy", text, check=True).stderr
        assert b"beyond 2^24 are rounded to float32" in tally("max", "y.npy", text, check=True).stderr
    assert ROUNDED in tally("scan", "--init", "0.5", "a.txt", check=True).stderr
    assert ROUNDED in tally("prod", "b.txt", check=True).stderr
    assert ROUNDED in tally("top-k", "b.txt", check=True).stderr
    for command in ("max", "scan", "prod"):
        answer(command, "a.txt")
        answer(command, "--dtype", "float64", "a.txt")


ODD = 2**53 + 1
TOLD = [  # values, and what of them reads as an integer that float64 has not
    ([ODD], {"mean", "median", "norm", "describe"}),
    ([ODD, -ODD], {"norm", "std", "variance", "describe"}),
    ([2**53 + 2, 2**53 + 4], {"mean", "median", "norm", "describe"}),
    ([2**53, 2**53 + 4], {"norm"}),
    ([2**53 + 2], set()),
    ([3 * 2**54, 4 * 2**54], set()),
    ([2**60 + 1, 1], {"mean", "median", "norm", "describe"}),
    ([3 * 10**8, 4 * 10**8, 10**8], {"variance"}),
    ([ODD, ODD, ODD], {"mean", "median", "norm", "describe"}),
    ([2**63, 2**63 + 1, 1], {"mean", "norm", "std", "variance", "describe"})]


@pytest.mark.parametrize("values, told", TOLD, ids=lambda v: str(v[0]) if isinstance(v, list) else "")
def test_an_answer_beyond_2_53_that_is_not_exact_is_told(values, told):
    """With nothing missing and with something, read once or twice; and no other answer is."""
    n, total, squares = len(values), sum(values), sum(v * v for v in values)
    s = sorted(values)
    spread = Fraction(n * squares - total**2, n * n)
    exact = {"mean": Fraction(total, n), "median": Fraction(s[(n - 1) // 2] + s[n // 2], 2), "variance": spread}
    roots = {"norm": squares, "std": spread}
    for command in ("mean", "median", "norm", "std", "variance"):
        done = tally(command, "--skip-nan", stdin=text_of(values) + b" NA", check=True)
        found = Fraction(float(done.stdout))
        is_exact = found == exact[command] if command in exact else found**2 == roots[command]
        assert (not is_exact and abs(found) >= 2**53) == (command in told), "the test itself"
        assert (ROUNDED in done.stderr) == (command in told), command
        assert (ROUNDED in tally(command, "--json", stdin=text_of(values), check=True).stderr) == (command in told)
    done = tally("describe", stdin=text_of(values), check=True)
    assert (ROUNDED in done.stderr) == ("describe" in told)
    table = b"a,b\n" + b"".join(b"%d,1\n" % v for v in values)
    done = tally("describe", stdin=table, check=True)
    assert (b"column 'a': integers beyond 2^53" in done.stderr) == ("describe" in told)
    if told:
        assert ROUNDED not in tally("mean", "--out-dtype", "float64", stdin=text_of(values), check=True).stderr
    tally("mean", "--save-state", "mean.state", stdin=text_of(values), check=True)
    assert (ROUNDED in tally("merge", "mean.state", check=True).stderr) == ("mean" in told)


@pytest.mark.parametrize("command, text", [
    ("max", "4503599627370496 1.0"), ("max", f"{2**53 + 2} 1.5"), ("sum", f"{10**20} 0.5"), ("count", f"{ODD} 0.5"),
    ("info", f"{ODD} 0.5"), ("count-nonzero", f"{ODD} 0.5"), ("any-of", f"{10**30 + 1}"), ("max", "9007199254740994.0"),
    ("max", "1e300 1"), ("max", "-inf Infinity 2"), ("max", "0.0 0e5 -0.000"), ("max", "123456789012345678e0"),
    ("max", "1e308 -1e-320")])
def test_nobody_is_told_of_numbers_that_the_answer_has(command, text):
    answer(command, stdin=text.encode())


@pytest.mark.parametrize("command", ["sum", "max", "min-max", "median", "std"])
def test_nobody_is_told_of_rounding_where_the_answer_is_nan(command):
    found, note = noted(command, stdin=b"9007199254740993 0.5 NA")
    assert "nan" in found and note == "tally: 1 of 3 missing; --skip-nan leaves them out"


@pytest.mark.parametrize("text", ["9007199254740993.0", "9007199254740993.", "-9007199254740992.5", "1 18014398509481985.00",
                                  "9007199254740993.00000000000000000001",
                                  "9007199254740992.50000000000000000001", "0.5 900719925474099301"])
def test_a_decimal_that_becomes_another_integer_is_told(text):
    note = noted("max", stdin=text.encode())[1]
    assert note.encode() == ROUNDED + b"; --decimal keeps them"
    assert ROUNDED not in tally("sum", "--missing=x", stdin=text.encode() + b" x", check=True).stderr  # it is nan
    answer("max", "--dtype", "float64", stdin=text.encode())


@pytest.mark.parametrize("dtype, text, wanted, count", [
    (None, "1e400 5", "inf", 1), (None, "1e-400", "0", 1), (None, "-1e309 1e309", "inf", 2), (None, "1.5e308 0.5", None, 0),
    (None, "0." + "0" * 400 + "1", "0", 1), ("float64", "1e400", "inf", 1), ("float16", "100000", "inf", 1),
    ("float16", "65519", "65500", 0), ("float16", "1e-9 1", None, 1), ("bfloat16", "1e40", "inf", 1),
    ("float32", "1e39 -1e-50 inf nan 0", None, 2)])
def test_numbers_beyond_the_range_of_the_type_are_told(dtype, text, wanted, count):
    options = ["--dtype", dtype] * (dtype is not None)
    done = tally("max", "--skip-nan", *options, stdin=text.encode(), check=True)
    beyond = "" if not count else (f"tally: {count} of {len(text.split())} beyond the range of {dtype or 'float64'}, taken as "
                                   "infinite or 0; --decimal keeps them\n")
    assert done.stderr.decode() == beyond
    if wanted in ("inf", "0", "65500"):
        assert done.stdout.decode().strip() == wanted
    table = "a,b\n" + "".join(f"{word},1\n" for word in text.split())
    if dtype is None and count:
        told = tally("describe", stdin=table.encode(), check=True).stderr.decode()
        assert f"column 'a': {count} of {len(text.split())} beyond" in told and "'b'" not in told
    for command in ("count", "info"):
        assert b"beyond" not in tally(command, *options, stdin=text.encode(), check=True).stderr


@pytest.mark.parametrize("command, wanted", [("sum", "nan"), ("count-nonzero", "3"), ("any-of", "1"), ("all-of", "0")])
def test_numbers_beyond_the_range_are_told_where_they_are_not_seen(command, wanted):
    found, note = noted(command, stdin=b"1e400 -1e400 1e-400 0.5")
    assert found == wanted and note.startswith("tally: 3 of 4 beyond the range of float64")
