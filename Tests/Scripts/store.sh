#!/bin/sh
# store.sh: measures transactions per second of the store in memory and of Redis on loopback, which it starts and stops: in
# memory only, and with a file that is written before each response.
set -eu
cd "$(dirname "$0")/../.."
export SWIFT_DETERMINISTIC_HASHING=1 # flags.sh says why
redis=$(command -v redis-server)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' INT TERM HUP
port=${1:-46379}
mkfifo "$place/words" "$place/said"
for file in no yes; do
    printf 'bind 127.0.0.1\nport %s\ndir %s\nsave ""\nappendonly %s\nappendfsync always\n' "$port" "$place" "$file" >"$place/redis.conf"
    sh Tests/Programs/Servers/redis.sh "$redis" "$place" <"$place/words" >"$place/said" &
    exec 3>"$place/words"
    read -r said <"$place/said"
    [ "$said" = ready ] || { echo "$said" >&2; exit 1; }
    echo "appendonly $file"
    ${BENCH:-swift run -c release --package-path Benchmarks --scratch-path .build/benchmarks bench} --store "$port"
    exec 3>&-
    wait
done
