#!/bin/sh
# mldsa.sh: runs the tests of ML-DSA with a libcrypto that has it, 3.5 or later. It comes from a PyPI wheel, into
# .build/mldsa, and is on the library path of this one run alone. The tests are built already.
set -eu
cd "$(dirname "$0")/../.."
wheel='psycopg-binary==3.3.*'
place=.build/mldsa
if [ "$(cat "$place/ready" 2>/dev/null)" != "$wheel" ]; then
    rm -rf "$place"
    mkdir -p "$place/lib"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$place" "$wheel" &&
        python3 - "$place" <<'END' || { echo "No libcrypto with ML-DSA could be had." >&2; [ -z "${CI:-}" ] || exit 1; exit 0; }
import glob, sys, zipfile
place = sys.argv[1]
with zipfile.ZipFile(glob.glob(place + "/*.whl")[0]) as wheel:
    [name] = [name for name in wheel.namelist() if "/libcrypto-" in name]
    with open(place + "/lib/libcrypto.so.3", "wb") as library:
        library.write(wheel.read(name))
END
    echo "$wheel" >"$place/ready"
fi
echo "The tests of ML-DSA, with the libcrypto of $wheel:"
LD_LIBRARY_PATH="$PWD/$place/lib" BULLA_NEEDS_MLDSA=1 swift test --skip-build --enable-all-traits --disable-xctest \
    --filter 'MLDSATests|JWSTests|RFCTokenTests|RFCKeyTests|KeysSelectionTests|SharedKeyTests|RoundTripTests|SignatureForgeryTests|SignatureThreats|PeerJwcryptoTests' 2>&1 |
    tee .build/mldsa.log | grep -E '^[^A-Za-z]*(Test run|Suite) |✘|error:' || true
grep -q 'Test run with .* passed' .build/mldsa.log
sh Tests/Scripts/skips.sh .build/mldsa.log
