#!/bin/sh
# unlinked.sh PROGRAM: fails if the program loads a C library that only the sandbox needs: those of SAML and of QR codes, by itself or for
# another library, and GnuTLS by itself. Debian's libmicrohttpd loads GnuTLS in any program.
set -eu
found=$(
    ldd "$1" | grep -oE '^[[:space:]]*(libxml2|libxmlsec1|libxmlsec1-openssl|libxslt|libqrencode)\.[^ ]*' || true
    readelf -dW "$1" | grep -oE 'NEEDED.*(libgnutls)\.[^]]*' || true
)
[ -z "$found" ] || {
    echo "$1 loads what only the sandbox needs:" >&2
    echo "$found" >&2
    exit 1
}
echo "$1: no library of the sandbox"
