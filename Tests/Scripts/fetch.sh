#!/bin/sh
# fetch.sh: measures requests per second of the transport and of the command curl, with nginx on loopback, which it starts and stops.
set -eu
cd "$(dirname "$0")/../.."
export SWIFT_DETERMINISTIC_HASHING=1 # flags.sh says why
nginx=$(command -v nginx || echo /usr/sbin/nginx)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' INT TERM HUP
port=${1:-48443}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$place/key.pem" -out "$place/ca.pem" 2>/dev/null
mkdir "$place/www"
printf '{"keys":[%s]}' '{"kty":"EC","crv":"P-256","kid":"1","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}' >"$place/www/jwks.json"
user=
[ "$(id -u)" -ne 0 ] || user='user root;'
cat >"$place/nginx.conf" <<END
$user
daemon off;
worker_processes 1;
pid $place/nginx.pid;
events { worker_connections 256; }
http {
    access_log off;
    client_body_temp_path $place/1; proxy_temp_path $place/2; fastcgi_temp_path $place/3; uwsgi_temp_path $place/4; scgi_temp_path $place/5;
    keepalive_requests 1000000;
    server {
        listen 127.0.0.1:$port ssl http2;
        server_name localhost;
        ssl_certificate $place/ca.pem;
        ssl_certificate_key $place/key.pem;
        root $place/www;
    }
}
END
mkfifo "$place/words" "$place/said"
sh Tests/Programs/Servers/nginx.sh "$nginx" "$place" <"$place/words" >"$place/said" &
exec 3>"$place/words"
read -r said <"$place/said"
[ "$said" = ready ] || { echo "$said" >&2; exit 1; }
${BENCH:-swift run -c release --package-path Benchmarks --scratch-path .build/benchmarks bench} \
    --fetch "https://localhost:$port/jwks.json" --ca "$place/ca.pem"
exec 3>&-
wait
