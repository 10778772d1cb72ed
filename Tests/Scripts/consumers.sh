#!/bin/sh
# Packages that depend on this one, as users' do: by path, and by the URL and tag of a repository. What they link is
# read off: two C libraries, and nothing that a trait would bring.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# A hook's or a caller's repository is not the one that is made here.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

# The caches and fingerprints of a user's own packages are left alone.
consume() { # consume <package> <product> <configuration> <scratch>
    flags="--package-path $1 --scratch-path $4 --cache-path $work/cache --config-path $work/config"
    flags="$flags --security-path $work/security -c $3"
    swift build $flags --product "$2" >"$work/build.log" 2>&1 || {
        cat "$work/build.log"
        return 1
    }
    built=$(swift build $flags --show-bin-path)/$2
    "$built" || return 1
    links_only_two_libraries "$built"
}

links_only_two_libraries() {
    if command -v ldd >/dev/null; then
        linked=$(ldd "$1" | sed -E -n 's/^[[:space:]]*([^ ]+).*/\1/p' | sed 's|.*/||')
    else
        linked=$(otool -L "$1" | sed -E -n '2,$s/^[[:space:]]*([^ ]+).*/\1/p' | sed 's|.*/||')
    fi
    others=
    for library in $linked; do
        case $library in
            libcrypto.* | libsodium.*) ;;
            # libc, its compiler's and Swift's runtime
            linux-vdso* | ld-linux* | libc.* | libm.* | libdl.* | librt.* | libpthread.* | libgcc_s.* | libstdc++.*) ;;
            libc++.* | libSystem.* | libobjc.* | Foundation | CoreFoundation | Security) ;;
            libswift* | lib_Foundation* | libFoundation* | libdispatch* | libBlocksRuntime*) ;;
            *) others="$others $library" ;;
        esac
    done
    [ -z "$others" ] || {
        echo "$1 links more than libcrypto and libsodium:$others"
        return 1
    }
    for wanted in libcrypto libsodium; do
        echo "$linked" | grep -q "^$wanted\." || {
            echo "$1 does not link $wanted"
            return 1
        }
    done
}

# The work tree as it stands, committed and tagged in a repository of its own, so that what is not committed yet is
# tested too. A dependency that was reached by a tag may hold no unsafe flags: the build below would refuse them.
repository() {
    snapshot="git --git-dir $work/bulla/.git --work-tree ."
    git init --quiet "$work/bulla" &&
        $snapshot add --all &&
        $snapshot -c user.name=tests -c user.email=tests@localhost -c commit.gpgsign=false commit --quiet -m snapshot &&
        $snapshot -c tag.gpgsign=false tag 1.0.0
}

passed=0 failed=0
count() { if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi; }
by_path() { consume Tests/Consumers/ByPath RoundTrip debug .build/consumers; }
by_url() {
    cp -R Tests/Consumers/ByURL "$work/consumer" && repository &&
        BULLA_REPOSITORY="file://$work/bulla" && export BULLA_REPOSITORY &&
        consume "$work/consumer" Signing release "$work/scratch"
}
count by_path
count by_url
echo "Consumers: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
