#!/bin/sh
# budgets.sh: one short round of every benchmark row; fails where one allocates more than its budget. ML-DSA's rows run
# with a libcrypto that has it.
set -eu
cd "$(dirname "$0")/../.."
bench() {
    swift run -c release --package-path Benchmarks --scratch-path .build/benchmarks bench --short --check-budgets "$@"
}
bench
sh Tests/Scripts/libcrypto35.sh
[ ! -d .build/mldsa/lib ] || LD_LIBRARY_PATH="$PWD/.build/mldsa/lib" bench --only ML-DSA
