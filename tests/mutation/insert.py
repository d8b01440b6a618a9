# SPDX-License-Identifier: Apache-2.0
"""Puts mutants, which are data, into the text of a file: all of them at once, each behind its number.

A mutant is a dictionary: `name`, `file`, `text`, which stands in the file once, or once `within` a
text that does (or at `offset`), its `replacement`, `class`, and `wrong`: what it gets wrong. One that
changes nothing that anybody could see says why under `equivalent`. A text that ends in `;` or `}` is a
statement, any other one an expression that is complete without its surroundings.
"""


class Misplaced(Exception):
    pass


def place(mutant, source):
    """Where the text begins and ends."""
    text, start, end = mutant["text"], 0, len(source)
    if "offset" in mutant:
        start = mutant["offset"]
        if not source.startswith(text, start):
            raise Misplaced(f"{mutant['name']}: the text is not at {start}")
        return start, start + len(text)
    if "within" in mutant:
        start, end = only(mutant["within"], source, 0, len(source), mutant)
    return only(text, source, start, end, mutant)


def only(text, source, start, end, mutant):
    count = source.count(text, start, end)
    if count != 1 or not text:
        raise Misplaced(f"{mutant['name']}: found {count} times in {mutant['file']}: {text!r}")
    at = source.index(text, start, end)
    return at, at + len(text)


def is_statement(text):
    text = text.rstrip()
    return text.endswith(";") or (text.endswith("}") and ";" in text)


def insert(source, mutants):
    """The source with every (number, mutant) behind tally_mutated(number), on the same lines."""
    spans = {}
    for number, mutant in mutants:
        spans.setdefault(place(mutant, source), []).append((number, mutant))
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    return written(source, 0, len(source), ordered, spans)


def written(source, start, end, ordered, spans):
    """source[start:end], in which the spans are nested or apart."""
    out, at = [], start
    while ordered:
        begin, stop = ordered[0]
        inside = [s for s in ordered[1:] if s[0] < stop]
        here = spans[begin, stop]
        for s in inside:
            if s[1] > stop:
                raise Misplaced(f"{here[0][1]['name']} overlaps {spans[s][0][1]['name']}")
        text = written(source, begin, stop, inside, spans)
        out += [source[at:begin], choice(text, source[begin:stop], here)]
        at, ordered = stop, ordered[1 + len(inside):]
    return "".join(out) + source[at:end]


def choice(text, original, mutants):
    def replaced(mutant):
        return " ".join(mutant["replacement"].split("\n"))
    if is_statement(original):
        tests = " else ".join(f"if (tally_mutated({n})) {{ {replaced(m)} }}" for n, m in mutants)
        return f"{{ {tests} else {{ {text} }} }}"
    tests = " : ".join(f"tally_mutated({n}) ? ({replaced(m)})" for n, m in mutants)
    return f"({tests} : ({text}))"
