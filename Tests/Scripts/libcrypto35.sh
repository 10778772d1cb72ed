#!/bin/sh
# libcrypto35.sh: installs a libcrypto with ML-DSA (3.5 or later) in .build/mldsa/lib, for the library path of single
# runs. It comes from a PyPI wheel. If it is not available, the script fails under CI, and otherwise prints a message.
set -eu
cd "$(dirname "$0")/../.."
wheel='psycopg-binary==3.3.*'
place=.build/mldsa
[ "$(cat "$place/ready" 2>/dev/null)" != "$wheel" ] || exit 0
rm -rf "$place"
mkdir -p "$place/lib"
# Debian's python3 has no pip; the virtual environment of the peers has.
python=.build/peers/bin/python3
sh Tests/Scripts/peers.sh || python=python3
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$place" "$wheel" &&
    "$python" - "$place" <<'END' || { rm -rf "$place"; echo "No libcrypto with ML-DSA could be had." >&2; [ -z "${CI:-}" ] || exit 1; exit 0; }
import glob, sys, zipfile
place = sys.argv[1]
with zipfile.ZipFile(glob.glob(place + "/*.whl")[0]) as wheel:
    [name] = [name for name in wheel.namelist() if "/libcrypto-" in name]
    with open(place + "/lib/libcrypto.so.3", "wb") as library:
        library.write(wheel.read(name))
END
echo "$wheel" >"$place/ready"
