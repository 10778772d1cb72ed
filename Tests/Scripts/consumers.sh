#!/bin/sh
# consumers.sh [--short | NAME...]: packages that depend on this one, as users' do: by path, by the URL and tag of a repository, with the
# traits Zip, HTTP, Redis and SAML, and with and without the trait Accelerated. One describes a login provider that this package does not
# know; others have the calls of a developer's first hour and the examples. What they link is read off: two C libraries, and only what a
# trait of theirs brings. The short form, a step of .ci/run, leaves out what needs a build of its own and uses a trait alone, or an address.
# NAME is the name of a function below that takes no argument.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
. Tests/Scripts/consuming.sh
unset BULLA_EXAMPLES # A user's package does not set it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# A hook's or a caller's repository is not the one that is made here.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

built_quietly() { # built_quietly <option...>: a build that prints its log if it fails
    swift_build "$@" >"$work/build.log" 2>&1 || {
        cat "$work/build.log"
        return 1
    }
}

# The caches and fingerprints of a user's own packages are left alone.
consume() { # consume <package> <product> <configuration> <scratch> [<library of a trait...>]
    product=$2
    flags="--package-path $1 --scratch-path $4 --cache-path $work/cache --config-path $work/config"
    flags="$flags --security-path $work/security -c $3"
    shift 4
    # Without its trait, a library's headers are never read and it is never linked, wherever they are.
    [ $# -gt 0 ] || flags="$flags -Xcc -I$work/traps"
    built_quietly $flags --product "$product" || return 1
    built=$(swift_build $flags --show-bin-path)/$product
    "$built" || return 1
    links_only "$built" libcrypto libsodium "$@"
}

trap_traits() {
    mkdir "$work/traps"
    mkdir "$work/traps/curl" "$work/traps/hiredis" "$work/traps/libxml"
    for header in zlib.h curl/curl.h hiredis/hiredis.h libxml/parser.h; do
        echo "#error \"$header is read without its trait\"" >"$work/traps/$header"
    done
}

links_only() { # links_only <program> <library...>
    program=$1
    shift
    # What those need in turn is theirs.
    if command -v readelf >/dev/null; then
        linked=$(readelf -d "$program" | sed -E -n 's/.*\(NEEDED\).*\[([^]]*)\].*/\1/p')
    elif command -v ldd >/dev/null; then
        linked=$(ldd "$program" | sed -E -n 's/^[[:space:]]*([^ ]+).*/\1/p' | sed 's|.*/||')
    else
        linked=$(otool -L "$program" | sed -E -n '2,$s/^[[:space:]]*([^ ]+).*/\1/p' | sed 's|.*/||')
    fi
    others=
    for library in $linked; do
        case $library in
            libcrypto.* | libsodium.* | libz.* | libcurl.* | libhiredis.* | libssl.* | libxml2.* | libxmlsec1.* | libxmlsec1-openssl.*) ;;
            # libc, its compiler's and Swift's runtime
            linux-vdso* | ld-linux* | libc.* | libm.* | libdl.* | librt.* | libpthread.* | libgcc_s.* | libstdc++.*) ;;
            libc++.* | libSystem.* | libobjc.* | Foundation | CoreFoundation | Security) ;;
            libswift* | lib_Foundation* | libFoundation* | libdispatch* | libBlocksRuntime*) ;;
            *) others="$others $library" ;;
        esac
    done
    [ -z "$others" ] || {
        echo "$program links more than it may:$others"
        return 1
    }
    for library in libcrypto libsodium libz libcurl libhiredis libssl libxml2 libxmlsec1 libxmlsec1-openssl; do
        case " $* " in *" $library "*) expected=yes ;; *) expected=no ;; esac
        if echo "$linked" | grep -q "^$library\."; then links=yes; else links=no; fi
        [ $links = $expected ] || {
            echo "$program links $library: $links, and not $expected"
            return 1
        }
    done
}

# The work tree as it stands, committed and tagged as version 0.1.0 in a repository of its own, so that what is not committed yet is
# tested too, and a shallow clone suffices. A dependency that was reached by a tag may hold no unsafe flags: the build below would refuse
# them. No identity of the caller is needed, because a lightweight tag has none.
repository() {
    snapshot="git --git-dir $work/bulla/.git --work-tree ."
    git init --quiet "$work/bulla" &&
        $snapshot add --all &&
        $snapshot -c user.name=tests -c user.email=tests@localhost -c commit.gpgsign=false commit --quiet -m snapshot &&
        $snapshot -c tag.gpgsign=false tag 0.1.0
}

# On Linux libcurl is loaded at its first use, and is not linked.
if [ "$(uname)" = Linux ]; then http_libraries=libssl; else http_libraries="libcurl libssl"; fi

