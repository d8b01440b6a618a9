# SPDX-License-Identifier: Apache-2.0
"""--save-state and merge: an array reduced in parts."""

import json
import math
import os
import random
from pathlib import Path

import numpy as np
import pytest

from .command import answer, failure, noted, report, tally
from .oracle import hard_floats, values

EXACT = ["sum", "mean", "variance", "min", "max", "describe"]


def save_parts(x, command, cuts, *options, first_index=False):
    """Reduces the parts between the cuts, each to a state of its own."""
    names = []
    for i, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(x)])):
        np.save("part.npy", x[begin:end])
        names.append(f"{i}.state")
        first = ["--first-index", begin] if first_index else []
        answer(command, "part.npy", "--save-state", names[-1], *first, *options)
    return names


def result(found):
    """Of a report: all that does not tell how it was computed."""
    how = {"command", "inputs", "shape", "threads", "seconds", "bytes_read", "gb_per_s"}
    return {key: value for key, value in found.items() if key not in how}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint64", "bool"])
@pytest.mark.parametrize("command", EXACT)
def test_merged_states_of_any_split_give_the_answer_of_the_whole(command, dtype):
    x = values(dtype)
    np.save("x.npy", x)
    whole = result(report(command, "x.npy"))
    for seed in range(2):
        cuts = sorted(random.Random(seed).sample(range(1, len(x)), 4))
        merged = tally("merge", "--json", *save_parts(x, command, cuts), check=True)
        assert result(json.loads(merged.stdout)) == whole


def test_states_of_a_sum_merge_in_any_order_and_grouping():
    x = hard_floats("float32")
    np.save("x.npy", x)
    names = save_parts(x, "sum", [10, 500, 501, 1999])
    whole = answer("sum", "x.npy")
    for seed in range(5):
        random.Random(seed).shuffle(names)
        assert answer("merge", *names) == whole
    answer("merge", *names[:3], "--save-state", "left.state")
    answer("merge", *names[3:], "--save-state", "right.state")
    assert answer("merge", "right.state", "left.state") == whole


def test_equal_states_are_equal_files():
    x = hard_floats("float64")
    np.save("x.npy", x)
    np.save("y.npy", x[::-1])
    answer("sum", "x.npy", "--save-state", "x.state")
    answer("sum", "y.npy", "--save-state", "y.state", "--threads", 3)
    assert open("x.state", "rb").read() == open("y.state", "rb").read()


def test_indices_count_through_the_states_in_the_order_given():
    x = hard_floats("float32", 1000)
    x[[3, 600]] = np.nan
    np.save("x.npy", x)
    names = save_parts(x, "describe", [100, 550])
    merged = report("merge", *names)
    assert merged["minimum_index"] == np.nanargmin(x)
    assert merged["maximum_index"] == np.nanargmax(x)
    assert merged["nan_count"] == 2


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_parts_of_a_fast_sum_know_where_they_begin(dtype):
    x = np.random.default_rng(5).standard_normal(5000).astype(dtype)
    np.save("x.npy", x)
    names = save_parts(x, "fast-sum", [1, 1000, 4097], first_index=True)
    assert report("merge", *names)["bits"] == report("fast-sum", "x.npy")["bits"]


def test_parts_of_a_fast_sum_need_their_first_index():
    x = np.random.default_rng(5).standard_normal(5000)
    names = save_parts(x, "fast-sum", [1000])
    assert "--first-index 1000" in failure(1, "merge", *names)
    names = save_parts(x, "fast-sum", [1000, 2000], first_index=True)
    assert "adjoin" in failure(1, "merge", names[0], names[2])


def test_states_that_know_where_they_begin_merge_in_any_order():
    x = hard_floats("float32")
    np.save("x.npy", x)
    for command in ("fast-sum", "describe"):
        whole = result(report(command, "x.npy"))
        names = save_parts(x, command, [300, 1024, 1500], first_index=True)
        for seed in range(3):
            random.Random(seed).shuffle(names)
            assert result(report("merge", *names)) == whole


def test_a_state_that_nobody_has_placed_begins_where_the_one_before_it_ends():
    np.save("x.npy", np.array([1.0, 3, 2]))
    np.save("y.npy", np.array([5.0, 7, 6]))
    answer("max", "x.npy", "--save-state", "x.state", "--first-index", 500)
    answer("max", "y.npy", "--save-state", "y.state")
    assert report("merge", "x.state", "y.state")["index"] == 504
    assert report("merge", "y.state", "x.state")["index"] == 1


def save_range(begin, end, *options):
    """The state of these numbers, in a file that is named after them."""
    np.save("part.npy", np.arange(begin, end))
    name = f"{begin}-{end}.state"
    answer("sum", "part.npy", "--save-state", name, *options)
    return name


