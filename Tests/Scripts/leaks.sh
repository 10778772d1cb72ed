#!/bin/sh
# leaks.sh LOG: checks that tests print no token, and no national number from the tests of logins and the sandbox.
set -eu
# A JWS or JWE begins with a JSON object in base64url; 111222333 and the other numbers have valid check digits.
pattern='eyJ[A-Za-z0-9_-]{16,}\.|(^|[^0-9])(111222333|123456782|2902881234|8507300[0-9]{4}|30078599[0-9]{2}|99900[0-9]{4})([^0-9]|$)'
for planted in 'token eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.e30.c2ln' 'number s00000000:111222333'; do
    echo "$planted" | grep -qE "$pattern" || { echo "The search does not find: $planted" >&2; exit 1; }
done
if grep -nE "$pattern" "$1"; then
    echo "The lines above show a token or a person's number." >&2
    exit 1
fi
