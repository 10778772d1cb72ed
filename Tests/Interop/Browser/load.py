#!/usr/bin/env python3
"""load.py SANDBOX [--logins 200] [--seconds 60] [--name NAME]...: so many people log in at once, over and over, and
nothing may go wrong.

Without a name, at every provider of the sandbox in turn, each with processes of its own. Prints how many came through, how long the
service took to complete one (requests to the provider over loopback TLS and the provider's own time included), the memory of both
processes after a sixth of the time and at the end, and how many logins and marks the service's store then still held. With --logins 1
nothing waits for anything else.
"""
import argparse
import html.parser
import http.client
import re
import socket
import ssl
import threading
import time
import urllib.parse

from sites import Sites, code_link

# How many entries remain in the service's store after a login until they expire, because something is accepted once: the state of
# MitID's logins and the reference to a pushed request; the reference, the result and the pace of a login by CIBA (at itsme the user who
# was found, in place of the reference; of AltID's age proof no reference); ZenKey's code that an app handed over; DigiD's ID token,
# artifact and assertion; the response to a logout; of a login from an app also its handle, its answer, and the marks of the app's polls.
MARKS = {"altid": 1, "altid-age": 1, "altid-age-ciba": 2, "mitid": 1, "mitid-pushed": 2, "mitid-ciba": 3, "mitid-app": 6, "mitid-business": 1, "mitid-age": 1,
         "mitid-years": 1, "itsme-ciba": 3, "zenkey-app": 1, "digid": 1, "digid-saml3": 2, "digid-saml4": 2, "digid-web-saml3": 3, "digid-web-saml4": 3}
# What a person answers, besides what a page has chosen already.
ANSWERS = {"pin": "12345", "decision": "approve"}
# What a person answers on DigiD's page for logouts.
LOGOUT = {"decision": "logout", "misbehaviour": ""}
# The most kilobytes that both processes grow after a sixth of the time, by when the tables of the sandbox have their full size, apart
# from variations of the allocator.
GROWTH = 32 * 1024


class Form(html.parser.HTMLParser):
    """The first form of a page, or the first with an action, filled in as a person does who agrees: with its hidden fields and what is
    chosen already."""

    def __init__(self, page, wanted=None):
        super().__init__()
        self.action, self.method, self.fields, self.is_inside, self.wanted = None, "POST", {}, False, wanted
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        name = given.get("name")
        if tag == "form" and self.action is None and self.wanted in (None, given.get("action")):
            self.action, self.method, self.is_inside = given.get("action", ""), given.get("method", "get").upper(), True
        if not self.is_inside or name is None:
            return
        if tag == "input" and (given.get("type", "text") in ("hidden", "text") or "checked" in given):
            self.fields[name] = ANSWERS.get(name, given.get("value", ""))
        elif tag == "select":
            self.fields[name] = ""
        elif tag == "button":
            self.fields.setdefault(name, ANSWERS.get(name, given.get("value", "")))

    def handle_endtag(self, tag):
        if tag == "form":
            self.is_inside = False


