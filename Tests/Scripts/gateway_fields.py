"""gateway_fields.py BULLA: sends fields with which a client claims an identity, in all spellings, through nginx and Caddy with the
configurations of Examples/Gateway to an HTTP, a WSGI and a FastCGI backend, and opens a WebSocket through each.

No backend may see an identity but that of the token. A proxy that is not installed is left out.
"""
import itertools, os, re, shutil, socket, sys

import gateway_backends as backends
from gateway_tools import *

SPELLINGS = sorted({"X" + first + name.format("Auth" + second) for first, second in itertools.product("-_.", repeat=2)
                    for name in ["{}Subject", "{}Scope"]} | {"x_auth_subject", "X-AUTH-SUBJECT", "X_AUTH_SCOPE", "x.auth.scope"})
CONNECTIONS = [
    ["close"], ["close, X-Auth-Subject, X-Auth-Scope"], ["X-Auth-Subject,X-Auth-Scope", "close"], ["close", "x-auth-subject, X-Auth-Scope"],
    ["X-AUTH-SUBJECT , Upgrade, close"], ["X-Auth-Subject", "upgrade", "X-Auth-Scope"],
]


def fastcgi_nginx(text):
    """Replaces the four lines of HTTP by those for FastCGI, which the example has in comments."""
    text, count = re.subn(r"\n        # Each field replaces.*(?:\n.*)*?\n        proxy_pass .*", "", text, count=1)
    text, lines = re.subn(r"# (fastcgi_\w+ .*)", r"\1", text)
    expect((count, lines), (1, 3), "nginx: the example has lines for FastCGI")
    return text


def fastcgi_caddy(text):
    text, count = re.subn(r"reverse_proxy (127\.0\.0\.1:\d+)", r"reverse_proxy \1 {\n\ttransport fastcgi {\n\troot /\n\t}\n}", text)
    expect(count, 1, "caddy: the example has one backend")
    return text


def send(port, path, fields):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall((f"GET {path} HTTP/1.1\r\nHost: localhost\r\n" + "".join(f"{field}\r\n" for field in fields) + "\r\n").encode())
        got = b""
        # A connection that asks for an upgrade may stay open.
        while b"\r\n\r\n" not in got and (part := client.recv(65536)):
            got += part
    return got[9:12].decode()


def check(name, port, seen):
    alice = [f"Authorization: Bearer {token({'sub': 'alice', 'scope': 'read'})}"]
    nobody = [f"Authorization: Bearer {token({'aud': 'shop'})}"]
    cases = [("a token", "/a", alice, (["alice"], ["read"])), ("a token without the claims", "/a", nobody, ([], [])),
             ("a public path", "/health", [], ([], []))]
    forged = [f"{spelling}: root" for spelling in SPELLINGS]
    for what, path, bearer, wanted in cases:
        found, count = set(), 0
        for fields in [[]] + [forged] + [[field] for field in forged]:
            for connection in CONNECTIONS if len(fields) != 1 else CONNECTIONS[:2]:
                seen.requests.clear()
                status = send(port, path, [f"Connection: {value}" for value in connection] + bearer + fields)
                request = seen.requests[-1] if seen.requests else {}
                identity = tuple([value for value in request.get(field, []) if value] for field in ("X_AUTH_SUBJECT", "X_AUTH_SCOPE"))
                count += 1
                if (status, identity) != ("200", wanted):
                    found.add(f"{status} {identity} for {connection} {fields if len(fields) == 1 else len(fields)}")
        expect(sorted(found)[:5], [], f"{name}: {what} and {count} requests with forged fields")


def open_socket(name, port, seen):
    seen.requests.clear()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        fields = ["Connection: keep-alive, Upgrade, X-Auth-Subject", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", f"Authorization: Bearer {token({'sub': 'alice'})}", "X_Auth_Subject: root"]
        client.sendall(("GET /a HTTP/1.1\r\nHost: localhost\r\n" + "\r\n".join(fields) + "\r\n\r\n").encode())
        stream = client.makefile("rb")
        lines = []
        while line := stream.readline().strip():
            lines.append(line)
        expect((lines[0][9:12], any(b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in line for line in lines)), (b"101", True), f"{name}: a WebSocket opens")
        mask = bytes([1, 2, 3, 4])
        client.sendall(bytes([0x81, 0x85]) + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(b"hello")))
        expect(stream.read(7), b"\x81\x05hello", f"{name}: a frame comes back")
    expect(seen.requests[-1].get("X_AUTH_SUBJECT"), ["alice"], f"{name}: the WebSocket is alice's")


def refuse_tunnel(name, port, seen):
    """With h2c a service would answer 101, and requests of the new connection would reach it unchecked."""
    fields = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
              f"Authorization: Bearer {token({'sub': 'alice'})}"]
    seen.requests.clear()
    status = send(port, "/a", fields)
    passed = [value for field in ("UPGRADE", "CONNECTION") for value in seen.requests[-1].get(field, []) if "close" not in value.lower()]
    expect((status, [value for value in passed if value.lower() not in ("", "keep-alive")]), ("200", []), f"{name}: no upgrade but to a WebSocket")


def run(name, command, changes, backend, port, seen):
    service = serve(changes)
    proxy = start_proxy(command, port)
    try:
        check(f"{name}, {backend}", port, seen)
        if backend == "HTTP":
            open_socket(name, port, seen)
            refuse_tunnel(name, port, seen)
    finally:
        proxy.terminate()
        service.terminate()
        service.wait(20)
        text = proxy.communicate(timeout=20)[1]
        print(text[-1500:] if faults else "", end="")


try:
    make_keys()
    for backend, start in [("HTTP", backends.http), ("WSGI", backends.wsgi), ("FastCGI", backends.fastcgi)]:
        seen = backends.Seen()
        server = start(seen)
        port = held_port()
        text = adapted("nginx.conf", port, server)
        run("nginx", nginx_command(fastcgi_nginx(text) if backend == "FastCGI" else text), NGINX, backend, port, seen)
        if shutil.which("caddy"):
            port = held_port()
            text = adapted("Caddyfile", port, server)
            run("caddy", caddy_command(fastcgi_caddy(text) if backend == "FastCGI" else text), CADDY, backend, port, seen)
finally:
    shutil.rmtree(place, ignore_errors=True)
print(f"{len(faults)} faults")
sys.exit(1 if faults else 0)
