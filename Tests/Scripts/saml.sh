#!/bin/sh
# saml.sh [COUNT]: measures the parsing of a SAML response and the completion of a login, and compares them with xmlsec's own calls.
set -eu
cd "$(dirname "$0")/../.."
export SWIFT_DETERMINISTIC_HASHING=1 # flags.sh says why
. Tests/Scripts/flags.sh
build="$fortified swift build -c release --product SAMLReader --enable-all-traits $hardened"
$build
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' INT TERM HUP
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=saml -days 2 -keyout "$place/key.pem" -out "$place/certificate.pem" 2>/dev/null
"$($build --show-bin-path)/SAMLReader" "$place/key.pem" "$place/certificate.pem" time "${1:-2000}"
