#!/bin/sh
# private-kernels.sh [--short] [COUNT] [SEED]: checks the kernels for private keys, which handle secrets (CShims/CJOSEPrivateKernels):
# that no branch and no address depends on a secret, by MemorySanitizer, in the compiled objects and, for the same source without
# vector instructions, by valgrind; that a fault does not leave; and COUNT random cases of each size (a million; --short: a
# thousand), edge cases, RSA-OAEP and Wycheproof's vectors, where BULLA_WYCHEPROOF is their folder, against libcrypto, also under
# AddressSanitizer and UndefinedBehaviorSanitizer. Deliberate leaks must be found. Without --short, also --timing.
# private-kernels.sh --bench: their rates, beside EVP_PKEY_decrypt with a kept context. --timing [SAMPLES]: whether the time of a
# decryption depends on its padding (dudect).
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
case ${1:-} in --bench | --timing) mode=$1 && shift ;; esac
sh Tests/Scripts/install.sh instructions
# Swift's own compiler builds the package, and has MemorySanitizer.
tools=$(dirname "$(readlink -f "$(command -v swift)")")
[ -x "$tools/clang" ] || tools=$(dirname "$(command -v clang)")
place=.build/private-kernels
kernels=CShims/CJOSEPrivateKernels
checker=Tests/Programs/PrivateKernelChecker
mkdir -p "$place"

compile() { # compile <name> <options...>
    name=$1
    shift
    "$tools/clang" -std=gnu17 -Wall -Wextra -Werror -DCJOSE_ACCELERATED -I$kernels/include -ICShims/CJOSEKernels/include \
        -ICShims/CJOSEKernels/src "$@" -o "$place/$name" 2>"$place/$name.log" || {
        cat "$place/$name.log" >&2
        exit 1
    }
}
build() { # build <name> <options...>: the checker with libcrypto
    compile "$@" $kernels/src/private_[!a]*.c "$place"/public/*.o Tests/Programs/KernelChecker/dice.c $checker/*.c \
        $(pkg-config --cflags --libs libcrypto) -lpthread -lm
}
build_marked() { # build_marked <name> <options...>: the checker of secrets, without libcrypto
    compile "$@" -gdwarf-4 -DCJOSE_MARKED_MEMORY $kernels/src/private_arithmetic.c $kernels/src/private_pass.c \
        $kernels/src/private_memory.c $kernels/src/private_rsa.c $kernels/src/private_oaep.c $checker/Secrets/*.c Tests/Programs/KernelChecker/dice.c -lpthread
}

# The public kernels compute the inputs whose results are known; their own checker is kernels.sh.
mkdir -p "$place/public"
for source in CShims/CJOSEKernels/src/rsa_*.c CShims/CJOSEKernels/src/sha2_ifma.c CShims/CJOSEKernels/src/kernel_form.c; do
    compile "public/$(basename "$source" .c).o" -O2 -c "$source"
done
if [ -n "$mode" ]; then
    build plain -O2 $kernels/src/private_arithmetic.c
    exec "$place/plain" "$mode" "$@"
fi
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
# Checks of each pointer of the unrolled arithmetic would take most of the time.
arithmetic=$kernels/src/private_arithmetic.c
sanitizers="-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
{
    compile sanitized.o $sanitizers -fno-sanitize=pointer-overflow,null,alignment,object-size -c $arithmetic
    build sanitized $sanitizers -DCJOSE_PRIVATE_FAULTS "$place/sanitized.o"
} &
first=$!
build plain -O2 $arithmetic
build_marked words -O1 -DCJOSE_LANES_OF_WORDS
build_marked memory -O2 -fsanitize=memory -fno-sanitize-memory-param-retval
build faulty -O2 -DCJOSE_PRIVATE_FAULTS $arithmetic
wait "$first"

# The objects, with the options of SwiftPM's release build and those with which it hardens.
. Tests/Scripts/flags.sh
level=$(sed -n 's/.*"_FORTIFY_SOURCE", to: "\([0-9]\)".*/\1/p' Package.swift)
hardening="$(echo "$hardened" | sed 's/-Xlinker [^ ]*//g; s/-Xcc //g') -D_FORTIFY_SOURCE=${level:?Package.swift has no such definition}"
for frame in -fomit-frame-pointer -fno-omit-frame-pointer; do
    options="-target x86_64-unknown-linux-gnu -O2 -DSWIFT_PACKAGE=1 -fblocks -I$kernels/include -DCJOSE_ACCELERATED -I$kernels/src -Wall -Werror -fPIC -g $frame $hardening"
    "$tools/clang" $options -c $kernels/src/private_arithmetic.c -o "$place/arithmetic.o"
    "$tools/clang" $options -fno-stack-protector -c $checker/Secrets/leaks.c -o "$place/leaks.o"
    python3 -B $checker/objects.py "$tools/llvm-objdump" "$place/arithmetic.o" "$place/leaks.o" $kernels/src
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
status=0
"$place/plain" --key >"$place/keys" || status=$?
if [ "$status" -eq 77 ]; then
    cat "$place/keys"
    echo "SKIPPED: all but the objects."
    exit 0
fi
[ "$status" -eq 0 ] || exit "$status"

# The sanitizers and valgrind take the most time: they run beside the rest.
head -n 1 "$place/keys" >"$place/key"
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
