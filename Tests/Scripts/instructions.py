"""instructions.py --base FILE... --head FILE... [--markdown FILE] [--all] [--strict]

Compares the instruction counts of two revisions. Each FILE is what `bench --write-instructions --instructions-file FILE` writes: the
machine, and for each row the instructions that one call takes beyond the raw call's. Several files of one side are repeated counts.

A row has changed if the ranges of both sides are further apart than 2 % of the base's count, and than 60 instructions: counts vary a
little with the random numbers in keys and signatures. The rows that are slower come first.

--markdown FILE  also writes the table there, as Markdown
--all            lists the rows that have not changed, too
--strict         exits with status 1 if a row takes more instructions

Exit status: 0, 1 as above, and 2 for files that cannot be read, or that were counted on different machines.
"""
import argparse
import json
import statistics
import sys

LEAST = 60
SHARE = 0.02
WORDS = {"slower": "more instructions", "faster": "fewer instructions", "new": "new", "gone": "removed", "same": "not changed"}
HEAD = ("operation", "base", "now", "difference", "")


def read(paths):
    """Returns the machine and, for each row, the list of its counts."""
    machines, rows = set(), {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            counts = json.load(file)
        machines.add(counts["machine"])
        for name, count in counts["rows"].items():
            rows.setdefault(name, []).append(count)
    if len(machines) != 1:
        raise ValueError("counted on different machines: " + "; ".join(sorted(machines)))
    return machines.pop(), rows


def middle(counts):
    return round(statistics.median(counts))


def verdict(base, head):
    """Returns how a row has changed: a key of WORDS."""
    if not base or not head:
        return "new" if head else "gone"
    slack = max(LEAST, SHARE * abs(middle(base)))
    if min(head) - max(base) > slack:
        return "slower"
    return "faster" if min(base) - max(head) > slack else "same"


def compare(base, head):
    """Returns a list of (verdict, name, count at the base, count now), the slower rows first."""
    found = []
    for name in sorted(base.keys() | head.keys()):
        before, now = base.get(name, []), head.get(name, [])
        found.append((verdict(before, now), name, middle(before) if before else None, middle(now) if now else None))
    order = list(WORDS)
    return sorted(found, key=lambda row: order.index(row[0]))


def cells(row):
    kind, name, before, now = row
    difference = ""
    if before is not None and now is not None:
        difference = f"{now - before:+d}" + (f" ({100 * (now - before) / abs(before):+.1f} %)" if before else "")
    return (name, "–" if before is None else str(before), "–" if now is None else str(now), difference, WORDS[kind])


def summary(machine, rows, files):
    counts = {kind: sum(row[0] == kind for row in rows) for kind in WORDS}
    told = ", ".join(f"{counts[kind]} {WORDS[kind]}" for kind in WORDS if counts[kind])
    return f"{len(rows)} rows: {told}. Counted on {machine}; {files[0]} counts of the base and {files[1]} of this revision."


def text(rows):
    lines = [HEAD] + [cells(row) for row in rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def markdown(rows):
    lines = ["| " + " | ".join(HEAD) + " |", "|---|--:|--:|--:|---|"]
    # A vertical bar would end the cell.
    return "\n".join(lines + ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells(row)) + " |" for row in rows])


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", nargs="+", required=True)
    parser.add_argument("--head", nargs="+", required=True)
    parser.add_argument("--markdown")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args(arguments)
    try:
        machine, base = read(options.base)
        other, head = read(options.head)
        if machine != other:
            raise ValueError(f"counted on different machines: {machine}; {other}")
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        print(f"instructions.py: {error}", file=sys.stderr)
        return 2
    rows = compare(base, head)
    told = summary(machine, rows, (len(options.base), len(options.head)))
    shown = [row for row in rows if options.all or row[0] != "same"]
    if shown:
        print(text(shown) + "\n")
    print(told)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("## Instructions a call, beyond the raw call's\n\n" + told + "\n")
            if shown:
                file.write("\n" + markdown(shown) + "\n")
    return 1 if options.strict and any(row[0] == "slower" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
