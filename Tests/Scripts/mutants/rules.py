"""Which conditions of a source are broken, and how.

| kind | source | mutant |
|---|---|---|
| skip | `guard a > b else { throw … }`, `if bad { throw … }` | the check always passes; each operand of `&&` or of `||` by itself |
| boundary | `<`, `<=`, `>`, `>=` in such a condition | the other treatment of equal values |
| default | `guard let x = f() else { throw … }` | a missing value is replaced by an empty one (see Mutant.swift) |
| reject | `guard let …`, `guard case … = …` | the branch for a missing value is taken although there is one |
| pattern | `guard case .a = b else …` without a binding | the guard is skipped |
| case | `case .a: throw …` in a switch with a default | the case does not match |
| operand | `return a && b`, `return a ? nil : .b` | an operand or the condition always has one value |
| branch | the `else` of a guard with a binding | no mutant: whether a test gets there is counted |

A condition belongs to the `exit` throw if its branch throws (or calls `fail`), to answer if it returns nil, a Boolean or a case of an
enumeration, and to flow otherwise: a guard that leaves without an answer, or an `if` around a branch that throws. The exit of an operand is value."""
from . import tokens as swift
from .conditions import CLOSES, REPLACES, Conditions, Edit, Mutant

ANSWERS = ("nil", "false", "true", ".")
# Braces with one of these contain more than an expression.
STATEMENTS = {"let", "var", "return", "if", "guard", "for", "while", "switch", "do", "throw", "in", "case", "func", "struct", "enum", "defer"}


