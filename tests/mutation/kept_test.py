# SPDX-License-Identifier: Apache-2.0
"""What is kept between runs is what was found, of tests and mutants that are the same."""

from types import SimpleNamespace

from .kept import Kept, digest_of


def a_test(made_of, key="program test"):
    return SimpleNamespace(key=key, made_of=made_of, seconds=0.0, reaches=None)


def names(*all_of_them):
    return [{"name": name} for name in all_of_them]


def test_a_mutant_keeps_its_number(tmp_path):
    kept = Kept(tmp_path)
    assert [n for n, _ in kept.number(names("a", "b", "c"))] == [1, 2, 3]
    kept.save()
    later = Kept(tmp_path).number(names("new", "c", "a"))
    assert later == [(4, {"name": "new"}), (3, {"name": "c"}), (1, {"name": "a"})]


def test_what_a_test_comes_by_is_found_again_until_it_changes(tmp_path):
    seen = a_test("one digest")
    seen.seconds, seen.reaches = 0.25, frozenset({3, 1})
    Kept(tmp_path).keep([seen])
    again = a_test("one digest")
    assert Kept(tmp_path).recall(again)
    assert (again.seconds, again.reaches) == (0.25, {1, 3})
    for other in (a_test("another digest"), a_test("one digest", key="another test")):
        assert not Kept(tmp_path).recall(other)
        assert other.reaches is None


def test_a_digest_is_of_the_contents_and_of_what_is_told(tmp_path):
    for name, text in ("a", "1"), ("b", "2"), ("same", "1"):
        (tmp_path / name).write_text(text)
    a, b, same = (tmp_path / name for name in ("a", "b", "same"))
    assert digest_of([a, b]) == digest_of([b, a]) and digest_of([a]) == digest_of([same])
    assert len({digest_of([a]), digest_of([b]), digest_of([a, b]), digest_of([a], "more"), digest_of([])}) == 5
