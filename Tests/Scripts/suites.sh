#!/bin/sh
# suites.sh [OPTION...]: the Swift tests, with these options of the build besides. BULLA_SKIP is a regular expression of tests to leave
# out. If BULLA_TESTS names test targets, the others are neither built nor run. BULLA_BESIDE is a script to run with the build.
#
# Three processes run side by side: the targets that compute; those that wait for servers and clocks, a target at a time; and the tests
# of the command, and then the script. Tests that run tools hold threads for as long as those take, and a machine of two cores has no
# others.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
. Tests/Scripts/reported.sh
waiting='JOSERelyingPartyTests JOSEDigiDTests JOSEKeySetsTests JOSEFetchTests JOSEFaultTests JOSERedisTests JOSESandboxTests'
all=$(echo "$waiting JOSECommandTests" | tr ' ' '|')
# unaccelerated.sh leaves a trait out.
options=${BULLA_TRAITS:+$BULLA_TRAITS $quick}
options=${options:-$debug}

# Swift Testing begins all tests at once otherwise. A test that awaits something would continue after all the others had their turn, which
# takes minutes under a sanitizer: tokens expire meanwhile.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8

# Under CI a run that never ends is a failure that says which; 40 minutes hold the build as well. Elsewhere somebody watches, and
# `timeout` would keep the interrupt key from what it runs.
bounded() {
    if [ -z "${CI:-}" ] || ! command -v timeout >/dev/null; then
        "$@"
        return
    fi
    status=0
    timeout 2400 "$@" || status=$?
    if [ "$status" -eq 124 ]; then echo "Not ended after 40 minutes: $*" >&2; fi
    return "$status"
}

build=$*
tests() { # tests <option of swift test...>: two calls at a time, which the lock of the build folder would put one after the other
    reported bounded swift test $options $build --disable-xctest --skip-build --ignore-lock \
        ${BULLA_SKIP:+--skip "$BULLA_SKIP"} "$@"
}
# Tests run after others have failed, so that one run finds all that fail, but not after some that did not end.
goes_on() { # goes_on <command...>: fails if the command did not end in time
    status=0
    "$@" || status=$?
    [ "$status" -eq 0 ] || outcome=1
    [ "$status" -ne 124 ]
}
in_turn() { # in_turn <target...>
    for target in "$@"; do
        case " ${BULLA_TESTS:-$target} " in *" $target "*) goes_on tests --filter "$target" || return 1 ;; esac
    done
}
wait_for_servers() {
    outcome=0
    in_turn $waiting || return 1
    return "$outcome"
}
run_programs() {
    outcome=0
    in_turn JOSECommandTests || return 1
    [ -z "${BULLA_BESIDE:-}" ] || goes_on reported bounded sh "$BULLA_BESIDE" || return 1
    return "$outcome"
}
compute() {
    outcome=0
    goes_on tests --skip "$all" || return 1
    # A build without the trait Accelerated has no kernels to choose from, and batches are in JOSETokensTests.
    [ -z "${BULLA_TRAITS:-}" ] || return "$outcome"
    case " ${BULLA_TESTS:-JOSETokensTests} " in *" JOSETokensTests "*) ;; *) return "$outcome" ;; esac
    # The best form of the kernels was used so far.
    for form in openssl portable; do
        named='Batch(Verifier|Error|Sequence)Tests|CoalescingTests'
        # Where libcrypto alone verifies, no key has a table.
        [ "$form" = openssl ] || named="$named|BatchHotKeyTests|HotKeyTests|KernelTests/p256"
        BULLA_KERNELS=$form && export BULLA_KERNELS
        goes_on tests --filter "$named" || return 1
    done
    return "$outcome"
}

bounded $deterministic swift build --build-tests $options $build
logs=$(mktemp -d)
waiter= programs=
trap 'for process in $waiter $programs; do kill "$process" 2>/dev/null || true; done; rm -rf "$logs"' EXIT
trap 'exit 1' INT TERM HUP
wait_for_servers >"$logs/waiter" 2>&1 &
waiter=$!
run_programs >"$logs/programs" 2>&1 &
programs=$!
failed=0
(compute) || failed=1
wait "$waiter" || failed=1
waiter=
cat "$logs/waiter"
wait "$programs" || failed=1
programs=
cat "$logs/programs"
exit "$failed"
