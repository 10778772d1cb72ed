#!/bin/sh
# skips.sh LOG: lists the tests that a run skipped. Under CI each must be in Tests/skips.txt with its reason.
set -eu
cd "$(dirname "$0")/../.."
skipped=$(sed -E -n 's/^[^A-Za-z]*(Suite|Test) (".*"|[^ "]+) (skipped|was cancelled).*/\2/p' "$1" | sort -u)
[ -n "$skipped" ] || exit 0
echo "$skipped" | {
    refused=0
    while IFS= read -r name; do
        if grep -qF -- "$name | " Tests/skips.txt; then
            echo "SKIPPED, as Tests/skips.txt allows: $name"
        else
            echo "SKIPPED: $name"
            refused=1
        fi
    done
    [ -z "${CI:-}" ] || exit "$refused"
}