class Surfer:
    """One browser: a connection a host, cookies, redirects."""

    def __init__(self, sites, context):
        self.context, self.connections, self.cookies = context, {}, {}
        self.service = sites.service

    def connection(self, host):
        if host not in self.connections:
            name, port = host.split(":")
            made = http.client.HTTPSConnection(name, int(port), context=self.context, timeout=300)
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
        if name == "mitid-app":
            url, page = self.begin_in_app(name)
        else:
            url, _, page = self.go("POST", f"{self.service}/login/{name}", {})
        if "Scan this code" in page:
            url, page = self.scan(name, page)
        elif "Open the wallet" in page:
            self.submit(*self.go("GET", code_link(re.search('src="([^"]*)"', page)[1])))
            url, _, page = self.go("POST", f"{self.service}/continue/{name}", {})
        # The page of a carrier's choice, of the provider, and of the way back to the service.
        for _ in range(4):
            if "You are signed in" in page or "Your age was proven" in page:
                break
            if "The login has finished." in page:
                url, _, page = self.go("GET", html.unescape(re.search('href="([^"]*)"', page)[1]))
                break
            form = Form(page)
            if form.action is None or "You are not signed in" in page:
                break
            target = urllib.parse.urljoin(url, form.action)
            if form.method == "GET":
                url, _, page = self.go("GET", target + "?" + urllib.parse.urlencode(form.fields))
            else:
                url, _, page = self.go("POST", target, form.fields)
        if "Your age was proven" in page or "You are signed in" in page and name == "zenkey-app":
            return
        if "You are signed in" not in page:
            raise RuntimeError(re.sub(r"<[^>]*>", " ", page)[-300:])
        url, _, page = self.go("POST", self.service + "/logout", Form(page, "/logout").fields)
        if name.startswith("digid-web"):
            self.log_out(url, page)

    def begin_in_app(self, name):
        """Begins a login in the app, and opens its link."""
        page = self.go("POST", f"{self.service}/app/{name}/begin", {"switch": "android"})[2]
        url, _, page = self.go("GET", html.unescape(re.search('id="tab" href="([^"]*)"', page)[1]))
        return url, page

    def scan(self, name, page):
        """Scans the code of a page on the page that stands for the app, and returns the last page of the login."""
        app, _, scanned = self.submit(*self.go("GET", code_link(re.search('src="([^"]*)"', page)[1])))
        page = self.go("POST", f"{self.service}/continue/{name}", {})
        if "Confirm in the app" in page[2]:
            request = urllib.parse.urljoin(app, re.search('id="approval" href="([^"]*)"', scanned)[1])
            self.submit(*self.go("GET", request))
            page = self.go("POST", f"{self.service}/continue/{name}", {})
        return page[0], page[2]

    def submit(self, url, _, page):
        form = Form(page)
        return self.go("POST", urllib.parse.urljoin(url, form.action), form.fields)

    def log_out(self, url, page):
        """Walks the page of a form that submits itself, DigiD's page, and the form that leads back."""
        for _ in range(3):
            form = Form(page)
            if form.action is None:
                break
            if "DigiD (sandbox): log out" in page:
                form.fields |= LOGOUT
            url, _, page = self.go("POST", urllib.parse.urljoin(url, form.action), form.fields)
        if "<title>You are signed out</title>" not in page:
            raise RuntimeError(re.sub(r"<[^>]*>", " ", page)[-300:])


def load(program, name, logins, seconds):
    """Runs the logins of one provider, prints the figures, and returns whether all is right."""
    sites = Sites(program)
    context = ssl.create_default_context(cafile=sites.authority)
    counts, troubles, lock = [0], [], threading.Lock()
    end = time.monotonic() + seconds

    def work():
        surfer = Surfer(sites, context)
        while time.monotonic() < end and not troubles:
            try:
                surfer.login(name)
                with lock:
                    counts[0] += 1
            except Exception as trouble:  # whatever it is, it is told
                with lock:
                    troubles.append(repr(trouble))

    try:
        # The first login fetches the provider's metadata and keys, as a service does when it starts: two hundred handshakes at once
        # would keep the sandbox from answering in time.
        try:
            Surfer(sites, context).login(name)
        except Exception as trouble:  # the other providers are tried all the same
            print(f"the first login of {name} failed: {trouble!r}", flush=True)
            return False
        counts[0] += 1
        threads = [threading.Thread(target=work) for _ in range(logins)]
        for thread in threads:
            thread.start()
        time.sleep(seconds / 6)
        early = late = sites.memory()
        while any(thread.is_alive() for thread in threads):
            late = sites.memory()
            time.sleep(0.2)
    finally:
        sites.close()
    words = sites.last_words
    told = dict(zip(words[::2], map(int, words[1::2])))
    print(f"{counts[0]} logins of {name}, {logins} at a time, in {seconds:.0f} s; "
          f"{len(troubles)} went wrong; {told['mean']} microseconds to complete one; memory {early // 1024} MB early, "
          f"{late // 1024} MB late; {told['left']} left in the store", flush=True)
    for trouble in troubles[:3]:
        print(trouble, flush=True)
    return bool(counts[0]) and not troubles and late - early <= GROWTH and told["left"] == MARKS.get(name, 0) * counts[0]


def names(program):
    """Returns the providers of the sandbox."""
    sites = Sites(program)
    try:
        return list(sites.clients)
    finally:
        sites.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", help="bulla-sandbox")
    parser.add_argument("--logins", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--name", action="append", help="a provider, by its name in the sandbox; several are run in turn")
    given = parser.parse_args()
    chosen = given.name or names(given.program)
    wrong = [name for name in chosen if not load(given.program, name, given.logins, given.seconds)]
    if wrong:
        print("Not right: " + ", ".join(wrong))
        raise SystemExit(1)
    print(f"{len(chosen)} providers: no login went wrong, and nothing stayed in the store but marks.")


if __name__ == "__main__":
    main()
