"""Runs bulla serve behind nginx and Caddy with the configurations of Examples/Gateway, and checks what reaches the backend.

Under load by wrk it reloads and replaces the service, and expects that no request fails.
"""
import http.server, json, os, shutil, signal, socket, subprocess, sys, threading, time

from gateway_tools import *


class Backend(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen = []

    def do_GET(self):
        Backend.seen.append(sorted((name, value) for name, value in self.headers.items() if name.lower().startswith("x-auth")))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def check(name, port):
    good, wide = token({"sub": "alice", "scope": "read"}), token({"sub": "bob", "scope": "read admin"})
    none = token({"aud": "shop"})
    large = token({"sub": "alice", "padding": "p" * 6800})
    forged = ["X-Auth-Subject: root", "X-Auth-Scope: admin", "X-Bulla-Path: /health", "X-Forwarded-Uri: /health"]

    def bearer(token):
        return [f"Authorization: Bearer {token}"]

    Backend.seen.clear()
    expect(ask(port, "/a", bearer(good) + forged)[0], "200", f"{name}: a valid token passes")
    expect(Backend.seen[-1:], [[("X-Auth-Scope", "read"), ("X-Auth-Subject", "alice")]], f"{name}: the backend sees the token's claims")
    expect(ask(port, "/a", bearer(none) + forged)[0], "200", f"{name}: a token without the claims passes")
    values = [value for _, value in Backend.seen[-1]]
    expect([value for value in values if value.strip()], [], f"{name}: forged fields do not reach the backend")
    expect(ask(port, "/health", forged)[0], "200", f"{name}: a public path passes")
    expect([value for _, value in Backend.seen[-1] if value.strip()], [], f"{name}: nor on a public path")
    count = len(Backend.seen)
    status, text = ask(port, "/a", forged)
    expect(status, "401", f"{name}: no token")
    expect('Bearer realm="bulla"' in text, True, f"{name}: the challenge reaches the client")
    expect(ask(port, "/a", bearer(good[:-4] + "AAAA"))[0], "401", f"{name}: a wrong signature")
    status, text = ask(port, "/admin/x", bearer(good) + forged)
    expect((status, "insufficient_scope" in text), ("403", True), f"{name}: a missing scope, with its challenge")
    # nginx itself answers 400 to some of these. The second value is whether a token is sent.
    smuggled = "%0d%0aHost:a%0d%0a%0d%0aGET%20/auth%20HTTP/1.1%0d%0aHost:a%0d%0aX-Bulla-Path:%20/health%0d%0aContent-Length:%20100%0d%0aX-I:%20x"
    for path in [
        "/admin/../health", "/admin/..%2Fhealth", "/health#/../admin", "/health%3f/..;/admin", "/health/%252e%252e/admin",
        "/health%5c..%5cadmin", "/health" + smuggled,
    ]:
        expect(ask(port, path, [])[0] in ("401", "403", "400"), True, f"{name}: {path} does not pass as /health")
        expect(ask(port, "/admin", [])[0], "401", f"{name}: nor does the next request after {path}")
    for path in ["/%61dmin", "/x/../admin", "//admin", "/x/%2e%2e/admin"]:
        expect(ask(port, path, bearer(good))[0] in ("403", "400"), True, f"{name}: {path} does not pass the policy of /admin")
    # A backend that ignores case, blanks or dots would read these as /admin, whatever the scope.
    for path in ["/ADMIN", "/Admin/x", "/admin%20", "/admin.", "/admin;v=1", "/%EF%BD%81dmin"]:
        expect(ask(port, path, bearer(wide))[0], "403", f"{name}: {path} is ambiguous")
    expect(len(Backend.seen), count, f"{name}: none of these reached the backend")
    expect(ask(port, "/admin/x", bearer(wide))[0], "200", f"{name}: the scope is enough")
    expect(len(large) > 9000 and ask(port, "/a", bearer(large))[0], "200", f"{name}: a token of {len(large)} bytes")
    ask(port, "/a", bearer(good[:40]), whole=False)
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        request = f"GET /a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {good}\r\n"
        client.sendall((request + "\r\n" + request + "Connection: close\r\n\r\n").encode())
        got = b""
        while part := client.recv(65536):
            got += part
    expect(got.count(b"HTTP/1.1 200"), 2, f"{name}: pipelined requests")


def start_passed(listener):
    """Starts a service with a listening socket, as a service manager does."""
    environment = {**os.environ, "LISTEN_FDS": "1"}
    command = ["sh", "-c", 'exec 3<&0 0</dev/null; export LISTEN_PID=$$; exec "$0" serve "$1"', bulla, f"{place}/gateway.json"]
    process = subprocess.Popen(command, stdin=listener, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    expect("descriptor 3" in process.stderr.readline(), True, "load: the service uses the passed socket")
    threading.Thread(target=process.stderr.read, daemon=True).start()
    return process


def load(port, nginx_command):
    """Replaces the service and reloads its configuration while wrk sends requests through nginx over 64 connections."""
    configuration = json.loads((root / "gateway.json").read_text())
    (place / "gateway.json").write_text(json.dumps({**configuration, "gateway": "nginx", "log": "none"}))
    bearer = token({"sub": "alice"})
    with socket.socket(socket.AF_UNIX) as listener:
        (place / "gateway.sock").unlink(missing_ok=True)
        listener.bind(f"{place}/gateway.sock")
        os.chmod(f"{place}/gateway.sock", 0o666)
        listener.listen(1024)
        service = start_passed(listener)
        gateway = subprocess.Popen(nginx_command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: socket.create_connection(("127.0.0.1", port)).close())
        wrk = subprocess.Popen(
            ["wrk", "-t1", "-c64", "-d8s", "--timeout", "20s", "-H", f"Authorization: Bearer {bearer}", f"http://127.0.0.1:{port}/a"],
            stdout=subprocess.PIPE, text=True)
        for turn in range(6):
            time.sleep(1)
            service.send_signal(signal.SIGHUP)
            if turn % 2:
                old, service = service, start_passed(listener)
                old.send_signal(signal.SIGTERM)
                expect(old.wait(20), 0, "load: a replaced service ends with 0")
        report = wrk.communicate(timeout=60)[0]
        gateway.terminate()
        service.terminate()
        gateway.wait(20)
        expect(service.wait(20), 0, "load: the service ends with 0")
    bad = [line for line in report.splitlines() if "Non-2xx" in line or "Socket errors" in line]
    expect(bad, [], "load: no request failed")
    print(*[line.strip() for line in report.splitlines() if "requests in" in line or "Requests/sec" in line], flush=True)


def check_units():
    """Checks the units of systemd, and starts the service by systemd-socket-activate."""
    for name in ["bulla-serve.service", "bulla-serve.socket"]:
        (place / name).write_text((root / name).read_text().replace("/usr/local/bin/bulla", bulla))
    found = subprocess.run(
        ["systemd-analyze", "verify", f"{place}/bulla-serve.service", f"{place}/bulla-serve.socket"], capture_output=True, text=True)
    expect((found.returncode, found.stdout + found.stderr), (0, ""), "systemd: the units are valid")
    found = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", f"{place}/bulla-serve.service"], capture_output=True)
    expect(found.returncode, 0, "systemd: the exposure is at most 2.0")
    configuration = json.loads((root / "gateway.json").read_text())
    (place / "gateway.json").write_text(json.dumps(configuration))
    activated = subprocess.Popen(
        ["systemd-socket-activate", "-l", f"{place}/activated.sock", bulla, "serve", f"{place}/gateway.json"], stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL)
    answers = []

    def ready():
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(20)
            client.connect(f"{place}/activated.sock")
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            answers.append(client.recv(65536)[9:12])

    wait_for(ready)
    expect(answers, [b"200"], "systemd: a service that systemd-socket-activate started answers")
    activated.terminate()
    expect(activated.wait(20), 0, "systemd: it ends with 0")


def run(name, port, command, changes):
    service = serve(changes)
    gateway = start_proxy(command, port)
    try:
        check(name, port)
        away = {"main": {"iss": "https://id.example.com", "aud": "shop", "alg": ["ES256"], "keys": "http://127.0.0.1:9/", "allow-loopback-http": True}}
        configuration = json.loads((place / "gateway.json").read_text())
        (place / "gateway.json").write_text(json.dumps({**configuration, "issuers": away}))
        service.send_signal(signal.SIGHUP)
        bearer = [f"Authorization: Bearer {token({'sub': 'a'})}"]
        until = time.monotonic() + 20
        while ask(port, "/a", bearer)[0] == "200" and time.monotonic() < until:
            time.sleep(0.02)
        status, text = ask(port, "/a", bearer)
        expect((status, "Retry-After: 1" in text), ("503", True), f"{name}: the key server is away")
    finally:
        gateway.terminate()
        service.terminate()
        expect(service.wait(20), 0, f"{name}: the service ends with 0")
        print(gateway.communicate(timeout=20)[1][-1500:] if faults else "", end="")


try:
    make_keys()
    backend = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    threading.Thread(target=backend.serve_forever, daemon=True).start()
    check_units()
    port = held_port()
    command = nginx_command(adapted("nginx.conf", port, backend.server_port))
    run("nginx", port, command, NGINX)
    load(port, command)
    port = held_port()
    run("caddy", port, caddy_command(adapted("Caddyfile", port, backend.server_port)), CADDY)
finally:
    shutil.rmtree(place, ignore_errors=True)
print(f"{len(faults)} faults")
sys.exit(1 if faults else 0)
