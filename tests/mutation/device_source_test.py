# SPDX-License-Identifier: Apache-2.0
"""What a source's operators stand between."""

import pytest

from .device_source import Source
from .generate_device import BELOW_RELATION


@pytest.mark.parametrize("left, right", [("a", "b"), ("f(a, b)", "x[i, j]"), ("most<a, 2> + c", "room<d, e / 2>"),
                                         ("a", "table<b<c>, d>::count"), ("(x, y)", "call<a>(b, c)")])
def test_operands_are_whole(left, right):
    source = Source(f"bool f() {{ return x, {left} < {right}, y; }}")
    at = next(i for i, t in enumerate(source.tokens) if t.text == "<" and source.spaced(i))
    assert source.span(source.operand_start(at, BELOW_RELATION), at - 1) == left
    assert source.span(at + 1, source.operand_end(at, BELOW_RELATION)) == right
