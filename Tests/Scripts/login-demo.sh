#!/bin/sh
# login-demo.sh: starts `bulla sandbox` and `bulla demo-login`, prints how to reach them, and ends both when it is interrupted.
set -eu
cd "$(dirname "$0")/../.."
swift build --enable-all-traits --product bulla
bulla=$(swift build --enable-all-traits --show-bin-path)/bulla
place=$(mktemp -d)
sandbox=
trap 'if [ -n "$sandbox" ]; then kill "$sandbox" 2>/dev/null || true; fi; rm -rf "$place"' EXIT
trap 'exit 0' INT TERM

"$bulla" sandbox --dir "$place" >"$place/told" &
sandbox=$!
until [ -s "$place/told" ]; do
    kill -0 "$sandbox" 2>/dev/null || exit 2
    sleep 0.1
done
sed -n 's/^service //p; s/^authority /trust in the browser: /p; s/^browser /start the browser with: /p' "$place/told"
"$bulla" demo-login --dir "$place"
