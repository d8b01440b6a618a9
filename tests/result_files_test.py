# SPDX-License-Identifier: Apache-2.0
"""What was measured is kept with a row a line."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench"))
from result_files import text, write_results  # noqa: E402

FILES = sorted((ROOT / "results").glob("*.json"))


@pytest.mark.parametrize("value", [{}, [], {"a": [1, 2], "b": {"c": {}}}, {"rows": [{"a": [1.5]}, {"b": None}], "n": 1e-9},
                                   [[{"a": {"b": [{}]}}], True, "\n"]], ids=str)
def test_what_is_written_is_read_as_it_was(value, tmp_path):
    write_results(tmp_path / "it.json", value)
    assert json.loads((tmp_path / "it.json").read_text()) == value


def test_a_row_has_a_line():
    rows = [{"id": 1, "samples": [1, 2]}, {"id": 2, "samples": []}]
    assert text({"n": 2, "runs": [{"rows": rows}]}).splitlines() == [
        "{", ' "n": 2,', ' "runs": [', "  {", '   "rows": [', '    {"id": 1, "samples": [1, 2]},',
        '    {"id": 2, "samples": []}', "   ]", "  }", " ]", "}"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_so_is_every_file(file):
    assert file.read_text() == text(json.loads(file.read_text())) + "\n"
