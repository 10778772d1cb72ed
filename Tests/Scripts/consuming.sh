# Sourced, with a folder in $work: what the scripts share that try the package as its users do.

# serve <folder>: serves the folder on loopback. The process is $server, its address $served.
serve() {
    python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$1" >"$work/served.log" 2>&1 &
    server=$!
    port=
    while [ -z "$port" ]; do
        kill -0 "$server" || { cat "$work/served.log" && exit 1; }
        port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/served.log" | head -n 1)
        [ -n "$port" ] || sleep 0.1
    done
    served=http://127.0.0.1:$port
}

# refuses <file> <folder of a build>: type-checks a file against the modules of a build. Each line that the compiler must reject ends with
# `// expected-error {{text}}`, where the text is part of the message; any other error fails, and so does a missing one.
refuses() {
    modules=$2
    set -- -typecheck -swift-version 6 "$1" -I "$modules/Modules" -Xfrontend -verify -Xfrontend -verify-ignore-unknown \
        -Xfrontend -verify-ignore-unrelated
    for map in "$modules"/*.build/module.modulemap; do set -- "$@" -Xcc "-fmodule-map-file=$map"; done
    swiftc "$@" -module-name Refused >"$work/refused.log" 2>&1 || {
        cat "$work/refused.log"
        return 1
    }
}
