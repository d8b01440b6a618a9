# SPDX-License-Identifier: Apache-2.0
"""The stubs name what the package has, with the same parameters."""

import ast
import inspect
from pathlib import Path

import pytest
import tally

STUBS = {node.name: node for node in ast.parse(
    (Path(tally.__file__).resolve().parent / "__init__.pyi").read_text()).body
    if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def shape_of_stub(node):
    a = node.args
    defaults = [None] * (len(a.posonlyargs + a.args) - len(a.defaults)) + a.defaults
    return [(arg.arg, None if d is None else ast.literal_eval(d), kind)
            for arg, d, kind in [*((x, d, "before") for x, d in zip(a.posonlyargs + a.args, defaults)),
                                 *((x, d, "keyword") for x, d in zip(a.kwonlyargs, a.kw_defaults))]]


def shape_of(function):
    return [(p.name, None if p.default is p.empty else p.default,
             "keyword" if p.kind == p.KEYWORD_ONLY else "before")
            for p in inspect.signature(function).parameters.values()]


def test_all_names_have_stubs():
    assert set(tally.__all__) <= set(STUBS)


@pytest.mark.parametrize("name", sorted(n for n in tally.__all__ if inspect.isfunction(getattr(tally, n))))
def test_parameters_are_the_same(name):
    assert shape_of_stub(STUBS[name]) == shape_of(getattr(tally, name))


@pytest.mark.parametrize("name", sorted(n for n in tally.__all__ if inspect.isclass(getattr(tally, n))))
def test_classes_have_their_members(name):
    of = STUBS[name].body + (STUBS["_State"].body if STUBS[name].bases else [])
    public = {m for m in dir(getattr(tally, name)) if not m.startswith("_")}
    assert public == {m.name for m in of if not m.name.startswith("_")}
