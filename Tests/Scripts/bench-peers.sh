#!/bin/sh
# bench-peers.sh [OPTION...]: benchmarks of Bulla and other libraries, into .build/bench-peers; --help lists the options.
# With BULLA_PACKAGES set, a folder of git repositories, Swift libraries of others are built from it. With README set as well, the tables
# and the chart in the repository are written.
set -eu
cd "$(dirname "$0")/../.."
export SWIFT_DETERMINISTIC_HASHING=1 # flags.sh says why
place=.build/bench-peers
if [ -n "${BULLA_PACKAGES:-}" ]; then . Tests/Scripts/packages.sh; fi
sh Tests/Scripts/install.sh peers
[ -x "$place/venv/bin/python3" ] || python3 -m venv "$place/venv"
package="-c release --package-path Benchmarks --scratch-path .build/benchmarks --product bench"
swift build $package >&2
exec "$place/venv/bin/python3" -B Benchmarks/Peers/bench_peers.py --out "$PWD/$place" --bench "$(swift build $package --show-bin-path)/bench" \
    ${README:+--readme} "$@"
