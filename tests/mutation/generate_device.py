#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutants of device code that are found, not chosen: one for each barrier, fence, mask, vote, bound,
memory order and clamp in include/tally/{warp,block,device}/**/*.cuh, without it.

usage: generate_device.py ROOT    prints a JSON list; --summary prints how many there are of each kind

A mutant is {name, file, offset, text, replacement, class, kind, line, wrong}: `text` stands at byte
`offset` of the file. It ends in `;` if it is a statement, and is an expression otherwise. A name is
FILE:KIND:FUNCTION:NUMBER, counted in the function, so that it survives changes elsewhere.

Left out is what the run-time switch of a mutant cannot stand in: comments, preprocessor lines,
template heads and arguments, static_assert, `if constexpr`, requires-clauses, initialisers of
constexpr variables, sizeof and the like; and the loops that are unrolled over registers.
"""
import argparse
import bisect
import collections
import json
import pathlib
import re
import sys

if __package__:
    from .device_source import Source
else:
    from device_source import Source

FOLDERS = ("warp", "block", "device")

# Where an operand of `<` or `&` ends: at operators that bind less.
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
BELOW_AND = {"^", "|", "&&", "||", "?", ":", ",", ";", "return"} | ASSIGNMENTS
BELOW_RELATION = BELOW_AND | {"&", "==", "!="}

VOTES = {"__any_sync", "__all_sync", "__ballot_sync"}
MASKED = re.compile(r"__(?:any|all|ballot|shfl|shfl_up|shfl_down|shfl_xor|reduce_\w+|match_\w+)_sync$")
COUNTING_BARRIERS = {"__syncthreads_or", "__syncthreads_and", "__syncthreads_count"}
STATEMENTS = {
    "__syncthreads": "barrier",
    "__syncwarp": "warp-barrier",
    "__threadfence": "fence",
    "__threadfence_block": "fence",
    "__threadfence_system": "fence",
    "__nv_atomic_thread_fence": "fence",
}
ORDERS = {"__NV_ATOMIC_ACQUIRE", "__NV_ATOMIC_RELEASE", "__NV_ATOMIC_ACQ_REL", "__NV_ATOMIC_SEQ_CST"}
CLAMPS = {"min", "max", "clamp"}

CLASS_OF = {
    "barrier": "order", "warp-barrier": "order", "fence": "order", "narrow-fence": "order",
    "vote": "order", "sync-mask": "order", "mask": "carry", "order": "order", "scope": "order",
    "bound": "memory", "loop-bound": "memory", "clamp": "window",
}
WITHOUT = {
    "barrier": "no barrier of the block here",
    "warp-barrier": "no barrier of the warp here",
    "fence": "no fence here",
    "narrow-fence": "a fence for the block alone",
    "vote": "each lane goes by what it knows itself",
    "sync-mask": "the last lane is not in the mask",
    "mask": "bits beyond the mask stay",
    "order": "a relaxed access where others wait for what was written before",
    "scope": "seen by the block alone",
    "bound": "the bound is not looked at",
    "loop-bound": "one turn too many",
    "clamp": "not clamped",
}


class Generator:
    def __init__(self, file, text):
        self.file, self.source = file, Source(text)
        self.found, self.numbers = [], collections.Counter()
        self.lines = [m.end() for m in re.finditer("\n", text)]

    def add(self, kind, first, last, replacement, wrong=None):
        s = self.source
        start, text = s.tokens[first].start, s.span(first, last)
        short = self.file.removeprefix("include/tally/")
        function = s.function_of(first)
        self.numbers[kind, function] += 1
        self.found.append({
            "name": f"{short}:{kind}:{function}:{self.numbers[kind, function]}",
            "file": self.file,
            "offset": len(s.text[:start].encode()),
            "text": text,
            "replacement": replacement,
            "class": CLASS_OF[kind],
            "kind": kind,
            "line": bisect.bisect_right(self.lines, start) + 1,
            "wrong": wrong or WITHOUT[kind],
        })

    def run(self):
        s = self.source
        for i, token in enumerate(s.tokens):
            if s.constant[i]:
                continue
            if s.at(i + 1) == "(" and s.at(i - 1) not in ("void", "int", "unsigned"):
                self.call(i)
            if token.text in ORDERS:
                self.add("order", i, i, "__NV_ATOMIC_RELAXED")
            elif token.text == "__NV_THREAD_SCOPE_DEVICE":
                self.add("scope", i, i, "__NV_THREAD_SCOPE_BLOCK")
            elif token.text == "&" and s.spaced(i):
                self.mask(i)
            elif token.text in ("<", "<=", ">", ">=") and s.spaced(i):
                self.comparison(i)
        return self.found

    def call(self, i):
        s, name = self.source, self.source.at(i)
        close = s.partner[i + 1]
        if name in STATEMENTS and s.at(close + 1) == ";":
            self.add(STATEMENTS[name], i, close + 1, ";")
            if name == "__threadfence":
                self.add("narrow-fence", i, close + 1, "__threadfence_block();")
            return
        arguments = s.arguments(i + 1)
        if name in COUNTING_BARRIERS:
            self.add("barrier", i, close, f"int({s.span(*arguments[0])})")
        if MASKED.match(name):
            first, last = arguments[0]
            self.add("sync-mask", first, last, f"({s.span(first, last)} >> 1)")
        if name in VOTES:
            mine = s.span(*arguments[1])
            alone = f"(unsigned(bool({mine})) << threadIdx.x % 32)"
            self.add("vote", i, close, alone if name == "__ballot_sync" else f"int({mine})")
        if name in CLAMPS and s.at(i - 1) not in (".", "->"):
            self.clamp(i, close, arguments)

    def clamp(self, i, close, arguments):
        s = self.source
        first = i - 2 if s.at(i - 1) == "::" else i  # std::min
        end = close
        if s.at(i + 1) == "<":
            return
        whole = s.span(first, end)
        for n, argument in enumerate(arguments):
            mine = s.span(*argument)
            if re.fullmatch(r"-?\d\w*", mine):
                continue  # never the limit alone
            self.add("clamp", first, end, f"std::remove_cvref_t<decltype({whole})>({mine})",
                     f"always the operand {n + 1} of {s.at(i)}")

    def mask(self, i):
        s = self.source
        first = s.operand_start(i, BELOW_AND)
        last = s.operand_end(i, BELOW_AND | {"&"})
        if s.at(i + 1) == "" or first >= i:
            return
        self.add("mask", first, last, s.span(first, i - 1))

    def comparison(self, i):
        s = self.source
        first, last = s.operand_start(i, BELOW_RELATION), s.operand_end(i, BELOW_RELATION)
        left, right = s.span(first, i - 1), s.span(i + 1, last)
        place, joined = self.place_of(first), self.has_operator(first, last)
        if place == "while" and not joined:  # without the bound it would not end
            if s.at(i) == "<":
                self.add("loop-bound", first, last, f"{left} <= {right}")
            return
        if place == "for":
            unrolled = self.is_unrolled(first)
            if s.at(i) == "<" and not unrolled:
                self.add("loop-bound", first, last, f"{left} <= {right}")
            if not joined or (unrolled and first == i - 1):
                return
        elif right == "0" or (s.at(i) in (">", ">=") and re.fullmatch(r"-?\d\w*", right)):
            return  # asks for a sign, or how many there are
        if joined == "||" or (place == "if" and not joined and self.guards(first, left)):
            self.add("bound", first, last, "false")
        elif joined == "&&" or place in ("if", "while", "ternary"):
            self.add("bound", first, last, "true")

    def guards(self, first, left):
        """Whether what follows an `if` keeps out what lies outside: leaves, or moves it to the bound."""
        s = self.source
        after = s.partner[s.enclosing(first)] + 1
        return (s.at(after) in ("return", "continue", "break", "throw")
                or s.text.startswith(f"{left} = ", s.tokens[after].start))

    def has_operator(self, first, last):
        """&& or || beside an operand."""
        s = self.source
        for k in (first - 1, last + 1):
            if s.at(k) in ("&&", "||") and s.spaced(k):
                return s.at(k)
        return ""

    def place_of(self, i):
        s = self.source
        open_at = s.enclosing(i)
        if open_at < 0:
            return ""
        before = s.at(open_at - 1)
        if s.at(open_at) == "(" and before == "for":
            return "for" if ";" in s.span(open_at, s.partner[open_at]) else ""
        if s.at(open_at) == "(" and before in ("if", "while"):
            return before
        end = s.operand_end(i - 1, BELOW_RELATION)
        while s.at(end + 1) in ("&&", "||", "==", "!=", "&"):
            end = s.operand_end(end + 1, BELOW_RELATION)
        return "ternary" if s.at(end + 1) == "?" else ""

    def is_unrolled(self, i):
        s = self.source
        loop = s.tokens[s.enclosing(i) - 1].start
        before = s.text[:loop].rstrip().rsplit("\n", 1)[-1].strip()
        return re.fullmatch(r"#pragma unroll(?!\s*1\b).*", before) is not None


def generate(root):
    found = []
    for folder in FOLDERS:
        for path in sorted((root / "include" / "tally" / folder).rglob("*.cuh")):
            found += Generator(str(path.relative_to(root)), path.read_text()).run()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    found = generate(options.root)
    if options.summary:
        for kind, count in sorted(collections.Counter(m["kind"] for m in found).items()):
            print(f"{count:5} {kind}")
        print(f"{len(found):5} in all")
        return
    json.dump(found, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
