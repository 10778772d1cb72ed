#!/bin/sh
# compare-instructions.sh BASE [OPTION...]: counts the instructions of the benchmark rows at the revision BASE and in the working tree,
# twice each, and compares them. instructions.py has the options. ONLY="verify RS256" counts the rows whose titles contain that.
set -eu
cd "$(dirname "$0")/../.."
[ -n "${1:-}" ] || {
    echo "Name the revision to compare with: make compare-instructions BASE=main" >&2
    exit 2
}
revision=$(git rev-parse --verify --quiet "$1^{commit}") || {
    echo "There is no revision $1." >&2
    exit 2
}
shift
sh Tests/Scripts/install.sh instructions
place=$PWD/.build/instructions
rm -rf "$place/base" "$place"/*.json
mkdir -p "$place/base"
git archive --output "$place/base.tar" "$revision"
tar -x -f "$place/base.tar" -C "$place/base"
rm "$place/base.tar"

count() { # count <top folder> <build folder> <file>
    # If only some rows are counted, bench adds them to those in the file.
    if [ -n "${ONLY:-}" ]; then echo '{"machine":"","rows":{}}' >"$3"; fi
    swift run -c release --package-path "$1/Benchmarks" --scratch-path "$2" bench --write-instructions --instructions-file "$3" \
        ${ONLY:+--only "$ONLY"} >&2
}
for round in 1 2; do
    count "$place/base" "$place/build" "$place/base-$round.json"
    count "$PWD" .build/benchmarks "$place/head-$round.json"
done
exec python3 -B Tests/Scripts/instructions.py --base "$place"/base-[12].json --head "$place"/head-[12].json "$@"
