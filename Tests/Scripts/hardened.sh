#!/bin/sh
# hardened.sh PROGRAM [OBJECTS]: fails unless the program is built so that a fault of memory in its C code is hard to exploit: position
# independent, no memory that is writable and executable, relocations read-only before the program begins (full RELRO), and calls of the
# stack protector and of the functions that _FORTIFY_SOURCE replaces. With OBJECTS, the folder of a release build, the objects of each C
# shim are looked at as well, because Swift's runtime in the program has such calls too.
# hardened.sh --control: shows on small programs that each missing property is found.
set -eu
cd "$(dirname "$0")/../.."
if ! command -v readelf >/dev/null; then
    echo "readelf is missing: install binutils" >&2
    exit 2
fi

# lacks <program> [<objects>]: prints what the program lacks.
lacks() {
    headers=$(readelf -hlW "$1")
    echo "$headers" | grep -q 'Type: *DYN' || echo "it is not position independent"
    echo "$headers" | grep -q GNU_RELRO || echo "no relocations are read-only (-z relro)"
    echo "$headers" | grep 'GNU_STACK' | grep -q 'RW ' || echo "its stack is executable"
    if echo "$headers" | grep -q 'RWE'; then echo "a segment is writable and executable"; fi
    readelf -dW "$1" | grep -q 'BIND_NOW\|Flags:.* NOW' || echo "functions are bound when they are called first (-z now)"
    calls=$(readelf --dyn-syms -W "$1")
    echo "$calls" | grep -q 'UND.* __stack_chk_fail' || echo "no function has a stack protector (-fstack-protector-strong)"
    echo "$calls" | grep -q 'UND.* __[a-z]*_chk@' || echo "no function is fortified (_FORTIFY_SOURCE)"
    [ -n "${2-}" ] || return 0
    for shim in CShims/*/; do
        name=$(basename "$shim")
        # The folder of a shim that the program does not link has no objects.
        [ -n "$(find "$2/$name.build" -name '*.o' 2>/dev/null)" ] || continue
        find "$2/$name.build" -name '*.o' -exec readelf -sW {} + | grep 'UND.* __stack_chk_fail' >/dev/null ||
            echo "$name has no stack protector"
    done
    find "$2"/CJOSE*.build -name '*.o' -exec readelf -sW {} + | grep 'UND.* __[a-z]*_chk$' >/dev/null ||
        echo "no C shim is fortified"
}

control() {
    clang=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
    trap 'exit 1' INT TERM HUP
    cat >"$place/program.c" <<'C'
#include <string.h>
int main(int count, char **words) {
    char text[64];
    strcpy(text, words[count - 1]);
    return text[0] == 'x';
}
C
    protector=-fstack-protector-strong
    fortify=-D_FORTIFY_SOURCE=2
    eager=-Wl,-z,now
    relro=-Wl,-z,relro
    made() { "$clang" -O2 -w -fPIE -pie "$place/program.c" -o "$place/program" "$@"; }
    made $protector $fortify $eager $relro
    found=$(lacks "$place/program")
    [ -z "$found" ] || {
        echo "A hardened program is not accepted: $found" >&2
        exit 1
    }
    finds() { # finds <part of the message> <options>
        wanted=$1
        shift
        made "$@"
        found=$(lacks "$place/program")
        case $found in *"$wanted"*) ;; *)
            echo "'$wanted' is not found, but: $found" >&2
            exit 1
            ;;
        esac
    }
    finds "stack protector" -fno-stack-protector $fortify $eager $relro
    finds "fortified" $protector -U_FORTIFY_SOURCE $eager $relro
    finds "-z now" $protector $fortify -Wl,-z,lazy $relro
    finds "-z relro" $protector $fortify $eager -Wl,-z,norelro
    finds "position" $protector $fortify $eager $relro -fno-pie -no-pie
    finds "stack is executable" $protector $fortify $eager $relro -Wl,-z,execstack
    echo "A hardened program is accepted, and each of six that lack a property is not."
}

if [ "${1-}" = --control ]; then
    control
else
    found=$(lacks "$@")
    [ -z "$found" ] || {
        echo "$1 is not hardened:" >&2
        echo "$found" >&2
        exit 1
    }
    echo "$1: position independent, full RELRO, stack protector, fortified"
fi
