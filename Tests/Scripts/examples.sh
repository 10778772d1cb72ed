#!/bin/sh
# The services in Examples that depend on packages of others: built, tried with the answers of RFC 6750, and loaded with wrk if it is
# installed. Packages are resolved by their URLs, or from the git repositories in the folder BULLA_PACKAGES, each named as in the URL
# (swift-nio.git). Without such a folder it is skipped, because CI depends on no package of others.
set -eu
cd "$(dirname "$0")/../.."
[ -n "${BULLA_PACKAGES:-}" ] || {
    echo '✘ Test "a service with the packages of others answers as RFC 6750 says" skipped: "BULLA_PACKAGES is not set"'
    exit 0
}
work=$(mktemp -d)
server= service=
trap 'for process in $server $service; do kill "$process" 2>/dev/null || true; done; rm -rf "$work" Examples/hummingbird-service/Package.resolved' EXIT
trap 'exit 1' INT TERM HUP
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
folder=$(cd "$BULLA_PACKAGES" && pwd)
number=0
for owner in apple swift-server hummingbird-project; do
    export "GIT_CONFIG_KEY_$number=url.file://$folder/.insteadOf" "GIT_CONFIG_VALUE_$number=https://github.com/$owner/"
    number=$((number + 1))
done
export GIT_CONFIG_COUNT=$number

flags="--package-path Examples/hummingbird-service --scratch-path .build/examples-hummingbird"
flags="$flags --cache-path $work/cache --config-path $work/config --security-path $work/security -c ${BULLA_CONFIGURATION:-debug}"
swift build $flags >"$work/build.log" 2>&1 || {
    tail -n 60 "$work/build.log"
    exit 1
}
built=$(swift build $flags --show-bin-path)
"$built/Tokens" "$work"

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
python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$work" >"$work/server.log" 2>&1 &
server=$!
keys=http://127.0.0.1:$(port "$work/server.log" 's/.* port \([0-9]*\) .*/\1/p')/jwks.json
KEYS_URL=$keys DECRYPTION_KEY=$work/decryption.pem PORT=0 "$built/Service" >"$work/service.log" 2>&1 &
service=$!
base=http://127.0.0.1:$(port "$work/service.log" 's/^listening on port //p')

failed=0
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
answers "a token with the scope" 200 - -H "$(bearer read)" "$base/orders"
grep -q 'orders of 248289761001' "$work/body" || { echo "the route does not know the subject" && failed=1; }
answers "an encrypted token" 200 - -H "$(bearer nested)" "$base/orders"
answers "no token" 401 "$realm" "$base/orders"
answers "another scheme" 401 "$realm" -H "Authorization: Basic eDp5" "$base/orders"
answers "a header field without a token" 400 "$realm, error=\"invalid_request\"" -H "Authorization: Bearer " "$base/orders"
answers "two header fields" 400 "$realm, error=\"invalid_request\"" -H "$(bearer read)" -H "$(bearer read)" "$base/orders"
answers "no JWT" 401 "$refused=\".*\"" -H "Authorization: Bearer a.b.c" "$base/orders"
answers "an ID token" 401 "$refused=\".*\"" -H "$(bearer id)" "$base/orders"
answers "a token without the scope" 403 "$realm, error=\"insufficient_scope\", scope=\"orders:read\"" \
    -H "$(bearer profile)" "$base/orders"
answers "the keys of the service" 200 - "$base/.well-known/jwks.json"
grep -q '"keys"' "$work/body" && ! grep -q '"d"' "$work/body" || { echo "the JWKS route serves no public keys" && failed=1; }
tag=$(tr -d '\r' <"$work/head" | sed -n 's/^[Ee][Tt][Aa][Gg]: //p')
answers "the keys of the service, once more" 304 - -H "If-None-Match: $tag" "$base/.well-known/jwks.json"
grep -q 'token rejected' "$work/service.log" || { echo "no rejection is in the log" && failed=1; }
if grep -q "$(cut -c1-60 "$work/read.txt")" "$work/service.log"; then echo "a token is in the log" && failed=1; fi
if [ $failed = 0 ] && command -v wrk >/dev/null; then
    for token in read nested; do
        echo "wrk, 16 connections, 5 s, token $token:"
        wrk -t1 -c16 -d5s -H "$(bearer "$token")" "$base/orders" | grep -E 'Requests/sec|Non-2xx|Socket errors' || failed=1
    done
fi
kill -TERM "$service"
wait "$service" || { echo "the service did not shut down" && failed=1; }
service=
[ $failed = 0 ] && echo "The service of Examples/hummingbird-service answers as RFC 6750 says."
exit $failed