class Finder(Conditions):
    """Collects the mutants of one source."""

    def __init__(self, text):
        super().__init__(text)
        for index, token in enumerate(self.tokens):
            if token.text == "{":
                self.body(index)
            if token.kind != "word" or self.is_member(index):
                continue
            find = {"guard": self.guard, "if": self.if_statement, "for": self.for_loop, "switch": self.switch,
                    "return": self.returned}.get(token.text)
            if find:
                find(index)

    def is_member(self, index):
        """Whether the word is a member (`.if`) or a label (`for:`) and no keyword."""
        before = self.tokens[index - 1] if index else None
        after = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        return bool(before and before.text == "." and not before.spaced_after or after and after.text == ":")

    # Statements

    def exit(self, start, end):
        """How the branch between two braces ends."""
        answers = False
        for at in swift.level(self.tokens, start, end):
            token, following = self.tokens[at], self.tokens[at + 1].text
            if token.kind != "word":
                continue
            if token.text == "throw" or token.text == "fail" and following == "(":
                return "throw"
            answers = answers or token.text == "return" and following in ANSWERS
        return "answer" if answers else "flow"

    def throws_within(self, start, end):
        """Whether a branch throws anywhere, so that without the branch a rejection is missing."""
        return any(self.tokens[at].text == "throw" or self.tokens[at].text == "fail" and self.tokens[at + 1].text == "("
                   for at in range(start, end))

    def guard(self, index):
        word = self.find(index + 1, len(self.tokens), "else")
        opening = word + 1
        closing = self.tokens[opening].partner
        exit = self.exit(opening + 1, closing)
        bindings = self.clauses(index + 1, word, exit)
        clauses = [self.tokens[start].text for start, _ in self.split(index + 1, word, ",")]
        if bindings:
            place = self.tokens[opening].end
            self.add("branch", exit, index, word, [Edit(place, CLOSES, 0, place, " Mutant.reach({id});")])
        elif "case" in clauses:
            keyword, brace = self.tokens[index], self.tokens[word]
            self.add("pattern", exit, index, word, [
                Edit(keyword.start, REPLACES, 0, keyword.end, "if"),
                Edit(brace.start, REPLACES, 0, brace.end, "{} else if !Mutant.skips({id})"),
            ])

    def clauses(self, start, end, exit):
        """The clauses of a guard. Returns whether one of them binds a name."""
        binds = False
        for first, last in self.split(start, end, ","):
            word = self.tokens[first].text
            if word in ("#available", "#unavailable"):
                continue
            if word not in ("let", "var", "case"):
                self.checks(first, last, False, exit)
                continue
            binds = binds or any(token.text in ("let", "var") for token in self.tokens[first:last])
            self.add("reject", exit, first, last, [self.after(last, ", Mutant.keep({id})")])
            if word != "case":
                self.binding(first, last, exit)
        return binds

    def binding(self, start, end, exit):
        """`let x = f()` and `let x`: a default in place of nil."""
        equals = self.find(start, end, "=")
        if equals is not None:
            value = self.after_prefixes(equals + 1, end)
            self.wrap("default", exit, "or", value, end)
            self.mutants[-1].text = " ".join(self.text[self.tokens[start].start:self.tokens[end - 1].end].split())
        elif self.tokens[start + 1].text != "self" and end == start + 2:
            name = self.tokens[start + 1].text
            self.add("default", exit, start, end, [self.after(end, f" = Mutant.or({{id}}, {name})", 0)])

    def if_statement(self, index):
        opening = self.find(index + 1, len(self.tokens), "{")
        closing = self.tokens[opening].partner
        exit = self.exit(opening + 1, closing)
        otherwise = closing + 1
        if exit == "flow" and self.tokens[otherwise:otherwise + 1] and self.tokens[otherwise].text == "else":
            brace = otherwise + 1
            if self.tokens[brace].text == "{" and self.exit(brace + 1, self.tokens[brace].partner) == "throw":
                self.clauses(index + 1, opening, "throw")
                return
        if exit == "flow" and not self.throws_within(opening, closing):
            return
        *others, (first, last) = self.split(index + 1, opening, ",")
        for start, end in others:
            if self.tokens[start].text not in ("let", "var", "case") and self.has(start, end, "||"):
                self.checks(start, end, True, exit)
        if self.tokens[first].text in ("let", "var", "case"):
            self.add("skip", exit, index, opening, [self.after(opening, ", Mutant.keep({id})")])
        elif not self.tokens[first].text.startswith("#"):
            self.checks(first, last, True, exit)

    def for_loop(self, index):
        opening = self.find(index + 1, len(self.tokens), "{")
        where = self.find(index + 1, opening, "where") if opening else None
        if where is None:
            return
        closing = self.tokens[opening].partner
        exit = self.exit(opening + 1, closing)
        if exit != "flow" or self.throws_within(opening, closing):
            self.checks(where + 1, opening, True, exit)

    def switch(self, index):
        opening = self.find(index + 1, len(self.tokens), "{")
        closing = self.tokens[opening].partner
        labels = [at for at in swift.level(self.tokens, opening + 1, closing)
                  if self.tokens[at].text == "default"
                  or self.tokens[at].text == "case" and self.tokens[at - 1].text not in ("if", "guard", "while", "for", ",")]
        if not any(self.tokens[at].text == "default" for at in labels):
            return
        for at, following in zip(labels, labels[1:] + [closing]):
            colon = self.find(at, following, ":")
            if self.tokens[at].text == "case" and colon is not None and self.tokens[colon + 1].text == "throw":
                self.case(at, colon)

    def case(self, index, colon):
        edits = []
        for first, last in self.split(index + 1, colon, ","):
            where = self.find(first, last, "where")
            if where is None:
                edits.append(self.after(last, " where Mutant.keep({id})"))
            else:
                self.checks(where + 1, last, True, "throw")
        if edits:
            self.add("case", "throw", index, colon, edits)

    # Values

    def returned(self, index):
        """`return a && b`, `return a || b` and `return a ? nil : b`."""
        end = index + 1
        while end < len(self.tokens) and self.tokens[end].text not in ("}", ";") and not self.begins_statement(index + 1, end):
            end = (self.tokens[end].partner if self.tokens[end].partner is not None else end) + 1
        if end > index + 1:
            self.value(index + 1, end)

    def begins_statement(self, start, at):
        """Whether the token is the first one in its line and does not continue an expression."""
        token, before = self.tokens[at], self.tokens[at - 1]
        continues = token.is_binary or token.text in (".", "?", ":") or before.is_binary or before.text in ("?", ":", "return")
        return at > start and token.newline_before and not continues

    def body(self, opening):
        """Braces around one expression, such as a property's."""
        closing = self.tokens[opening].partner
        within = list(swift.level(self.tokens, opening + 1, closing))
        words = {self.tokens[at].text for at in within if self.tokens[at].kind == "word"}
        if within and not words & STATEMENTS and not any(self.begins_statement(opening + 1, at) or self.tokens[at].text in ("=", ";")
                                                         for at in within):
            self.value(opening + 1, closing)

    def value(self, start, end):
        question = next((at for at in swift.level(self.tokens, start, end) if self.tokens[at].text == "?" and self.tokens[at].is_binary), None)
        if question is not None:
            colon = self.find(question, end, ":")
            if "nil" in (self.tokens[question + 1].text, self.tokens[colon + 1].text if colon else ""):
                first = self.after_prefixes(start, question)
                self.wrap("operand", "value", "pass", first, question)
                self.wrap("operand", "value", "deny", first, question)
        elif self.has(start, end, "&&", "||"):
            before = len(self.mutants)
            self.checks(start, end, self.has(start, end, "||"), "value")
            for mutant in self.mutants[before:]:
                mutant.kind = "operand" if mutant.kind == "skip" else mutant.kind


def find(text):
    """The mutants of a source, outer ones before those within them."""
    return Finder(text).mutants


def rewrite(text, mutants):
    """The source with these mutants, whose numbers are set, and where each is in it. Lines keep their numbers."""
    pieces, spans, at, length = [], {}, 0, 0
    edits = [(edit, mutant.number) for mutant in mutants for edit in mutant.edits]
    for edit, number in sorted(edits, key=lambda pair: (pair[0].position, pair[0].order, pair[0].depth)):
        replaced = text[edit.position:edit.end]
        new = edit.text.replace("{id}", str(number)) + "\n" * replaced.count("\n")
        between = text[at:edit.position]
        start = length + len(between)
        length = start + len(new)
        pieces += [between, new]
        spans[number] = (min(start, spans.get(number, (start, 0))[0]), length)
        at = edit.end
    return "".join(pieces) + text[at:], spans
