#!/bin/sh
# private-kernels.sh [--short] [COUNT] [SEED]: checks the kernels for private keys, which handle secrets (CShims/CJOSEPrivateKernels):
# that no branch and no address depends on a secret, by MemorySanitizer, in the compiled objects and, for the same source without
# vector instructions, by valgrind; that each operation is blinded by random numbers of its own; that a call leaves no secret on the
# stack and in registers; that a fault does not leave; and COUNT random cases of each size (a million; --short: a thousand), edge
# cases, RSA-OAEP and Wycheproof's vectors, where BULLA_WYCHEPROOF is their folder, against libcrypto, also under AddressSanitizer and
# UndefinedBehaviorSanitizer. Each of these checks must find the faults of its kind that are planted in copies of the kernels
# (planted.txt), in both forms. Without --short, also --timing.
# private-kernels.sh --bench: their rates, beside EVP_PKEY_decrypt with a kept context. --timing [SAMPLES]: whether the time of a
# decryption depends on its padding (dudect). --plant NAME...: only the planted faults whose names contain a NAME.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(uname)" != Linux ]; then
    echo "SKIPPED: MemorySanitizer and valgrind are for Linux."
    exit 0
fi
if [ "$(uname -m)" != x86_64 ]; then
    echo "SKIPPED: the kernels for private keys are for x86-64; elsewhere libcrypto computes."
    exit 0
fi
is_short=
if [ "${1:-}" = --short ]; then is_short=1 && shift; fi
mode=
case ${1:-} in --bench | --timing | --plant) mode=$1 && shift ;; esac
sh Tests/Scripts/install.sh instructions
# Swift's own compiler builds the package, and has MemorySanitizer.
tools=$(dirname "$(readlink -f "$(command -v swift)")")
[ -x "$tools/clang" ] || tools=$(dirname "$(command -v clang)")
place=.build/private-kernels
kernels=CShims/CJOSEPrivateKernels
checker=Tests/Programs/PrivateKernelChecker
mkdir -p "$place"

# The options with which a release build is hardened: build.py compiles the objects with them.
. Tests/Scripts/flags.sh
level=$(sed -n 's/.*"_FORTIFY_SOURCE", to: "\([0-9]\)".*/\1/p' Package.swift)
HARDENING="$(echo "$hardened" | sed 's/-Xlinker [^ ]*//g; s/-Xcc //g') -D_FORTIFY_SOURCE=${level:?Package.swift has no such definition}"
export HARDENING

forms="plain faulty sanitized memory words objects"
make_keys() { # New keys, for the checker of secrets and for planted faults. Ends the script where the machine has no such kernels.
    status=0
    "$place/plain" --key >"$place/keys" || status=$?
    if [ "$status" -eq 77 ]; then
        cat "$place/keys"
        echo "SKIPPED: all but the objects."
        exit 0
    fi
    [ "$status" -eq 0 ] || exit "$status"
    head -n 1 "$place/keys" >"$place/key"
    "$place/plain" --stored-keys >"$place/stored-keys"
}
# The inputs of each fault come from one seed; the keys are new in each run.
plant() { MSAN_OPTIONS=exitcode=9 python3 -B $checker/plant.py "$tools" "$place" 1 "$place/stored-keys" "$place/key" "$@"; }
case $mode in
    --plant)
        python3 -B $checker/build.py "$tools" "$place" $forms
        make_keys
        plant "$@"
        exit
        ;;
    ?*)
        python3 -B $checker/build.py "$tools" "$place" plain
        exec "$place/plain" "$mode" "$@"
        ;;
esac
if [ -n "${BULLA_WYCHEPROOF:-}" ]; then
    # A folder without the vectors would otherwise be noticed after half an hour.
    python3 -B $checker/wycheproof.py "$BULLA_WYCHEPROOF" >"$place/vectors"
    [ -s "$place/vectors" ] || {
        echo "BULLA_WYCHEPROOF must be a folder with testvectors_v1/rsa_oaep_*.json: $BULLA_WYCHEPROOF" >&2
        exit 2
    }
fi
count=${1:-$([ -n "$is_short" ] && echo 1000 || echo 1000000)}
seed=${2:-$(date +%s)}
if [ -n "$is_short" ]; then faults=90 sanitized=100; else faults=3000 sanitized=$((count / 10)); fi
python3 -B $checker/build.py "$tools" "$place" $forms
for frame in -fomit-frame-pointer -fno-omit-frame-pointer; do
    python3 -B $checker/objects.py "$tools/llvm-objdump" "$place/arithmetic$frame.o" "$place/leaks$frame.o" $kernels/src
done

find_leaks() { # find_leaks <command...>: each planted leak must end the program with 9
    for number in 0 1 2 3; do
        status=0
        "$@" --leak "$number" >"$place/leak.log" 2>&1 || status=$?
        [ "$status" -eq 9 ] || {
            cat "$place/leak.log"
            echo "A planted leak was not found." >&2
            exit 1
        }
        sed -n 's/^planted: /found: /p' "$place/leak.log"
    done
}
check_marks() { # check_marks <keys> <command...>
    keys=$1
    shift
    "$@" <"$keys" >"$place/marked.log" 2>&1 || {
        cat "$place/marked.log"
        echo "A branch or an address depends on a secret: $*" >&2
        exit 1
    }
    sed -n 's/^ok: /no branch on a secret, no address made of one: /p' "$place/marked.log"
}
MSAN_OPTIONS=exitcode=9
export MSAN_OPTIONS
make_keys

# The sanitizers and valgrind take the most time: they run beside the rest.
(
    "$place/sanitized" "$sanitized" "$seed" && "$place/sanitized" --faults "$((faults / 3))" "$seed" && echo ok
) >"$place/sanitized.out" 2>&1 &
beside=$!
trap 'kill "$beside" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM
echo "MemorySanitizer"
check_marks "$place/keys" "$place/memory"
find_leaks "$place/memory"
echo "valgrind"
check_marks "$place/key" valgrind --quiet --error-exitcode=9 "$place/words"
find_leaks valgrind --quiet --error-exitcode=9 "$place/words"
echo "against libcrypto, $count a size"
"$place/plain" "$count" "$seed"
"$place/faulty" --faults "$faults" "$seed"
echo "planted faults"
plant
if [ -n "${BULLA_WYCHEPROOF:-}" ]; then
    "$place/plain" --wycheproof <"$place/vectors"
else
    echo "SKIPPED: Wycheproof. BULLA_WYCHEPROOF is the folder of its vectors."
fi
echo "AddressSanitizer and UndefinedBehaviorSanitizer, $sanitized a size"
wait "$beside" || true
trap - EXIT
cat "$place/sanitized.out"
[ "$(tail -n 1 "$place/sanitized.out")" = ok ] || exit 1
if [ -z "$is_short" ]; then "$place/plain" --timing 100000; fi
echo "No secret decides a branch or an address; all results are libcrypto's; no fault has left."
