#!/bin/sh
# programs.sh: the tests beside the Swift ones, with the build of `make test`: ML-DSA by another libcrypto, queues, the scripts of this
# project, and the calls of a developer's first hour.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
sh Tests/Scripts/mldsa.sh
built=$(swift_build $debug --show-bin-path)
python3 -B Tests/Scripts/worker.py "$built/bulla" --short
python3 -B Benchmarks/Peers/test_peers.py
python3 -B Tests/Scripts/test_interface.py
python3 -B Tests/Scripts/test_instructions.py
python3 -B Tests/Scripts/test_mutants.py
sh Tests/Scripts/first-hour.sh "$built" "$built/bulla-sandbox" Example
