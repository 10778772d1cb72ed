"""codes.py [--rows]: compares the error codes of the sources with the table of the article Error codes.

The sources are the functions `row` of the types below Sources that are an `ErrorTable`, and those that return a tuple with a code. Each case
of their switch is one row: `row("code", text, remedy: …, retryable: …)`, `row(prefix, of: …)` with the code of the error that the case
wraps, or `("code", …)`. Each row of Sources/Core/JOSETokens/JOSETokens.docc/ErrorCodes.md is `| code | errors | meaning | retryable | action |`.
A code or an error that only one of the two has fails, and so do a public error type without a code, and a value of "retryable" that is not
that of the rows. --rows prints the first two columns as the sources have them.
"""
import glob
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TABLE = "Sources/Core/JOSETokens/JOSETokens.docc/ErrorCodes.md"
EXTENSION = re.compile(r"^ *(?:public )?extension ([\w.]+)([^{]*)\{", re.MULTILINE)
# The body of a function or property with rows: a function of an ErrorTable, or one that returns tuples.
ROWS = re.compile(r"^( +)(?:\w+ )?(?:func|var) row\b([^{}\n]*)\{\n(.*?)\n\1\}$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r'(?:row)?\(\s*"([a-z0-9_]+)",\s*(?!remedy:)')
# The code of an error that lists others, and has none of them.
FALLBACK = re.compile(r"\.first\?[\w.]*\.code \?\? \"([a-z0-9_]+)\"")
# A row without a code of its own: that of another error.
WRAPPED = re.compile(r"row\((?:\"[^\"]*\", )?of: |(?:row)?\(\s*[\w.?]+\.code\b")
ERROR_TYPE = re.compile(r"^\s*(?:@\w+ )?public (?:enum|struct|final class) (\w+)\s*:[^{]*\b(?:Coded)?Error\b", re.MULTILINE)
ROW = re.compile(r"^\| `([a-z0-9_]+)` \| ([^|]*) \| ([^|]+) \| (yes|no|depends) \| ([^|]+) \|$")


def patterns(text):
    """The rows of a switch: the names of the cases of each, and what follows the colon."""
    for piece in re.split(r"^ *case (?=\.)", text, flags=re.MULTILINE)[1:]:
        # The colon that ends the patterns is not in parentheses.
        head = re.match(r"(?:\([^()]*\)|[^():])*:\s", piece)
        if not head:
            raise ValueError(f"no row: {piece.strip()}")
        names = re.sub(r"\([^)]*\)", "", head[0].split(" where ")[0])
        yield re.findall(r"\.(\w+)", names), piece[head.end():].strip()


def retryable_of(row):
    """Whether the row may be retried: "yes", "no", or None where it depends on a value."""
    value = re.search(r"\bretryable: ([^,]*?)\)$", row)
    if row.startswith("row("):
        return {"true": "yes", "false": "no"}.get(value[1]) if value else "no"
    action = re.search(r", ([^,]*)\)$", row)[1]
    return "yes" if action == ".retry" else "no" if re.match(r"[.\"]", action) else None


def codes_of(text):
    """The codes in the text of a source: each with the errors that have it, such as `JOSEError.keyNotFound`, and with the values of
    "retryable"."""
    found, extensions = {}, list(EXTENSION.finditer(text))

    def add(code, errors, value):
        found.setdefault(code, (set(), set()))[0].update(errors)
        found[code][1].add(value)

    for match in ROWS.finditer(text):
        name, header = next(((each[1], each[2]) for each in reversed(extensions) if each.start() < match.start()), ("", ""))
        if "ErrorTable" not in header and "(code: String" not in match[2]:
            continue
        for cases, row in patterns(match[3] + "\n"):
            code = CODE.match(row)
            if code:
                add(code[1], {f"{name}.{case}" for case in cases}, retryable_of(row.rstrip("} \n")))
            elif not WRAPPED.match(row):
                raise ValueError(f"{name}.{cases[0]}: a row begins with its code, or with that of another error: {row}")
    for match in FALLBACK.finditer(text):
        add(match[1], {[each[1] for each in extensions if each.start() < match.start()][-1]}, "no")
    return found


def named(text):
    """The types that the text gives a code."""
    names = [each[1] for each in EXTENSION.finditer(text) if "ErrorTable" in each[2]]
    names += re.findall(r"extension ([\w.]+) \{[^}]*?public var code: String", text)
    return {name.split(".")[-1] for name in names}


def of_sources(root=ROOT):
    """All codes of the sources, and the complaints about types without one."""
    found, with_code, errors = {}, set(), {}
    for path in sorted(glob.glob(f"{glob.escape(root)}/Sources/**/*.swift", recursive=True)):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with_code |= named(text)
        for code, (cases, values) in codes_of(text).items():
            errors_of, values_of = found.setdefault(code, (set(), set()))
            errors_of.update(cases)
            values_of.update(values)
        for name in ERROR_TYPE.findall(text):
            errors[name] = os.path.relpath(path, root)
    return found, [f"{errors[name]}: {name} is a public error without a code" for name in sorted(set(errors) - with_code)]


def of_table(text, complaints):
    """The codes of the table, each with its errors and the value of "retryable"."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("| `"):
            continue
        row = ROW.match(line)
        if not row:
            complaints.append(f"{TABLE}: not | `code` | `Error.case`, ... | meaning | yes, no or depends | action |: {line}")
        elif row[1] in found:
            complaints.append(f"{TABLE}: {row[1]} has two rows")
        else:
            found[row[1]] = (set(re.findall(r"`([^`]+)`", row[2])), row[4])
    return found


def compare(sources, table):
    """What one of the two has and the other has not."""
    complaints = [f"{code} is not in {TABLE}: {', '.join(sorted(sources[code][0]))}" for code in sorted(set(sources) - set(table))]
    complaints += [f"{code} of {TABLE} is in no source" for code in sorted(set(table) - set(sources))]
    for code in sorted(set(sources) & set(table)):
        (errors, values), (listed, retryable) = sources[code], table[code]
        complaints += [f"{code}: {each} is not in its row of {TABLE}" for each in sorted(errors - listed)]
        complaints += [f"{code}: {each} of {TABLE} has another code or none" for each in sorted(listed - errors)]
        known = values - {None}
        # A row whose value depends on another one allows each value that the other rows of the code do not exclude.
        if None in values and len(known) < 2 and (retryable in known or retryable == "depends" or not known):
            continue
        if retryable != (known.pop() if len(known) == 1 and None not in values else "depends"):
            complaints.append(f"{code}: retryable is {retryable} in {TABLE}, and not in the sources")
    return complaints


def check(root=ROOT):
    """The complaints, and the number of codes."""
    sources, complaints = of_sources(root)
    with open(os.path.join(root, TABLE), encoding="utf-8") as file:
        table = of_table(file.read(), complaints)
    if not sources:
        complaints.append("no code was found in the sources")
    return complaints + compare(sources, table), len(table)


def control():
    """The comparison finds what it looks for."""
    source = '''extension AError: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .a: row("a", "an a: not b", remedy: "mend it")
        case .b(let error, _): row("b: ", of: error)
        case .c where self == .d(1), .d:
            row(
                "c", "a c",
                remedy: "retry", retryable: true)
        case .e(let all): row(all.first?.code ?? "other", "an e", remedy: "look")
        case .f(let number): row("f", "an f", remedy: "look", retryable: number > 1)
        }
    }

    var other: Bool { switch self { case .a: true } }
}

extension ADetail: ErrorDetail {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell { row("failed", remedy: "look") }
}

extension AReason {
    private func row() -> (code: String, action: Action) {
        switch self {
        case .g: ("c", .retry)
        case .h(let error): (error.code, .investigate)
        case .i: ("i", .investigate)
        }
    }
}
'''
    sources = codes_of(source)
    assert sources == {
        "a": ({"AError.a"}, {"no"}), "c": ({"AError.c", "AReason.g"}, {"yes"}), "other": ({"AError"}, {"no"}),
        "f": ({"AError.f"}, {None}), "i": ({"AReason.i"}, {"no"})}, sources
    try:
        codes_of(source.replace('"a", "an a: not b"', '"an a"'))
        raise AssertionError("a row without a code was read")
    except ValueError:
        pass
    assert named(source + "extension B {\n    public var code: String { c }\n}\n") == {"AError", "B"}
    assert ERROR_TYPE.findall("@nonexhaustive public enum AError: CodedError, Sendable {\npublic struct B: Sendable {") == ["AError"]
    complaints = []
    table = of_table("| `a` | `AError.a` | An a. | no | Mend it. |\n| `c` | `AError.c`, `AReason.g` | C. | yes | Retry. |\n"
                     "| `other` | `AError` | O. | no | Look. |\n| `f` | `AError.f` | F. | depends | Look. |\n"
                     "| `i` | `AReason.i` | I. | no | Look. |\n", complaints)
    assert not complaints and compare(sources, table) == [], compare(sources, table)
    assert len(compare(sources, table | {"z": (set(), "no")})) == 1
    assert len(compare(sources | {"y": ({"AError.y"}, {"no"})}, table)) == 1
    assert len(compare(sources, table | {"c": ({"AError.c"}, "yes")})) == 1
    assert len(compare(sources, table | {"a": ({"AError.a", "AError.e"}, "no")})) == 1
    assert len(compare(sources, table | {"a": ({"AError.a"}, "yes")})) == 1
    assert len(compare(sources, table | {"c": ({"AError.c", "AReason.g"}, "depends")})) == 1
    of_table("| `a` | `AError.a` | An a. | perhaps | Mend it. |\n", complaints)
    assert len(complaints) == 1


def main(arguments):
    control()
    if arguments == ["--rows"]:
        for code, (cases, _) in sorted(of_sources()[0].items()):
            print(f"| `{code}` | {', '.join(f'`{each}`' for each in sorted(cases))} |")
    elif arguments:
        sys.exit(__doc__)
    else:
        complaints, count = check()
        if complaints:
            sys.exit("\n".join(complaints))
        print(f"The table of error codes has all {count} codes of the sources.")


if __name__ == "__main__":
    main(sys.argv[1:])
