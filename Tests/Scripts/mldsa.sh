#!/bin/sh
# mldsa.sh: runs the tests of ML-DSA with a libcrypto that supports it, by the library path of this run only. The tests
# must have been built.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
place=.build/mldsa
sh Tests/Scripts/libcrypto35.sh
[ -d "$place/lib" ] || exit 0
echo "The tests of ML-DSA, with the libcrypto of $(cat $place/ready):"
LD_LIBRARY_PATH="$PWD/$place/lib" BULLA_NEEDS_MLDSA=1 swift test --skip-build --ignore-lock $debug --disable-xctest \
    --filter 'MLDSATests|JWSTests|RFCTokenTests|RFCKeyTests|KeysSelectionTests|SharedKeyTests|RoundTripTests|SignatureForgeryTests|SignatureThreats|PeerTests/signatures' 2>&1 |
    tee .build/mldsa.log | grep -E '^[^A-Za-z]*(Test run|Suite) |✘|error:' || true
grep -q 'Test run with .* passed' .build/mldsa.log
sh Tests/Scripts/skips.sh .build/mldsa.log
