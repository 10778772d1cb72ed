#!/bin/sh
# login-demo.sh: starts `bulla-sandbox serve` and `bulla-sandbox demo-login`, prints how to reach them, and ends both
# when it is interrupted.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
swift_build $debug --product bulla-sandbox
program=$(swift_build $debug --show-bin-path)/bulla-sandbox
place=$(mktemp -d)
mkdir "$place/shared"
sandbox=
trap 'if [ -n "$sandbox" ]; then kill "$sandbox" 2>/dev/null || true; fi; rm -rf "$place"' EXIT
trap 'exit 0' INT TERM

"$program" serve --dir "$place/shared" >"$place/told" &
sandbox=$!
until [ -s "$place/told" ]; do
    kill -0 "$sandbox" 2>/dev/null || exit 2
    sleep 0.1
done
service=$(sed -n 's/^service //p' "$place/told")
rules=$(sed -n 's/^browser //p' "$place/told")
authority=$place/shared/ca.pem
echo "$service"
echo "trust in the browser: $authority"
echo "start the browser with: $rules"
# The browser has a profile of its own, which trusts the sandbox's authority and is deleted with the folder.
if command -v certutil >/dev/null 2>&1; then
    database=sql:$place/home/.pki/nssdb
    mkdir -p "$place/home/.pki/nssdb"
    certutil -N --empty-password -d "$database"
    certutil -A -d "$database" -t C,, -n sandbox -i "$authority"
    echo "or, in another terminal: HOME=$place/home chromium $rules $service"
fi
"$program" demo-login --dir "$place/shared"
