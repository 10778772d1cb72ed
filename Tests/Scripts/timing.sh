#!/bin/sh
# timing.sh [SAMPLES]: tests by Welch's t (dudect) whether the time of a rejection depends on its cause. A result without a
# failure is written to Tests/Security/Timing/RESULT.md; |t| of 4.5 and more fails, as does a deliberate leak that is not found.
set -eu
cd "$(dirname "$0")/../.."
samples=${1:-2000000}
place=.build/timing
swift build --package-path Tests/Security/Timing --scratch-path "$place" -c release
status=0
"$place/release/timing" "$samples" >"$place/table.md" || status=$?
cat "$place/table.md"
[ "$status" -eq 0 ] || exit "$status"
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
{
    echo "# The last result"
    echo
    echo "\`make timing\` of $(date -u +%Y-%m-%d): ${cpu:-$(uname -m)}, $(uname -s), $(openssl version | cut -d ' ' -f 1,2), release build, one core, shared with other work. What the rows are: [README](README.md)."
    echo
    cat "$place/table.md"
} >Tests/Security/Timing/RESULT.md
