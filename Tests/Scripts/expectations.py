#!/usr/bin/env python3
"""Compares the tests of two revisions: which test became which, and how many expectations each has.

Usage: expectations.py OLD [NEW]    (NEW: a revision; without it, the files of the working tree)

Prints every test whose name, file or number of expectations differs, as `old -> new`, then the sums. A test is found again by its function
in the file that git takes for the renamed one, then by its name, then by the text of its body. Expectations are `#expect`, `#require` and
`Issue.record` in the body; an expectation within a helper function counts where the helper stands ("outside tests").
"""
import difflib
import re
import subprocess
import sys

TEST = re.compile(r"@Test\b")
EXPECTATION = re.compile(r"#expect\b|#require\b|Issue\.record\(")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def files(revision):
    names = git("ls-tree", "-r", "--name-only", revision, "Tests") if revision else git("ls-files", "-co", "--exclude-standard", "Tests")
    return [name for name in names.splitlines() if name.endswith(".swift")]


def text(revision, path):
    if revision:
        return git("show", f"{revision}:{path}")
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def without_strings(source):
    """The source with the contents of string literals and comments blanked, of equal length."""
    pattern = re.compile(r'#"[\s\S]*?"#|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|//[^\n]*')
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def block(blank, start):
    """The index after the block that begins at the first brace from `start`."""
    at = blank.index("{", start)
    depth = 0
    while at < len(blank):
        depth += {"{": 1, "}": -1}.get(blank[at], 0)
        at += 1
        if depth == 0:
            return at
    return at


def tests(source):
    """(function, name, expectations, body) of each test, and the number of expectations elsewhere."""
    blank = without_strings(source)
    total = len(EXPECTATION.findall(blank))
    found = []
    for match in TEST.finditer(blank):
        function = re.compile(r"\bfunc\s+(`[^`]+`|\w+)").search(blank, match.end())
        if not function:
            continue
        start = function.end()
        depth = 0
        for index in range(start, len(blank)):
            depth += {"(": 1, ")": -1}.get(blank[index], 0)
            if depth == 0 and blank[index] == ")":
                start = index
                break
        end = block(blank, start)
        title = STRING.search(source[match.end() : function.start()])
        name = title.group(1) if title and source[match.end() :].lstrip().startswith("(") else function.group(1)
        count = len(EXPECTATION.findall(blank[start:end]))
        found.append((function.group(1), name, count, " ".join(source[start:end].split())))
    return found, total - sum(test[2] for test in found)


def load(revision):
    everything, outside = {}, 0
    for path in files(revision):
        found, others = tests(text(revision, path))
        outside += others
        for function, name, count, body in found:
            everything.setdefault((path, function), []).append((name, count, body))
    return {(path, function, number): test for (path, function), all in everything.items() for number, test in enumerate(all)}, outside


def renames(old, new):
    lines = git("diff", "-M40%", "--name-status", old, *([new] if new else []), "--", "Tests").splitlines()
    return dict(line.split("\t")[1:3] for line in lines if line.startswith("R"))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.split("\n\n")[1])
    old, new = sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None
    (before, outside_before), (after, outside_after) = load(old), load(new)
    moved = renames(old, new)
    left = dict(after)
    pairs, lost = [], []
    for key, test in before.items():
        target = (moved.get(key[0], key[0]), key[1], key[2])
        if target in left:
            pairs.append((key, test, target, left.pop(target)))
        else:
            lost.append((key, test))
    for same in (lambda a, b: a[0] == b[0], lambda a, b: difflib.SequenceMatcher(None, a[2], b[2]).quick_ratio() > 0.8 and difflib.SequenceMatcher(None, a[2], b[2]).ratio() > 0.6):
        for key, test in list(lost):
            target = next((candidate for candidate, other in left.items() if same(test, other)), None)
            if target:
                pairs.append((key, test, target, left.pop(target)))
                lost.remove((key, test))
    for key, test, target, other in pairs:
        if (key[0], test[0], test[1]) != (target[0], other[0], other[1]):
            print(f"{key[0]}: {test[0]} [{test[1]}]\n    -> {target[0]}: {other[0]} [{other[1]}]")
    for key, test in lost:
        print(f"removed: {key[0]}: {test[0]} [{test[1]}]")
    for key, test in left.items():
        print(f"added: {key[0]}: {test[0]} [{test[1]}]")
    fewer = [(key, test, other) for key, test, _, other in pairs if other[1] < test[1]]
    for key, test, other in fewer:
        print(f"fewer expectations: {key[0]}: {test[0]}: {test[1]} -> {other[1]}")
    count = lambda all: sum(test[1] for test in all.values())
    print(
        f"tests {len(before)} -> {len(after)} ({len(lost)} removed, {len(left)} added); expectations in tests {count(before)} -> "
        f"{count(after)} ({sum(test[1] for _, test in lost)} in removed tests, {sum(test[1] for test in left.values())} in added ones, "
        f"{sum(test[1] - other[1] for _, test, other in fewer)} fewer in tests that stayed), outside tests {outside_before} -> {outside_after}"
    )


if __name__ == "__main__":
    main()
