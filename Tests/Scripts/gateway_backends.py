"""Backends of the tests of gateways: HTTP with WebSockets, WSGI and FastCGI. Each records the fields of requests in `seen`.

A name is recorded as the least strict reader takes it: WSGI, CGI and FastCGI read a hyphen as an underscore, and PHP a dot or a blank, too.
"""
import base64, hashlib, re, socketserver, struct, threading, wsgiref.simple_server


class Seen:
    def __init__(self):
        self.requests = []

    def record(self, fields):
        request = {}
        for name, value in fields:
            request.setdefault(re.sub("[-_. ]", "_", name.upper()).removeprefix("HTTP_"), []).append(value.strip())
        self.requests.append(request)


class Threaded(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def started(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def http(seen):
    """Starts an HTTP backend, which returns the first frame of a WebSocket. Returns its port."""

    class Handler(socketserver.StreamRequestHandler):
        timeout = 20

        def handle(self):
            while line := self.rfile.readline():
                fields = []
                while (line := self.rfile.readline().strip()):
                    name, _, value = line.decode("latin-1").partition(":")
                    fields.append((name, value))
                seen.record(fields)
                request = seen.requests[-1]
                if request.get("UPGRADE", [""])[0].lower() == "websocket":
                    return self.echo(request["SEC_WEBSOCKET_KEY"][0])
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

        def echo(self, key):
            # RFC 6455, 4.2.2 and 5.2.
            digest = hashlib.sha1(key.encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
            self.wfile.write(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                + base64.b64encode(digest) + b"\r\n\r\n")
            head = self.rfile.read(6)
            text = bytes(byte ^ head[2 + place % 4] for place, byte in enumerate(self.rfile.read(head[1] & 127)))
            self.wfile.write(bytes([0x81, len(text)]) + text)

    return started(Threaded(("127.0.0.1", 0), Handler))


def wsgi(seen):
    class Handler(wsgiref.simple_server.WSGIRequestHandler):
        def log_message(self, *arguments):
            pass

    def application(environment, start):
        seen.record((name, value) for name, value in environment.items() if name.startswith("HTTP_"))
        start("200 OK", [("Content-Length", "0")])
        return []

    return started(wsgiref.simple_server.make_server("127.0.0.1", 0, application, handler_class=Handler))


def fastcgi(seen):
    def length(data, place):
        if data[place] < 128:
            return data[place], place + 1
        return struct.unpack(">I", data[place:place + 4])[0] & 0x7FFFFFFF, place + 4

    class Handler(socketserver.StreamRequestHandler):
        timeout = 20

        def handle(self):
            data, kind, size = b"", 0, 1
            while (kind, size) != (5, 0):
                head = self.rfile.read(8)
                if len(head) < 8:
                    return
                _, kind, _, size, padding, _ = struct.unpack(">BBHHBB", head)
                content = self.rfile.read(size)
                self.rfile.read(padding)
                if kind == 4:
                    data += content
            place, parameters = 0, []
            while place < len(data):
                name, place = length(data, place)
                value, place = length(data, place)
                parameters.append((data[place:place + name].decode(), data[place + name:place + name + value].decode("latin-1")))
                place += name + value
            seen.record((name, value) for name, value in parameters if name.startswith("HTTP_"))
            answer = b"Status: 200 OK\r\nContent-Type: text/plain\r\n\r\n"
            self.wfile.write(struct.pack(">BBHHBB", 1, 6, 1, len(answer), 0, 0) + answer + struct.pack(">BBHHBB", 1, 6, 1, 0, 0, 0)
                             + struct.pack(">BBHHBB", 1, 3, 1, 8, 0, 0) + bytes(8))

    return started(Threaded(("127.0.0.1", 0), Handler))
