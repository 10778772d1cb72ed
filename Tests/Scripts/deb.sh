#!/bin/sh
# deb.sh BULLA: packs the program into .build/deb/bulla_VERSION_ARCHITECTURE.deb for the Debian or Ubuntu of this machine. The packages that
# it depends on are computed from the libraries it is linked with.
# deb.sh --try: installs the newest package in a new root that debootstrap makes, uses it there as an ordinary user, and removes it.
set -eu
cd "$(dirname "$0")/../.."
out=$PWD/.build/deb

pack() {
    command -v dpkg-shlibdeps >/dev/null || sh Tests/Scripts/apt.sh dpkg-dev
    architecture=$(dpkg --print-architecture)
    # A build between releases sorts below the release, and later commits sort above earlier ones.
    version="$("$1" --version | sed -n 's/^bulla \([0-9][^ ]*\).*/\1/p')~$(git log -1 --format=%cd.%h --date=format:%Y%m%d%H%M%S)"
    tree=$out/debian/bulla
    rm -rf "$out"
    install -d "$tree/DEBIAN" "$tree/usr/bin" "$tree/usr/share/doc/bulla"
    install -m 755 "$1" "$tree/usr/bin/bulla"
    strip --strip-unneeded "$tree/usr/bin/bulla"
    sh Tests/Scripts/hardened.sh "$tree/usr/bin/bulla" "$(dirname "$1")"
    cat NOTICE LICENSE >"$tree/usr/share/doc/bulla/copyright"
    gzip -9n <CHANGELOG.md >"$tree/usr/share/doc/bulla/changelog.gz"
    install -m 644 README.md "$tree/usr/share/doc/bulla/README.md"
    chmod 644 "$tree"/usr/share/doc/bulla/*
    printf 'Source: bulla\n\nPackage: bulla\nArchitecture: any\n' >"$out/debian/control"
    depends=$(cd "$out" && dpkg-shlibdeps -O --warnings=0 -e debian/bulla/usr/bin/bulla | sed -n 's/^shlibs:Depends=//p')
    case $depends in
        *libcurl*libssl3*) ;;
        *)
            echo "dpkg-shlibdeps names too little: $depends" >&2
            exit 1
            ;;
    esac
    cat >"$tree/DEBIAN/control" <<CONTROL
Package: bulla
Version: $version
Architecture: $architecture
Maintainer: The authors of Bulla <bulla@localhost>
Section: utils
Priority: optional
Installed-Size: $(du -ks "$tree/usr" | cut -f1)
Depends: $depends
Recommends: ca-certificates
Description: sign, encrypt and verify JOSE tokens (JWS, JWE, JWT)
 The command bulla issues and verifies signed, encrypted and nested tokens,
 one by one, in files of many, in the tasks of a data platform, from a stream
 in Redis, and for a gateway over HTTP. Swift's runtime is part of it.
CONTROL
    dpkg-deb --root-owner-group --build "$tree" "$out/bulla_${version}_$architecture.deb" >/dev/null
    rm -rf "$out/debian"
    (cd "$out" && ls -1sh --block-size=k ./*.deb)
    echo "Depends: $depends"
}

try() {
    package=$(ls "$out"/bulla_*.deb 2>/dev/null | head -n 1)
    [ -n "$package" ] || {
        echo "There is no package: make deb" >&2
        exit 1
    }
    [ "$(id -u)" = 0 ] || {
        echo "debootstrap and chroot need root." >&2
        exit 1
    }
    command -v debootstrap >/dev/null || sh Tests/Scripts/apt.sh debootstrap
    . /etc/os-release
    root=$(mktemp -d)
    trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
    trap 'exit 1' INT TERM HUP
    chmod 755 "$root"
    debootstrap --variant=minbase "$VERSION_CODENAME" "$root" >"$out/debootstrap.log" 2>&1 || {
        tail -n 20 "$out/debootstrap.log" >&2
        exit 1
    }
    cp "$package" "$root/bulla.deb"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    here() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
    [ ! -e "$root/usr/bin/bulla" ] && ! here sh -c 'ldconfig -p | grep -q libcurl' || {
        echo "The root is not a new one." >&2
        exit 1
    }
    # The package must bring what it needs: recommended packages are left out.
    here sh -c 'apt-get -qq update && apt-get -qq install --no-install-recommends ./bulla.deb' >"$out/install.log" 2>&1 || {
        tail -n 20 "$out/install.log" >&2
        exit 1
    }
    here dpkg --status bulla | grep -q '^Status: install ok installed'
    if here ldd /usr/bin/bulla | grep 'not found\|swift'; then
        echo "A library is missing, or is Swift's." >&2
        exit 1
    fi
    # Swift's runtime reads the arguments of a process there.
    mount -t proc proc "$root/proc"
    here useradd --create-home someone
    here setpriv --reuid someone --regid someone --clear-groups sh -eu <<'USE'
cd /home/someone
policy="--iss https://id.example.com --aud shop"
echo '{}' >claims
bulla key generate P-256 --alg ES256 --kid s1 --out s1.jwk --public-out s1.pub.jwk
bulla key generate RSA --alg RSA-OAEP --kid e1 --out e1.jwk --public-out e1.pub.jwk
token=$(bulla sign --quiet --alg ES256 --key s1.jwk --iss https://id.example.com --aud shop --sub u1 <claims)
bulla verify --quiet --keys s1.pub.jwk --alg ES256 $policy "$token"
# A token with another signature must be refused, by the status and by its error.
status=0
bulla verify --output json --quiet --keys s1.pub.jwk --alg ES256 $policy "${token%????????}AAAAAAAA" >answer 2>/dev/null || status=$?
[ $status = 1 ] && grep -q '"error":"signature_invalid"' answer
printf '{"id":"a","token":"%s"}\n{"id":"b","token":"x"}\n' "$token" >rows
bulla verify --input jsonl --exit-zero --quiet --keys s1.pub.jwk --alg ES256 $policy rows >answers
[ "$(grep -c '"id":"a","result":"valid"' answers) $(grep -c '"id":"b","result":"invalid"' answers)" = "1 1" ]
# Keys by HTTP, from the command's own server, through the key cache.
mkdir published && cp s1.pub.jwk published
bulla keys serve published --port 0 >served 2>&1 &
server=$!
tries=0
until grep -q 'http://' served || [ $tries = 100 ]; do tries=$((tries + 1)) && sleep 0.1; done
url=$(sed -n 's/.*\(http:[^ "]*\).*/\1/p' served | head -n 1)
bulla verify --quiet --allow-loopback-http --key-cache cache --keys "$url" --alg ES256 $policy "$token"
kill $server
ls cache | grep -q snapshot
bulla verify --quiet --allow-loopback-http --key-cache cache --keys "$url" --alg ES256 $policy "$token"
bulla sbom | grep -q '"libcurl"'
USE
    umount "$root/proc"
    here apt-get -qq purge bulla >>"$out/install.log" 2>&1
    [ ! -e "$root/usr/bin/bulla" ] && [ ! -e "$root/usr/share/doc/bulla" ] || {
        echo "Files of the package are left." >&2
        exit 1
    }
    echo "$(basename "$package"): installed in a new root of $VERSION_CODENAME, used by an ordinary user, and removed."
}

case ${1:-} in
    --try) try ;;
    "")
        echo "usage: deb.sh BULLA | --try" >&2
        exit 2
        ;;
    *) pack "$1" ;;
esac
