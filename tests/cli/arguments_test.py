# SPDX-License-Identifier: Apache-2.0
"""The command line itself: what it is told that it cannot do, and how it says so."""

import os

import numpy as np
import pytest

from .command import answer, failure, tally


@pytest.mark.parametrize("typed, meant", [("--jsn", "--json"), ("--skipnan", "--skip-nan"),
                                          ("--thread", "--threads"), ("--ech", "--each")])
def test_an_unknown_option_names_the_nearest_one(typed, meant):
    np.save("x.npy", np.ones(3))
    message = failure(2, "sum", "x.npy", typed)
    assert typed in message and meant in message


@pytest.mark.parametrize("typed", ["-p", "-x", "--zzz"])
def test_an_unknown_option_that_is_near_to_none_is_told_with_its_command(typed):
    np.save("x.npy", np.ones(3))
    message = failure(2, "sum", "x.npy", typed, "y.npy")
    assert message == f"tally: unknown option {typed} of tally sum"


@pytest.mark.parametrize("typed, meant", [("smu", "sum"), ("topk", "top-k"),
                                          ("descibe", "describe"), ("cumsun", "cumsum")])
def test_an_unknown_command_names_the_nearest_one(typed, meant):
    message = failure(2, typed, "x.npy")
    assert typed in message and meant in message


@pytest.mark.parametrize("typed", ["cound", "cont", "zzz", "xy", "abcdefgh", "histogramm", "laddre"])
def test_a_suggestion_is_at_most_two_letters_off(typed):
    message = failure(2, typed)
    meant = {"cound": "count", "cont": "count", "laddre": "ladder"}.get(typed)
    assert ("did you mean" in message) == bool(meant)
    if meant:
        assert message.endswith(f"did you mean {meant}?")


def test_no_suggestion_takes_half_the_letters():
    for word in ("standard", "variation", "deviation", "--skip-inf-and-nan"):
        assert "did you mean" not in failure(2, *(["sum"] if word.startswith("-") else []), word)


@pytest.mark.parametrize("option", ["--column=", "--out-dtype=", "--dtype="])
def test_a_value_that_is_missing_behind_an_equals_sign_is_not_the_next_word(option):
    np.save("f.npy", np.ones(3))
    assert failure(2, "sum", option, "f.npy") == f"tally: {option[:-1]}: its value is missing"
    np.save(f"{option}.npy", np.ones(3))
    assert answer("sum", "--", f"{option}.npy") == "3"


@pytest.mark.parametrize("command, option, a, b", [
    ("sum", "--column", "a", "b"), ("sum", "--dtype", "int8", "int16"), ("top-k", "-k", "1", "2"),
    ("scan", "-o", "a.npy", "b.npy"), ("ladder", "--rung", "a", "b"), ("variance", "--ddof", "0", "1"),
    ("generate", "-n", "5", "6"), ("median", "--memory", "1", "2")])
def test_an_option_given_twice_with_two_values_is_an_error(command, option, a, b):
    np.save("x.npy", np.ones(3))
    message = failure(2, command, "x.npy", option, a, option, b)
    assert message == f"tally: {option}: is given twice, as '{a}' and '{b}'"


def test_a_file_may_have_a_commands_name():
    np.save("x.npy", np.arange(5))
    os.rename("x.npy", "mean")
    assert answer("sum", "mean") == answer("sum", "--", "mean") == "10"
    assert answer("sum", "mean", "mean") == "20"


def test_what_stands_behind_two_dashes_is_a_file():
    np.save("x.npy", np.arange(5))
    os.link("x.npy", "--json")
    assert answer("sum", "x.npy", "--", "--json") == answer("sum", "--", "x.npy", "--json") == "20"
    assert answer("sum", "--threads", 1, "x.npy", "--skip-nan", "--", "x.npy", "x.npy") == "30"
    assert answer("sum", "x.npy", "--") == "10"
    assert failure(1, "sum", "x.npy", "--", "--time") == "tally: --time: No such file or directory"
    assert failure(2, "sum", "x.npy", "--jso", "--", "x.npy").endswith("did you mean --json?")
    assert failure(2, "generate", "digits", "--", "x.npy") == "tally: unexpected argument 'x.npy'"
    for name in "a", "b":
        answer("sum", "x.npy", "--save-state", name)
    assert answer("merge", "a", "--", "b") == "20"


def test_help_takes_two_dashes_for_nothing():
    assert answer("help", "--") == answer("help")
    assert answer("help", "--", "sum") == answer("help", "sum", "--") == answer("help", "sum")


def test_an_option_may_be_repeated_with_one_value():
    np.save("x.npy", np.arange(5))
    assert answer("top-k", "x.npy", "-k", 1, "-k", 1) == "4\t4"
    assert answer("sum", "x.npy", "--skip-nan", "--skip-nan") == "10"


def test_an_index_has_63_bits():
    np.save("x.npy", np.ones(3))
    assert answer("sum", "x.npy", "--first-index", 2**63 - 4, "--save-state", "x.state") == "3"
    assert f"is not from 0 to {2**63 - 1}" in failure(2, "sum", "x.npy", "--first-index", 2**63)


@pytest.mark.parametrize("arguments", [
    ["sum", "x.npy", "--threads", "0.5"], ["sum", "x.npy", "--threads", "-1"],
    ["sum", "x.npy", "--dtype", "float31"], ["sum", "x.npy", "--device", "abacus"],
    ["top-k", "x.npy", "-k"], ["sum", "x.npy", "--distinct"], ["generate"],
    ["generate", "normal", "-n", "-5", "-o", "y.npy"], ["scan", "x.npy", "--out-dtype", "x"]])
def test_other_misuse_has_status_2(arguments):
    np.save("x.npy", np.ones(3))
    failure(2, *arguments)


@pytest.mark.parametrize("command, flag", [
    ("sum", "--json=false"), ("sum", "--skip-nan=-5"), ("sum", "--header=0"), ("sum", "--no-header=1"), ("sum", "--raw=true"),
    ("sum", "--decimal=2"), ("sum", "--each=x"), ("sum", "--time=no"), ("scan", "--reverse=1"), ("cumsum", "--exclusive=0"),
    ("top-k", "--smallest=off"), ("top-k", "--distinct=1"), ("devices", "--no-measure=0"), ("ladder", "--sweep=1"),
    ("sum", "--help=1")])
def test_a_flag_takes_no_value(command, flag):
    name = flag[:flag.index("=")]
    assert failure(2, command, flag, stdin=b"1") == f"tally: {flag}: {name} takes no value"
    for other in (["--", flag], ["--missing=--json=1"]):
        assert "takes no value" not in tally("sum", *other, stdin=b"1").stderr.decode()


def test_standard_output_is_no_file_of_a_state():
    assert failure(2, "sum", "--save-state", "-", stdin=b"1").startswith("tally: --save-state: - is no file")
    answer("sum", "--save-state", "./-", stdin=b"1")
    assert os.listdir() == ["-"]
    assert failure(2, "merge", "./-", "--save-state=-").startswith("tally: --save-state: - is no file")
