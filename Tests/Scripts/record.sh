#!/bin/sh
# record.sh TARGET: runs a make target that takes too long for CI, and writes its date, revision, processor, duration and result into
# the table of Tests/LONG-RUNS.md. A target that fails leaves the table as it is.
set -eu
cd "$(dirname "$0")/../.."
target=${1:?"usage: record.sh TARGET"}
table=Tests/LONG-RUNS.md
grep -q "^| \`make $target\` |" "$table" || {
    echo "$table has no row for make $target." >&2
    exit 2
}
[ -z "$(git status --porcelain -- Sources CShims Package.swift)" ] || {
    echo "The sources differ from the last commit, which the table would name." >&2
    exit 2
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 1' INT TERM HUP
begun=$(date +%s)
{ make "$target" 2>&1 && echo ok >"$log.outcome" || echo failed >"$log.outcome"; } | tee "$log"
outcome=$(cat "$log.outcome")
rm -f "$log.outcome"
[ "$outcome" = ok ] || exit 1
python3 -B - "$table" "$target" "$(($(date +%s) - begun))" "$log" <<'PYTHON'
import datetime
import re
import subprocess
import sys

table, target, seconds, log = sys.argv[1:]
with open(log, encoding="utf-8", errors="replace") as file:
    lines = [re.sub(r"\x1b\[[0-9;]*m|\|", " ", line).strip() for line in file if line.strip() and not line.startswith("make[")]
processor = "unknown"
try:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        first = file.read().split("\n\n")[0]
    about = dict(re.split(r"\s*:\s*", line, maxsplit=1) for line in first.split("\n") if ":" in line)
    # Families tell generations apart whose names are the same: 25 is AMD's Zen 3 and 4, 26 is Zen 5.
    processor = f"{about['model name']}, family {about['cpu family']}, model {about['model']}"
except (OSError, KeyError):
    pass
revision = subprocess.run(["git", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
cells = [datetime.date.today().isoformat(), f"`{revision}`", processor, f"{seconds} s", lines[-1][:120] if lines else "no output"]
with open(table, encoding="utf-8") as file:
    rows = file.read().split("\n")
for index, row in enumerate(rows):
    if row.startswith(f"| `make {target}` |"):
        rows[index] = "| ".join(row.split("| ")[:3]) + "| " + " | ".join(cells) + " |"
with open(table, "w", encoding="utf-8") as file:
    file.write("\n".join(rows))
PYTHON
