#!/bin/sh
# deb.sh BULLA SANDBOX: packs each of the two programs into .build/deb/NAME_VERSION_ARCHITECTURE.deb for the Debian or Ubuntu of this
# machine. The packages that it depends on are computed from the libraries that it is linked with, and libcurl, which it loads.
# deb.sh --try: installs the newest packages in a new root that debootstrap makes, uses them there as an ordinary user, and removes them.
set -eu
cd "$(dirname "$0")/../.."
out=$PWD/.build/deb

pack() { # pack <package> <program> <pattern of its dependencies>: the description comes from standard input
    description=$(cat)
    # A build between releases sorts below the release, and later commits sort above earlier ones.
    version="$("$2" --version | sed -n 's/^bulla[a-z-]* \([0-9][^ ]*\).*/\1/p')~$(git log -1 --format=%cd.%h --date=format:%Y%m%d%H%M%S)"
    tree=$out/debian/$1
    install -d "$tree/DEBIAN" "$tree/usr/bin" "$tree/usr/share/doc/$1"
    install -m 755 "$2" "$tree/usr/bin/$1"
    strip --strip-unneeded "$tree/usr/bin/$1"
    sh Tests/Scripts/hardened.sh "$tree/usr/bin/$1" "$(dirname "$2")"
    cat NOTICE LICENSE >"$tree/usr/share/doc/$1/copyright"
    gzip -9n <CHANGELOG.md >"$tree/usr/share/doc/$1/changelog.gz"
    install -m 644 README.md "$tree/usr/share/doc/$1/README.md"
    chmod 644 "$tree/usr/share/doc/$1"/*
    printf 'Source: bulla\n\nPackage: %s\nArchitecture: any\n' "$1" >"$out/debian/control"
    depends=$(cd "$out" && dpkg-shlibdeps -O --warnings=0 -e "debian/$1/usr/bin/$1" | sed -n 's/^shlibs:Depends=//p')
    # libcurl is loaded by its name. It must not be older than the headers that were compiled.
    curl=$(dpkg -S '*/libcurl.so.4' | sed -n 's/:.*//p' | head -n 1)
    depends="$depends, $curl (>= $(dpkg-query -W -f '${source:Upstream-Version}' "$curl"))"
    case $depends in
        $3) ;;
        *)
            echo "dpkg-shlibdeps names too little: $depends" >&2
            exit 1
            ;;
    esac
    cat >"$tree/DEBIAN/control" <<CONTROL
Package: $1
Version: $version
Architecture: $architecture
Maintainer: The authors of Bulla <bulla@localhost>
Section: utils
Priority: optional
Installed-Size: $(du -ks "$tree/usr" | cut -f1)
Depends: $depends
Recommends: ca-certificates
$description
CONTROL
    file=$1_${version}_$architecture.deb
    dpkg-deb --root-owner-group --build "$tree" "$out/$file" >/dev/null
    rm -rf "$out/debian"
    (cd "$out" && ls -1sh --block-size=k "./$file")
    echo "Depends: $depends"
}

pack_both() {
    command -v dpkg-shlibdeps >/dev/null || sh Tests/Scripts/apt.sh dpkg-dev
    architecture=$(dpkg --print-architecture)
    rm -rf "$out"
    sh Tests/Scripts/unlinked.sh "$1"
    pack bulla "$1" '*libssl3*libcurl4*' <<'TEXT'
Description: sign, encrypt and verify JOSE tokens (JWS, JWE, JWT)
 The command bulla issues and verifies signed, encrypted and nested tokens,
 one by one, in files of many, in the tasks of a data platform, from a stream
 in Redis, and for a gateway over HTTP. Swift's runtime is part of it.
TEXT
    pack bulla-sandbox "$2" '*libssl3*libxml*libcurl4*' <<'TEXT'
Description: test providers for logins by OpenID Connect and SAML
 The command bulla-sandbox simulates itsme, ZenKey, MitID, DigiD, Entra ID and
 an OpenID provider on loopback, runs a service whose users log in there, and
 makes and checks the files that associate a site with apps. It contains no
 data of real persons. Swift's runtime is part of it.
TEXT
}

try() {
    package=$(ls "$out"/bulla_*.deb 2>/dev/null | head -n 1)
    sandbox=$(ls "$out"/bulla-sandbox_*.deb 2>/dev/null | head -n 1)
    [ -n "$package" ] && [ -n "$sandbox" ] || {
        echo "A package is missing: make deb" >&2
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
    cp "$sandbox" "$root/bulla-sandbox.deb"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    here() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
    [ ! -e "$root/usr/bin/bulla" ] && ! here sh -c 'ldconfig -p | grep -q libcurl' || {
        echo "The root is not a new one." >&2
        exit 1
    }
    here apt-get -qq update >"$out/install.log" 2>&1
    # The package must bring what it needs: recommended packages are left out.
    put() { # put <package>
        here apt-get -qq install --no-install-recommends "./$1.deb" >>"$out/install.log" 2>&1 || {
            tail -n 20 "$out/install.log" >&2
            exit 1
        }
        here dpkg --status "$1" | grep -q '^Status: install ok installed'
        if here ldd "/usr/bin/$1" | grep 'not found\|swift'; then
            echo "A library is missing, or is Swift's." >&2
            exit 1
        fi
    }
    put bulla
    if here ldconfig -p | grep 'libxml2\|libxmlsec\|libqrencode'; then
        echo "The package bulla brought what only the sandbox needs." >&2
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
    put bulla-sandbox
    here setpriv --reuid someone --regid someone --clear-groups sh -eu <<'USE'
cd /home/someone
bulla-sandbox links make apple --app ABCDE12345.com.example.shop --path /callback >apple-app-site-association
bulla-sandbox links check apple-app-site-association --opens https://shop.example.com/callback | grep -q ABCDE12345
bulla-sandbox serve --dir shared --port 0 >told 2>&1 &
server=$!
tries=0
until grep -q '^curl ' told || [ $tries = 300 ]; do tries=$((tries + 1)) && sleep 0.1; done
grep -q '^client digid ' told
kill $server
wait $server
bulla-sandbox sbom | grep -q '"xmlsec1"'
USE
    umount "$root/proc"
    here apt-get -qq purge bulla bulla-sandbox >>"$out/install.log" 2>&1
    for name in bulla bulla-sandbox; do
        [ ! -e "$root/usr/bin/$name" ] && [ ! -e "$root/usr/share/doc/$name" ] || {
            echo "Files of the package $name are left." >&2
            exit 1
        }
    done
    for file in "$package" "$sandbox"; do
        echo "$(basename "$file"): installed in a new root of $VERSION_CODENAME, used by an ordinary user, and removed."
    done
}

case ${1:-} in
    --try) try ;;
    "")
        echo "usage: deb.sh BULLA SANDBOX | --try" >&2
        exit 2
        ;;
    *) pack_both "$1" "$2" ;;
esac