def test_parts_that_overlap_are_refused_with_the_names_of_both():
    whole = save_range(0, 10, "--first-index", 0)
    for begin, end in (0, 10), (9, 12), (3, 4):
        part = save_range(begin, end, "--first-index", begin)
        for names in (whole, part), (part, whole):
            message = failure(1, "merge", *names)
            assert f"{whole} is of the indices 0 to 9" in message or (begin, end) == (0, 10)
            assert part in message and f" {begin} to {end - 1}" in message and "count twice" in message
    assert answer("merge", whole, save_range(10, 12, "--first-index", 10)) == str(sum(range(12)))
    assert answer("merge", whole, save_range(5, 5, "--first-index", 5)) == str(sum(range(10)))
    nobody_knows = save_range(4, 6)
    assert answer("merge", nobody_knows, nobody_knows, whole) == str(sum(range(10)) + 18)


def test_parts_that_are_merged_around_a_gap_take_what_was_in_it():
    parts = [save_range(i, i + 10, "--first-index", i) for i in (0, 10, 20)]
    answer("merge", parts[0], parts[2], "--save-state", "around.state")
    assert answer("merge", "around.state", parts[1]) == str(sum(range(30)))
    answer("merge", parts[1], parts[0], "--save-state", "front.state")
    assert "front.state is of the indices 0 to 19" in failure(1, "merge", "front.state", parts[1])


def test_a_state_may_be_of_nothing():
    np.save("x.npy", np.arange(5.0))
    np.save("empty.npy", np.zeros(0))
    answer("sum", "x.npy", "--save-state", "x.state")
    answer("sum", "empty.npy", "--save-state", "empty.state")
    assert answer("merge", "empty.state", "x.state") == "10"


def test_merged_states_keep_their_out_dtype_and_ddof():
    x = hard_floats("float32")
    np.save("x.npy", x)
    for command, *options in (["sum", "--out-dtype", "float64"], ["variance", "--ddof", "1"]):
        names = save_parts(x, command, [123], *options)
        assert result(report("merge", *names)) == result(report(command, "x.npy", *options))


def test_states_of_different_commands_or_types_do_not_merge():
    np.save("x.npy", np.arange(5.0))
    np.save("y.npy", np.arange(5, dtype="float32"))
    answer("sum", "x.npy", "--save-state", "sum.state")
    answer("mean", "x.npy", "--save-state", "mean.state")
    answer("sum", "y.npy", "--save-state", "float32.state")
    assert "mean" in failure(1, "merge", "sum.state", "mean.state")
    assert "float32" in failure(1, "merge", "sum.state", "float32.state")


@pytest.mark.parametrize("command", [*EXACT, "fast-sum"])
def test_a_corrupt_state_is_refused(command):
    np.save("x.npy", np.arange(7.0))
    answer(command, "x.npy", "--save-state", "good.state")
    good = open("good.state", "rb").read()
    bad = [b"", good[:3], good[:len(good) // 2], good[:-1], good + b"\0", b"X" + good[1:],
           b"not a state at all\n" * 20]
    for content in bad:
        with open("bad.state", "wb") as file:
            file.write(content)
        assert "bad.state" in failure(1, "merge", "good.state", "bad.state")
        assert "bad.state" in failure(1, "merge", "bad.state")


def test_a_state_with_a_flipped_bit_is_refused():
    np.save("x.npy", np.arange(7.0))
    answer("min", "x.npy", "--save-state", "good.state")
    good = open("good.state", "rb").read()
    for i in range(len(good)):
        with open("bad.state", "wb") as file:
            file.write(good[:i] + bytes([good[i] ^ 1]) + good[i + 1:])
        assert "bad.state" in failure(1, "merge", "bad.state"), i


def with_checksum(body):
    """FNV-1a of all that is before it."""
    check = 0xcbf29ce484222325
    for byte in body:
        check = (check ^ byte) * 0x100000001b3 % 2**64
    return body + check.to_bytes(8, "little")


def test_a_state_that_knows_its_command_by_another_name_merges():
    np.save("x.npy", np.array([2, 3, 7]))
    answer("prod", "x.npy", "--save-state", "new.state")
    new = open("new.state", "rb").read()
    assert b"\4\0\0\0prod" in new
    with open("old.state", "wb") as file:
        file.write(with_checksum(new[:-8].replace(b"\4\0\0\0prod", b"\7\0\0\0product")))
    assert answer("merge", "old.state", "new.state") == "1764"


def test_bytes_after_a_state_are_refused():
    np.save("x.npy", np.arange(7.0))
    answer("sum", "x.npy", "--save-state", "good.state")
    good = open("good.state", "rb").read()
    assert with_checksum(good[:-8]) == good
    with open("bad.state", "wb") as file:
        file.write(with_checksum(good[:-8] + b"\0"))
    assert "bytes after" in failure(1, "merge", "bad.state")


def test_no_byte_of_a_states_head_may_be_one_past_its_last():
    np.save("x.npy", np.arange(7.0))
    answer("sum", "x.npy", "--save-state", "good.state", "--out-dtype", "float32", "--skip-nan")
    good = open("good.state", "rb").read()
    command = good.index(b"\3\0\0\0sum") + 7
    types = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
             "float16", "bfloat16", "float32", "float64"]
    element, skips, result, place = command, command + 9, command + 10, command + 11
    assert good[element] == types.index("float64") == len(types) - 1
    assert (good[skips], good[result], good[place]) == (1, types.index("float32"), 0)
    for at, last, past, why in ((element, 12, 13, "element type number 13 does not exist"),
                                (element, 12, 255, "element type number 255 does not exist"),
                                (result, 12, 13, "element type number 13 does not exist"),
                                (result, 12, 254, "element type number 254 does not exist"),
                                (skips, 1, 2, "the byte 2 is not a bool, 0 or 1"),
                                (place, 2, 3, "placement number 3 does not exist"),
                                (4, good[4], good[4] + 1, f"of version {good[4] + 1}")):
        for byte in (last, past):
            with open("other.state", "wb") as file:
                file.write(with_checksum(good[:at] + bytes([byte]) + good[at + 1:-8]))
            if byte == last:
                assert answer("merge", "other.state") == "21"
            else:
                assert f"other.state: " in (message := failure(1, "merge", "other.state")) and why in message


