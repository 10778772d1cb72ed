"""Mutants, their edits, and the parts of a condition."""
from dataclasses import dataclass, field

from . import tokens as swift

COMPARISONS = {"<": "less", "<=": "lessOrEqual", ">": "greater", ">=": "greaterOrEqual"}
PREFIXES = ("try", "await", "unsafe")
# Where several edits have one position: what ends there, then what begins there, then what is replaced.
CLOSES, OPENS, REPLACES = range(3)


@dataclass(order=True)
class Edit:
    """A replacement of the text between two positions. `{id}` in the new text is the number of the mutant."""

    position: int
    order: int
    depth: int
    end: int
    text: str


@dataclass
class Mutant:
    kind: str
    exit: str
    line: int
    text: str
    edits: list = field(default_factory=list)
    path: str = ""
    key: str = ""
    source: str = ""
    number: int = 0


class Conditions:
    """The tokens of one source, and the mutants that were found in it."""

    def __init__(self, text):
        self.text, self.tokens, self.mutants, self.depth = text, swift.tokens(text), [], 0

    # Mutants

    def add(self, kind, exit, start, end, edits):
        first, last = self.tokens[start], self.tokens[end - 1]
        text = " ".join(self.text[first.start:last.end].split())
        self.mutants.append(Mutant(kind, exit, self.text.count("\n", 0, first.start) + 1, text, edits))

    def wrap(self, kind, exit, call, start, end):
        """Makes the tokens from start to end the last argument of a call. Calls within it are made later, so they get a larger depth."""
        self.depth += 1
        opening = Edit(self.tokens[start].start, OPENS, self.depth, self.tokens[start].start, f"Mutant.{call}({{id}}, ")
        self.add(kind, exit, start, end, [opening, self.after(end, ")", -self.depth)])

    def after(self, end, text, depth=1):
        place = self.tokens[end - 1].end
        return Edit(place, CLOSES, depth, place, text)

    # Parts of conditions

    def find(self, start, end, *texts):
        """The first token of that text which is not nested."""
        return next((at for at in swift.level(self.tokens, start, end) if self.tokens[at].text in texts), None)

    def split(self, start, end, *texts):
        """The ranges between tokens of that text which are not nested."""
        ranges, begun = [], start
        for at in swift.level(self.tokens, start, end):
            if self.tokens[at].text in texts:
                ranges.append((begun, at))
                begun = at + 1
        return ranges + [(begun, end)]

    def has(self, start, end, *texts):
        return any(self.tokens[at].text in texts and self.tokens[at].is_binary for at in swift.level(self.tokens, start, end))

    def after_prefixes(self, start, end):
        """Where the expression begins that `try`, `await` and `unsafe` precede; `try?` is a part of it."""
        while start + 1 < end and self.tokens[start].text in PREFIXES and self.tokens[start + 1].text not in ("?", "!"):
            start += 1
        return start

    def group(self, start, end):
        """What is in parentheses or in negated ones, if that is all, and whether it is negated."""
        negated = self.tokens[start].text == "!" and self.tokens[start].kind == "operator"
        opening = start + negated
        if opening < end and self.tokens[opening].text == "(" and self.tokens[opening].partner == end - 1 and end - opening > 2:
            if not self.has(opening + 1, end - 1, ",") and self.find(opening + 1, end - 1, ",") is None:
                return opening + 1, end - 1, negated
        return None

    # Expressions

    def checks(self, start, end, rejects, exit):
        """Skips a condition, where `rejects` is its value that leads to the rejection. Each operand is skipped by itself."""
        start = self.after_prefixes(start, end)
        if start >= end:
            return
        operator = "||" if rejects else "&&"
        ternary = self.has(start, end, "?")
        if not ternary and self.has(start, end, operator) and (rejects or not self.has(start, end, "||")):
            for one in self.split(start, end, operator):
                self.checks(*one, rejects, exit)
        elif not ternary and (inner := self.group(start, end)):
            self.checks(inner[0], inner[1], rejects != inner[2], exit)
        else:
            self.wrap("skip", exit, "deny" if rejects else "pass", start, end)
            self.boundaries(start, end, exit)

    def boundaries(self, start, end, exit):
        if self.has(start, end, "?"):
            return
        parts = [one for pair in self.split(start, end, "||") for one in self.split(*pair, "&&")]
        for first, last in parts:
            first = self.after_prefixes(first, last)
            if first >= last:
                continue
            if len(parts) > 1 and (inner := self.group(first, last)):
                self.boundaries(inner[0], inner[1], exit)
                continue
            places = [at for at in swift.level(self.tokens, first, last)
                      if self.tokens[at].text in COMPARISONS and self.tokens[at].is_binary]
            if len(places) != 1 or self.tokens[first].text == "!":
                continue
            operator = self.tokens[places[0]]
            self.wrap("boundary", exit, COMPARISONS[operator.text], first, last)
            end_before = self.tokens[places[0] - 1].end
            self.mutants[-1].edits.append(Edit(end_before, REPLACES, 0, operator.end, ","))
