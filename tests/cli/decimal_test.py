# SPDX-License-Identifier: Apache-2.0
"""--decimal: the answer is that of the decimals as they were written, exact where it can be."""

import itertools
import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .command import COMMON_KEYS, LONG, answer, failure, noted, report, tally
from .oracle import in_full, shown_digits, to_34

MORE = settings(max_examples=500 if LONG else 40, deadline=None)
METHODS = ["linear", "lower", "higher", "nearest", "midpoint"]


@st.composite
def written(draw):
    """A number as somebody may write it; a few are of many digits, or far from the point."""
    digits = draw(st.sampled_from([1, 2, 3, 6, 19, 20, 40]))
    n = draw(st.integers(-10**digits, 10**digits))
    form = draw(st.sampled_from(["point", "point", "point", "whole", "power"]))
    if form == "whole":
        return str(n)
    if form == "power":
        return f"{n}{draw(st.sampled_from('eE'))}{draw(st.integers(-45, 45))}"
    return format(Decimal(n).scaleb(-draw(st.sampled_from([1, 2, 2, 5, 19, 25])), Context(prec=100)), "f")


def root_to_34(exact):
    """Of a fraction; what follows the digits that are computed counts as a digit more."""
    exact = Fraction(exact)
    scale = 90 - len(str(exact.numerator)) // 2 + len(str(exact.denominator)) // 2
    shifted = exact * Fraction(10)**(2 * scale)
    root = math.isqrt(math.floor(shifted))
    if root * root == shifted:
        in_tens = Fraction(root) / Fraction(10)**scale
        if len(str(root).rstrip("0")) <= 70:
            return in_full(in_tens)
    context = shown_digits(root // 10**scale if scale >= 0 else root * 10**-scale, 70)
    return format(context.plus(Decimal(10 * root + (root * root != shifted))).scaleb(-scale - 1, Context(prec=5000)), "f")


def lines_of(words):
    return "\n".join(words).encode()


def test_a_banks_year_ends_at_nothing():
    moves = [f"{i * 37 % 991 / 100:.2f}" for i in range(1, 400)]
    moves.append(f"-{sum(map(Decimal, moves))}")
    ends = answer("scan", "--decimal", stdin=lines_of(moves)).splitlines()
    assert ends[-1] == "0"
    assert [Fraction(x) for x in ends] == list(itertools.accumulate(map(Fraction, moves)))
    assert answer("scan", stdin=lines_of(moves)).splitlines()[-1] != "0"


@MORE
@given(st.lists(written(), min_size=1, max_size=30), st.booleans(), st.booleans(), st.sampled_from([None, "0.1", "-5e-30"]))
def test_scans_are_exact(words, exclusive, reverse, init):
    x = [Fraction(Decimal(w)) for w in words]
    x = x[::-1] if reverse else x
    sums = list(itertools.accumulate(x, initial=Fraction(Decimal(init or 0))))
    sums = sums[:-1] if exclusive else sums[1:]
    wanted = [in_full(s) for s in (sums[::-1] if reverse else sums)]
    options = ["--exclusive"] * exclusive + ["--reverse"] * reverse + ([f"--init={init}"] if init else [])
    assert answer("scan", "--decimal", *options, stdin=lines_of(words)).splitlines() == wanted
    found = report("scan", "--decimal", *options, stdin=lines_of(words))
    assert (found["last"], found["last_bits"], found["out_dtype"], found["dtype"]) == (wanted[-1], None, "decimal", "decimal")
    assert set(found) == COMMON_KEYS | {"output", "out_dtype", "last", "last_bits"}


def test_a_scan_passes_on_what_is_missing_or_skips_it():
    text = b"0.1 NA 0.2\n"
    note = b"tally: 1 of 3 missing; --skip-nan leaves them out\n"
    for options, wanted in (([], b"0.1\nnan\nnan\n"), (["--exclusive"], b"0\n0.1\nnan\n"),
                            (["--reverse"], b"nan\nnan\n0.2\n"), (["--reverse", "--exclusive"], b"nan\n0.2\n0\n")):
        done = tally("scan", "--decimal", *options, stdin=text)
        assert (done.returncode, done.stdout, done.stderr) == (0, wanted, note)
    assert answer("scan", "--decimal", "--skip-nan", stdin=text) == "0.1\n0.1\n0.3"
    assert answer("scan", "--decimal", "--skip-nan", "--reverse", stdin=text) == "0.3\n0.2\n0.2"
    assert report("scan", "--decimal", stdin=b"")["last"] is None


def test_a_scan_is_written_as_text():
    for name, header in (("y.txt", ""), ("y.csv", "value\n")):
        assert answer("scan", "--decimal", "-o", name, stdin=b"0.1 0.2 -0.3") == ""
        assert open(name).read() == header + "0.1\n0.3\n0\n"
    for name in ("z.npy", "z.raw"):
        message = failure(2, "scan", "--decimal", "-o", name, stdin=b"1")
        assert f"-o {name}: --decimal writes text" in message
    assert failure(2, "scan", "--decimal", "--init", "x", stdin=b"1") == "tally: --init: 'x' is not a number"


def test_a_scan_of_many_lines_and_of_wide_numbers():
    x = [Fraction(i * 7919 % 1000 - 500, 100) for i in range(200_000)]
    lines = "".join(f"{float(v):.2f}\n" for v in x).encode()
    found = answer("scan", "--decimal", stdin=lines).splitlines()
    assert [int(Fraction(v) * 100) for v in found] == [int(s * 100) for s in itertools.accumulate(x)]
    wide = ["1e1000", "1e-1000", "-1e1000", "9" * 40, "18446744073709551616", "-0.0"]
    sums = itertools.accumulate(Fraction(Decimal(w)) for w in wide)
    assert answer("scan", "--decimal", stdin=lines_of(wide)).splitlines() == [in_full(s) for s in sums]
    # Totals beyond 128 bits, of numbers of 64.
    large = ["9223372036854775807"] * 3 + [".0000000000000000001"] * 3
    sums = itertools.accumulate(Fraction(Decimal(w)) for w in large)
    assert answer("scan", "--decimal", stdin=lines_of(large)).splitlines() == [in_full(s) for s in sums]


@MORE
@given(st.lists(written(), min_size=1, max_size=30), st.integers(0, 2))
def test_descriptions_are_exact(words, ddof):
    x = [Fraction(Decimal(w)) for w in words]
    n = len(x)
    found = report("describe", "--decimal", "--ddof", ddof, stdin=lines_of(words))
    assert found["sum"] == in_full(sum(x))
    assert found["mean"] == to_34(sum(x) / n)
    squares = n * sum(v * v for v in x) - sum(x)**2
    assert found["standard_deviation"] == ("nan" if n <= ddof else root_to_34(squares / (n * (n - ddof))))
    for command, exact in (("variance", "nan" if n <= ddof else to_34(squares / (n * (n - ddof)))),
                           ("std", found["standard_deviation"])):
        one = report(command, "--decimal", "--ddof", ddof, stdin=lines_of(words))
        assert (one["value"], one["bits"], one["result_dtype"], one["ddof"]) == (exact, None, "decimal", ddof)
    assert answer("sum-of-squares", "--decimal", stdin=lines_of(words)) == in_full(sum(v * v for v in x))
    assert answer("norm", "--decimal", stdin=lines_of(words)) == root_to_34(sum(v * v for v in x))
    for name, best in (("minimum", min), ("maximum", max)):
        assert found[name] == in_full(best(x)) == answer(name[:3], "--decimal", stdin=lines_of(words))
        assert found[name + "_index"] == x.index(best(x))
        assert answer("arg" + name[:3], "--decimal", stdin=lines_of(words)) == str(x.index(best(x)))
    assert (found["count"], found["nan_count"], found["ddof"], found["dtype"]) == (n, 0, ddof, "decimal")


def test_moments_of_nothing_and_of_what_is_missing():
    for command in ("variance", "std", "norm", "sum-of-squares"):
        assert tally(command, "--decimal", stdin=b"1 NA").stdout == b"nan\n"
        assert answer(command, "--decimal", "--skip-nan", stdin=b"NA 2 2") == {"norm": "2.828427124746190097603377448419396", "sum-of-squares": "8"}.get(command, "0")
    for command in ("norm", "sum-of-squares"):
        assert answer(command, "--decimal", stdin=b"") == "0"
    for command in ("variance", "std"):
        assert "is empty" in failure(1, command, "--decimal", stdin=b"")


def test_a_description_is_a_list():
    wanted = ("count               4\nnan_count           1\nsum                 0.6\nmean                0.2\n"
              "standard_deviation  0.08164965809277260327324280249019638\n"
              "minimum             0.1 at 0\nmaximum             0.3 at 3")
    assert answer("describe", "--decimal", stdin=b"0.1 0.2 NA 0.3") == wanted
    assert answer("describe", "--decimal", "--each", "-", stdin=b"1").startswith("-\tcount 1\tnan_count 0\tsum 1\t")
    assert "is empty" in failure(1, "describe", "--decimal", stdin=b"")


def test_a_deviation_of_numbers_far_apart():
    for words in (["1e300", "1e-300"], ["1e300", "-1e300"], ["1", "1", "1"], ["0", "0"], ["4", "8", "1e-40", "7e40"],
                  ["3e-200", "5e-200"], ["18446744073709551615"] * 2 + ["0"], ["1e1500", "2e1500", "3"]):
        x = [Fraction(Decimal(w)) for w in words]
        squares = len(x) * sum(v * v for v in x) - sum(x)**2
        found = report("describe", "--decimal", stdin=lines_of(words))
        assert found["standard_deviation"] == root_to_34(squares / len(x)**2), words
    assert report("describe", "--decimal", stdin=b"1e20000000 1")["standard_deviation"][:3] == "500"
    message = failure(1, "describe", "--decimal", stdin=b"1" * 300_000)
    assert "200000 digits" in message


def test_extremes_are_as_written_and_nan_is_passed_on():
    text = b"0.30000000000000001 0.3 NA 0.3000\n"
    assert answer("min", "--decimal", "--skip-nan", stdin=text) == "0.3"
    assert answer("max", "--decimal", "--skip-nan", stdin=text) == "0.30000000000000001"
    assert answer("argmin", "--decimal", "--skip-nan", stdin=text) == "1"
    assert tally("max", "--decimal", stdin=text).stdout == b"nan\n"
    assert tally("argmax", "--decimal", stdin=text).stdout == b"2\n"
    found = report("max", "--decimal", stdin=text)
    assert (found["value"], found["bits"], found["index"], found["result_dtype"], found["nan_count"]) == ("nan", None, 2, "decimal", 1)
    assert report("min", "--decimal", "--skip-nan", stdin=text)["index"] == 1
    found = report("argmax", "--decimal", "--skip-nan", stdin=text)
    assert (found["value"], found["result_dtype"]) == (0, "int64")
    assert answer("min", "--decimal", stdin=b"-0 0.000") == "0"
    assert answer("max", "--decimal", stdin=b"1e-30 -1e30 0.0e5") == "0." + "0" * 29 + "1"
    assert "is empty" in failure(1, "min", "--decimal", stdin=b"")
    assert "is empty without its NaNs" in failure(1, "min", "--decimal", "--skip-nan", stdin=b"NA")


@MORE
@given(st.lists(written(), min_size=1, max_size=30), st.integers(0, 1000), st.sampled_from([10, 1000, 999]))
def test_quantiles_are_exact(words, part, whole):
    x = sorted(Fraction(Decimal(w)) for w in words)
    q = Fraction(min(part, whole), whole)
    at = (len(x) - 1) * q
    low, high = x[math.floor(at)], x[math.ceil(at)]
    wanted = {"linear": low + (high - low) * (at - math.floor(at)), "lower": low, "higher": high, "nearest": x[round(at)],
              "midpoint": (low + high) / 2}
    for method in METHODS:
        text = answer("quantile", "--decimal", "-q", f"{min(part, whole)}/{whole}", "--method", method, stdin=lines_of(words))
        between = at.denominator != 1 and method in ("linear", "midpoint")
        assert text == (to_34 if between else in_full)(wanted[method]), method
    middle = x[len(x) // 2] if len(x) % 2 else (x[len(x) // 2 - 1] + x[len(x) // 2]) / 2
    assert answer("median", "--decimal", stdin=lines_of(words)) == (in_full if len(x) % 2 else to_34)(middle)


def test_quantiles_in_decimal():
    prices = lines_of([f"{i / 10:.1f}" for i in range(12)])
    assert answer("quantile", "--decimal", "-q", "0.1,95%", "-q", "1/3", stdin=prices) == "0.11\n1.045\n0.3" + 32 * "6" + "7"
    found = report("quantile", "--decimal", "-q", "50%", stdin=prices)
    assert set(found) == COMMON_KEYS | {"q", "method", "values", "bits", "result_dtype"}
    assert (found["q"], found["values"], found["bits"], found["result_dtype"]) == (["50%"], ["0.55"], [None], "decimal")
    found = report("median", "--decimal", stdin=prices)
    assert (found["value"], found["bits"], found["result_dtype"]) == ("0.55", None, "decimal")
    assert tally("median", "--decimal", stdin=b"1 NA").stdout == b"nan\n"
    assert answer("median", "--decimal", "--skip-nan", stdin=b"1 NA") == "1"
    assert "is empty" in failure(1, "median", "--decimal", stdin=b"")
    ids = lines_of(map(str, range(10**18, 10**18 + 4)))
    assert answer("median", "--decimal", stdin=ids) == str(10**18 + 1) + ".5"


@MORE
@given(st.lists(st.one_of(written(), st.sampled_from(["0", "-0.0", "1e0", "1.0", "10e-1", "NA"])), min_size=1, max_size=30),
       st.integers(0, 8), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_top_k_is_a_stable_sorts(words, k, smallest, distinct, unsorted, skip):
    infinity = Fraction(10)**1000
    x = [infinity if w == "NA" else Fraction(Decimal(w)) for w in words]
    order = sorted(range(len(x)), key=lambda i: x[i] if smallest else -x[i])
    order = [i for i in order if not skip or words[i] != "NA"]
    if distinct:
        order = [i for at, i in enumerate(order) if x[i] not in [x[j] for j in order[:at]]]
    order = sorted(order[:k]) if unsorted else order[:k]
    options = ["--smallest"] * smallest + ["--distinct"] * distinct + ["--unsorted"] * unsorted + ["--skip-nan"] * skip
    found = report("top-k", "--decimal", "-k", k, *options, stdin=lines_of(words))
    assert found["indices"] == order
    assert found["values"] == ["nan" if words[i] == "NA" else in_full(x[i]) for i in order]
    assert (found["returned"], found["order"]) == (len(order), "smallest" if smallest else "largest")
    lines = tally("top-k", "--decimal", "-k", k, *options, stdin=lines_of(words)).stdout.decode().splitlines()
    assert lines == [f"{i}\t{v}" for i, v in zip(order, found["values"])]


@MORE
@given(st.lists(written(), min_size=1, max_size=30), st.data())
def test_products_and_ranges_are_exact(words, data):
    x = [Fraction(Decimal(w)) for w in words]
    others = data.draw(st.lists(written(), min_size=len(words), max_size=len(words)))
    assert answer("prod", "--decimal", stdin=lines_of(words)) == in_full(math.prod(x))
    assert answer("peak-to-peak", "--decimal", stdin=lines_of(words)) == in_full(max(x) - min(x))
    least, greatest = in_full(min(x)), in_full(max(x))
    assert answer("min-max", "--decimal", stdin=lines_of(words)) == f"minimum  {least}\nmaximum  {greatest}"
    found = report("min-max", "--decimal", stdin=lines_of(words))
    assert (found["minimum"], found["maximum"], found["dtype"]) == (least, greatest, "decimal")
    with open("b.txt", "wb") as file:
        file.write(lines_of(others))
    exact = in_full(sum(a * Fraction(Decimal(b)) for a, b in zip(x, others)))
    assert answer("dot", "--decimal", "-", "b.txt", stdin=lines_of(words)) == exact
    found = report("dot", "--decimal", "b.txt", "-", stdin=lines_of(words))
    assert (found["value"], found["bits"], found["result_dtype"], found["inputs"]) == (exact, None, "decimal", ["b.txt", "-"])


def test_products_and_ranges_of_what_is_missing_and_of_nothing():
    text = b"0.5 NA -4"
    assert answer("prod", "--decimal", "--skip-nan", stdin=text) == "-2"
    assert answer("peak-to-peak", "--decimal", "--skip-nan", stdin=text) == "4.5"
    assert answer("min-max", "--decimal", "--skip-nan", stdin=text) == "minimum  -4\nmaximum  0.5"
    assert noted("min-max", "--decimal", stdin=text)[0] == "minimum  nan\nmaximum  nan"
    for command in ("prod", "peak-to-peak"):
        assert noted(command, "--decimal", stdin=text)[0] == "nan"
    assert answer("prod", "--decimal", stdin=b"") == "1"
    assert answer("prod", "--decimal", stdin=b"0.1 -0.0 1e4000") == "0"
    assert answer("prod", "--decimal", stdin=b"1e-700 1e700 -2.50") == "-2.5"
    assert "more digits than are shown: 1000000" in failure(1, "prod", "--decimal", stdin=b"1" * 600_000 + b" " + b"3" * 600_000)
    for command in ("min-max", "peak-to-peak"):
        assert "is empty" in failure(1, command, "--decimal", stdin=b"")
    with open("b.txt", "wb") as file:
        file.write(b"2 3 NA")
    assert answer("dot", "--decimal", "--skip-nan", "-", "b.txt", stdin=text) == "1"
    assert noted("dot", "--decimal", "-", "b.txt", stdin=text)[0] == "nan"
    assert failure(1, "dot", "--decimal", "-", "b.txt", stdin=b"1 2") == (
        "tally: dot: standard input has 2 elements, b.txt has more")
    assert failure(1, "dot", "--decimal", "b.txt", "-", stdin=b"") == (
        "tally: dot: standard input has 0 elements, b.txt has more")


def test_a_dot_product_of_many_parts():
    a, b = [f"{i % 1000 - 500}.{i % 7}" for i in range(200_000)], [f"{i % 13}e-{i % 3}" for i in range(200_000)]
    for name, words in ("a.txt", a), ("b.csv", ["b", *b]):
        with open(name, "wb") as file:
            file.write(lines_of(words))
    exact = in_full(sum(Fraction(Decimal(x)) * Fraction(Decimal(y)) for x, y in zip(a, b)))
    assert answer("dot", "--decimal", "a.txt", "b.csv") == answer("dot", "--decimal", "b.csv", "a.txt") == exact


@pytest.mark.parametrize("text, mean", [
    ("9" * 36 + "98", "9" * 36 + "98"), ("12345678901234567890123456789012345678.5",) * 2,
    (f"{10**40} {10**40 + 1}", f"{10**40}.5"), (f"{10**40} {10**40} {10**40 + 1}", f"{10**40}.3"),
    ("-0." + "1" * 50, "-0." + "1" * 50), ("2 2 " + "2." + "0" * 38 + "1", "2." + "0" * 33)])
def test_a_mean_in_decimal_is_exact_where_it_ends(text, mean):
    """And where it does not, it does not read as if it did."""
    assert answer("mean", "--decimal", stdin=text.encode()) == mean
    assert report("describe", "--decimal", stdin=text.encode())["mean"] == mean
    if " " not in text:
        for command in ("median", "norm"):
            assert answer(command, "--decimal", stdin=text.encode()) == mean.lstrip("-" * (command == "norm"))
    assert answer("std", "--decimal", stdin=b"1 " + b"9" * 38) == "4" + "9" * 37  # of (10^38 - 2) / 2


def test_all_columns_are_described_in_decimal():
    table = "day;amount;note;id\nmon;0.1;x;99999999999999999999\ntue;\"0.20\";;1\nwed;NA;z;\n"
    with open("t.csv", "w") as file:
        file.write(table)
    with open("u.csv", "w") as file:
        file.write("day;amount;note;id\n1;0.7;2;2\n")
    options = ["--decimal", "--delimiter", ";"]
    done = tally("describe", *options, "t.csv", "u.csv", check=True)
    lines = done.stdout.decode().splitlines()
    assert [line.split()[:5] for line in lines] == [
        ["column", "count", "nan_count", "sum", "mean"], ["amount", "4", "1", "1", "0." + 34 * "3"],
        ["id", "4", "1", "100000000000000000002", "33333333333333333334"]]
    assert done.stderr == b"tally: left out: day (t.csv: line 2: 'mon'), note (t.csv: line 2: 'x')\n"
    for stdin in (table.encode(), open("t.csv", "rb")):
        found = report("describe", *options, "--ddof", 1, stdin=stdin)
        assert [c["column"] for c in found["columns"]] == ["amount", "id"]
        assert found["left_out"][1] == {"column": "note", "because": "line 2: 'x'"}
        for c in found["columns"]:
            one = report("describe", *options, "--ddof", 1, "--column", c["column"], "t.csv")
            assert c == {key: one[key] for key in c if key != "column"} | {"column": c["column"]}
    assert "--each: needs --column" in failure(2, "describe", *options, "--each", "t.csv")
    with open("v.csv", "w") as file:
        file.write("a\n0.1\n0.2\n")
    assert answer("describe", "--decimal", "v.csv") == answer("describe", "--decimal", stdin=b"0.1 0.2")
    with open("w.csv", "w") as file:
        file.write("a,b\nx,y\n")
    assert "has no column of numbers: a (line 2: 'x')" in failure(1, "describe", "--decimal", "w.csv")


COMMANDS = [["sum"], ["prod"], ["min-max"], ["peak-to-peak"], ["mean"], ["variance"], ["std"], ["norm"], ["sum-of-squares"], ["scan"], ["describe"], ["quantile"], ["median"], ["min"], ["max"], ["argmin"], ["argmax"], ["top-k"]]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_each_command_reads_what_open_reads_and_refuses_what_is_no_decimal(command):
    with open("a.csv", "w") as file:
        file.write("day;amount\nmon;0.1\ntue;\"0.20\"\n")
    with open("b.csv", "w") as file:
        file.write("day;amount\nwed;-999\nthu;1e-1\n")
    csv = ["--column", "amount", "--delimiter", ";", "--missing=-999", "--skip-nan"]
    csv = csv[:-1] if command == ["describe"] else csv
    skip = [] if command == ["describe"] else ["--skip-nan"]
    by_text = answer(*command, "--decimal", *skip, stdin=b"0.1 0.2 NA 0.1\n")
    assert answer(*command, "--decimal", *csv, "a.csv", "b.csv") == by_text
    np.save("x.npy", np.ones(3))
    assert "is no text" in failure(1, *command, "--decimal", "x.npy")
    assert "'inf' is not a number" in failure(1, *command, "--decimal", stdin=b"1 inf")
    assert "does not fit" in failure(1, *command, "--decimal", stdin=b"1e99999999")
    for option in (["--dtype", "float64"], ["--raw", "--dtype", "int8"]):
        assert "--decimal: cannot be with" in failure(2, *command, "--decimal", *option, stdin=b"1")
