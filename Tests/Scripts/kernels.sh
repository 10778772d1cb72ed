#!/bin/sh
# kernels.sh [COUNT] [SEED] [rsa|p256|ed25519|single|memory]: compares the kernels of CJOSEKernels with libcrypto, and for Ed25519
# with libsodium, in every form that the machine has: their edge cases and COUNT random cases of each size (a million), and all of
# it again under AddressSanitizer and UndefinedBehaviorSanitizer.
# kernels.sh --bench [rsa|p256|ed25519]: their rates instead, beside EVP_PKEY_verify with a kept context, and beside libsodium,
# round by round in one process.
set -eu
cd "$(dirname "$0")/../.."
place=.build/kernels
mkdir -p "$place"
build() { # build <name> <options...>
    name=$1
    shift
    "${CC:-clang}" -std=gnu17 -Wall -Wextra -Werror -DCJOSE_ACCELERATED "$@" -ICShims/CJOSEKernels/include -ICShims/CJOSEKernels/src \
        -ICShims/CJOSEOpenSSL/include CShims/CJOSEKernels/src/*.c CShims/CJOSEOpenSSL/src/*.c Tests/Programs/KernelChecker/*.c \
        Tests/Programs/FormFromEnvironment/kernels.c $(pkg-config --cflags --libs libcrypto libsodium) -o "$place/$name" 2>"$place/log" || {
        cat "$place/log" >&2
        exit 1
    }
}
build plain -O2
# Without the package trait the same sources build to a checker of libcrypto alone, which has memory to refuse and no kernels.
build unaccelerated -O2 -UCJOSE_ACCELERATED
if [ "${1:-}" = --bench ]; then
    shift
    for form in ifma portable; do BULLA_KERNELS=$form "$place/plain" --bench "$@"; done
    exit 0
fi
count=${1:-1000000}
seed=${2:-$(date +%s)}
kernel=${3:-}
build sanitized -O2 -g -fsanitize=address,undefined -fno-sanitize-recover=all
# The sanitizers take twice as long: they begin at once, beside the plain form.
"$place/sanitized" "$count" "$seed" $kernel >"$place/sanitized.log" 2>&1 &
beside=$!
trap 'kill "$beside" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM
echo "plain, $count a size"
"$place/plain" "$count" "$seed" $kernel
# Single RSA signatures take libcrypto's multiplications where the CPU lacks the kernel.
case $kernel in '' | single) BULLA_KERNELS=portable "$place/plain" "$count" "$seed" single ;; esac
echo "sanitized, $count a size"
status=0
wait "$beside" || status=$?
trap - EXIT
cat "$place/sanitized.log"
[ "$status" -eq 0 ] || exit "$status"
"$place/unaccelerated" 1 "$seed" memory
# A checker that would not see a wrong answer proves nothing.
for each in ${kernel:-rsa p256 ed25519 single}; do
    [ "$each" != memory ] || continue
    if "$place/plain" --spoil 10000 "$seed" "$each" >"$place/log"; then
        if grep -q 'not covered' "$place/log"; then continue; fi
        echo "$each: one result of a thousand was changed, and that was not detected." >&2
        exit 1
    fi
done
echo "All results are those of libcrypto and libsodium; changed ones were detected."
