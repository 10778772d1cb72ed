#!/bin/sh
# lint.sh: the format, strictly. lint.sh --mend: puts the sources in that format.
set -eu
cd "$(dirname "$0")/../.."
sources="Package.swift Sources Tests"
if [ -d Benchmarks ]; then sources="$sources Benchmarks/Package.swift Benchmarks/Sources"; fi
case ${1:-} in
    --mend) swift format format --in-place --recursive --parallel $sources ;;
    *) swift format lint --recursive --strict --parallel $sources && echo "The format holds." ;;
esac
