# SPDX-License-Identifier: Apache-2.0
"""docs/aggregates.md, from what the library holds: the probe lists it. `./dev docs` writes it.

usage: aggregates_page.py LIBRARY PAGE
"""

import ctypes
import sys
from pathlib import Path

HEAD = """# Aggregates
What `tally::reduce` and `tally COMMAND` compute, as the table in
[compiled.hpp](../include/tally/compiled.hpp) has it. `./dev docs` writes this page.

| aggregate | answer | elements | results |
|---|---|---|---|
"""
FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
KINDS = {"any": INTEGERS + FLOATS, "integers": INTEGERS, "floating point": FLOATS}


def rows(text):
    """Per aggregate: name, summary, its types, options, and results by type of element."""
    for line in text.splitlines():
        name, summary, types, ddof, pairs, *results = line.split("\t")
        yield name, summary, types.split(), ddof, pairs, dict(zip(types.split(), results))


def elements(types):
    return next((kind for kind, all_of in KINDS.items() if set(all_of) == set(types)),
                ", ".join(types))


def own_types(results):
    """Of one result: its type in words, by what the elements are."""
    types = {x: r.partition("|")[0].split()[1] for x, r in results.items()}
    if len(set(types.values())) == 1:
        return next(iter(types.values()))
    if all(x == r for x, r in types.items()):
        return "the elements' type"
    parts = []
    if set(INTEGERS) <= set(types):
        of_integers = sorted({types[x] for x in INTEGERS})
        parts.append(f"{' or '.join(of_integers)} of integers")
    if set(FLOATS) <= set(types):
        same = all(types[x] == x for x in FLOATS)
        parts.append("the elements' type of floating point" if same else
                     f"{' or '.join(sorted({types[x] for x in FLOATS}))} of floating point")
    return ", ".join(parts)


def results_of(results):
    names = next(iter(results.values())).partition("|")[0].split()[::2]
    if names != ["value"]:
        return ", ".join(f"`{name}`" for name in names)
    text = own_types(results)
    others = [set(r.partition("|")[2].split()) - {r.split()[1]} for r in results.values()]
    return text + ("; others by `as`" if any(others) else "")


def page(text):
    lines = []
    for name, summary, types, ddof, pairs, results in rows(text):
        answer = summary + ("; takes `ddof`" if ddof else "")
        of = elements(types) + (", in pairs" if pairs else "")
        lines.append(f"| `{name}` | {answer} | {of} | {results_of(results)} |\n")
    return HEAD + "".join(lines)


def listed(library):
    probe = ctypes.CDLL(library)
    probe.probe_aggregates.restype = ctypes.c_char_p
    return probe.probe_aggregates().decode()


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(page(listed(sys.argv[1])))
