"""Compares our public top-level names with those of packages that services import beside Bulla.

names.py --list REPOSITORY GIT_FOLDER REVISION [PATH...]: prints the public top-level types of the Swift sources beneath these paths of a
    git folder (Sources, where none is given), with the commit in the head. Tests/Interface/names/*.txt are such lists.
names.py --check FOLDER: fails if a public top-level name of the modules in FOLDER, which has their symbol graphs, is in one of the
    lists and not in Tests/Interface/names/allowed.txt, or if a line there is of no use. A line is `NAME | reason`.

Names are read from the sources without a compiler: comments and strings are skipped, braces are counted, all branches of #if are read.
"""
import glob
import json
import os
import re
import subprocess
import sys

LISTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Interface", "names")
NOT_NAMES = {"swift.extension", "swift.module"}

KINDS = "struct|class|enum|protocol|actor|typealias|macro"
MODIFIERS = "public|open|package|internal|fileprivate|private|final|indirect|nonisolated|distributed|unsafe|dynamic"
DECLARATION = re.compile(rf"(?<![\w@.`])((?:(?:@[\w.]+(?:\([^()]*\))?|(?:{MODIFIERS})(?:\(\w+\))?)\s+)+)(?:{KINDS})\s+`?(\w+)`?")
# Beginnings of comments, strings and directives, and characters that change the depth.
MARK = re.compile(r'//|/\*|#*"""|#*"|#(?=/)|[{}]|^[ \t]*#(?:if|elseif|else|endif)\b', re.M)


class Unbalanced(Exception):
    """The braces of a file do not match: it was misread."""


def end_of_comment(text, start):
    """Returns the end of the comment that begins at start; comments may be nested."""
    depth, place = 0, start
    for found in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if found.group() == "/*" else -1
        place = found.end()
        if depth == 0:
            break
    return place


def end_of_string(text, start, quote):
    """Returns the end of the string that begins at start with this quote; an interpolation may contain strings."""
    hashes = quote.count("#")
    if hashes and quote.endswith('"""') and '"' + "#" * hashes in text[start + hashes + 2:end_of_line(text, start)]:
        # The string ends on its line, so that only its first quote begins it: #""""# is a string of two quotes.
        quote = quote[:-2]
    close, escape = quote.strip("#") + "#" * hashes, "\\" + "#" * hashes
    place = start + len(quote)
    while place < len(text):
        if text.startswith(close, place):
            return place + len(close)
        if text.startswith(escape + "(", place):
            place = end_of_interpolation(text, place + len(escape) + 1)
        elif text.startswith(escape, place):
            place += len(escape) + 1
        else:
            place += 1
    raise Unbalanced


def end_of_interpolation(text, place):
    depth = 1
    while depth:
        found = re.compile(r'[()]|#*"""|#*"|/\*').search(text, place)
        if not found:
            raise Unbalanced
        mark, place = found.group(), found.end()
        if mark == "/*":
            place = end_of_comment(text, found.start())
        elif mark.endswith('"'):
            place = end_of_string(text, found.start(), mark)
        else:
            depth += 1 if mark == "(" else -1
    return place


def end_of_line(text, place):
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def outermost(text):
    """Returns the text at nesting level 0, without comments and strings."""
    kept, depth, place, branches = [], 0, 0, []
    while found := MARK.search(text, place):
        mark = found.group().strip()
        if depth == 0:
            kept.append(text[place:found.start()])
        place = found.end()
        if mark == "//":
            place = end_of_line(text, place)
        elif mark == "/*":
            place = end_of_comment(text, found.start())
        elif mark.endswith('"'):
            place = end_of_string(text, found.start(), mark)
        elif mark == "#":
            # A regular expression with hashes is expected to end on its line.
            place = text.find("/#", place + 1) + 2
        elif mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            kept.append("\n")
            if depth < 0:
                raise Unbalanced
        else:
            # Each branch begins at the depth of the first, and the text after #endif continues at that of the last.
            if mark == "#if":
                branches.append(depth)
            elif not branches:
                raise Unbalanced
            elif mark == "#endif":
                branches.pop()
            else:
                depth = branches[-1]
            place = end_of_line(text, place)
            kept.append("\n")
    if depth:
        raise Unbalanced
    return "".join(kept + [text[place:]])


