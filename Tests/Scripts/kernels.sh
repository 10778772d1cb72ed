#!/bin/sh
# kernels.sh [COUNT] [SEED] [rsa|p256|single|memory]: the kernels of CJOSEKernels beside libcrypto, in every form that the machine has: their edges
# and COUNT random cases of each size (a million), and all of it again under AddressSanitizer and UndefinedBehaviorSanitizer.
# kernels.sh --bench [rsa|p256]: their rates instead, beside EVP_PKEY_verify with a kept context, round by round in one process.
set -eu
cd "$(dirname "$0")/../.."
place=.build/lanes
mkdir -p "$place"
build() { # build <name> <options...>
    name=$1
    shift
    "${CC:-clang}" -std=gnu17 -Wall -Wextra -Werror "$@" -ICShims/CJOSEKernels/include -ICShims/CJOSEKernels/src \
        -ICShims/CJOSEOpenSSL/include CShims/CJOSEKernels/src/*.c CShims/CJOSEOpenSSL/src/*.c Tests/Programs/KernelChecker/*.c $(pkg-config --cflags --libs libcrypto) -o "$place/$name" 2>"$place/log" || {
        cat "$place/log" >&2
        exit 1
    }
}
build plain -O2
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
echo "sanitized, $count a size"
status=0
wait "$beside" || status=$?
trap - EXIT
cat "$place/sanitized.log"
[ "$status" -eq 0 ] || exit "$status"
# A checker that would not see a wrong answer proves nothing.
for each in ${kernel:-rsa p256 single}; do
    [ "$each" != memory ] || continue
    if "$place/plain" --spoil 10000 "$seed" "$each" >"$place/log"; then
        if grep -q 'not covered' "$place/log"; then continue; fi
        echo "$each: one answer of a thousand was changed, and it was not seen." >&2
        exit 1
    fi
done
echo "All answers are libcrypto's; changed ones were seen."
