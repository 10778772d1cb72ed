#!/bin/sh
# lint.sh: checks the format, strictly, and the prose of comments, documents and test names (prose.py).
# lint.sh --mend: applies the format.
set -eu
cd "$(dirname "$0")/../.."
sources="Package.swift Sources Tests"
if [ -d Benchmarks ]; then sources="$sources Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Peers/swift"; fi
if [ -d Examples ]; then sources="$sources $(find Examples -name .build -prune -o -name '*.swift' -print)"; fi
case ${1:-} in
    --mend) swift format format --in-place --recursive --parallel $sources ;;
    *)
        swift format lint --recursive --strict --parallel $sources
        echo "The format is right."
        python3 -B Tests/Scripts/test_prose.py
        python3 -B Tests/Scripts/prose.py
        ;;
esac
