#!/bin/sh
# openssl.sh FOLDER ARGUMENT…: runs `openssl s_server` on a port that the system chooses, and says which, until the end of
# standard input, so that it cannot outlive who started it. It tells its clients in alerts why it refuses them.
set -eu
folder=$1
shift
openssl s_server -accept 127.0.0.1:0 -www "$@" </dev/null >"$folder/out" 2>"$folder/err" &
server=$!
# Whoever was started by a thread that blocks signals has them blocked, all but this one; and the shell's `wait` would never
# hear that a child ended, and would keep open what it inherited: the output of the tests, to whose end their runner listens.
trap 'kill -9 "$server" 2>/dev/null || :' EXIT
tries=0
until port=$(sed -n 's/^ACCEPT .*:\([0-9]*\).*$/\1/p' "$folder/out" | head -n 1) && [ -n "$port" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 6000 ] || ! kill -0 "$server" 2>/dev/null; then
        echo "openssl s_server does not start: $(tail -n 3 "$folder/err" | tr '\n' ' ')"
        exit 1
    fi
    sleep 0.05
done
echo "$port"
while read -r _; do :; done
