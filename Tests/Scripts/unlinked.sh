#!/bin/sh
# unlinked.sh PROGRAM: fails if the program loads a C library that only the sandbox needs: those of SAML and of QR
# codes, by itself or for another library, and GnuTLS by itself. Debian's libmicrohttpd loads GnuTLS in any program.
set -eu
# The script ends here if the program cannot be read.
loaded=$(ldd "$1")
needed=$(readelf -dW "$1")
found=$(
    echo "$loaded" | grep -oE '^[[:space:]]*(libxml2|libxmlsec1|libxmlsec1-openssl|libxslt|libqrencode)\.[^ ]*' || true
    echo "$needed" | grep -oE 'NEEDED.*(libgnutls)\.[^]]*' || true
)
[ -z "$found" ] || {
    echo "$1 loads what only the sandbox needs:" >&2
    echo "$found" >&2
    exit 1
}
echo "$1: no library of the sandbox"
