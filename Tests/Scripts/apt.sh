#!/bin/sh
# apt.sh PACKAGE...: installs packages without starting or restarting services.
set -eu
root=
if [ "$(id -u)" -ne 0 ]; then
    root=sudo
    command -v sudo >/dev/null || {
        echo "Neither root nor sudo: install these, then run this again." >&2
        exit 1
    }
fi
# Scripts of packages may start or restart services (libssl's do when it is upgraded), and consult this file on Debian.
guard=/usr/sbin/policy-rc.d
if [ ! -e "$guard" ]; then
    trap '$root rm -f "$guard"' EXIT
    trap 'exit 1' INT TERM HUP
    printf '#!/bin/sh\nexit 101\n' | $root tee "$guard" >/dev/null
    $root chmod 755 "$guard"
fi
$root apt-get update -qq
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
