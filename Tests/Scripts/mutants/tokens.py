"""Tokens of Swift source, as far as conditions need them: strings, comments, brackets and operators with the spaces beside them.

Brackets are matched once, so that a search for a comma, `else` or `{` passes over what is nested. Regular expression literals are not
known: a source that begins one with `#/` is refused."""
import re

OPENING = {"(": ")", "[": "]", "{": "}", "<": ">"}
OPERATOR = set("/=-+!*%<>&|^~?.")
WORD = re.compile(r"[^\W\d]\w*|\$\d+|\d[\w]*(?:\.\d[\w]*)?(?:(?<=[eE])[+-]\d+)?|`[^`\n]+`|[#@]\w+")
RAW = re.compile(r'(#*)("""|")')


class Token:
    """One token. `kind` is word, string, operator or mark; `partner` is the index of the other bracket, if it is one."""

    __slots__ = ("kind", "text", "start", "end", "spaced_before", "spaced_after", "newline_before", "partner")

    def __init__(self, kind, text, start, end):
        self.kind, self.text, self.start, self.end = kind, text, start, end
        self.spaced_before = self.spaced_after = self.newline_before = False
        self.partner = None

    def __repr__(self):
        return self.text

    @property
    def is_binary(self):
        return self.kind == "operator" and self.spaced_before and self.spaced_after


class SourceFault(Exception):
    """A source that the tokenizer does not understand."""


def string_end(text, start):
    """The end of the string literal that begins at `start`, whose interpolations may contain strings."""
    found = RAW.match(text, start)
    hashes, quote = found.group(1), found.group(2)
    at = found.end()
    closing, escape = quote + hashes, "\\" + hashes
    while at < len(text):
        if text.startswith(closing, at):
            return at + len(closing)
        if text.startswith(escape + "(", at):
            at = interpolation_end(text, at + len(escape) + 1)
        elif text.startswith(escape, at):
            at += len(escape) + 1
        elif text[at] == "\n" and quote == '"':
            raise SourceFault(f"a string is not closed in its line, at {start}")
        else:
            at += 1
    raise SourceFault(f"a string is not closed, at {start}")


def interpolation_end(text, at):
    depth = 1
    while at < len(text):
        if RAW.match(text, at):
            at = string_end(text, at)
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return at
    raise SourceFault("an interpolation is not closed")


def comment_end(text, at):
    if text.startswith("//", at):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    depth, at = 1, at + 2
    while depth:
        found = re.compile(r"/\*|\*/").search(text, at)
        if not found:
            raise SourceFault("a comment is not closed")
        depth += 1 if found.group() == "/*" else -1
        at = found.end()
    return at


def tokens(text):
    """The tokens of a source, with their brackets matched. Comments are left out."""
    found, at, space, newline = [], 0, True, True
    while at < len(text):
        character = text[at]
        if character.isspace():
            space, newline, at = True, newline or character == "\n", at + 1
            continue
        if text.startswith(("//", "/*"), at):
            at, space = comment_end(text, at), True
            continue
        if text.startswith("#/", at):
            raise SourceFault("a regular expression literal")
        if RAW.match(text, at):
            kind, end = "string", string_end(text, at)
        elif word := WORD.match(text, at):
            kind, end = "word", word.end()
        elif character in OPERATOR:
            kind, end = "operator", at + 1
            while end < len(text) and text[end] in OPERATOR and not text.startswith(("//", "/*"), end):
                # A dot is a part of an operator only if the operator begins with one (`...`, `..<`).
                if text[end] == "." and character != ".":
                    break
                # `?` and `!` after a word belong to it, and what follows them is another token.
                if character in "?!" and not space:
                    break
                end += 1
        else:
            kind, end = "mark", at + 1
        token = Token(kind, text[at:end], at, end)
        token.spaced_before, token.newline_before = space, newline
        if found:
            found[-1].spaced_after = space
        found.append(token)
        at, space, newline = end, False, False
    if found:
        found[-1].spaced_after = True
    split_angles(found)
    match(found)
    return found


def split_angles(found):
    """Makes marks of the angle brackets of generic arguments: `<` without a space after a word, up to its `>`."""
    at = 0
    while at < len(found):
        token = found[at]
        opens = token.kind == "operator" and token.text == "<" and not token.spaced_before and not token.spaced_after
        if opens and at and found[at - 1].kind == "word":
            depth, end = 1, at + 1
            while end < len(found) and depth:
                other = found[end]
                if other.kind == "operator" and not other.is_binary:
                    if other.text == "<":
                        depth += 1
                    elif other.text.startswith(">"):
                        pieces = [Token("operator", piece, other.start + index, other.start + index + 1)
                                  for index, piece in enumerate(other.text)]
                        pieces[0].spaced_before, pieces[0].newline_before = other.spaced_before, other.newline_before
                        pieces[-1].spaced_after = other.spaced_after
                        found[end:end + 1] = pieces
                        depth -= 1
                elif other.text in ("{", "}", ";"):
                    break
                end += 1
            if depth == 0:
                token.kind = found[end - 1].kind = "mark"
        at += 1


def match(found):
    stack = []
    for index, token in enumerate(found):
        if token.kind != "mark":
            continue
        if token.text in OPENING:
            stack.append(index)
        elif token.text in OPENING.values():
            if not stack or OPENING[found[stack[-1]].text] != token.text:
                raise SourceFault(f"a bracket has no partner, at {token.start}")
            opening = stack.pop()
            token.partner, found[opening].partner = opening, index
    if stack:
        raise SourceFault(f"a bracket has no partner, at {found[stack[-1]].start}")


def level(found, start, end):
    """The indices from `start` to `end` that are not nested in a bracket. Both brackets of a group are among them."""
    at = start
    while at < end:
        yield at
        token = found[at]
        if token.partner is not None and token.partner > at:
            at = token.partner
            if at >= end:
                return
            yield at
        at += 1
