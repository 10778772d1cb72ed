#!/bin/sh
# The Swift tests under AddressSanitizer, in a build folder of their own.
set -eu
cd "$(dirname "$0")/../.."
# A crash is reported by the sanitizer; Swift's own backtracer beside it can hang.
SWIFT_BACKTRACE=enable=no swift test --enable-all-traits --disable-xctest --sanitize=address \
    --scratch-path .build/sanitize "$@"
