#!/bin/sh
# budgets.sh: runs one short round of every benchmark row, and fails if one allocates more than its budget. Rows of ML-DSA run
# with a libcrypto that supports it.
set -eu
cd "$(dirname "$0")/../.."
export SWIFT_DETERMINISTIC_HASHING=1 # flags.sh says why
bench() {
    swift run -c release --package-path Benchmarks --scratch-path .build/benchmarks bench --short --check-budgets "$@"
}
bench
sh Tests/Scripts/libcrypto35.sh
[ ! -d .build/mldsa/lib ] || LD_LIBRARY_PATH="$PWD/.build/mldsa/lib" bench --only ML-DSA
