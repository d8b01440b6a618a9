# SPDX-License-Identifier: Apache-2.0
"""Every example of the docstrings gives what is printed there, and docs/python.md names every function."""

import doctest
import importlib
import inspect
from pathlib import Path

import pytest
import tally

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
MODULES = ["tally", "tally._reductions", "tally._scans", "tally._selections", "tally._states"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    found = doctest.testmod(importlib.import_module(name), extraglobs={"tally": tally})
    assert found.attempted > 0 and found.failed == 0


def test_all_is_documented():
    text = PAGE.read_text()
    for name in tally.__all__:
        item = getattr(tally, name)
        assert inspect.getdoc(item), name
        assert f"`{name}`" in text or f"{name}(" in text, name
