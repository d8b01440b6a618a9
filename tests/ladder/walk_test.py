# SPDX-License-Identifier: Apache-2.0
"""What docs/ladder_walks.md quotes is printed of that rung."""

import json
import re
import subprocess

import pytest

from .programs import BUILD, ROOT

PAGE = (ROOT / "docs" / "ladder_walks.md").read_text()
ROWS = [(ladder, *row) for ladder, text in re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
        for row in re.findall(r"^\| `(\d\d_\w+)` \| (.*) \| (.*) \|$", text, re.M)]
LISTED = [json.loads(line) for line in
          subprocess.run([BUILD / "tally-ladder-simt", "list"], stdout=subprocess.PIPE, check=True).stdout.splitlines()]
LABELS = {"change": "change", "predicted": "predict", "measured": "measured", "note": "more", "bound": "bound"}


def said(ladder, name, label):
    """What is behind the label of a rung, or of the first one of its file."""
    rung = next(r for r in LISTED if r["file"] == f"ladder/{ladder.replace('-', '_')}/{name}.cu")
    text = (rung["why"] | {"bound": rung["bound"]})[LABELS[label]]
    return " ".join(text) if isinstance(text, list) else text


def test_the_walks_come_by_every_rung_in_order():
    files = sorted((r["ladder"], r["file"].rsplit("/")[-1].removesuffix(".cu")) for r in LISTED)
    walked = [(ladder, name) for ladder, name, *_ in ROWS]
    assert sorted(walked) == sorted(set(files))
    for ladder in {ladder for ladder, _ in walked}:
        names = [name for of, name in walked if of == ladder]
        assert names == sorted(names)


@pytest.mark.parametrize("ladder, name, asked, answered", ROWS, ids=lambda x: x if " " not in x else "")
def test_a_question_is_answered_by_what_is_printed(ladder, name, asked, answered):
    label = None
    for part in re.split(r"(?:; |, )(?=\w+: `)|(?<=`), (?=`)|; ", answered):
        quoted = re.fullmatch(r"(?:(\w+): )?`([^`]+)`(?:, and .*)?", part)
        if not quoted:
            continue
        label = quoted[1] or label
        assert quoted[2] in said(ladder, name, label), (label, quoted[2])
