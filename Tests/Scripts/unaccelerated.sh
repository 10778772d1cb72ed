#!/bin/sh
# unaccelerated.sh [--all]: the Swift tests of a build without the package trait Accelerated, in a build folder of its own. libcrypto and
# libsodium alone verify in it. Tests of cryptography, JOSE, batches and known attacks run, and Wycheproof's vectors where they were fetched
# before; with --all every suite runs.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
. Tests/Scripts/reported.sh
BULLA_TRAITS='--traits HTTP,Zip,Redis,SAML,Server' && export BULLA_TRAITS
scratch='--scratch-path .build/unaccelerated'
if [ "${1:-}" = --all ]; then exec sh Tests/Scripts/suites.sh $scratch; fi
vectors=${BULLA_WYCHEPROOF:-$PWD/.build/wycheproof}
if [ -d "$vectors" ]; then BULLA_WYCHEPROOF=$vectors && export BULLA_WYCHEPROOF; fi
BULLA_TESTS='JOSECryptoTests JOSETests JOSEThreatTests WycheproofTests JOSETokensTests' && export BULLA_TESTS
swift_build --build-tests $BULLA_TRAITS $optimized $scratch
# Two tests of JOSEThreatTests start programs that this build leaves out. They run in `make test`.
reported swift test $BULLA_TRAITS $optimized --disable-xctest --skip-build $scratch \
    --skip 'WorkThreats/linearWork|NetworkThreats/systemCalls' \
    --filter '(JOSECryptoTests|JOSETests|JOSEThreatTests|WycheproofTests)\.|JOSETokensTests\.(Batch|Coalescing|RequestCoalescer)'
