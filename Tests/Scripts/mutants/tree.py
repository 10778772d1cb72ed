"""The mutated copy of the tree: every mutant in one build."""
import bisect
import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from . import rules, tokens

# Mutant.swift has room for this many.
MOST_NUMBERS = 40_000
HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Layout:
    """A package: where it is, the modules to mutate (folders), the lowest module, which paths count as policy code, and the folder for
    what is built, if it is not below `.build`."""

    root: str
    modules: tuple
    lowest: str
    policy: tuple = ()
    folder: str = ""

    @property
    def scratch(self):
        return self.folder or os.path.join(self.root, ".build", "mutants")

    @property
    def tree(self):
        return os.path.join(self.scratch, "tree")

    def file(self, name):
        return os.path.join(self.scratch, name)

    @property
    def lowest_module(self):
        return os.path.basename(self.lowest)

    def module(self, path):
        return next(module for module in self.modules if path.startswith(module + "/"))

    def is_policy(self, path):
        return any(re.search(pattern, path) for pattern in self.policy)


def listed(root):
    """The files of the tree that git knows or would add."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "."], cwd=root, check=True,
                           capture_output=True, text=True).stdout.split("\0")
    return sorted({name for name in names if name and os.path.isfile(os.path.join(root, name))})


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    """Writes a file whose text changed. The time of others stays, so that they are not compiled again."""
    if os.path.isfile(path) and read(path) == text:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def key(mutant, count):
    """Names a mutant by its text, so that it keeps its name where other code changes or a file is moved."""
    name = f"{mutant.kind}|{mutant.exit}|{mutant.text}|{count}"
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def find(layout, names, wants):
    """All mutants of the modules that `wants` accepts."""
    found, counts, keys = [], {}, set()
    for name in names:
        if not name.endswith(".swift") or not any(name.startswith(module + "/") for module in layout.modules):
            continue
        text = read(os.path.join(layout.root, name))
        source = hashlib.sha256(text.encode()).hexdigest()[:8]
        try:
            mutants = rules.find(text)
        except tokens.SourceFault as fault:
            raise SystemExit(f"{name}: {fault}") from fault
        for mutant in mutants:
            mutant.path, mutant.source = name, source
            same = (mutant.kind, mutant.exit, mutant.text)
            counts[same] = counts.get(same, 0) + 1
            mutant.key = key(mutant, counts[same])
            if wants(mutant):
                found.append(mutant)
    for mutant in found:
        while mutant.key in keys:
            mutant.key += "+"
        keys.add(mutant.key)
    return found


def number(layout, mutants):
    """Gives each mutant the number that it had before, and new numbers to new ones, so that unchanged sources are not compiled again."""
    path = layout.file("numbers.json")
    numbers = json.loads(read(path)) if os.path.exists(path) else {}
    if max(numbers.values(), default=0) > MOST_NUMBERS - len(mutants):
        numbers = {}
    following = max(numbers.values(), default=0)
    for mutant in mutants:
        if mutant.key not in numbers:
            following += 1
            numbers[mutant.key] = following
        mutant.number = numbers[mutant.key]
    write(path, json.dumps(numbers))


def mutated(layout, name, mutants):
    """The text of a source with its mutants, and where each is in it. The import is on the first line, so that lines keep their numbers."""
    text = read(os.path.join(layout.root, name))
    result, spans = rules.rewrite(text, mutants)
    module = layout.lowest_module
    if not re.search(rf"^\s*(?:\w+\s+)?import {module}\b", text, re.M):
        prefix = f"internal import {module}; "
        result = prefix + result
        spans = {number: (start + len(prefix), end + len(prefix)) for number, (start, end) in spans.items()}
    return result, spans


def without_warnings_as_errors(manifest):
    return re.sub(r",?\s*\.treatAllWarnings\(as: \.error\)", "", manifest)


class MutatedTree:
    """The copy below the scratch folder. `dropped` has the mutants that do not compile, by key, with the compiler's error."""

    def __init__(self, layout, wants):
        self.layout, self.names = layout, listed(layout.root)
        self.dropped = {}
        if os.path.exists(layout.file("dropped.json")):
            self.dropped = json.loads(read(layout.file("dropped.json")))
        self.all = find(layout, self.names, wants)
        number(layout, self.all)
        self.spans = {}

    @property
    def mutants(self):
        return [mutant for mutant in self.all if mutant.key not in self.dropped]

    def drop(self, mutant, message):
        self.dropped[mutant.key] = message
        write(self.layout.file("dropped.json"), json.dumps(self.dropped, indent=1))

    def write(self):
        """Brings the copy up to date."""
        tree = self.layout.tree
        self.by_path = {}
        for mutant in self.mutants:
            self.by_path.setdefault(mutant.path, []).append(mutant)
        for name in self.names:
            target = os.path.join(tree, name)
            if name in self.by_path:
                text, spans = mutated(self.layout, name, self.by_path[name])
                self.spans[name] = (text, spans)
                write(target, text)
            elif name == "Package.swift":
                write(target, without_warnings_as_errors(read(os.path.join(self.layout.root, name))))
            else:
                self.copy(os.path.join(self.layout.root, name), target)
        switch = os.path.join(self.layout.lowest, "Mutant.swift")
        code = re.sub(r"^ *///.*\n", "", read(os.path.join(HERE, "Mutant.swift")), flags=re.M)
        write(os.path.join(tree, switch), code)
        self.remove_others(set(self.names) | {switch})

    @staticmethod
    def copy(source, target):
        if os.path.isfile(target) and not os.path.islink(source):
            with open(source, "rb") as one, open(target, "rb") as other:
                if one.read() == other.read():
                    return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.lexists(target):
            os.remove(target)
        shutil.copy(source, target, follow_symlinks=False)

    def remove_others(self, kept):
        for folder, _, files in os.walk(self.layout.tree):
            for file in files:
                path = os.path.join(folder, file)
                if os.path.relpath(path, self.layout.tree) not in kept:
                    os.remove(path)

    def at(self, name, line, column):
        """The mutants at a place of a mutated source, the innermost first. The column counts bytes, as the compiler does."""
        if name not in self.spans:
            return []
        text, spans = self.spans[name]
        starts = [0] + [found.end() for found in re.finditer("\n", text)]
        start, end = starts[line - 1], (starts + [len(text)])[line]
        offset = start + len(text[start:end].encode()[:column - 1].decode(errors="ignore"))
        by_number = {mutant.number: mutant for mutant in self.by_path[name]}
        exact = sorted((last - first, number) for number, (first, last) in spans.items() if first <= offset <= last)
        if exact:
            return [by_number[number] for _, number in exact]
        lines = lambda place: bisect.bisect_right(starts, place)
        around = sorted((last - first, number) for number, (first, last) in spans.items() if lines(first) <= line <= lines(last))
        return [by_number[number] for _, number in around]

    def cases_after(self, name, line):
        """The first mutated case of a switch that begins at this line."""
        later = [mutant for mutant in self.by_path.get(name, []) if mutant.kind == "case" and mutant.line >= line]
        return later[:1]
