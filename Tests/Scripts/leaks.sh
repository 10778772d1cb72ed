#!/bin/sh
# leaks.sh LOG: nothing that tests print is a token, or a number of a person that the tests of logins and the sandbox make up.
set -eu
# A JWS or JWE begins with a JSON object in base64url; 111222333 and the others pass their countries' checks.
pattern='eyJ[A-Za-z0-9_-]{16,}\.|(^|[^0-9])(111222333|123456782|2902881234|8507300[0-9]{4}|30078599[0-9]{2}|99900[0-9]{4})([^0-9]|$)'
for planted in 'token eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.e30.c2ln' 'number s00000000:111222333'; do
    echo "$planted" | grep -qE "$pattern" || { echo "The search does not find: $planted" >&2; exit 1; }
done
if grep -nE "$pattern" "$1"; then
    echo "The lines above show a token or a person's number." >&2
    exit 1
fi
