#!/usr/bin/env python3
"""load.py BULLA [--logins 200] [--seconds 60] [--name itsme-v2]: so many people log in at once, over and over, and nothing may go wrong.

Prints how many came through, how long the service took to complete one (requests to the provider over loopback TLS and the provider's
own time included), the memory of both processes after a sixth of the time and at the end, and how many logins the service's store
then still held. With --logins 1 nothing waits for anything else.
"""
import argparse
import html
import http.client
import re
import socket
import ssl
import threading
import time
import urllib.parse

from sites import Sites

HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


class Surfer:
    """One browser: a connection a host, cookies, redirects."""

    def __init__(self, sites, context):
        self.context, self.connections, self.cookies = context, {}, {}
        self.service = sites.service

    def connection(self, host):
        if host not in self.connections:
            name, port = host.split(":")
            made = http.client.HTTPSConnection(name, int(port), context=self.context, timeout=60)
            made._create_connection = lambda address, timeout, source: socket.create_connection(
                ("127.0.0.1", address[1]), timeout)
            self.connections[host] = made
        return self.connections[host]

    def go(self, method, url, fields=None):
        for _ in range(8):
            parts = urllib.parse.urlsplit(url)
            jar = self.cookies.setdefault(parts.netloc, {})
            headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())} if jar else {}
            body = None
            if fields is not None:
                body = urllib.parse.urlencode(fields)
                headers["Content-Type"] = "application/x-www-form-urlencoded"
            target = parts.path + ("?" + parts.query if parts.query else "")
            answer, text = self.send(parts.netloc, method, target, body, headers)
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, value = cookie.split(";")[0].split("=", 1)
                if "max-age=0" in cookie.lower():
                    jar.pop(name, None)
                else:
                    jar[name] = value
            if answer.status != 303:
                return url, answer.status, text
            url, method, fields = urllib.parse.urljoin(url, answer.headers["Location"]), "GET", None
        raise RuntimeError("too many redirects")

    def send(self, host, method, target, body, headers):
        for attempt in (0, 1):
            connection = self.connection(host)
            try:
                connection.request(method, target, body, headers)
                answer = connection.getresponse()
                return answer, answer.read().decode()
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # The server closes connections that were idle for ten seconds.
                connection.close()
                if attempt:
                    raise

    def login(self, name):
        url, status, page = self.go("POST", f"{self.service}/login/{name}", {})
        fields = dict(HIDDEN.findall(page)) | {"person": "anna", "misbehaviour": "", "decision": "approve"}
        action = re.search(r'<form method="post" action="([^"]*)">', page).group(1)
        url, status, page = self.go("POST", urllib.parse.urljoin(url, html.unescape(action)), fields)
        if "back to the service" in page:
            action = re.search(r'<form method="post" action="([^"]*)">', page).group(1)
            fields = {name: html.unescape(value) for name, value in HIDDEN.findall(page)}
            url, status, page = self.go("POST", html.unescape(action), fields)
        if "You are signed in" not in page:
            raise RuntimeError(re.sub(r"<[^>]*>", " ", page)[-300:])
        self.go("POST", self.service + "/logout", dict(HIDDEN.findall(page)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bulla")
    parser.add_argument("--logins", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--name", default="itsme-v2")
    given = parser.parse_args()
    sites = Sites(given.bulla)
    context = ssl.create_default_context(cafile=sites.authority)
    counts, troubles, lock = [0], [], threading.Lock()
    end = time.monotonic() + given.seconds

    def work():
        surfer = Surfer(sites, context)
        while time.monotonic() < end and not troubles:
            try:
                surfer.login(given.name)
                with lock:
                    counts[0] += 1
            except Exception as trouble:  # whatever it is, it is told
                with lock:
                    troubles.append(repr(trouble))

    try:
        threads = [threading.Thread(target=work) for _ in range(given.logins)]
        for thread in threads:
            thread.start()
        time.sleep(given.seconds / 6)
        early = late = sites.memory()
        while any(thread.is_alive() for thread in threads):
            late = sites.memory()
            time.sleep(0.2)
    finally:
        sites.close()
    words = sites.last_words
    told = dict(zip(words[::2], map(int, words[1::2])))
    print(f"{counts[0]} logins of {given.name}, {given.logins} at a time, in {given.seconds:.0f} s; "
          f"{len(troubles)} went wrong; {told['mean']} microseconds to complete one; memory {early // 1024} MB early, "
          f"{late // 1024} MB late; {told['left']} left in the store")
    for trouble in troubles[:3]:
        print(trouble)
    # By then the tables of the sandbox have their full size, apart from variations of the allocator. MitID leaves a mark for each login,
    # because its token is accepted once.
    is_right = counts[0] and not troubles and late - early <= 32 * 1024 and told["left"] in (0, counts[0])
    raise SystemExit(0 if is_right else 1)


if __name__ == "__main__":
    main()
