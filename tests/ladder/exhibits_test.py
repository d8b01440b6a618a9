# SPDX-License-Identifier: Apache-2.0
"""The mistakes of the tutorials are caught."""

import re

import pytest

from .programs import ROOT, exhibits

FILES = sorted((ROOT / "ladder" / "exhibits").glob("*.cu"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_exhibit_is_caught(path):
    e = exhibits()[0][path.stem]
    assert e["caught"], e
    assert e["file"] == str(path.relative_to(ROOT))
    if e["expected"] == "wrong value":
        assert "expected" in e["reported"] and "found" in e["reported"]
        return
    assert e["reported"].startswith(e["expected"] + ": ")
    assert e["kernel"].startswith("ladder::exhibits::")
    assert len(e["block"]) == len(e["lane"]) == 3
    assert path.read_text().splitlines()[e["line"] - 1].strip()


def test_the_program_succeeds_only_if_every_exhibit_is_caught():
    found, status = exhibits()
    assert (status == 0) == all(e["caught"] for e in found.values())


# What the pages' own code gives, found by reading and emulating it, before any of this was run.
WRONG = {
    "01_lost_tail": [9_437_184, 0, 0],
    "03_tree_on_96_threads": [112, 64, 208, 128, 224, 128, 896, 512],
    "07_second_call": [64],
    "12_float_stops_growing": [2**24],
    "15_prefix_in_one_lane": [-1, -1, -1],
    "16_steps_one_two_three_four": [8, 15, 21, 34, 45, 54, 61, 66],
    "17_guard_of_the_whole_warp": [1, 2, 3, 4, 5, 6, 7, 8] + 8 * [8],
    "20_int_of_squares": [100 * 50_000**2 % 2**32],
    "21_adder_tree_on_96_threads": [64],
    "22_sums_never_written": 8 * [-1] + [1, 3, 6, 10, 15, 21, 28, 36],
    "24_top_step_left_out": [*range(1, 16), 8],
    "27_every_block_begins_anew": 2 * [1, 2, 3, 4, 5, 6, 7, 8],
    "28_prepended_zero": [0, -5, -3, -3],
    "29_write_back_of_one_block": [60, 50, 40, 30, 0, 0],
    "30_least_that_means_nothing": [9, 4, -2**31],
    "31_zeros_of_unused_places": [0],
    "32_reference_of_zeros": [0, 0, 0],
    "33_first_element_set": [-2**31, 0, 0, 0],
    "34_stride_of_k": [2 * 15, 2 * 31],  # gcd(k, 32) lanes in a bank, for k = 48 and 96
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_values_are_those_of_the_pages(name):
    found = re.findall(r"found ([-\d ]+)", exhibits()[0][name]["reported"])
    assert [int(word) for words in found for word in words.split()] == WRONG[name]
