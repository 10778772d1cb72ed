#!/bin/sh
# unlinked.sh PROGRAM: fails if the program loads at its start what it does not need then: a library of the sandbox alone (SAML, QR codes),
# by itself or for another library, GnuTLS by itself, or libcurl; or 40 libraries or more in all. Debian's libmicrohttpd loads GnuTLS in any
# program.
set -eu
# The script ends here if the program cannot be read.
loaded=$(ldd "$1")
needed=$(readelf -dW "$1")
found=$(
    echo "$loaded" | grep -oE '^[[:space:]]*(libxml2|libxmlsec1|libxmlsec1-openssl|libxslt|libqrencode)\.[^ ]*' || true
    echo "$needed" | grep -oE 'NEEDED.*(libgnutls|libcurl)\.[^]]*' || true
)
[ -z "$found" ] || {
    echo "$1 loads what it does not need at its start:" >&2
    echo "$found" >&2
    exit 1
}
count=$(echo "$loaded" | wc -l)
[ "$count" -lt 40 ] || {
    echo "$1 loads $count libraries:" >&2
    echo "$loaded" >&2
    exit 1
}
echo "$1: no library of the sandbox, $count libraries in all"
