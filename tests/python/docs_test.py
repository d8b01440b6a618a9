# SPDX-License-Identifier: Apache-2.0
"""Every example of the docstrings and of the pages on the package gives what is printed there, and
docs/python.md names every function."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest
import tally

DOCS = Path(__file__).resolve().parents[2] / "docs"
MODULES = ["tally", "tally._reductions", "tally._scans", "tally._selections", "tally._states", "tally.dask"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    if name == "tally.dask":
        pytest.importorskip("dask", reason="no Dask")
    found = doctest.testmod(importlib.import_module(name), extraglobs={"tally": tally})
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("page", ["python", "from_numpy", "from_torch", "scale"])
def test_examples_on_pages(page):
    if page in ("from_torch", "scale"):
        pytest.importorskip("torch", reason="no PyTorch")
    if page == "scale":
        pytest.importorskip("dask", reason="no Dask")
    sessions = re.findall(r"```pycon\n(.*?)```", (DOCS / f"{page}.md").read_text(), re.DOTALL)
    session = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, page, None, 0)
    found = doctest.DocTestRunner(verbose=False).run(session)
    assert found.attempted > 5 and found.failed == 0


def test_all_is_documented():
    text = (DOCS / "python.md").read_text()
    for name in tally.__all__:
        item = getattr(tally, name)
        assert inspect.getdoc(item), name
        assert f"`{name}`" in text or f"{name}(" in text, name


@pytest.mark.parametrize("page", ["from_numpy", "from_torch"])
def test_tables_name_what_there_is(page):
    named = set(re.findall(r"tally\.(\w+)", (DOCS / f"{page}.md").read_text()))
    functions = {name for name in tally.__all__ if inspect.isfunction(getattr(tally, name))}
    assert named <= functions and len(functions - named) < 6
