"""documented.py FOLDER MODULE...: fails for public symbols of these modules' symbol graphs that have no doc comment.

Exempt is what stands in no source file (the compiler's own ==, hash(into:), init(rawValue:)), and what inherits the
documentation of a protocol that it fulfils (description, customMirror).
"""
import glob
import json
import os
import sys

NOT_DECLARED = {"swift.extension", "swift.module"}


def is_ours(symbol):
    """Returns whether the symbol was declared in a source, and not by the compiler."""
    return ("location" in symbol and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
            and symbol["accessLevel"] in ("public", "open") and symbol["kind"]["identifier"] not in NOT_DECLARED)


def is_documented(symbol):
    return any(line["text"].strip() for line in symbol.get("docComment", {}).get("lines", []))


def place(symbol):
    location = symbol["location"]
    path = location["uri"].removeprefix("file://")
    return f"{os.path.relpath(path)}:{location['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])}"


def control():
    """Checks that the check finds a missing comment."""
    symbol = {"location": {}, "identifier": {"precise": "s:x"}, "accessLevel": "public",
              "kind": {"identifier": "swift.method"}}
    assert is_ours(symbol) and not is_documented(symbol)
    assert not is_documented(symbol | {"docComment": {"lines": [{"text": " "}]}})
    assert is_documented(symbol | {"docComment": {"lines": [{"text": "Why."}]}})
    assert not is_ours(symbol | {"identifier": {"precise": "s:x::SYNTHESIZED::s:y"}})


def main(folder, modules):
    control()
    missing = []
    for module in modules:
        symbols = []
        for path in glob.glob(f"{folder}/{module}/*.symbols.json"):
            with open(path, encoding="utf-8") as file:
                symbols += [symbol for symbol in json.load(file)["symbols"] if is_ours(symbol)]
        if not symbols:
            sys.exit(f"{module}: no public symbol was found")
        without = [symbol for symbol in symbols if not is_documented(symbol)]
        missing += without
        print(f"{module}: {len(symbols)} public symbols, {len(symbols) - len(without)} documented")
    for symbol in missing:
        print(f"no doc comment: {place(symbol)}")
    if missing:
        sys.exit(1)


main(sys.argv[1], sys.argv[2:])
