# SPDX-License-Identifier: Apache-2.0
"""What calls cannot take does not compile, and the compiler says what it is and what can be given."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COMPILER = os.environ.get("CXX") or shutil.which("g++") or "c++"

# A call, and what is said of it. Each is a function of one source.
CHARACTERS = {
    "char": "char is no element type, as its sign differs between machines: signed char and unsigned char are",
    "wchar_t": "wchar_t is no element type",
    "char8_t": "char8_t is no element type: unsigned char is",
    "char16_t": "char16_t is no element type: std::uint16_t is",
    "char32_t": "char32_t is no element type: std::uint32_t is",
    "long double": "long double is no element type: double is",
    "_Float16": "_Float16 and __bf16 are no element types: tally::float16 and tally::bfloat16, of the same bits, are",
    "__int128": "__int128 and __float128 are no element types: they are of 64 bits at most",
    "__float128": "__int128 and __float128 are no element types: they are of 64 bits at most",
    "enumeration": "an enumeration is no element type: the integer under it is",
    "point": "no element type: these are bool, integers of 8 to 64 bits",
}
SUMS = {type: said for type, said in CHARACTERS.items() if type != "point"}
CALLS = [
    *[(f"tally::reduce(here, std::vector<{type}>(3), tally::sum{{}})", said) for type, said in SUMS.items()],
    *[(f"tally::top_k(here, std::vector<{type}>(3), 1)", said) for type, said in CHARACTERS.items()],
    *[(f"tally::median(here, std::vector<{type}>(3))", CHARACTERS[type])
      for type in ("long double", "enumeration", "point")],
    ("tally::reduce(here, text, tally::all_together(tally::sum{}, tally::mean{}))", CHARACTERS["char"]),
    ("tally::inclusive_scan(here, std::vector<int>(3), text, tally::sum{})", CHARACTERS["char"]),
    ("tally::top_k(here, tally::rows{text.data(), 1, 3}, 2)", CHARACTERS["char"]),
    ("tally::reducer<long long, tally::sum> total",
     "a type that counts as an element where calls are given it; here name the element"),
    ("tally::reduce(here, std::vector<point>(3), tally::sum{})", "this aggregate does not take such elements"),
    ("tally::reduce(here, floats, tally::dot{})", "this aggregate does not take such elements"),
    ("tally::inclusive_scan(here, floats, floats, tally::mean{})", "or does not scan"),
    ("tally::reduce(here, floats, point{})", "neither a tally aggregate nor an operator T(T, T)"),
    ("tally::top_k_into(here, floats, 1, text, std::vector<long long>(1))",
     "top_k_into: values holds another type than the elements'"),
    ("tally::zip(floats, buffer{})", "give a span of them, or specialise tally::is_contiguous"),
]


def sources_of(calls):
    """In a source a compiler says a thing once, though there are two causes."""
    sources = []
    for call, said in calls:
        source = next((s for s in sources if said not in s.values()), None)
        if source is None:
            sources.append(source := {})
        source[call] = said
    return sources


SOURCE = """
#include <tally/tally.hpp>
namespace {{
struct point {{ float x, y; }};
enum enumeration {{ one }};
struct buffer {{
  float* data() const;
  std::size_t size() const;
}};
tally::cpu here;
std::vector<char> text(3);
std::vector<float> floats(3);
}}  // namespace
{calls}
"""


def complaints(calls, source):
    """What the compiler says, by the call."""
    first = SOURCE[:SOURCE.index("{calls}")].count("\n") + 1
    source.write_text(SOURCE.format(calls="\n".join(
        f"void call_{i}() {{ {call}; }}" for i, call in enumerate(calls))))
    done = subprocess.run([COMPILER, "-std=gnu++20", "-fsyntax-only", "-I", ROOT / "include", source],
                          stderr=subprocess.PIPE, text=True)
    found, line = {}, None
    for text in done.stderr.splitlines():
        if at := re.match(rf"{re.escape(str(source))}:(\d+):\d+:\s+required from here", text):
            line = int(at[1]) - first
        elif "error: static assertion failed: " in text and line is not None:
            found.setdefault(calls[line], []).append(text)
    return found


@pytest.mark.parametrize("number", range(len(sources_of(CALLS))))
def test_calls_that_do_not_compile_say_why(number, tmp_path):
    calls = sources_of(CALLS)[number]
    found = complaints(list(calls), tmp_path / "refused.cpp")
    unsaid = [call for call, said in calls.items() if said not in "".join(found.get(call, []))]
    assert not unsaid, found
