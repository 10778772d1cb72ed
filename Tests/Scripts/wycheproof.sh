#!/bin/sh
# wycheproof.sh [--fetch]: runs the vectors of C2SP's Wycheproof for JOSE and its primitives. BULLA_WYCHEPROOF is the path of their
# folder; without it the vectors of one commit are fetched into .build/wycheproof, and with --fetch that is all. ML-DSA runs with a
# libcrypto that supports it.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
commit=dac1dd4729fd1f8dd9e1e9f3dce51d783da6c166
if [ -z "${BULLA_WYCHEPROOF:-}" ]; then
    BULLA_WYCHEPROOF=$PWD/.build/wycheproof
    if [ "$(cat "$BULLA_WYCHEPROOF/ready" 2>/dev/null)" != "$commit" ]; then
        rm -rf "$BULLA_WYCHEPROOF"
        git init --quiet "$BULLA_WYCHEPROOF"
        # A network that does not answer is no reason to wait for minutes.
        bound=
        if command -v timeout >/dev/null; then bound="timeout 90"; fi
        $bound git -C "$BULLA_WYCHEPROOF" -c http.lowSpeedLimit=1000 -c http.lowSpeedTime=30 fetch --quiet --depth 1 \
            https://github.com/C2SP/wycheproof "$commit"
        git -C "$BULLA_WYCHEPROOF" archive --output ../wycheproof.tar FETCH_HEAD testvectors_v1
        tar -x -f .build/wycheproof.tar -C "$BULLA_WYCHEPROOF"
        rm -rf .build/wycheproof.tar "$BULLA_WYCHEPROOF/.git"
        echo "$commit" >"$BULLA_WYCHEPROOF/ready"
    fi
fi
if [ "${1:-}" = --fetch ]; then exit 0; fi
export BULLA_WYCHEPROOF

swift_build --build-tests $debug
run() { # run <what>
    log=.build/wycheproof.log
    swift test $debug --disable-xctest --skip-build --filter WycheproofTests >"$log" 2>&1 || {
        cat "$log"
        exit 1
    }
    # A directory with another name must not be taken for it.
    grep -q 'Test run with [1-9].* passed' "$log"
    echo "$1: $(sed -n 's/^Wycheproof: //p' "$log")"
}
run "With $(openssl version | cut -d ' ' -f 1,2)"
library=$PWD/.build/mldsa/lib
if [ -e "$library/libcrypto.so.3" ]; then
    LD_LIBRARY_PATH=$library BULLA_NEEDS_MLDSA=1
    export LD_LIBRARY_PATH BULLA_NEEDS_MLDSA
    run "With ML-DSA"
else
    echo "SKIPPED: ML-DSA. Tests/Scripts/mldsa.sh, a part of make test, fetches a libcrypto that has it."
fi