def test_a_file_that_is_no_state_is_refused():
    np.save("x.npy", np.arange(7.0))
    assert "x.npy" in failure(1, "merge", "x.npy")
    assert "none.state" in failure(1, "merge", "none.state")


@pytest.mark.parametrize("name", ["x.csv", "x.npy", "x"])
def test_a_state_may_have_any_name(name):
    np.save("in.npy", np.arange(5.0))
    answer("sum", "in.npy", "--save-state", name)
    assert answer("merge", name) == "10"
    assert answer("merge", "-", stdin=open(name, "rb").read()) == "10"


def test_what_is_too_large_for_a_state_is_not_read_to_its_end():
    assert "/dev/zero: is not a saved state" == failure(1, "merge", "/dev/zero")[len("tally: "):]
    assert "Is a directory" in failure(1, "merge", ".")


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


def test_states_of_integers_in_text_are_added_beyond_64_bits():
    write("a.txt", "9223372036854775807 1")
    np.save("a.npy", np.array([2**63 - 1, 1]))
    answer("sum", "a.txt", "--save-state", "text.state")
    answer("sum", "a.npy", "--save-state", "npy.state")
    assert answer("merge", "text.state", "npy.state", "text.state") == str(3 * 2**63)
    assert answer("sum", "a.npy", "a.txt") == answer("sum", "a.txt", "a.npy") == str(2**64)


@pytest.mark.parametrize("text", [f"1 {10**30}", f"-1 {2**63}", f"NA {10**20}"])
def test_a_sum_of_integers_that_no_state_has_is_not_saved_rounded(text):
    write("a.txt", text)
    message = failure(1, "sum", "a.txt", "--skip-nan", "--save-state", "a.state")
    assert "float64 would round those beyond 2^53; --dtype float64 saves" in message
    answer("sum", "a.txt", "--skip-nan", "--save-state", "a.state", "--dtype", "float64")
    exact = sum(float(word) for word in text.split() if word != "NA")
    assert float(answer("merge", "a.state")) == exact


@pytest.mark.parametrize("command", ["prod", "max", "mean", "norm", "count-nonzero", "describe"])
def test_no_command_saves_integers_that_it_rounds(command):
    write("a.txt", f"1 {10**20 - 1}")
    assert "float64 would round" in failure(1, command, "a.txt", "--save-state", "a.state")
    assert not os.path.exists("a.state")
    answer(command, "a.txt", "--save-state", "a.state", "--dtype", "float64")
    write("b.txt", f"0.5 {10**20 - 1}")  # decimals are rounded as they come
    tally(command, "b.txt", "--save-state", "b.state", check=True)


@pytest.mark.parametrize("command", ["sum", "mean", "max", "argmax", "prod", "describe"])
def test_a_merge_says_what_is_missing_as_the_parts_do(command):
    np.save("x.npy", np.array([math.nan, 2.0]))
    np.save("y.npy", np.array([1.0]))
    for files in (["-", "-"], ["x.npy", "y.npy"]):
        for skip in ([], ["--skip-nan"] if command != "describe" else []):
            for state, file, text in ("a.state", files[0], b"NA 2"), ("b.state", files[1], b"1"):
                tally(command, file, "--save-state", state, *skip, stdin=text, check=True)
            told = tally("merge", "a.state", "b.state", check=True).stderr
            spoilt = not skip and command != "describe"
            assert told == b"tally: 1 of 3 are NaN or missing; states saved with --skip-nan leave them out\n" * spoilt


