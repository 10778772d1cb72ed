#!/bin/sh
# replay.sh [COUNT]: three processes each verify COUNT DPoP proofs (a thousand) ten times at once with one replay store in Redis;
# each proof must be accepted exactly once, and not twice where Redis is killed meanwhile.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
BULLA_REPLAY_PROOFS=${1:-1000}
export BULLA_REPLAY_PROOFS
swift_build --build-tests $debug
swift test $debug --disable-xctest --skip-build --filter '^JOSERedisTests\.RedisReplayTests'
