"""documented.py FOLDER MODULE...: fails for public symbols of these modules' symbol graphs that have no doc comment, and for
public top-level types that no topic page of their module's catalogue lists.

Exempt is what stands in no source file (the compiler's own ==, hash(into:), init(rawValue:)), and what inherits the
documentation of a protocol that it fulfils (description, customMirror).
"""
import glob
import json
import os
import re
import sys

NOT_DECLARED = {"swift.extension", "swift.module"}
TYPES = {f"swift.{kind}" for kind in ("struct", "class", "actor", "enum", "protocol", "typealias")}
TOPIC = re.compile(r"^- ``(\w+)``$", re.MULTILINE)


def is_ours(symbol):
    """Returns whether the symbol was declared in a source, and not by the compiler."""
    return ("location" in symbol and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
            and symbol["accessLevel"] in ("public", "open") and symbol["kind"]["identifier"] not in NOT_DECLARED)


def is_documented(symbol):
    return any(line["text"].strip() for line in symbol.get("docComment", {}).get("lines", []))


def topics(text):
    """The symbols that the section Topics of a page lists."""
    return set(TOPIC.findall(text.partition("\n## Topics\n")[2]))


def unlisted(symbols, pages):
    """The top-level types that no page lists."""
    listed = set().union(*map(topics, pages))
    return [symbol for symbol in symbols if symbol["kind"]["identifier"] in TYPES
            and len(symbol["pathComponents"]) == 1 and symbol["pathComponents"][0] not in listed]


def place(symbol):
    location = symbol["location"]
    path = location["uri"].removeprefix("file://")
    return f"{os.path.relpath(path)}:{location['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])}"


def control():
    """Checks that the check finds a missing comment and an unlisted type."""
    symbol = {"location": {}, "identifier": {"precise": "s:x"}, "accessLevel": "public",
              "kind": {"identifier": "swift.method"}}
    assert is_ours(symbol) and not is_documented(symbol)
    assert not is_documented(symbol | {"docComment": {"lines": [{"text": " "}]}})
    assert is_documented(symbol | {"docComment": {"lines": [{"text": "Why."}]}})
    assert not is_ours(symbol | {"identifier": {"precise": "s:x::SYNTHESIZED::s:y"}})
    types = [symbol | {"kind": {"identifier": "swift.struct"}, "pathComponents": path} for path in (["A"], ["B"], ["B", "C"])]
    assert unlisted(types, ["- ``B``\n\n## Topics\n\n- ``A``\n"]) == [types[1]]
    assert unlisted(types, ["\n## Topics\n\n- ``A``\n", "\n## Topics\n\n- ``B``\n"]) == []


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(folder, modules):
    control()
    listed = re.findall(r"^ +- (JOSE\w*)$", read(".spi.yml"), re.MULTILINE)
    if sorted(listed) != sorted(modules):
        sys.exit(f".spi.yml lists {sorted(listed)}, and the documentation is that of {sorted(modules)}")
    missing, absent = [], []
    for module in modules:
        symbols = []
        for path in glob.glob(f"{folder}/{module}/*.symbols.json"):
            symbols += [symbol for symbol in json.loads(read(path))["symbols"] if is_ours(symbol)]
        if not symbols:
            sys.exit(f"{module}: no public symbol was found")
        without = [symbol for symbol in symbols if not is_documented(symbol)]
        missing += without
        absent += unlisted(symbols, map(read, glob.glob(f"Sources/*/{module}/{module}.docc/*.md")))
        print(f"{module}: {len(symbols)} public symbols, {len(symbols) - len(without)} documented")
    for symbol in missing:
        print(f"no doc comment: {place(symbol)}")
    for symbol in absent:
        print(f"on no topic page: {place(symbol)}")
    if missing or absent:
        sys.exit(1)


main(sys.argv[1], sys.argv[2:])
