#!/bin/sh
# sanitize.sh [--short]: runs the Swift tests under AddressSanitizer, with the C code under UndefinedBehaviorSanitizer, in its own build
# folder. Its short form, a step of .ci/run, leaves out the tests of JOSEKeySets, JOSERelyingParty, JOSEAppLinks, the sandbox and the
# command, and Wycheproof's vectors. Of these modules, only the sandbox and the command call C code of this package, for their HTTP server
# and for certificates of tests.
set -eu
cd "$(dirname "$0")/../.."
if [ "${1:-}" = --short ]; then
    BULLA_TESTS='JOSEBytesTests JOSECryptoTests JOSETests JOSEStoreTests JOSETokensTests JOSEThreatTests JOSEFetchTests JOSEFaultTests'
    # Some tests start the command, and so does the search for leaks below.
    BULLA_TESTS="$BULLA_TESTS JOSERedisTests JOSESAMLTests JOSECommand" && export BULLA_TESTS
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
    BULLA_SKIP="KeysMemoryTests|TokenCacheMemoryTests|CompressionTests/memory|WorkThreats/linearWork" sh Tests/Scripts/suites.sh \
    --sanitize=address -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined --scratch-path .build/sanitize
# They are searched for in the command, which has no static keys: keys, issuing, nested verification on all cores, rejections.
.build/sanitize/debug/bulla demo --count 5000 --quiet && echo "No leak."
