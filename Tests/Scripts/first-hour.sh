#!/bin/sh
# first-hour.sh PROGRAMS SANDBOX [PREFIX]: runs the calls of a developer's first hour and the examples that depend on
# this package alone, whose programs are in the folder PROGRAMS, with names that begin with PREFIX. Calls that the
# compiler must reject are type-checked against the modules beside them. SANDBOX is the program bulla-sandbox, which has
# the provider of the login.
set -eu
cd "$(dirname "$0")/../.."
programs=$1 sandbox=$2 prefix=${3:-}
work=$(mktemp -d)
server=
clean() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM HUP
. Tests/Scripts/consuming.sh

if [ -x "$programs/FirstHour" ]; then first=$programs/FirstHour; else first=$programs/FirstHourCalls; fi
"$first"
refuses Tests/FirstHour/Refused/WrongCalls.swift "$programs"

prints() { # prints <text> <program> <arguments...>
    text=$1
    shift
    said=$("$@" 2>&1) || { echo "$1 failed: $said" && exit 1; }
    [ "$said" = "$text" ] || { echo "$1 printed: $said" && exit 1; }
}
prints "248289761001 is a buyer" "$programs/${prefix}Verify"
prints "5 parts, subject 248289761001" "$programs/${prefix}Nested"
prints "signed by openssl, key kms-1, subject 248289761001" "$programs/${prefix}ExternalKey"
"$programs/${prefix}Batch" >"$work/batch"
grep -q '^998 accepted, 0 to be tried again, rejected: 17: .*, 42: ' "$work/batch"
mkdir "$work/issuer"
prints "wrote keys.json and token.txt" "$programs/${prefix}Issuer" "$work/issuer"
python3 -B Tests/Scripts/login_example.py "$sandbox" "$programs/${prefix}Login"
serve "$work/issuer"
prints "subject 248289761001" "$programs/${prefix}RemoteKeys" "$served/keys.json" "$(cat "$work/issuer/token.txt")"
echo "Calls of the first hour and examples: passed"