def test_states_of_text_of_different_types_name_the_way_out():
    for name, text in ("a", "1 2"), ("b", "0.5"):
        write(name, text)
        answer("sum", name, "--save-state", name + ".state")
    message = failure(1, "merge", "a.state", "b.state")
    assert "int64" in message and "float64; text that is saved with --dtype is of that type" in message
    answer("sum", "a", "--save-state", "a.state", "--dtype", "float64")
    assert answer("merge", "a.state", "b.state") == "3.5"
    answer("mean", "b", "--save-state", "mean.state")
    assert "--dtype" not in failure(1, "merge", "b.state", "mean.state")


# Written by the version before the one in which integers can be missing.
OLD = Path(__file__).parent / "states"


@pytest.mark.parametrize("name, expected", [
    ("sum_int64", "55"), ("prod_int64", "-4249290049419214848"),
    ("prod_uint64", "18446744073709551610"), ("argmax_float64", "12"), ("max_int64", "9"), ("prod_float64", "3.75"),
    ("mean_float64", "nan")])
def test_states_of_version_1_are_read(name, expected):
    old = OLD / f"{name}.state"
    assert old.read_bytes()[4] == 1
    assert tally("merge", old).stdout.decode() == expected + "\n"
    tally("merge", old, "--save-state", "new.state", check=True)
    assert open("new.state", "rb").read()[4] == 2
    assert tally("merge", "new.state").stdout.decode() == expected + "\n"


def test_states_of_version_1_are_merged_with_new_ones():
    write("a.txt", "NA 3 5")
    tally("sum", "a.txt", "--save-state", "a.state")
    assert noted("merge", OLD / "sum_int64.state", "a.state")[0] == "nan"
    write("b.txt", "3 5")
    answer("sum", "b.txt", "--save-state", "b.state")
    assert answer("merge", OLD / "sum_int64.state", "b.state") == "63"
    found = json.loads(tally("merge", "--json", OLD / "describe_int64.state").stdout)
    assert (found["sum"], found["minimum_index"], found["maximum"]) == ("9223372036854775803", 6, str(2**63 - 1))
    write("c.txt", "NA NA -9")
    answer("describe", "c.txt", "--save-state", "c.state")
    found = json.loads(tally("merge", "--json", OLD / "describe_int64.state", "c.state").stdout)
    assert (found["minimum"], found["minimum_index"], found["nan_count"], found["count"]) == (-9, 10, 2, 6)


def test_a_product_of_version_1_is_modulo_2_64():
    write("a.txt", "3")
    answer("prod", "a.txt", "--save-state", "exact.state")
    answer("prod", "a.txt", "--save-state", "wrapped.state", "--out-dtype", "int64")
    assert "as int64" in failure(1, "merge", OLD / "prod_int64.state", "exact.state")
    product = (-4249290049419214848 * 3 + 2**63) % 2**64 - 2**63
    assert answer("merge", OLD / "prod_int64.state", "wrapped.state") == str(product)


WITH_GAPS = ["sum", "mean", "variance", "min", "max", "argmin", "argmax", "describe", "peak-to-peak", "min-max",
             "sum-of-squares", "count-nonzero", "any-of", "prod", "bit-or", "norm", "fast-sum"]


@pytest.mark.parametrize("skip", [[], ["--skip-nan"]], ids=["", "skip"])
@pytest.mark.parametrize("command", WITH_GAPS)
def test_states_of_text_with_missing_integers_keep_its_integers(command, skip):
    words = [str(v) for v in np.random.default_rng(3).integers(-2**62, 2**62, 60)]
    for i in (7, 8, 30, 59):
        words[i] = "NA"
    write("all.txt", " ".join(words))
    whole = result(json.loads(tally(command, "all.txt", "--json", *skip).stdout))
    for cuts in ([5, 20], [7, 9], [8, 31], [1, 59]):
        for first in (False, True):
            names = []
            for name in Path().glob("*.state"):
                name.unlink()
            for i, (begin, end) in enumerate(zip([0, *cuts], [*cuts, 60])):
                write("part.txt", " ".join(words[begin:end]))
                names.append(f"{i}.state")
                place = ["--first-index", begin] if first else []
                tally(command, "part.txt", "--save-state", names[-1], *place, *skip)
            if not all(map(os.path.exists, names)):
                continue  # a part with no integer has no least one
            assert result(json.loads(tally("merge", "--json", *names).stdout)) == whole, cuts
            assert whole["dtype"] == "int64"