def public_types(text):
    """Returns the names of the public types that a source file declares outside extensions."""
    return {name for head, name in DECLARATION.findall(outermost(text))
            if re.search(r"\b(?:public|open)\s", head) and "@_spi" not in head}


def git(folder, *arguments):
    return subprocess.run(["git", "--git-dir", folder, *arguments], check=True, capture_output=True).stdout.decode("utf-8")


def listing(repository, folder, revision, paths):
    """Returns the text of a list."""
    commit, date = git(folder, "log", "-1", "--format=%H %cs", revision).split()
    names = set()
    for path in git(folder, "ls-tree", "-r", "--name-only", "-z", commit, "--", *paths).split("\0"):
        if path.endswith(".swift"):
            try:
                names |= public_types(git(folder, "show", f"{commit}:{path}"))
            except Unbalanced:
                sys.exit(f"{path}: the braces do not match, so that its names are unknown")
    if not names:
        sys.exit(f"{repository}: no public type was found")
    head = [f"# The public top-level types of {repository}: names alone, none of its code.",
            f"# Commit {commit} of {date}", f"# Made by Tests/Scripts/names.py --list from {', '.join(paths)}"]
    return "".join(f"{line}\n" for line in head + sorted(names))


def lines(path):
    """Returns the lines of a file that are not comments."""
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def our_names(folder):
    """Returns the public top-level names in these symbol graphs, each with its modules."""
    found = {}
    for path in sorted(glob.glob(f"{glob.escape(folder)}/*/*.symbols.json")):
        with open(path, encoding="utf-8") as file:
            graph = json.load(file)
        for symbol in graph["symbols"]:
            if len(symbol["pathComponents"]) == 1 and symbol["kind"]["identifier"] not in NOT_NAMES:
                # The path of a function or a macro includes its arguments.
                found.setdefault(symbol["pathComponents"][0].split("(")[0], set()).add(graph["module"]["name"])
    return found


def their_names(lists):
    """Returns the names in the lists, each with its packages."""
    found = {}
    for path in sorted(glob.glob(f"{glob.escape(lists)}/*.txt")):
        package = os.path.basename(path).removesuffix(".txt")
        for name in lines(path) if package != "allowed" else []:
            found.setdefault(name, []).append(package)
    return found


def allowed_names(lists, complaints):
    """Returns the names of allowed.txt; a line without a reason and a duplicate name are complaints."""
    found = set()
    for line in lines(f"{lists}/allowed.txt"):
        name, _, reason = (part.strip() for part in line.partition("|"))
        if not reason:
            complaints.append(f"{name}: Tests/Interface/names/allowed.txt gives no reason for it")
        if name in found:
            complaints.append(f"{name}: Tests/Interface/names/allowed.txt has it twice")
        found.add(name)
    return found


def check(folder, lists=LISTS):
    """Returns the complaints, one line each."""
    complaints = []
    ours, theirs, allowed = our_names(folder), their_names(lists), allowed_names(lists, complaints)
    if not ours or not theirs:
        return complaints + [f"there are {len(ours)} names of ours and {len(theirs)} of others to compare"]
    for name in sorted(set(ours) & set(theirs) - allowed):
        complaints.append(f"{name} of {', '.join(sorted(ours[name]))} is a public name of {', '.join(theirs[name])} too: rename it, or "
                          "give the reason in Tests/Interface/names/allowed.txt")
    for name in sorted(allowed - (set(ours) & set(theirs))):
        complaints.append(f"{name}: Tests/Interface/names/allowed.txt names it, and it equals no other package's name: delete that line")
    if not complaints:
        waiting = sum(line.endswith("| to be renamed") for line in lines(f"{lists}/allowed.txt"))
        print(f"Of {len(ours)} public top-level names, {len(allowed)} equal one of another package: {len(allowed) - waiting} for the reason "
              f"given, {waiting} to be renamed.")
    return complaints


def main(arguments):
    if len(arguments) >= 4 and arguments[0] == "--list":
        sys.stdout.write(listing(*arguments[1:4], arguments[4:] or ["Sources"]))
    elif len(arguments) == 2 and arguments[0] == "--check":
        complaints = check(arguments[1])
        if complaints:
            sys.exit("\n".join(complaints))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
