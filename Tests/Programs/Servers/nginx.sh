#!/bin/sh
# nginx.sh NGINX FOLDER: runs nginx by FOLDER/nginx.conf until the end of standard input, so that it cannot outlive who
# started it. Says "ready" once it listens; a line "reload" has it read its configuration anew.
set -eu
"$1" -p "$2" -c "$2/nginx.conf" -e "$2/error.log" </dev/null >&2 &
server=$!
# Without `wait`: see openssl.sh.
trap 'kill "$server" 2>/dev/null || :' EXIT
tries=0
# The file is written once the ports are bound.
until [ -s "$2/nginx.pid" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 6000 ] || ! kill -0 "$server" 2>/dev/null; then
        echo "nginx does not start: $(tail -n 3 "$2/error.log" | tr '\n' ' ')"
        exit 1
    fi
    sleep 0.05
done
echo ready
while read -r word; do
    case $word in
        reload) kill -HUP "$server" && echo reloading ;;
        *) echo "no such word" ;;
    esac
done
