#!/bin/sh
# The Swift tests under AddressSanitizer, with our C under UndefinedBehaviorSanitizer, in a build folder of their own.
set -eu
cd "$(dirname "$0")/../.."
# A crash is reported by the sanitizer; Swift's own backtracer beside it can hang.
export SWIFT_BACKTRACE=enable=no
# valgrind, which counts the instructions of parsers, runs no program that was built for the sanitizer.
# What a key leaves in memory cannot be seen here, nor how much memory a cache takes: the sanitizer keeps what was freed and copies of
# the stack, and surrounds each allocation with bytes of its own.
# Leaks are not looked for in the tests: a key in a static enum is reached by a pointer whose spare bits Swift uses,
# which the sanitizer takes for lost.
ASAN_OPTIONS=detect_leaks=0 sh Tests/Scripts/suites.sh --skip "KeysMemoryTests|TokenCacheMemoryTests|WorkThreats/linearWork" \
    --sanitize=address -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined --scratch-path .build/sanitize
# They are in the command, where nothing is static: keys, issue, nested verification on all cores, refusals.
.build/sanitize/debug/bulla demo --count 5000 --quiet && echo "No leak."
