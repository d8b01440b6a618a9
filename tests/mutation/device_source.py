# SPDX-License-Identifier: Apache-2.0
"""A source of device code as tokens: which bracket belongs to which, where operands, arguments and
functions begin and end, and what is never mutated. It knows this project's style, not all of C++.
"""

import collections
import re

Token = collections.namedtuple("Token", "text start end")

TOKEN = re.compile(
    r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<number>0[xX][0-9a-fA-F.']+(?:[pP][+-]?\d+)?\w*|\.?\d(?:[\w.']|[eE][+-])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<operator><<=|>>=|<=>|\.\.\.|->\*?|::|&&|\|\||<<|>>|<=|>=|==|!=|[-+*/%&|^]=|\+\+|--|.)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {close: open for open, close in OPENING.items()}

NEVER_MUTATED = {"static_assert", "sizeof", "alignof", "alignas", "decltype", "noexcept",
                 "__launch_bounds__", "asm", "TALLY_CLAIM", "TALLY_CLAIMS_NEED"}
CONTROL = {"if", "for", "while", "switch", "catch", "return"}


def tokens_of(source):
    tokens, at = [], 0
    while at < len(source):
        match = TOKEN.match(source, at)
        if match.lastgroup != "skip":
            tokens.append(Token(match.group(), match.start(), match.end()))
        at = match.end()
    return tokens


class Source:
    """A file's tokens, which bracket belongs to which, and which tokens are never mutated."""

    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.partner = self.match_brackets()
        self.constant = [False] * len(self.tokens)
        for i in range(len(self.tokens)):
            self.mark_constant(i)
        self.functions = self.find_functions()

    def at(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def spaced(self, i):
        """Binary operators have a space on either side; what belongs to types has not."""
        before, here, after = self.tokens[i - 1], self.tokens[i], self.tokens[i + 1]
        return before.end < here.start and here.end < after.start

    def span(self, first, last):
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def match_brackets(self):
        partner, open_ones = {}, []
        for i, token in enumerate(self.tokens):
            if token.text in OPENING:
                open_ones.append(i)
            elif token.text in CLOSING:
                partner[i] = open_ones.pop()
                partner[partner[i]] = i
        return partner

    def mark(self, first, last):
        for i in range(first, last + 1):
            self.constant[i] = True

    def mark_constant(self, i):
        here, after = self.at(i), self.at(i + 1)
        if here in NEVER_MUTATED and after == "(":
            self.mark(i, self.partner[i + 1])
        elif here == "<" and not self.spaced(i):
            self.mark(i, self.end_of_arguments(i))
        elif here == "<" and self.at(i - 1) == "template":
            self.mark(i, self.end_of_arguments(i))
        elif here == "requires" and after in OPENING:
            self.mark(i, self.partner[i + 1])
        elif here == "constexpr" and self.at(i - 1) == "if":
            self.mark(i, self.partner[i + 1])
        elif here == "constexpr":
            self.mark_constexpr(i)

    def end_of_arguments(self, i):
        """The `>` of the `<` of template arguments or parameters at i."""
        depth = 0
        while True:
            here = self.at(i)
            if here in ("(", "[", "{"):
                i = self.partner[i]
            elif here == "<":
                depth += 1
            elif here in (">", ">>") and self.tokens[i - 1].end == self.tokens[i].start:
                depth -= len(here)
                if depth <= 0:
                    return i
            i += 1

    def start_of_arguments(self, i):
        """The `<` of the template arguments that end with the `>` at i."""
        depth = 0
        while True:
            here = self.at(i)
            if here in CLOSING:
                i = self.partner[i]
            elif here in (">", ">>") and not self.spaced(i):
                depth += len(here)
            elif here == "<" and not self.spaced(i):
                depth -= 1
                if depth == 0:
                    return i
            i -= 1

    def mark_constexpr(self, i):
        """The initialiser of a constexpr variable; the body of a constexpr function may run later."""
        k = i + 1
        while self.at(k) not in ("=", "(", "{", ";"):
            k = (self.end_of_arguments(k) if self.at(k) == "<" else k) + 1
        if self.at(k) == "=":
            end = k
            while self.at(end) != ";":
                end = self.partner[end] + 1 if self.at(end) in OPENING else end + 1
            self.mark(k, end)
        elif self.at(k) == "{":
            self.mark(k, self.partner[k])

    def find_functions(self):
        """(first token, name) of each function's body, in order."""
        found = []
        for i, token in enumerate(self.tokens):
            if token.text != "{":
                continue
            k = i - 1
            while self.at(k) in ("const", "noexcept", "override", "mutable"):
                k -= 1
            if self.at(k) != ")":
                continue
            while self.at(self.partner[k] - 2) in (",", ":"):  # of a constructor's members
                k = self.partner[k] - 3
                if self.at(k) != ")":
                    break
            if self.at(k) != ")":
                continue
            name = self.at(self.partner[k] - 1)
            if not re.match(r"[A-Za-z_]\w*$", name) or name in CONTROL or name == "constexpr":
                continue
            found.append((i, self.partner[i], name))
        return found

    def function_of(self, i):
        """The outermost function around i that is not in another one."""
        for first, last, name in self.functions:
            if first < i < last:
                return name.rstrip("_")
        return self.initialised_by(i)

    def initialised_by(self, i):
        """Outside all bodies: the name before the last parenthesis that opens a parameter list."""
        k = i
        while k > 0 and self.at(k) not in (";", "}"):
            k -= 1
        for j in range(k, i):
            if self.at(j) == "(" and re.match(r"[A-Za-z]\w*$", self.at(j - 1)):
                return self.at(j - 1)
        return "file"

    # Operands. Each returns the index of a span's first or last token.
    def operand_start(self, i, below):
        k = i - 1
        while k >= 0:
            here = self.at(k)
            if here in CLOSING:
                k = self.partner[k]
            elif here in (">", ">>") and not self.spaced(k):
                k = self.start_of_arguments(k)
            elif here in ("(", "[", "{") or here in ("}",):
                return k + 1
            elif here in below and (here not in ("&", "<", ">") or self.spaced(k)):
                return k + 1
            k -= 1
        return 0

    def operand_end(self, i, below):
        k = i + 1
        while True:
            here = self.at(k)
            if here in OPENING:
                k = self.partner[k]
            elif here == "<" and not self.spaced(k):
                k = self.end_of_arguments(k)
            elif here in CLOSING:
                return k - 1
            elif here in below and (here not in ("&", "<", ">") or self.spaced(k)):
                return k - 1
            k += 1

    def enclosing(self, i):
        """The bracket that is open at i, or -1."""
        k = i - 1
        while k >= 0:
            if self.at(k) in CLOSING:
                k = self.partner[k]
            elif self.at(k) in OPENING:
                return k
            k -= 1
        return -1

    def arguments(self, open_at):
        """The first and last token of each argument of the call whose parenthesis is at open_at."""
        close, first, out = self.partner[open_at], open_at + 1, []
        k = first
        while k <= close:
            here = self.at(k)
            if here in OPENING:
                k = self.partner[k]
            elif here == "<" and not self.spaced(k):
                k = self.end_of_arguments(k)
            elif here == "," or k == close:
                if first <= k - 1:
                    out.append((first, k - 1))
                first = k + 1
            k += 1
        return out
