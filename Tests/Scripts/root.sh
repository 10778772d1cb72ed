#!/bin/sh
# root.sh SUITE [COMMAND]: makes a root of the Debian SUITE (bookworm, trixie) by debootstrap, and runs the shell command in a clone of
# this repository there: make demo && make test by default, as on a fresh machine that has git, make and the toolchain of this one.
# It installs what the README names and what Swift's compiler is linked with, and no C compiler. The mounts are private to this process.
# BULLA_ROOT names a folder in which the root is kept, and where it is found again.
set -eu
cd "$(dirname "$0")/../.."
suite=${1:-}
command=${2:-make demo && make test}
case $suite in
    '' | *[!a-z]*)
        echo "usage: root.sh SUITE [COMMAND]" >&2
        exit 2
        ;;
esac
[ "$(id -u)" = 0 ] || {
    echo "debootstrap and chroot need root." >&2
    exit 1
}
swift=$(readlink -f "$(command -v swift)")
toolchain=${swift%/usr/bin/*}
[ -n "$toolchain" ] && [ -x "$toolchain/usr/bin/swift" ] || {
    echo "The toolchain must have a folder of its own, which the root can share: $swift is in a system's." >&2
    exit 1
}
if [ -z "${BULLA_PRIVATE_MOUNTS:-}" ]; then
    # The mounts end with the namespace, whatever ends this process.
    BULLA_PRIVATE_MOUNTS=1 exec unshare --mount --propagation private sh Tests/Scripts/root.sh "$suite" "$command"
fi
command -v debootstrap >/dev/null || sh Tests/Scripts/apt.sh debootstrap

place=$PWD/.build/roots
mkdir -p "$place"
log=$place/$suite.log
root=${BULLA_ROOT:-}
if [ -z "$root" ]; then
    root=$(mktemp -d "$place/$suite.XXXXXX")
    # The toolchain may be on the same file system: nothing is removed while something is mounted.
    trap 'for at in opt/toolchain proc sys dev; do umount -R "$root/$at" 2>/dev/null || true; done
        grep -q " $root/" /proc/self/mountinfo || rm -rf --one-file-system "$root"' EXIT
    trap 'exit 1' INT TERM HUP
fi
mkdir -p "$root"
chmod 755 "$root"
here() {
    chroot "$root" env -i PATH=/opt/toolchain/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive CI="${CI:-}" "$@"
}
logged() {
    "$@" >>"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        exit 1
    }
}
: >"$log"
if [ ! -e "$root/etc/debian_version" ]; then
    echo "debootstrap $suite"
    logged debootstrap --variant=minbase "$suite" "$root"
fi
mkdir -p "$root/opt/toolchain" "$root/work"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# An installed system has this file, and a minimal root may lack it.
[ -e "$root/etc/hosts" ] || printf '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n' >"$root/etc/hosts"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount --rbind /dev "$root/dev"
mount --bind "$toolchain" "$root/opt/toolchain"
mount -o remount,bind,ro "$root/opt/toolchain"
# No service is started: tests start their own, on loopback.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
logged here apt-get -qq update
headers=$(here apt-cache search --names-only '^libstdc[+][+]-[0-9]+-dev$' | cut -d' ' -f1 | sort -V | tail -n 1)
logged here apt-get -qq install -y --no-install-recommends git make ca-certificates tzdata binutils libc6-dev "$headers" libcurl4 libedit2 \
    libncurses6 libsqlite3-0 libxml2 zlib1g
if here sh -c 'ldd /opt/toolchain/usr/bin/swift-build /opt/toolchain/usr/bin/swift-frontend /opt/toolchain/usr/bin/clang' | grep 'not found'; then
    echo "The toolchain does not run in $suite." >&2
    exit 1
fi
rm -rf "$root/work/bulla"
git clone -q --no-hardlinks . "$root/work/bulla"
echo "$suite: Debian $(cat "$root/etc/debian_version"), $(git log -1 --format=%h): $command"
status=0
here sh -c "cd /work/bulla && $command" || status=$?
here sh -c 'dpkg-query -W -f "\${Package} \${Version}\n" libssl3t64 libssl3 libcurl4t64 libcurl4 libhiredis1.1.0 libhiredis0.14 libmicrohttpd12t64 libmicrohttpd12 2>/dev/null' || true
exit "$status"
