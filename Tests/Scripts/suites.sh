#!/bin/sh
# suites.sh [OPTION...]: the Swift tests, with these options of `swift test` besides.
#
# Those that wait for servers and clocks run by themselves, a target at a time: tests that run tools hold threads for as long as
# those take, and a machine of two cores has no others.
set -eu
cd "$(dirname "$0")/../.."
waiting='JOSEKeySetsTests JOSEFetchTests JOSEFaultTests'
all=$(echo "$waiting" | tr ' ' '|')
swift test --enable-all-traits --disable-xctest "$@" --skip "$all"
for target in $waiting; do
    swift test --enable-all-traits --disable-xctest "$@" --skip-build --filter "$target"
done
