#!/bin/sh
# secrets.sh: runs the compare, unpad and unwrap paths of the shims under valgrind with their secrets marked as undefined. A
# branch on a secret, or an address computed from one, is an error, and so is a deliberate leak that is not found.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(uname)" != Linux ]; then
    echo "SKIPPED: valgrind is for Linux."
    exit 0
fi
sh Tests/Scripts/install.sh test
place=.build/secrets
program=$place/secrets
mkdir -p "$place"
sources=
for shim in Bytes Kernels OpenSSL Sodium; do
    sources="$sources -ICShims/CJOSE$shim/include -ICShims/CJOSE$shim/src $(echo CShims/CJOSE$shim/src/*.c)"
done
[ -e "$place/key.pem" ] || openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$place/key.pem"

check() { # check <arguments...>: what was reported is in the log
    valgrind --quiet --error-exitcode=9 --suppressions=Tests/Security/Secrets/libraries.supp "$program" "$@" >"$place/log" 2>&1
}

examine() { # examine <title> <compiler option...>: a build of the shims with these options
    echo "$1:"
    shift
    "${CC:-clang}" -std=gnu17 -O2 -gdwarf-4 -Wall -Werror -DCJOSE_MARKED_MEMORY "$@" -ITests/Security/Secrets $sources \
        Tests/Security/Secrets/*.c $(pkg-config --cflags --libs libcrypto libsodium) -lpthread -o "$program"
    check "$place/key.pem" || {
        cat "$place/log"
        exit 1
    }
    grep '^ok: ' "$place/log"
    leaks=$("$program" --leaks)
    number=0
    while [ "$number" -lt "$leaks" ]; do
        status=0
        check --leak "$number" || status=$?
        [ "$status" -eq 9 ] || {
            cat "$place/log"
            echo "A planted leak was not found." >&2
            exit 1
        }
        sed -n 's/^planted: /found: /p' "$place/log"
        number=$((number + 1))
    done
}
examine "With the trait Accelerated" -DCJOSE_ACCELERATED
examine "Without it"
echo "No branch on a secret, no address made of one. $(valgrind --version), $(openssl version | cut -d ' ' -f 1,2)"
