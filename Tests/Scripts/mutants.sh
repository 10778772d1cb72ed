#!/bin/sh
# mutants.sh [OPTION...]: breaks conditions of the sources on purpose, and tells which of these mutants no test notices. First the tool
# is checked with a package whose results are known. Without options: 300 mutants by random choice and all of the policy code, written
# to .build/MUTANTS.md. `python3 Tests/Scripts/mutants.py --help` lists the options.
set -eu
cd "$(dirname "$0")/../.."
[ "$#" -gt 0 ] || set -- --count 300 --policy --report
sh Tests/Scripts/install.sh test
python3 -B Tests/Scripts/mutants.py --self-check
exec python3 -B Tests/Scripts/mutants.py "$@"
