"""Controls Chromium by WebDriver (W3C), with the standard library only."""
import base64
import contextlib
import json
import os
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Trouble(Exception):
    pass


class Driver:
    """A process of chromedriver on a port of its choice."""

    def __init__(self, tool):
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen([tool, "--port=0"], stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.port = None
        for line in self.process.stdout:
            if "started successfully on port" in line:
                self.port = int(line.rstrip().rstrip(".").split()[-1])
                break
        if self.port is None:
            raise Trouble("chromedriver did not start")

    def close(self):
        # The process may inherit a blocked SIGTERM, so that it is ended by a request.
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/shutdown", timeout=10).close()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait(10)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise Trouble(f"{value['error']}: {value['message'].splitlines()[0]}") from None


class Browser:
    """A headless session. `profile` is its folder; `home` has the database of certificate authorities."""

    def __init__(self, driver, binary, profile, rules):
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--window-size=900,1100",
                     f"--user-data-dir={profile}", f"--host-resolver-rules={rules}"]
        # The sandbox of Chromium does not work for root.
        if os.getuid() == 0:
            arguments.append("--no-sandbox")
        options = {"binary": binary, "args": arguments}
        wanted = {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "acceptInsecureCerts": False, "goog:chromeOptions": options,
            "timeouts": {"pageLoad": 300000, "implicit": 120000}}}}
        self.driver = driver
        self.path = "/session/" + driver.call("POST", "/session", wanted)["sessionId"]

    def close(self):
        self.driver.call("DELETE", self.path)

    def go(self, url):
        self.driver.call("POST", self.path + "/url", {"url": url})

    @property
    def url(self):
        return self.driver.call("GET", self.path + "/url")

    @property
    def title(self):
        return self.driver.call("GET", self.path + "/title")

    def find(self, css):
        return self.driver.call("POST", self.path + "/element", {"using": "css selector", "value": css})[ELEMENT]

    def click(self, css):
        self.driver.call("POST", f"{self.path}/element/{self.find(css)}/click", {})

    def type(self, css, text):
        self.driver.call("POST", f"{self.path}/element/{self.find(css)}/value", {"text": text})

    def text(self, css):
        return self.driver.call("GET", f"{self.path}/element/{self.find(css)}/text")

    def attribute(self, css, name):
        return self.driver.call("GET", f"{self.path}/element/{self.find(css)}/attribute/{name}")

    def attributes(self, css, name):
        """Returns the attribute of all such elements that the page has now."""
        return self.script("return Array.from(document.querySelectorAll(arguments[0]), each => each.getAttribute(arguments[1]))",
                           css, name)

    @contextlib.contextmanager
    def tab_of(self, url):
        """Opens another tab with the page, and closes it at the end. The tab is entered and left by its functions."""
        first = self.driver.call("GET", self.path + "/window")
        tab = Tab(self, first, self.driver.call("POST", self.path + "/window/new", {"type": "tab"})["handle"])
        tab.enter()
        self.go(url)
        try:
            yield tab
        finally:
            tab.close()

    @contextlib.contextmanager
    def tab_by(self, css):
        """Clicks a link that opens another tab, and closes that tab at the end."""
        first = self.driver.call("GET", self.path + "/window")
        before = self.driver.call("GET", self.path + "/window/handles")
        self.click(css)
        end = time.monotonic() + 300
        while not (opened := set(self.driver.call("GET", self.path + "/window/handles")) - set(before)):
            if time.monotonic() > end:
                raise Trouble("no other tab was opened")
            time.sleep(0.02)
        tab = Tab(self, first, opened.pop())
        tab.enter()
        try:
            yield tab
        finally:
            tab.close()

    def script(self, text, *arguments):
        return self.driver.call("POST", self.path + "/execute/sync", {"script": text, "args": arguments})

    def form(self):
        """Returns the address and the fields of the form of the page."""
        return self.script("const form = document.forms[0]; return [form.action, Object.fromEntries(new FormData(form))]")

    def post(self, address, fields):
        """Posts a form from a page of another site, as the page of an attacker does."""
        self.go("about:blank")
        self.script("""
            const form = document.createElement("form");
            [form.method, form.action] = ["post", arguments[0]];
            for (const [name, value] of Object.entries(arguments[1])) {
                const field = document.createElement("input");
                [field.type, field.name, field.value] = ["hidden", name, value];
                form.append(field);
            }
            document.body.append(form);
            form.submit();""", address, fields)

    def command(self, cmd, **params):
        """Lets Chromium carry out a command of its protocol. WebDriver itself handles the cookies of the page only."""
        return self.driver.call("POST", self.path + "/goog/cdp/execute", {"cmd": cmd, "params": params})

    def forget(self, prefix, url):
        """Deletes the cookies of all sites whose names begin so, and returns their number."""
        names = [each["name"] for each in self.command("Network.getAllCookies")["cookies"]]
        found = [name for name in names if name.startswith(prefix)]
        for name in found:
            self.command("Network.deleteCookies", name=name, url=url)
        return len(found)

    def cookies(self):
        return {each["name"]: each for each in self.driver.call("GET", self.path + "/cookie")}

    def wait(self, title):
        """Waits for the page with this title: a click mostly returns when the next page has begun to load."""
        end = time.monotonic() + 300
        while self.title != title:
            if time.monotonic() > end:
                raise Trouble(f"not '{title}' but '{self.title}' at {self.url.split('?')[0]}")
            time.sleep(0.02)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.driver.call("GET", self.path + "/screenshot")))


class Tab:
    """A second tab of a browser, whose functions `enter` and `leave` choose the tab that the browser's own functions are about."""

    def __init__(self, browser, first, own):
        self.browser, self.first, self.own = browser, first, own

    def enter(self):
        self.choose(self.own)

    def leave(self):
        self.choose(self.first)

    def close(self):
        self.enter()
        self.browser.driver.call("DELETE", self.browser.path + "/window")
        self.leave()

    def choose(self, handle):
        self.browser.driver.call("POST", self.browser.path + "/window", {"handle": handle})
