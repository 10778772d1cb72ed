"""A server that misbehaves when told to: Python 3 alone, real sockets, real TLS, certificates made on the spot.

It prints one line of JSON (files: ca, strangerCA, client, clientKey, clientOfStranger, its key; ports: https, http),
then takes a command a line on standard input and answers each with one line. It ends when that input ends, and its
folder goes with it; so no server outlives the run of tests that started it. Every path is told apart: tests share one
server and use paths (and ports) of their own.
  {"do":"set","path":"/k","answers":[A,…]}  the nth request gets the nth, the last one for ever; a path not set is 404
  {"do":"seen","path":"/k"}      {"requests":n,"bytes":sent,"list":[{method,headers,port,connection,at,tls,peer},…]}
  {"do":"listen","kind":K}       {"port":n}; with "port":n that port changes its kind, and its connections are cut
  {"do":"traffic","port":n}      {"connections":n,"open":now,"handshakesFailed":n};  {"do":"drop","port":n} cuts them
  {"do":"reset"}                 forgets paths and counts
A: status, headers [[name,value],…], body | base64 | fill (so many blanks), gzip, chunked, unsized (no length: the end of
   the connection ends the body), delay, dripHeaders, dripBody (ms, ms a byte), cut (bytes of the whole message that are
   sent), end ("keep", "close", "quiet": closed without saying so, "abort": reset, no TLS close), hangUp (no answer at
   all), hangUpOnReuse (none on a connection that has served). ETag and Last-Modified are honoured by a 304.
K: https, http, expired, wrongName, untrusted (a CA of its own), clientRequired, tls11, tls12, silent (accepts, says
   nothing, no TLS), refused (nobody listens, nobody else gets the port), blackHole (never answers the first packet).
"""
import asyncio
import base64
import datetime
import gzip
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import warnings

CONFIG = """
[ca]
default_ca = d
[d]
database = {folder}/index.txt
new_certs_dir = {folder}
serial = {folder}/serial
default_md = sha256
policy = p
unique_subject = no
[p]
commonName = supplied
[req]
distinguished_name = n
prompt = no
[n]
CN = {name}
[authority]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = critical,CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth,clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = {alternatives}
"""


