#!/bin/sh
# unaccelerated.sh [--all]: the Swift tests of a build without the package trait Accelerated, in a build folder of its own. libcrypto and
# libsodium alone verify in it. The tests of the core run; with --all every suite runs, with the known attacks and Wycheproof's vectors,
# unless they cannot be fetched, which is said.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
. Tests/Scripts/reported.sh
BULLA_TRAITS='--traits HTTP,Zip,Redis,SAML,Server' && export BULLA_TRAITS
scratch='--scratch-path .build/unaccelerated'
if [ "${1:-}" = --all ]; then
    if [ -z "${BULLA_WYCHEPROOF:-}" ]; then
        if sh Tests/Scripts/wycheproof.sh --fetch; then
            BULLA_WYCHEPROOF=$PWD/.build/wycheproof && export BULLA_WYCHEPROOF
        else
            unset BULLA_WYCHEPROOF
            echo "Wycheproof's vectors could not be fetched: their test will say that it is skipped." >&2
        fi
    fi
    exec sh Tests/Scripts/suites.sh $scratch
fi
BULLA_TESTS='JOSECryptoTests JOSETests JOSETokensTests' && export BULLA_TESTS
swift_build --build-tests $BULLA_TRAITS $quick $scratch
reported swift test $BULLA_TRAITS $quick --disable-xctest --skip-build $scratch \
    --filter '(JOSECryptoTests|JOSETests)\.|JOSETokensTests\.(Batch|Coalescing|RequestCoalescer)'
