#!/bin/sh
# sanitize.sh [--short]: runs the Swift tests under AddressSanitizer, with the C code under UndefinedBehaviorSanitizer, in its own build
# folder. Its short form, a step of .ci/run, has the targets that call C code of this package, and the known attacks. The sandbox and the
# command, which call some for their HTTP server and for certificates of tests, and the search for leaks are in the long form, a part of
# `make nightly`.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
skip='KeysMemoryTests|TokenCacheMemoryTests|CompressionTests/memory|WorkThreats/linearWork'
if [ "${1:-}" = --short ]; then
    BULLA_TESTS='JOSESupportTests JOSECryptoTests JOSETests JOSEStoreTests JOSEThreatTests JOSEFetchTests JOSEFaultTests fuzz'
    BULLA_TESTS="$BULLA_TESTS JOSERedisTests JOSEDigiDTests" && export BULLA_TESTS
    # It starts the command.
    skip="$skip|NetworkThreats/systemCalls"
fi
# The sanitizer reports crashes. Swift's backtracer can hang under it.
export SWIFT_BACKTRACE=enable=no
# valgrind, which counts the instructions of parsers, cannot run a program that was built for the sanitizer.
# Tests of wiped memory, and of the memory of caches and of a decompression, do not work here: the sanitizer keeps freed memory and
# copies of the stack, and adds bytes to each allocation.
# Of the logins in a browser, which take minutes, the long form runs a few: one by a query, one by a form, and one by SAML on DigiD's pages.
# Leaks are not searched for in the tests: a key in a static enum is referenced by a pointer whose spare bits Swift uses,
# which the sanitizer reports as a leak.
BULLA_BROWSER_LOGINS="openid mitid digid-web-saml4" ASAN_OPTIONS=detect_leaks=0 \
    BULLA_SKIP=$skip sh Tests/Scripts/suites.sh \
    ${address_sanitizer#"$debug"}
[ "${1:-}" != --short ] || exit 0
# They are searched for in the demo, which has no static keys: keys, issuing, nested verification on all cores, rejections.
.build/sanitize/debug/JOSEDemo 5000 && echo "No leak."
