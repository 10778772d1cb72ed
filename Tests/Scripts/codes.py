"""codes.py [--rows]: compares the error codes of the sources with the table of the article Error codes.

The sources are the files `*+Code.swift` below Sources, in which each case of a switch has its code in the same line. Each row of
Sources/Core/JOSETokens/JOSETokens.docc/ErrorCodes.md is `| code | errors | meaning | retryable | action |`. A code or an error that only
one of the two has fails, and so does a public error type without a code. --rows prints the first two columns as the sources have them.
"""
import glob
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TABLE = "Sources/Core/JOSETokens/JOSETokens.docc/ErrorCodes.md"
EXTENSION = re.compile(r"^\s*(?:public )?extension ([\w.]+)")
# One case or several, then the code. A case that wraps another error has no code of its own.
CASE = re.compile(r"^\s*case ((?:\.\w+(?:\([^)]*\))?(?:, )?)+): \"([a-z0-9_]+)\"$")
FALLBACK = re.compile(r"\?\? \"([a-z0-9_]+)\"")
ERROR_TYPE = re.compile(r"^\s*(?:@\w+ )?public (?:enum|struct|final class) (\w+)\s*:[^{]*\bError\b", re.MULTILINE)
ROW = re.compile(r"^\| `([a-z0-9_]+)` \| ([^|]*) \| ([^|]+) \| (yes|no|depends) \| ([^|]+) \|$")


def codes_of(text):
    """The codes in the text of a source, each with the errors that have it, such as `JOSEError.keyNotFound`."""
    found, name = {}, None
    for line in text.splitlines():
        extension = EXTENSION.match(line)
        name = extension[1] if extension else name
        match = CASE.match(line)
        if match:
            for case in re.findall(r"\.(\w+)", re.sub(r"\([^)]*\)", "", match[1])):
                found.setdefault(match[2], set()).add(f"{name}.{case}")
        elif FALLBACK.search(line):
            found.setdefault(FALLBACK.search(line)[1], set()).add(name)
        elif re.match(r"^\s*case\b.*[:,]$", line):
            raise ValueError(f"{name}: the code is not in the line of its case: {line.strip()}")
    return found


def named(text):
    """The types that the text gives a code."""
    return {part.split(".")[-1] for part in re.findall(r"extension ([\w.]+) \{[^}]*?public var code: String", text)}


def of_sources(root=ROOT):
    """All codes of the sources, and the complaints about types without one."""
    found, with_code, errors = {}, set(), {}
    for path in sorted(glob.glob(f"{glob.escape(root)}/Sources/**/*.swift", recursive=True)):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith("+Code.swift"):
            with_code |= named(text)
            for code, cases in codes_of(text).items():
                found.setdefault(code, set()).update(cases)
        for name in ERROR_TYPE.findall(text):
            errors[name] = os.path.relpath(path, root)
    return found, [f"{errors[name]}: {name} is a public error without a code" for name in sorted(set(errors) - with_code)]


def of_table(text, complaints):
    """The codes of the table, each with its errors."""
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
            found[row[1]] = set(re.findall(r"`([^`]+)`", row[2]))
    return found


def compare(sources, table):
    """What one of the two has and the other has not."""
    complaints = [f"{code} is not in {TABLE}: {', '.join(sorted(sources[code]))}" for code in sorted(set(sources) - set(table))]
    complaints += [f"{code} of {TABLE} is in no source" for code in sorted(set(table) - set(sources))]
    for code in sorted(set(sources) & set(table)):
        complaints += [f"{code}: {each} is not in its row of {TABLE}" for each in sorted(sources[code] - table[code])]
        complaints += [f"{code}: {each} of {TABLE} has another code or none" for each in sorted(table[code] - sources[code])]
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
    source = 'extension AError {\n    public var code: String {\n        switch self {\n        case .a: "a"\n        case .b(let e): e.code\n' \
             '        case .c, .d(1): "c"\n        case .e(.one): e.first ?? "other"\n        }\n    }\n}\n'
    sources = codes_of(source)
    assert sources == {"a": {"AError.a"}, "c": {"AError.c", "AError.d"}, "other": {"AError"}}, sources
    try:
        codes_of('extension AError {\n        case .a,\n            .b: "a"\n')
        raise AssertionError("a case of two lines was read")
    except ValueError:
        pass
    assert named(source) == {"AError"} and named("extension B {\n    var b: Int\n}\n") == set()
    assert ERROR_TYPE.findall("@nonexhaustive public enum AError: Error, Sendable {\npublic struct B: Sendable {") == ["AError"]
    complaints = []
    table = of_table("| `a` | `AError.a` | An a. | no | Mend it. |\n| `c` | `AError.c`, `AError.d` | C. | yes | Retry. |\n"
                     "| `other` | `AError` | O. | depends | Look. |\n", complaints)
    assert not complaints and compare(sources, table) == []
    assert len(compare(sources, table | {"z": set()})) == 1
    assert len(compare(sources | {"y": {"AError.y"}}, table)) == 1
    assert len(compare(sources, table | {"c": {"AError.c"}})) == 1
    assert len(compare(sources, table | {"c": {"AError.c", "AError.d", "AError.e"}})) == 1
    of_table("| `a` | `AError.a` | An a. | perhaps | Mend it. |\n", complaints)
    assert len(complaints) == 1


def main(arguments):
    control()
    if arguments == ["--rows"]:
        for code, cases in sorted(of_sources()[0].items()):
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
