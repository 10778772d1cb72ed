#!/bin/sh
# redis.sh REDIS FOLDER: runs redis-server by FOLDER/redis.conf until the end of standard input, so that it cannot outlive who
# started it. Says "ready" once it listens. Lines: "kill" ends it as a crash does, "start" begins it anew and waits until it
# listens, "stop" has it stand still, "go" has it go on; each is answered by "done".
set -eu
tool=$1
folder=$2
server=
# Without `wait`: see openssl.sh.
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null || :' EXIT

start() {
    rm -f "$folder/redis.pid"
    "$tool" "$folder/redis.conf" </dev/null >>"$folder/log" 2>&1 &
    server=$!
    tries=0
    # It writes the file before it reads its data back, and this line when it listens and has read them.
    until [ "$(grep -c 'Ready to accept connections' "$folder/log" || :)" -gt "${ready:-0}" ]; do
        tries=$((tries + 1))
        if [ "$tries" -gt 6000 ] || ! kill -0 "$server" 2>/dev/null; then
            echo "redis-server does not start: $(tail -n 3 "$folder/log" | tr '\n' ' ')"
            exit 1
        fi
        sleep 0.05
    done
    ready=$(grep -c 'Ready to accept connections' "$folder/log")
}

# Whether the server is a child that nobody has asked about, with no other thread, which would keep its port open.
is_gone() {
    grep -q 'State:[[:space:]]*Z' "/proc/$server/status" 2>/dev/null && [ "$(ls "/proc/$server/task" | wc -l)" -le 1 ]
}

: >"$folder/log"
start
echo ready
while read -r word; do
    case $word in
        kill)
            kill -9 "$server"
            while kill -0 "$server" 2>/dev/null && ! is_gone; do sleep 0.01; done
            server=
            ;;
        start) start ;;
        stop) kill -STOP "$server" ;;
        go) kill -CONT "$server" ;;
        *)
            echo "no such word"
            continue
            ;;
    esac
    echo done
done
