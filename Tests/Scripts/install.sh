#!/bin/sh
# install.sh demo|command|build|docs|instructions|peers|test: installs missing packages by apt or brew. It lists them first, and for the
# tests it asks for confirmation, unless it runs under CI or as root. The demo needs what a build with the default trait needs, and the
# command what one without SAML and without the sandbox needs.
set -eu
cd "$(dirname "$0")/../.."
purpose=${1:-build}

# A library that pkg-config finds is installed, whatever its origin.
missing=
need() { # need <apt name> <brew name> <command that succeeds if it is there>
    if ! eval "$3" >/dev/null 2>&1; then missing="$missing $1:$2"; fi
}
need pkg-config pkgconf 'command -v pkg-config'
need libssl-dev openssl@3 'pkg-config --exists "libcrypto >= 3" || brew list openssl@3'
need libsodium-dev libsodium 'pkg-config --exists libsodium || brew list libsodium'
if [ "$purpose" != demo ]; then
    need zlib1g-dev zlib 'pkg-config --exists zlib || brew list zlib'
    need libcurl4-openssl-dev curl 'pkg-config --exists libcurl || brew list curl'
    need libhiredis-dev hiredis 'pkg-config --exists hiredis || brew list hiredis'
    need libmicrohttpd-dev libmicrohttpd 'pkg-config --exists libmicrohttpd || brew list libmicrohttpd'
fi
if [ "$purpose" != demo ] && [ "$purpose" != command ]; then
    need libxmlsec1-dev libxmlsec1 'pkg-config --exists xmlsec1-openssl || brew list libxmlsec1'
    need libgnutls28-dev gnutls 'pkg-config --exists gnutls || brew list gnutls'
    need libqrencode-dev qrencode 'pkg-config --exists libqrencode || brew list qrencode'
fi
case $purpose in demo | command | build) ;; *) need python3 python3 'command -v python3' ;; esac
# The benchmarks are built with the headers of valgrind, which exists for Linux only.
if [ "$purpose" = test ] || [ "$purpose" = instructions ]; then
    if [ "$(uname)" = Linux ]; then need valgrind valgrind '[ -e /usr/include/valgrind/callgrind.h ]'; fi
fi
if [ "$purpose" = test ] || [ "$purpose" = peers ]; then need python3-venv python3 'python3 -c "import ensurepip, venv"'; fi
if [ "$purpose" = test ]; then
    need jose jose 'command -v jose'
    need openssl openssl@3 'command -v openssl'
    need xmlsec1 libxmlsec1 'command -v xmlsec1'
    need curl curl 'command -v curl'
    need nginx-light nginx 'command -v nginx || [ -x /usr/sbin/nginx ]'
    need caddy caddy 'command -v caddy'
    need redis-server redis 'command -v redis-server'
    need softhsm2 softhsm 'command -v softhsm2-util'
    # Debian's browser and its driver have one version, and certutil makes it trust an authority. Elsewhere the test is skipped.
    if [ "$(uname)" = Linux ] && command -v apt-get >/dev/null; then
        need chromium - 'command -v chromium'
        need chromium-driver - 'command -v chromedriver'
        need libnss3-tools - 'command -v certutil'
    fi
    if [ "$(uname)" = Linux ]; then
        need strace strace 'command -v strace'
        need valgrind valgrind 'command -v valgrind'
    fi
    wheels=$(sed -n 's/^\([A-Za-z][^ #]*\).*/\1/p' Tests/Interop/Peers/requirements.txt | tr '\n' ' ')
    if sh Tests/Scripts/peers.sh --ready; then wheels=; fi
else
    wheels=
fi
[ -n "$missing$wheels" ] || exit 0

column() { for pair in $missing; do case $1 in apt) echo "${pair%%:*}" ;; *) echo "${pair#*:}" ;; esac; done | sort -u | tr '\n' ' '; }
if [ -z "$missing" ]; then
    manager=none packages=
elif command -v apt-get >/dev/null; then
    manager=apt packages=$(column apt)
elif command -v brew >/dev/null; then
    manager=brew packages=$(column brew)
else
    echo "Missing, and neither apt nor brew is here to install them: $(column apt)" >&2
    exit 1
fi

if [ -n "$packages" ]; then echo "Will be installed with $manager: $packages"; fi
if [ -n "$wheels" ]; then echo "Will be installed from PyPI, into .build/peers alone: $wheels"; fi
if [ "$purpose" = test ] && [ -z "${CI:-}" ] && [ "$(id -u)" -ne 0 ]; then
    printf 'Go on? [y/N] '
    read -r answer || answer=
    case $answer in
        y | Y | yes) ;;
        *)
            echo "Nothing was installed. With CI=1 in its environment make asks nothing." >&2
            exit 1
            ;;
    esac
fi

case $manager in
    none) ;;
    brew) brew install $packages ;;
    apt) sh Tests/Scripts/apt.sh $packages ;;
esac
