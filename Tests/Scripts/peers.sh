#!/bin/sh
# peers.sh: creates the virtual environment of the Python peers in .build/peers, once for each version of requirements.txt.
# peers.sh --ready: reports by its exit status whether the environment is ready.
set -eu
cd "$(dirname "$0")/../.."
place=.build/peers
if cmp -s Tests/Interop/Peers/requirements.txt "$place/ready" && "$place/bin/python3" -c '' 2>/dev/null; then exit 0; fi
[ "${1:-}" != --ready ] || exit 1

rm -rf "$place"
mkdir -p .build
python3 -m venv "$place"
"$place/bin/python3" -m pip install --quiet --disable-pip-version-check --requirement Tests/Interop/Peers/requirements.txt
# Without this file the tests are skipped.
cp Tests/Interop/Peers/requirements.txt "$place/ready"