passed=0 failed=0
count() { if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi; }
# Whether the program that was built last has the code of the trait Accelerated, each part of it, which a consumer's manifest gets by
# default and loses where it names other traits without `.defaults`.
has_kernels() { # has_kernels <yes or no>
    command -v nm >/dev/null || return 0
    parts='cjose_kernel_ cjose_rsa_power_raise cjose_pss_check cjose_hmac_states_'
    # The kernels for private keys are for this CPU alone.
    if [ "$(uname -m)" = x86_64 ]; then parts="$parts cjose_private_"; fi
    for part in $parts; do
        # Only a global symbol counts: without the trait a header may have a local function of that name, which does nothing.
        if nm "$built" | grep -q " T _*$part"; then has=yes; else has=no; fi
        [ $has = "$1" ] || {
            echo "$built has the code of the trait Accelerated, $part: $has, and not $1"
            return 1
        }
    done
}
by_path() { consume Tests/Consumers/ByPath RoundTrip debug .build/consumers && has_kernels yes; }
with_zip() { consume Tests/Consumers/WithZip Compressing debug .build/consumers-zip libz; }
# A set is served for as long as the program runs; of a trait that is not given, nothing may be read.
with_http() {
    mkdir "$work/served"
    cat >"$work/served/keys.json" <<'KEYS'
{"keys":[{"kty":"EC","crv":"P-256","use":"sig","kid":"1",
"x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
KEYS
    serve "$work/served"
    BULLA_KEYS_URL="$served/keys.json" && export BULLA_KEYS_URL
    fetched=1
    if consume Tests/Consumers/WithHTTP Fetching debug .build/consumers-http $http_libraries && has_kernels yes; then fetched=0; fi
    kill "$server"
    return $fetched
}
# The calls of a developer's first hour and the examples that depend on this package alone. They share the build of with_http.
first_hour() {
    consume Tests/FirstHour FirstHour debug .build/consumers-http $http_libraries && has_kernels yes || return 1
    flags="--package-path Examples/basics --scratch-path .build/consumers-http --cache-path $work/cache"
    flags="$flags --config-path $work/config --security-path $work/security"
    built_quietly $flags || return 1
    (export BULLA_EXAMPLES=1 && built_quietly $debug --product bulla-sandbox) || return 1
    sh Tests/Scripts/first-hour.sh "$(swift_build $flags --show-bin-path)" "$(swift_build $debug --show-bin-path)/bulla-sandbox"
}
without_any() { without_kernels none; }
without_default() { without_kernels HTTP; }
without_kernels() { # without_kernels <traits>
    BULLA_CONSUMER_TRAITS=$1 && export BULLA_CONSUMER_TRAITS
    consume Tests/Consumers/WithoutKernels Verifying debug .build/consumers-kernels && has_kernels no
}
# It depends on the products that need traits as well, without their traits: they link nothing.
own_provider() {
    consume Tests/Consumers/OwnProvider LoggingIn debug .build/consumers && has_kernels yes &&
        refuses Tests/FirstHour/Refused/WithoutTraits.swift "$(dirname "$built")"
}
with_redis() {
    place=$work/redis
    mkdir "$place" && mkfifo "$place/words" "$place/said"
    BULLA_REDIS_PORT=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
    export BULLA_REDIS_PORT
    printf 'bind 127.0.0.1\nport %s\ndir %s\nsave ""\n' "$BULLA_REDIS_PORT" "$place" >"$place/redis.conf"
    sh Tests/Programs/Servers/redis.sh "$(command -v redis-server)" "$place" <"$place/words" >"$place/said" &
    exec 3>"$place/words"
    read -r said <"$place/said"
    stored=1
    if [ "$said" != ready ]; then
        echo "$said"
    elif consume Tests/Consumers/WithRedis Storing debug .build/consumers-redis libhiredis libssl; then
        stored=0
    fi
    exec 3>&-
    wait
    return $stored
}
with_saml() {
    BULLA_SAML_FOLDER=$work && export BULLA_SAML_FOLDER
    openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=consumer -days 2 -keyout "$work/key.pem" \
        -out "$work/certificate.pem" 2>/dev/null
    consume Tests/Consumers/WithSAML Federating debug .build/consumers-saml libz libxml2 libxmlsec1 libxmlsec1-openssl
}
# The manifest is that of the documents, whose address git replaces.
by_url() {
    cp -R Tests/Consumers/ByURL "$work/consumer" && repository &&
        GIT_CONFIG_COUNT=1 && GIT_CONFIG_KEY_0="url.file://$work/bulla.insteadOf" &&
        GIT_CONFIG_VALUE_0=https://example.com/bulla.git &&
        export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 &&
        consume "$work/consumer" Service release "$work/scratch" $http_libraries
}
# The programs with the default traits, as a plain `swift build` makes them.
plain_command() {
    flags="--scratch-path .build/plain --cache-path $work/cache --config-path $work/config --security-path $work/security"
    flags="$flags -Xcc -I$work/traps"
    for product in bulla bulla-sandbox; do
        built_quietly $flags --product $product || return 1
        built=$(swift_build $flags --show-bin-path)/$product
        "$built" --version >/dev/null && links_only "$built" libcrypto libsodium || return 1
    done
}
trap_traits
case ${1:-} in
    --short) set -- by_path own_provider with_http first_hour plain_command ;;
    '') set -- by_path own_provider with_http first_hour plain_command with_zip with_redis with_saml without_any without_default by_url ;;
esac
for consumer in "$@"; do count "$consumer"; done
echo "Consumers: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
