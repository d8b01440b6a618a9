# SPDX-License-Identifier: Apache-2.0
"""The walks through the code in HACKING.md are ones that can be walked."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LENGTHS = [9, 10, 21]


def walks():
    """Lists of (file, names), in the order of the steps."""
    section = re.search(r"^## Three walks\n(.*?)^## ", (ROOT / "HACKING.md").read_text(), re.S | re.M)[1]
    found = []
    for number, file, text in re.findall(r"^(\d+)\. `([^`]+)`: (.*?)(?=^\d+\. |\n\n)", section, re.S | re.M):
        if number == "1":
            found.append([])
        found[-1].append((file, re.findall(r"`(\w+)`", text)))
        assert len(found[-1]) == int(number)
    return found


def has(text, name):
    return re.search(rf"\b{name}\b", text)


def test_walks_are_no_longer_than_they_were():
    assert [len(walk) for walk in walks()] == LENGTHS
    assert all(len({file for file, _ in walk}) == len(walk) for walk in walks())


def test_every_step_has_what_it_names():
    missing = [f"{file}: {name}" for walk in walks() for file, names in walk for name in names
               if not has((ROOT / file).read_text(), name)]
    assert not missing


def test_every_step_is_called_by_one_before_it():
    lost = [f"{file}: {names[0]}" for walk in walks() for at, (file, names) in enumerate(walk) if at
            if not any(has((ROOT / before).read_text(), names[0]) for before, _ in walk[:at])]
    assert not lost