class Certificates:
    """Two authorities and what they signed. `openssl ca` alone can date a certificate into the past."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "index.txt").touch()
        (folder / "serial").write_text("1000\n")
        own, days = "DNS:localhost,IP:127.0.0.1,IP:::1", datetime.timedelta(days=1)
        now = datetime.datetime.now(datetime.timezone.utc)
        for name in ("ca", "strangerCA"):
            self.key(name)
            self.openssl(name, "Bulla test " + name, own, "req", "-x509", "-new", "-key", self.path(name, "key"),
                         "-days", "2", "-extensions", "authority", "-out", self.path(name))
        for name, signer, start, end, alternatives in (
                ("good", "ca", now - days, now + days, own), ("expired", "ca", now - 2 * days, now - days, own),
                ("wrongName", "ca", now - days, now + days, "DNS:elsewhere.test"),
                ("untrusted", "strangerCA", now - days, now + days, own),
                ("client", "ca", now - days, now + days, "DNS:client.test"),
                ("clientOfStranger", "strangerCA", now - days, now + days, "DNS:client.test")):
            self.key(name)
            self.openssl(name, name, alternatives, "req", "-new", "-key", self.path(name, "key"),
                         "-out", self.path(name, "csr"))
            self.openssl(name, name, alternatives, "ca", "-batch", "-notext", "-keyfile", self.path(signer, "key"),
                         "-cert", self.path(signer), "-in", self.path(name, "csr"), "-out", self.path(name),
                         "-extensions", "leaf", "-startdate", start.strftime("%Y%m%d%H%M%SZ"),
                         "-enddate", end.strftime("%Y%m%d%H%M%SZ"))

    def path(self, name, ending="pem"):
        return str(self.folder / (name + "." + ending))

    def key(self, name):
        self.run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self.path(name, "key"))

    def openssl(self, name, common, alternatives, *arguments):
        config = self.path(name, "cnf")
        pathlib.Path(config).write_text(CONFIG.format(folder=self.folder, name=common, alternatives=alternatives))
        self.run(arguments[0], "-config", config, *arguments[1:])

    def run(self, *arguments):
        done = subprocess.run(("openssl",) + arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            sys.exit("openssl " + " ".join(arguments) + ": " + done.stderr)

    def context(self, kind):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        leaf = kind if kind in ("expired", "wrongName", "untrusted") else "good"
        context.load_cert_chain(self.path(leaf), self.path(leaf, "key"))
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if kind == "clientRequired":
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.path("ca"))
        if kind == "tls11":
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        if kind == "tls12":
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        return context


class Path:
    def __init__(self, answers=()):
        self.answers, self.used, self.requests, self.bytes, self.list = list(answers), 0, 0, 0, []


class Port:
    """One port for its whole life: a socket that only holds the number, and now and then one that listens."""

    def __init__(self, server, host, number=0):
        self.server, self.host = server, host
        self.family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.held = self.bound(number)
        self.number = self.held.getsockname()[1]
        self.listening, self.accepting, self.fillers, self.tasks, self.open = None, None, [], set(), {}
        self.connections = self.failed = 0

    def bound(self, number):
        made = socket.socket(self.family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((self.host, number))
        made.setblocking(False)
        return made

    async def become(self, kind):
        if self.accepting:
            self.accepting.cancel()
            await asyncio.gather(self.accepting, return_exceptions=True)
        if self.listening:
            self.listening.close()
        for filler in self.fillers:
            filler.close()
        self.listening, self.accepting, self.fillers = None, None, []
        await self.drop()
        if kind == "refused":
            return
        self.listening = self.bound(self.number)
        if kind == "blackHole":
            self.fill()
            return
        # What is counted as sent is not to lie in a buffer of megabytes.
        self.listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        self.listening.listen(512)
        context = None if kind in ("http", "silent") else self.server.certificates.context(kind)
        self.accepting = asyncio.ensure_future(self.accept(kind, context))

    def fill(self):
        """A queue of one, filled by us: the system drops whoever knocks next."""
        self.listening.listen(0)
        for _ in range(8):
            filler = socket.socket(self.family, socket.SOCK_STREAM)
            filler.setblocking(False)
            filler.connect_ex((self.host, self.number))
            self.fillers.append(filler)

    async def accept(self, kind, context):
        loop = asyncio.get_running_loop()
        while True:
            connection, _ = await loop.sock_accept(self.listening)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            task = asyncio.ensure_future(self.serve(connection, self.connections, kind, context))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def serve(self, connection, identity, kind, context):
        self.open[identity] = connection
        writer = None
        try:
            if kind == "silent":
                loop = asyncio.get_running_loop()
                while await loop.sock_recv(connection, 65536):
                    pass
                return
            loop = asyncio.get_running_loop()
            reader = asyncio.StreamReader(limit=1 << 20)
            protocol = asyncio.StreamReaderProtocol(reader)
            try:
                transport, _ = await loop.connect_accepted_socket(lambda: protocol, connection, ssl=context)
            except (OSError, asyncio.IncompleteReadError):
                self.failed += 1
                return
            transport.set_write_buffer_limits(high=1, low=0)
            writer = asyncio.StreamWriter(transport, protocol, reader, loop)
            await Exchange(self, reader, writer, identity).run()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass
        finally:
            if writer:
                writer.transport.abort()
            else:
                connection.close()
            self.open.pop(identity, None)

    async def drop(self):
        tasks = list(self.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Exchange:
    """The requests of one connection."""

    def __init__(self, port, reader, writer, identity):
        self.port, self.reader, self.writer, self.identity = port, reader, writer, identity
        self.served = 0

    async def run(self):
        while await self.one():
            self.served += 1

    async def one(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ", 2)
        headers = [[name, value.strip()] for name, value in (line.split(":", 1) for line in head[1:] if line)]
        plain = {name.lower(): value for name, value in headers}
        await self.reader.readexactly(int(plain.get("content-length", 0)))
        target = target if method != "CONNECT" else "CONNECT " + target
        path = self.port.server.paths.setdefault(target, Path())
        path.requests += 1
        tls = self.writer.get_extra_info("ssl_object")
        subject = dict(part[0] for part in (tls.getpeercert() or {}).get("subject", ())) if tls else {}
        path.list = path.list[-99:] + [{
            "method": method, "headers": headers, "port": self.port.number, "connection": self.identity,
            "at": time.monotonic(), "tls": tls.version() if tls else "", "peer": subject.get("commonName", "")}]
        answer = path.answers[min(path.used, len(path.answers) - 1)] if path.answers else {"status": 404}
        if answer.get("hangUpOnReuse") and self.served:
            return False
        path.used += 1
        if answer.get("hangUp"):
            return False
        return await self.answer(path, method, plain, answer)

    def message(self, method, asked, answer):
        status = answer.get("status", 200)
        lowered = {name.lower(): value for name, value in answer.get("headers", [])}
        body = base64.b64decode(answer["base64"]) if "base64" in answer else answer.get("body", "").encode()
        body += b" " * answer.get("fill", 0)
        if answer.get("gzip"):
            body = gzip.compress(body)
        for tag, asks in (("etag", "if-none-match"), ("last-modified", "if-modified-since")):
            if status == 200 and lowered.get(tag) and asked.get(asks) == lowered[tag]:
                status, body = 304, b""
        lines = ["HTTP/1.1 %d %s" % (status, "Said")]
        lines += ["%s: %s" % (name, value) for name, value in answer.get("headers", [])]
        if answer.get("gzip"):
            lines.append("Content-Encoding: gzip")
        if status == 304:
            pass
        elif answer.get("chunked"):
            lines.append("Transfer-Encoding: chunked")
            body = b"".join(b"%x\r\n%s\r\n" % (len(body[at:at + 65536]), body[at:at + 65536])
                            for at in range(0, len(body), 65536)) + b"0\r\n\r\n"
        elif not answer.get("unsized") and "content-length" not in lowered:
            lines.append("Content-Length: %d" % len(body))
        if answer.get("end") == "close":
            lines.append("Connection: close")
        head = "\r\n".join(lines) + "\r\n\r\n"
        # Bytes as they are, or any other text as UTF-8.
        coded = head.encode("latin-1" if max(map(ord, head)) < 256 else "utf-8")
        return coded, b"" if method == "HEAD" else body

    async def answer(self, path, method, asked, answer):
        await asyncio.sleep(answer.get("delay", 0) / 1000)
        head, body = self.message(method, asked, answer)
        cut = answer.get("cut", len(head) + len(body))
        await self.send(path, head[:cut], answer.get("dripHeaders"))
        await self.send(path, body[:max(0, cut - len(head))], answer.get("dripBody"))
        end = answer.get("end", "keep")
        if end == "abort":
            return False
        if cut < len(head) + len(body) or end != "keep" or answer.get("unsized"):
            self.writer.close()
            await self.writer.wait_closed()
            return False
        return True

    async def send(self, path, data, drip):
        size = 1 if drip else 65536
        for at in range(0, len(data), size):
            self.writer.write(data[at:at + size])
            # Without a pause the end of the connection is never seen.
            await asyncio.sleep(0)
            await self.writer.drain()
            path.bytes += len(data[at:at + size])
            if drip:
                await asyncio.sleep(drip / 1000)


class Server:
    def __init__(self, folder):
        self.certificates, self.paths, self.ports = Certificates(folder), {}, {}

    async def listen(self, kind, number=0, host="127.0.0.1"):
        port = self.ports.get(number) or Port(self, host, number)
        self.ports[port.number] = port
        await port.become(kind)
        return port.number

    async def obey(self, command):
        word, path, port = command["do"], command.get("path"), self.ports.get(command.get("port"))
        if word == "set":
            old, new = self.paths.get(path, Path()), Path(command["answers"])
            new.requests, new.bytes, new.list = old.requests, old.bytes, old.list
            self.paths[path] = new
            return {}
        if word == "seen":
            seen = self.paths.get(path, Path())
            return {"requests": seen.requests, "bytes": seen.bytes, "list": seen.list}
        if word == "listen":
            return {"port": await self.listen(
                command["kind"], command.get("port", 0), command.get("host", "127.0.0.1"))}
        if word == "traffic":
            return {"connections": port.connections, "open": len(port.open), "handshakesFailed": port.failed}
        if word == "drop":
            await port.drop()
            return {}
        if word == "reset":
            self.paths.clear()
            for port in self.ports.values():
                port.connections = port.failed = 0
            return {}
        raise ValueError("no such command: " + word)

    async def run(self):
        pem = self.certificates.path
        say({"ca": pem("ca"), "strangerCA": pem("strangerCA"), "client": pem("client"),
             "clientKey": pem("client", "key"), "clientOfStranger": pem("clientOfStranger"),
             "clientOfStrangerKey": pem("clientOfStranger", "key"), "certificate": pem("good"),
             "certificateKey": pem("good", "key"), "https": await self.listen("https"),
             "http": await self.listen("http")})
        commands = asyncio.StreamReader(limit=1 << 26)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
        while line := await commands.readline():
            try:
                say(await self.obey(json.loads(line)))
            except Exception as fault:
                say({"error": repr(fault)})


def say(value):
    os.write(1, (json.dumps(value) + "\n").encode())


def main():
    warnings.simplefilter("ignore", DeprecationWarning)  # TLS 1.1 is meant
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bulla-faults-"))
    try:
        server = Server(folder)
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(lambda *_: None)
        loop.run_until_complete(server.run())
    except BrokenPipeError:
        pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


main()
