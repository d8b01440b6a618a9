# SPDX-License-Identifier: Apache-2.0
"""Mutants stand behind their numbers, and every one of the list has its place in today's sources."""

import re

import pytest

from .insert import Misplaced, insert, is_statement
from .mutate import CLASSES, ROOT, all_mutants


def mutant(text, replacement, within=None, name="m"):
    found = {"name": name, "file": "f", "text": text, "replacement": replacement}
    return found | ({"within": within} if within else {})


def test_an_expression_becomes_a_choice():
    assert insert("return a < b;", [(7, mutant("a < b", "a <= b"))]) == \
        "return (tally_mutated(7) ? (a <= b) : (a < b));"


def test_a_statement_becomes_a_branch_on_the_same_lines():
    assert insert("if (x)\n  y();\nelse z();", [(1, mutant("y();", "")), (2, mutant("z();", "w();"))]) \
        == ("if (x)\n  { if (tally_mutated(1)) {  } else { y(); } }\n"
            "else { if (tally_mutated(2)) { w(); } else { z(); } }")


def test_mutants_of_one_text_stand_in_a_row_and_others_inside_of_it():
    source = "f(a + b * c);"
    found = insert(source, [(1, mutant("a + b * c", "0")), (2, mutant("a + b * c", "1")),
                            (3, mutant("c", "d", within="b * c"))])
    assert found == ("f((tally_mutated(1) ? (0) : tally_mutated(2) ? (1) : "
                     "(a + b * (tally_mutated(3) ? (d) : (c)))));")


@pytest.mark.parametrize("text, within", [("b", None), ("a", None), ("a", "a a"), ("", None)])
def test_a_text_must_stand_there_once(text, within):
    with pytest.raises(Misplaced, match="m: found"):
        insert("a a", [(1, mutant(text, "c", within))])


def test_texts_must_not_overlap():
    with pytest.raises(Misplaced, match="left overlaps right"):
        insert("a b c", [(1, mutant("a b", "d", name="left")), (2, mutant("b c", "d", name="right"))])


def test_every_mutant_has_its_place():
    mutants = all_mutants()
    names = [m["name"] for m in mutants]
    assert len(names) == len(set(names)) >= 150
    by_file = {}
    for number, m in enumerate(mutants):
        assert m["class"] in CLASSES, m["name"]
        assert m["text"] != m["replacement"], m["name"]
        assert m["wrong"] or m["equivalent"], m["name"]
        by_file.setdefault(m["file"], []).append((number, m))
    for file, here in by_file.items():
        insert((ROOT / file).read_text(), here)


def is_complete(text):
    """Whether it can stand between parentheses: all brackets, and no half of a conditional."""
    bare = re.sub(r"\"(\\.|[^\"\\])*\"|'(\\.|[^'\\])*'|::", "", text)
    bare = re.sub(r"(for \([^();]*):", r"\1", bare)
    return all(bare.count(a) == bare.count(b) for a, b in ("()", "[]", "{}")) and \
        (is_statement(text) or bool(text.strip()) and bare.count("?") == bare.count(":")
         and not re.match(r"\s*(if|for|while) ?\(", text))


def test_a_mutants_texts_are_complete():
    assert not is_complete("if (x)") and not is_complete("for (int i = 0; i < n; ++i)")
    assert not is_complete("x : a < b") and not is_complete("f(x))") and not is_complete("") and is_complete("a ? b : std::min(c, d)")
    assert is_complete("[] { for (auto x : a) f(x); for (std::size_t i = 0; i < n; ++i) f(i); }()")
    for m in all_mutants():
        assert is_complete(m["text"]) and is_complete(m["replacement"] or ";"), m["name"]
        ends = m["replacement"].rstrip()[-1:] in ("", ";", "}")
        assert ends if is_statement(m["text"]) else not ends or m["replacement"].endswith("}"), m["name"]
