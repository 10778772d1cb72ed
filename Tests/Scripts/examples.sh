#!/bin/sh
# What depends on packages of others: the services of Examples are built, tried with the answers of RFC 6750, and loaded with wrk,
# the parts that they share are tested, and the samples of the articles on migrating are compiled and run.
# Packages are resolved from the git repositories in the folder BULLA_PACKAGES, each named as in its URL (swift-nio.git). Without such
# a folder it is skipped, because CI depends on no package of others. EXAMPLES=vapor tries one part alone.
set -eu
cd "$(dirname "$0")/../.."
[ -n "${BULLA_PACKAGES:-}" ] || {
    echo '✘ Test "a service with the packages of others answers as RFC 6750 says" skipped: "BULLA_PACKAGES is not set"'
    exit 0
}
work=$(mktemp -d)
server= service=
clean() {
    for process in $server $service; do kill "$process" 2>/dev/null || true; done
    rm -rf "$work" Examples/bearer/Package.resolved Examples/*/service/Package.resolved \
        Tests/Consumers/Migrating/Package.resolved
}
trap clean EXIT
trap 'exit 1' INT TERM HUP
. Tests/Scripts/packages.sh

# The services share one folder of builds, because they depend on the same packages. Their cache is their own: addresses that are
# replaced must not get into the user's.
flags="--cache-path .build/examples/cache --config-path $work/config --security-path $work/security"
flags="$flags -c ${BULLA_CONFIGURATION:-debug}"
# logged <command...>: runs the command, and prints the end of its output if it fails.
logged() {
    "$@" >"$work/log" 2>&1 || {
        tail -n 60 "$work/log"
        return 1
    }
}
services="$flags --scratch-path .build/examples"
built=.build/examples/${BULLA_CONFIGURATION:-debug}

# Prints the port that a log names: port <log> <expression>
port() {
    tries=0 found=
    while [ -z "$found" ] && [ $tries -lt 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
        found=$(sed -n "$2" "$1" | head -n 1)
    done
    [ -n "$found" ] || cat "$1" >&2
    echo "$found"
}
# answers <name> <status> <text of the header, or -> <curl arguments...>
answers() {
    name=$1 status=$2 text=$3
    shift 3
    curl --silent --max-time 20 --dump-header "$work/head" --output "$work/body" "$@" || true
    if ! head -n 1 "$work/head" | grep -q " $status"; then
        echo "$name: $(head -n 1 "$work/head"), and not $status"
        failed=1
    elif [ "$text" = - ]; then
        if grep -qi '^www-authenticate' "$work/head"; then echo "$name has a challenge" && failed=1; fi
    elif ! tr -d '\r' <"$work/head" | grep -qix -- "$text"; then
        echo "$name lacks: $text" && cat "$work/head"
        failed=1
    fi
}
bearer() { echo "Authorization: Bearer $(cat "$work/$1.txt")"; }
realm='www-authenticate: Bearer realm="orders"'
refused="$realm, error=\"invalid_token\", error_description"
# challenges <address>: the answers to requests for a protected route (RFC 6750, 3).
challenges() {
    answers "a token with the scope" 200 - -H "$(bearer read)" "$1"
    grep -q 'orders of 248289761001' "$work/body" || { echo "the route does not know the subject" && failed=1; }
    answers "an encrypted token" 200 - -H "$(bearer nested)" "$1"
    grep -q 'orders of 248289761001' "$work/body" || { echo "the route does not know the subject" && failed=1; }
    answers "no token" 401 "$realm" "$1"
    answers "another scheme" 401 "$realm" -H "Authorization: Basic eDp5" "$1"
    answers "a header field without a token" 400 "$realm, error=\"invalid_request\"" -H "Authorization: Bearer " "$1"
    answers "two header fields" 400 "$realm, error=\"invalid_request\"" -H "$(bearer read)" -H "$(bearer read)" "$1"
    answers "no JWT" 401 "$refused=\".*\"" -H "Authorization: Bearer a.b.c" "$1"
    answers "an ID token" 401 "$refused=\".*\"" -H "$(bearer id)" "$1"
    answers "a token without the scope" 403 "$realm, error=\"insufficient_scope\", scope=\"orders:read\"" -H "$(bearer profile)" "$1"
}
# published <address>: the route for the keys of the service.
published() {
    answers "the keys of the service" 200 - "$1"
    grep -q '"keys"' "$work/body" && ! grep -q '"d"' "$work/body" || { echo "the JWKS route serves no public keys" && failed=1; }
    tag=$(tr -d '\r' <"$work/head" | sed -n 's/^[Ee][Tt][Aa][Gg]: //p')
    answers "the keys of the service, once more" 304 - -H "If-None-Match: $tag" "$1"
}
# load <address>: requests with good tokens, all of which must succeed.
load() {
    for token in read nested; do
        echo "wrk, 16 connections, 5 s, token $token:"
        wrk -t1 -c16 -d5s -H "$(bearer "$token")" "$1" >"$work/wrk"
        grep -E 'Requests/sec|Non-2xx|Socket errors' "$work/wrk"
        if grep -qE 'Non-2xx|Socket errors' "$work/wrk"; then failed=1; fi
    done
}
# start <program> <address of the keys>: starts a service, whose address is then in base.
start() {
    KEYS_URL=$2 DECRYPTION_KEY=$work/decryption.pem PORT=0 "$built/$1" >"$work/service.log" 2>&1 &
    service=$!
    base=http://127.0.0.1:$(port "$work/service.log" 's/^listening on port //p')
}
end() {
    kill -TERM "$service"
    wait "$service" || { echo "the service did not shut down" && failed=1; }
    service=
}
# service <folder of Examples> <program>
service() {
    failed=0
    logged swift build --package-path "Examples/$1/service" $services || return 1
    start "$2" "$keys"
    challenges "$base/orders"
    published "$base/.well-known/jwks.json"
    grep -q 'token rejected' "$work/service.log" || { echo "no rejection is in the log" && failed=1; }
    if grep -q "$(cut -c1-60 "$work/read.txt")" "$work/service.log"; then echo "a token is in the log" && failed=1; fi
    [ $failed = 1 ] || load "$base/orders"
    end
    # Without a server of keys, no token is accepted or rejected. Nothing listens on port 1.
    start "$2" http://127.0.0.1:1/jwks.json
    answers "a token whose key cannot be fetched" 503 "retry-after: 5" -H "$(bearer read)" "$base/orders"
    if grep -qi '^www-authenticate' "$work/head"; then echo "an outage of the keys has a challenge" && failed=1; fi
    answers "no token, while no key can be fetched" 401 "$realm" "$base/orders"
    end
    [ $failed = 1 ] || echo "The service of Examples/$1 answers as RFC 6750 says."
    return $failed
}
# The parts that the services share, and the tokens to try them with.
parts() {
    logged swift test --package-path Examples/bearer $services --disable-xctest || return 1
    grep -E 'Test run with [0-9]+ tests? .*passed' "$work/log" || { cat "$work/log" && return 1; }
    "$built/Tokens" "$work"
    python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$work" >"$work/server.log" 2>&1 &
    server=$!
    keys=http://127.0.0.1:$(port "$work/server.log" 's/.* port \([0-9]*\) .*/\1/p')/jwks.json
}
# The samples of other libraries in the articles on migrating, and tokens from one library to the other.
# Their folder of builds is another one, because JWSETKit imports the modules of NIO if it finds them.
migrating() {
    logged swift build --package-path Tests/Consumers/Migrating $flags --scratch-path .build/examples-migrating || return 1
    for program in FromJWTKit FromJWSETKit; do ".build/examples-migrating/${BULLA_CONFIGURATION:-debug}/$program" || return 1; done
}

result=0
wanted() { case ",${EXAMPLES:-$1}," in *",$1,"*) ;; *) return 1 ;; esac; }
if wanted hummingbird || wanted vapor; then
    command -v wrk >/dev/null || sh Tests/Scripts/apt.sh wrk || { echo "wrk, which loads the services, is not installed." && exit 1; }
fi
if wanted hummingbird || wanted vapor || wanted parts; then parts || exit 1; fi
if wanted hummingbird; then service hummingbird HummingbirdService || result=1; fi
if wanted vapor; then service vapor VaporService || result=1; fi
if wanted migrating; then migrating || result=1; fi
exit $result
