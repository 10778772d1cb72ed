#!/bin/sh
# All tests, with one build: the Swift ones (with the peers of other languages), the examples, and the calls of a developer's first hour.
# `make test-consumers` has packages that depend on this one, which need builds of their own.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
sh Tests/Scripts/install.sh test
sh Tests/Scripts/peers.sh || echo "The Python peers could not be had: their tests will say SKIPPED." >&2

mkdir -p .build
log=.build/test.log
# There are no XCTest cases; leaving its runner out keeps a line about zero tests off the end.
{
    BULLA_BESIDE=Tests/Scripts/programs.sh sh Tests/Scripts/suites.sh 2>&1 && echo ok >.build/test.outcome || echo failed >.build/test.outcome
    sh Tests/Scripts/examples.sh 2>&1 || echo failed >.build/test.outcome
} | tee "$log"
sh Tests/Scripts/skips.sh "$log"
sh Tests/Scripts/leaks.sh "$log"
[ "$(cat .build/test.outcome)" = ok ]
