#!/bin/sh
# unaccelerated.sh [--all]: the Swift tests of a build without the package trait Accelerated, in a build folder of its own. libcrypto and
# libsodium alone verify in it. Tests of cryptography, JOSE, batches and known attacks run, and Wycheproof's vectors unless they cannot be
# fetched, which is said; with --all every suite runs.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
. Tests/Scripts/reported.sh
BULLA_TRAITS='--traits HTTP,Zip,Redis,SAML,Server' && export BULLA_TRAITS
scratch='--scratch-path .build/unaccelerated'
if [ -z "${BULLA_WYCHEPROOF:-}" ]; then
    if sh Tests/Scripts/wycheproof.sh --fetch; then
        BULLA_WYCHEPROOF=$PWD/.build/wycheproof && export BULLA_WYCHEPROOF
    else
        unset BULLA_WYCHEPROOF
        echo "Wycheproof's vectors could not be fetched: their test will say that it is skipped." >&2
    fi
fi
if [ "${1:-}" = --all ]; then exec sh Tests/Scripts/suites.sh $scratch; fi
BULLA_TESTS='JOSECryptoTests JOSETests JOSEThreatTests WycheproofTests JOSETokensTests' && export BULLA_TESTS
swift_build --build-tests $BULLA_TRAITS $optimized $scratch
# Two tests of JOSEThreatTests start programs that this build leaves out. They run in `make test`.
log=.build/unaccelerated.log
{
    reported swift test $BULLA_TRAITS $optimized --disable-xctest --skip-build $scratch \
        --skip 'WorkThreats/linearWork|NetworkThreats/systemCalls' \
        --filter '(JOSECryptoTests|JOSETests|JOSEThreatTests|WycheproofTests)\.|JOSETokensTests\.(Batch|Coalescing|RequestCoalescer)' &&
        echo ok >.build/unaccelerated.outcome || echo failed >.build/unaccelerated.outcome
} | tee "$log"
[ "$(cat .build/unaccelerated.outcome)" = ok ]
# Tests of the code that this build lacks are skipped as well, so that the vectors alone are looked for.
if [ -z "${BULLA_WYCHEPROOF:-}" ]; then
    grep -a 'BULLA_WYCHEPROOF" skipped' "$log" >.build/unaccelerated.skipped
    sh Tests/Scripts/skips.sh .build/unaccelerated.skipped
fi
