#!/bin/sh
# fuzz.sh [--short] [COUNT] [SEED]: runs COUNT mutated tokens (default: a million) through every parser under AddressSanitizer, then prints
# the code coverage of libraries and shims; then runs a quarter as many XML responses through the SAML parser. The short form has 20,000
# tokens and no coverage, and uses the build of `make sanitize`.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
short=
if [ "${1:-}" = --short ]; then short=1 && shift; fi
count=${1:-$([ -n "$short" ] && echo 20000 || echo 1000000)}
seed=${2:-1}
place=.build/fuzz

# The coverage tools must have the version of the compiler.
tool() { # tool <name>
    if command -v xcrun >/dev/null; then xcrun --find "$1"; else echo "$(dirname "$(readlink -f "$(command -v swiftc)")")/$1"; fi
}

# Both parsers' programs are targets of the package only if they are named.
BULLA_TESTS='fuzz SAMLReader' && export BULLA_TESTS
mkdir -p "$place"
swift_build $address_sanitizer
sanitized_programs=$(swift_build $address_sanitizer --show-bin-path)
if [ -n "$short" ]; then
    program=$sanitized_programs/fuzz
else
    options="--enable-all-traits --scratch-path $place -c release --sanitize=address -Xswiftc -profile-generate
        -Xswiftc -profile-coverage-mapping -Xcc -fprofile-instr-generate -Xcc -fcoverage-mapping"
    swift_build $options --product fuzz
    program=$(swift_build $options --show-bin-path)/fuzz
fi
rm -f "$place"/*.profraw

run() { # run <form of base64url> <first case> <count> <report>
    [ "$3" -gt 0 ] || return 0
    echo "== base64url ${1:-as this CPU has it}"
    # A crash is reported by the sanitizer; Swift's own backtracer beside it can hang.
    if ! SWIFT_BACKTRACE=enable=no BULLA_FORM=$1 LLVM_PROFILE_FILE=$place/fuzz$1.profraw \
        "$program" --count "$3" --seed "$seed" --first "$2" --progress "$place/case" --report "$4"; then
        echo "The last was: BULLA_FORM=$1 $program --seed $seed --first $(cat "$place/case") --count 1" >&2
        exit 1
    fi
}
# A twentieth of the count runs with each of the implementations that this CPU would not choose.
part=$((count / 20))
run portable $((2 * count)) "$part" brief
run avx2 $((3 * count)) "$part" brief
run "" 0 $((count - 2 * part)) full

if [ -z "$short" ]; then
    "$(tool llvm-profdata)" merge -sparse "$place"/*.profraw -o "$place/fuzz.profdata"
    echo "Coverage (regions and lines):"
    "$(tool llvm-cov)" report "$program" -instr-profile "$place/fuzz.profdata" -show-functions=false \
        -show-branch-summary=false --ignore-filename-regex '(Tests/Security/Fuzz|Sources/Core/JOSETesting|\.build)/' |
        awk '/^---/ { next }
            /^Filename/ { next }
            NF >= 10 && $1 == "TOTAL" { printf "  %-52s %8s %8s\n", "in all", $4, $10; next }
            NF >= 10 { printf "  %-52s %8s %8s\n", $1, $4, $10 }'
fi

openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=fuzz -days 2 -keyout "$place/key.pem" -out "$place/certificate.pem" \
    2>/dev/null
echo "== SAML"
reader="$sanitized_programs/SAMLReader $place/key.pem $place/certificate.pem fuzz $((count / 4)) $seed"
SWIFT_BACKTRACE=enable=no $reader || {
    echo "The same again: $reader" >&2
    exit 1
}
