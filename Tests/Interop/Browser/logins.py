#!/usr/bin/env python3
"""logins.py SANDBOX PICTURES [--short] [NAME...]: goes through the logins of `bulla-sandbox demo-login` in Chromium, and
prints a line of JSON a case.

The short form has a login and one misbehaviour of each, and all cases of those in ENTIRE.

Chromium trusts the sandbox's authority, which certutil puts into a database of its own; no check of a certificate is switched off.
"""
import concurrent.futures
import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading

from sites import Sites, code_link
from webdriver import Browser, Driver, Trouble

# Two browsers use both cores of a small machine: the tests of the sandbox take 191 s in place of 235.
BROWSERS = 2
SIGNED_IN, NOT_SIGNED_IN, START = "You are signed in", "You are not signed in", "A service"
# The cookie that stands for what an app keeps: the secret of its instance, and the handle of its login.
DEVICE = "__Host-demo-device"

# The cases that a browser tests best: state, binding, and the place of the error page.
MISBEHAVIOURS = {
    "itsme-v1": ["tampered", "low-level", "wrong-at-hash"],
    "itsme-v1-nested": ["bare-claims"],
    "itsme-v2": ["bare-jws", "alg-none", "wrong-nonce", "other-sub", "two-codes", "missing-state"],
    "itsme-v2-reference": ["strangers-key"],
    "itsme-now-key": ["expired", "unknown-kid"],
    "itsme-now-secret": ["wrong-aud", "plain-userinfo"],
    "itsme-ciba": ["strangers-key", "missing-id-token", "other-sub"],
    "zenkey": ["wrong-iss", "busy", "typ-logout"],
    "zenkey-app": ["handle-again", "other-session", "own-nonce", "other-verifier", "other-carrier"],
    "mitid": ["answered-by-get", "other-iss", "transaction-key", "wrong-at-hash"],
    "digid": ["aud-is-client", "other-azp", "other-azp-in-id-token", "request-refused", "wrong-nonce"],
    "digid-saml3": ["not-activated", "switched-off", "switched-off-here", "fault", "other-request", "return-url-told", "to-the-page"],
    "digid-saml4": ["switched-off-here", "tampered"],
    "digid-web-saml3": ["raw-plus", "to-the-app", "answered-by-post", "other-request"],
    "digid-web-saml4": ["answered-by-post", "tampered"],
    "mitid-pushed": ["missing-nonce"],
    "mitid-ciba": ["strangers-key", "wrong-at-hash", "other-sub"],
    "mitid-app": ["transaction-key", "answered-by-get", "other-iss", "wrong-at-hash"],
    "altid": ["other-idp"],
    "mitid-business": ["other-idp"],
    "mitid-age": ["other-idp", "missing-age", "two-ages"],
    "mitid-years": ["missing-age", "two-ages"],
    "altid-age": ["login-token", "two-ages"],
    "altid-age-ciba": ["login-token", "missing-age"],
    "entra": ["iss-of-other-tenant", "missing-tid", "tid-path", "iss-is-template", "tenant-not-listed", "personal-key",
              "key-without-issuer", "ver-1"],
    "openid": ["other-iss", "wrong-nonce", "tampered"],
}

# What goes wrong after the user has scanned the code of a search.
SEARCHES = {"itsme-ciba": ["search-ended", "unknown-user"]}

# The logins that prove an age in the browser, and sign nobody in.
AGES = ("altid-age", "mitid-age", "mitid-years")

# The answers of DigiD to a logout: the button, and what is wrong besides.
LOGOUTS = {
    "digid-web-saml3": {"stay": ("stay", None), "strangers-key": ("logout", "strangers-key")},
    "digid-web-saml4": {"partial": ("partial", None), "tampered": ("logout", "tampered")},
}

# The requests of DigiD to end the sessions of a user. None is wrong in the last one.
REQUESTS = ["wrapped", "no-certificate", None]

# The service receives no response in these cases: the page on which they end, and what the user then selects at the service.
SILENCES = {
    "not-found": ("DigiD's app is not here", "not-opened"),
    "return-url-unknown": ("DigiD (sandbox): refused", "no-answer"),
    "silence": ("DigiD says nothing", "no-answer"),
}


# The misbehaviour after which the same callback comes again.
TWICE = {"digid": "unknown-error", "digid-saml3": "fault", "digid-saml4": "fault", "digid-web-saml3": "expired",
         "digid-web-saml4": "expired"}


# The logins whose cases all are in the short form: a callback by a query, one by a form, and one by SAML on DigiD's pages.
ENTIRE = ("openid", "mitid", "mitid-app", "digid-web-saml4")


def is_web(name):
    return name.startswith("digid-web")


def is_app(name):
    return name.startswith("digid") and not is_web(name)


class Walk:
    def __init__(self, browser, sites, pictures, start_other):
        self.browser, self.sites, self.pictures = browser, sites, pictures
        self.start_other, self.others = start_other, {}

    def close(self):
        self.browser.close()
        for other in self.others.values():
            other.browser.close()

    def other(self, role):
        """Returns a walk in another browser, without cookies: the tab of a login that an app begins, or the device of somebody else."""
        if role not in self.others:
            self.others[role] = Walk(self.start_other(role), self.sites, self.pictures, None)
        self.others[role].browser.forget("", self.sites.service + "/")
        return self.others[role]

    def tab(self):
        return self.other("tab")

    def attacker(self):
        return self.other("attacker")

    def to_provider(self, name, carrier="001001"):
        self.browser.go(self.sites.service + "/")
        self.browser.wait(START)
        self.browser.click(f"#login-{name}")
        if name == "zenkey":
            self.browser.wait("Which carrier?")
            self.browser.picture(self.picture(name, "carrier"))
            self.browser.click(f"button[value='{carrier}']")

    def wait_for_page(self, name):
        """Waits for DigiD's page: in the later generation a form leads to it, which submits itself."""
        if is_web(name):
            self.browser.wait("DigiD (sandbox): log in")

    def decide(self, name, decision, person="anna", misbehaviour=None, pin="12345", level="substantieel"):
        self.wait_for_page(name)
        if person != "anna":
            self.browser.click(f"input[value='{person}']")
        if misbehaviour:
            self.browser.click(f"option[value='{misbehaviour}']")
        if is_app(name):
            self.browser.wait("DigiD app (sandbox)")
            self.browser.type("#pin", pin)
        if name.startswith("digid"):
            self.browser.click(f"input[value='{level}']")
        self.browser.picture(self.picture(name, misbehaviour or decision, "provider"))
        self.browser.click(f"button[value='{decision}']")
        posts = self.sites.clients[name].get("response_mode") == "form_post" and misbehaviour != "answered-by-get"
        if posts:
            self.browser.wait(("AltID" if name == "altid-age" else "MitID") + " (sandbox): back to the service")
            self.browser.click("form button")

    def picture(self, *words):
        return os.path.join(self.pictures, "-".join(words) + ".png")

    def failure(self, name, word):
        self.browser.wait(NOT_SIGNED_IN)
        self.browser.picture(self.picture(name, word, "service"))
        return {"failure": self.browser.text("#failure"), "remedy": self.browser.text("#remedy")}

    def approve(self, name, word="approve", carrier="001001"):
        if name in SEARCHES:
            self.scan(name, word, "approve", "bo")
        else:
            self.to_provider(name, carrier)
            self.decide(name, "approve", "bo")
        if name in AGES:
            return self.age(name, word)
        return self.signed_in(name, word)

    def signed_in(self, name, word):
        """Returns what the page of the user says, and logs out."""
        self.browser.wait(SIGNED_IN)
        self.browser.picture(self.picture(name, word, "service"))
        text = self.browser.text("dl")
        if name == "mitid-business" and "Organization\nSandbox" not in text:
            raise Trouble("no organization")
        cookies = self.browser.cookies()
        session = cookies["__Host-demo-session"]
        # For users of DigiD only the level is shown.
        person = "substantieel" if name.startswith("digid") else "Bo O'Hara <b>"
        result = {"person": person in text, "secure": session["secure"] and session["httpOnly"],
                  "site": self.browser.url.startswith(self.sites.service + "/")}
        self.browser.click("#logout")
        if is_web(name):
            self.browser.wait("DigiD (sandbox): log out")
            self.browser.picture(self.picture(name, word, "logout"))
            self.browser.click("button[value='logout']")
            self.browser.wait("You are signed out")
        else:
            self.browser.wait(START)
        self.browser.go(self.sites.service + "/account")
        self.browser.wait(START)
        return result

    def scan(self, name, word, decision, person="anna", search=None, misbehaviour=None):
        """Scans the code that the service shows, on the page that stands for the app, and decides there."""
        self.browser.go(self.sites.service + "/")
        self.browser.wait(START)
        self.browser.click(f"#login-{name}")
        self.browser.wait("Scan this code")
        self.browser.picture(self.picture(name, word, "code"))
        with self.browser.tab_of(code_link(self.browser.attribute("#code", "src"))) as app:
            self.browser.click(f"input[value='{person}']")
            if search:
                self.browser.click(f"option[value='{search}']")
            self.browser.click("#scan")
            self.browser.wait("itsme (sandbox): scanned")
            app.leave()
            self.browser.click("#continue")
            if search:
                return
            self.browser.wait("Confirm in the app")
            app.enter()
            self.browser.click("#approval")
            self.browser.wait("itsme (sandbox): log in")
            if misbehaviour:
                self.browser.click(f"option[value='{misbehaviour}']")
            self.browser.picture(self.picture(name, word, "provider"))
            self.browser.click(f"button[value='{decision}']")
            self.browser.wait("itsme (sandbox): done")
            app.leave()
            self.browser.click("#continue")

    def scan_wrongly(self, name, word, **given):
        self.scan(name, word, given.pop("decision", "approve"), **given)
        return self.failure(name, word)

    def prove_by_wallet(self, word, decision="approve", misbehaviour=None):
        """Opens the link of the code that the service shows, as the wallet does, or the link on the page, and proves an age there."""
        name = "altid-age-ciba"
        self.browser.go(self.sites.service + "/")
        self.browser.wait(START)
        self.browser.click(f"#login-{name}")
        self.browser.wait("Open the wallet")
        self.browser.picture(self.picture(name, word, "code"))
        link = code_link(self.browser.attribute("#code", "src"))
        if link != self.browser.attribute("#wallet", "href"):
            raise Trouble("the code and the link differ")
        with self.browser.tab_of(link) if decision == "approve" else self.browser.tab_by("#wallet") as app:
            self.browser.wait("AltID (sandbox): log in")
            if misbehaviour:
                self.browser.click(f"option[value='{misbehaviour}']")
            self.browser.picture(self.picture(name, word, "provider"))
            self.browser.click(f"button[value='{decision}']")
            self.browser.wait("AltID (sandbox): done")
            app.leave()
            self.browser.click("#continue")
        if decision == "approve" and not misbehaviour:
            return self.age(name, word)
        return self.failure(name, word)

    def by_app(self, word, decision, person="anna", fault=None):
        """Lets an app with ZenKey's SDK log in, and returns what its last page says."""
        self.browser.go(self.sites.service + "/")
        self.browser.wait(START)
        self.browser.click("#login-zenkey-app")
        self.browser.wait("An app (sandbox)")
        if fault:
            self.browser.click(f"option[value='{fault}']")
        self.browser.picture(self.picture("zenkey-app", word, "provider"))
        self.browser.click("button[value='001001']")
        self.browser.wait("Carrier Two (sandbox): log in")
        self.browser.click(f"input[value='{person}']")
        self.browser.click(f"button[value='{decision}']")
        if fault:
            return self.failure("zenkey-app", word)
        self.browser.wait(SIGNED_IN if decision == "approve" else NOT_SIGNED_IN)
        self.browser.picture(self.picture("zenkey-app", word, "service"))
        if decision == "refuse":
            return {"cancelled": self.browser.text("#cancelled")}
        return {"person": "Bo O'Hara <b>" in self.browser.text("dl")}

    def begin_in_app(self, name, has_switch=True):
        """Begins a login in the app, which this browser stands for, and returns the link for the tab."""
        self.browser.go(f"{self.sites.service}/app/{name}")
        self.browser.wait("The app: Log in")
        if not has_switch:
            self.browser.click("#no-switch")
        self.browser.click("#begin")
        self.browser.wait("The app: waiting")
        return self.browser.attribute("#tab", "href")

    def decide_in_tab(self, name, link, decision, person="anna", misbehaviour=None):
        """Decides in the tab, which this browser stands for, up to the page that posts the form. Returns the link of MitID's app."""
        self.browser.go(link)
        return self.decide_here(name, decision, person, misbehaviour)

    def decide_here(self, name, decision, person="anna", misbehaviour=None):
        self.browser.wait("MitID (sandbox): log in")
        self.browser.click(f"input[value='{person}']")
        if misbehaviour:
            self.browser.click(f"option[value='{misbehaviour}']")
        self.browser.picture(self.picture(name, misbehaviour or decision, "provider"))
        self.browser.click(f"button[value='{decision}']")
        if misbehaviour == "answered-by-get":
            return None
        self.browser.wait("MitID (sandbox): back to the service")
        links = self.browser.attributes("#app-switch", "href")
        return links[0] if links else None

    def still_waits(self):
        self.browser.click("#poll")
        self.browser.wait("The app: waiting")

    def from_app(self, name, word, decision="approve", person="anna", misbehaviour=None, has_switch=True):
        """Logs in from the app, with a tab of another browser, and returns what the app learns."""
        tab = self.tab()
        link = tab.decide_in_tab(name, self.begin_in_app(name, has_switch), decision, person, misbehaviour)
        if (link is not None) != (has_switch and decision == "approve" and misbehaviour != "answered-by-get"):
            raise Trouble("the switch to the app is offered wrongly")
        self.still_waits()
        if link:
            self.browser.go(link)
            self.browser.wait("The app: waiting")
        if misbehaviour != "answered-by-get":
            tab.browser.click("form button")
        has_failed = decision == "refuse" or misbehaviour
        tab.browser.wait("You have not logged in." if has_failed else "The login has finished.")
        tab.browser.picture(self.picture(name, word, "tab"))
        if link:
            self.browser.click("#poll")
        else:
            # Nobody is told before the button of the page has opened the app.
            self.still_waits()
            self.browser.go(tab.browser.attribute("a", "href"))
        if has_failed:
            return self.failure(name, word)
        return self.signed_in(name, word)

    def pushed(self, name):
        """Logs in from the app, which waits for a push message and polls then."""
        tab = self.tab()
        link = tab.decide_in_tab(name, self.begin_in_app(name), "approve", "bo")
        self.browser.go(link)
        self.browser.wait("The app: waiting")
        # The page loads until the message is there.
        waiting = threading.Thread(target=self.browser.click, args=["#push"])
        waiting.start()
        tab.browser.click("form button")
        tab.browser.wait("The login has finished.")
        waiting.join()
        self.browser.wait("The app: notified")
        self.browser.click("#poll")
        return self.signed_in(name, "pushed")

    def open_twice(self, name):
        """Opens the link of a login in two browsers: the second one gets nothing."""
        link, tab = self.begin_in_app(name), self.tab()
        tab.browser.go(link)
        tab.browser.wait("MitID (sandbox): log in")
        self.browser.go(link)
        return self.failure(name, "opened-twice")

    def victim(self, name):
        """Lets a victim open the link of a login that the app of an attacker, this browser, began, and approve it on another device."""
        tab = self.tab()
        # The app of the victim has begun a login of its own.
        tab.begin_in_app(name)
        link = tab.decide_in_tab(name, self.begin_in_app(name), "approve")
        tab.browser.click("form button")
        tab.browser.wait("The login has finished.")
        self.still_waits()
        # The operating system opens the app of the victim, which did not begin this login.
        tab.browser.go(link)
        result = tab.failure(name, "victim")
        self.still_waits()
        return result

    def stolen_form(self, name):
        """Posts the form of the login in a tab that does not have its cookie, as an attacker lets the browser of a victim do."""
        tab = self.tab()
        tab.decide_in_tab(name, self.begin_in_app(name), "approve")
        if tab.browser.forget("__Host-bulla-login-", self.sites.service + "/") != 1:
            raise Trouble("no cookie of a login")
        tab.browser.click("form button")
        result = tab.failure(name, "without-binding")
        self.still_waits()
        return result

    def end_in_tab(self, name, form):
        """Posts the form of a login that succeeds, and returns the link of the last page, which opens the app."""
        self.browser.post(*form)
        self.browser.wait("The login has finished.")
        return self.browser.attribute("a", "href")

    def login_csrf(self, name):
        """R50: posts the answer of an attacker's login in the tab of a victim, and then, as the control, that of the victim's own."""
        attacker, tab = self.attacker(), self.tab()
        attacker.decide_in_tab(name, attacker.begin_in_app(name), "approve")
        tab.decide_in_tab(name, self.begin_in_app(name), "approve", "bo")
        own = tab.browser.form()
        tab.browser.post(*attacker.browser.form())
        result = tab.failure(name, "login-csrf")
        self.still_waits()
        self.browser.go(tab.end_in_tab(name, own))
        return result | self.signed_in(name, "login-csrf")

    def code_injection(self, name):
        """MitID case 10: posts the code of an attacker with the state of the victim's login. The control has the victim's own code."""
        attacker, tab = self.attacker(), self.tab()
        attacker.decide_in_tab(name, attacker.begin_in_app(name), "approve")
        code = attacker.browser.form()[1]["code"]
        for is_attack in (True, False):
            tab.decide_in_tab(name, self.begin_in_app(name), "approve", "bo")
            address, fields = tab.browser.form()
            if is_attack:
                tab.browser.post(address, fields | {"code": code})
                tab.browser.wait("You have not logged in.")
                self.browser.go(tab.browser.attribute("a", "href"))
                result = self.failure(name, "code-injection")
            else:
                self.browser.go(tab.end_in_tab(name, (address, fields)))
        return result | self.signed_in(name, "code-injection")

    def two_tabs(self, name):
        """Logs in from two apps by two tabs of one browser, and gives each app the link of the other one before its own."""
        apps, tab = [self, self.attacker()], self.tab()
        links = [app.begin_in_app(name) for app in apps]
        with tab.browser.tab_of(links[1]) as second:
            second.leave()
            tab.decide_in_tab(name, links[0], "approve", "bo")
            second.enter()
            # The page is open already, and its link was good for one opening.
            tab.decide_here(name, "approve", "bo")
            links[1] = tab.end_in_tab(name, tab.browser.form())
            second.leave()
            links[0] = tab.end_in_tab(name, tab.browser.form())
        results = []
        for app, other, own in zip(apps, reversed(links), links):
            app.browser.go(other)
            result = app.failure(name, "two-tabs")
            app.browser.go(own)
            results.append(result | app.signed_in(name, "two-tabs"))
        if results[0] != results[1]:
            raise Trouble(f"the logins differ: {results}")
        return results[0]

    def other_instance(self, name):
        """MitID case 11: a device that has the handle and the link of a login, and an instance secret of its own."""
        attacker, tab = self.attacker(), self.tab()
        attacker.begin_in_app(name)
        tab.decide_in_tab(name, self.begin_in_app(name), "approve", "bo")
        link = tab.end_in_tab(name, tab.browser.form())
        secret, handle = (each.browser.cookies()[DEVICE]["value"].split(".")[place]
                          for each, place in ((attacker, 0), (self, 1)))
        attacker.browser.command("Network.setCookie", name=DEVICE, value=f"{secret}.{handle}", secure=True, httpOnly=True,
                                 url=self.sites.service + "/")
        attacker.browser.go(link)
        result = attacker.failure(name, "other-instance")
        self.browser.go(link)
        return result | self.signed_in(name, "other-instance")

    def thief(self, name):
        """R50: a thief opens the link first and logs in as itself. The control is a new login of the app."""
        thief, tab = self.attacker(), self.tab()
        link = self.begin_in_app(name)
        thief.decide_in_tab(name, link, "approve")
        thief.end_in_tab(name, thief.browser.form())
        tab.browser.go(link)
        result = tab.failure(name, "thief")
        self.still_waits()
        return result | self.from_app(name, "thief", person="bo")

    def age(self, name, word):
        """Returns the result of an age proof, after which nobody is signed in."""
        self.browser.wait("Your age was proven")
        self.browser.picture(self.picture(name, word, "service"))
        # Each label is followed by its value.
        result = " ".join(self.browser.text("dl").split("\n")[1::2])
        self.browser.go(self.sites.service + "/account")
        self.browser.wait(START)
        return {"ages": result}

    def sign_in(self, name):
        self.to_provider(name)
        self.decide(name, "approve")
        self.browser.wait(SIGNED_IN)

    def compare_numbers(self, name, word):
        """Lets the service compare a text that is no number, three numbers, and one more than the broker allows, with the person's."""
        self.sign_in(name)
        answers = []
        for number in ("30", "300785-9934", "300785-9933", "3007859947", "3007859933"):
            self.browser.type("#cpr", number)
            self.browser.click("#compare")
            answers.append(self.browser.text("#match, #failure"))
            self.browser.picture(self.picture(name, word, "service"))
            self.browser.click("#account")
            self.browser.wait(SIGNED_IN)
        return {"refused": answers[0], "matches": " ".join(answers[1:4]), "failure": answers[4]}

    def end_by_broker(self, name, word):
        """Lets the broker end the sessions of the user, by a logout token to each of its clients that has an address for it."""
        self.sign_in(name)
        issuer = self.sites.clients[name]["issuer"]
        self.browser.go(self.sites.origin(issuer))
        self.browser.click(f"form:has(input[value='{issuer}']) button[value='anna']")
        self.browser.wait("Anna Peeters was logged out")
        told = self.browser.text("#told")
        self.browser.go(self.sites.service + "/account")
        self.browser.wait(START)
        self.browser.picture(self.picture(name, word, "service"))
        return {"told": told}

    def log_out(self, name, word, decision, misbehaviour):
        """Logs out at DigiD's page, which answers wrongly or does not end all sessions."""
        self.sign_in(name)
        self.browser.click("#logout")
        self.browser.wait("DigiD (sandbox): log out")
        if misbehaviour:
            self.browser.click(f"option[value='{misbehaviour}']")
        self.browser.click(f"button[value='{decision}']")
        item = self.browser.text("#logout-result, #failure")
        self.browser.picture(self.picture(name, word, "service"))
        self.browser.go(self.sites.service + "/account")
        self.browser.wait(START)
        return {"result": item}

    def end_by_digid(self, name, word, misbehaviour):
        """Lets DigiD ask the service to end the user's sessions, and returns its answer and the page that the user then sees."""
        self.sign_in(name)
        self.browser.go(self.sites.digid)
        if misbehaviour:
            self.browser.click(f"option[value='{misbehaviour}']")
        self.browser.click("button[value='once']")
        result = self.browser.text("#status") + " " + self.browser.text("#status-answer")
        self.browser.go(self.sites.service + "/account")
        self.browser.wait(SIGNED_IN if misbehaviour else START)
        self.browser.picture(self.picture(name, word, "service"))
        return {"result": result}

    def refuse(self, name):
        self.to_provider(name)
        self.decide(name, "refuse")
        return self.failure(name, "refuse")

    def misbehave(self, name, misbehaviour):
        self.to_provider(name)
        self.decide(name, "approve", misbehaviour=misbehaviour)
        return self.failure(name, misbehaviour)

    def hear_nothing(self, name, misbehaviour, title, told):
        self.to_provider(name)
        self.decide(name, "approve", misbehaviour=misbehaviour)
        self.browser.wait(title)
        self.browser.go(self.sites.service + "/")
        self.browser.click(f"#{told}")
        return self.failure(name, misbehaviour)

    def without_binding(self, name):
        """R01: the callback of one browser in another one, simulated by deleting the cookies of the service."""
        self.to_provider(name)
        self.wait_for_page(name)
        self.browser.find("button[value='approve']")
        if self.browser.forget("__Host-bulla-login-", self.sites.service + "/") < 1:
            raise Trouble("no cookie of a login")
        self.decide(name, "approve")
        return self.failure(name, "without-binding")

    def low(self, name):
        self.to_provider(name)
        self.decide(name, "approve", level="midden")
        return self.failure(name, "low")

    def return_page(self, name):
        """Loads the return URL in the browser, and then sends the value to the service, as the app does that the page's link opens."""
        self.to_provider(name)
        self.browser.wait("DigiD app (sandbox)")
        self.browser.click("input[name='opens']")
        self.decide(name, "approve")
        self.browser.wait("Return to the app")
        self.browser.picture(self.picture(name, "return-page", "service"))
        link = self.browser.attribute("a", "href")
        value = self.browser.url.split("?")[1]
        self.browser.go(f"{self.sites.service}/callback/{name}?{value}")
        self.browser.wait(SIGNED_IN)
        return {"same": link == "bulla-demo://return?" + value}

    def three_pins(self, name):
        self.to_provider(name)
        for left in ("2", "1"):
            self.decide(name, "approve", pin="54321")
            self.browser.find(f"#tries-{left}")
        self.decide(name, "approve", pin="54321")
        return self.failure(name, "three-pins")

    def twice(self, name):
        """Repeats the callback, as "reload" or "back" does."""
        self.to_provider(name)
        if name == "mitid-ciba":
            self.decide(name, "refuse")
        else:
            self.decide(name, "approve", misbehaviour=TWICE.get(name, "missing-code"))
        self.browser.wait(NOT_SIGNED_IN)
        self.browser.go(self.browser.url)
        return self.failure(name, "twice")


def cases(walk, name):
    if name == "zenkey-app":
        yield "approve", lambda: walk.by_app("approve", "approve", "bo")
        yield "refuse", lambda: walk.by_app("refuse", "refuse")
        for fault in MISBEHAVIOURS[name]:
            yield fault, lambda: walk.by_app(fault, "approve", fault=fault)
        return
    if name == "altid-age-ciba":
        yield "approve", lambda: walk.prove_by_wallet("approve")
        yield "refuse", lambda: walk.prove_by_wallet("refuse", decision="refuse")
        for misbehaviour in MISBEHAVIOURS[name]:
            yield misbehaviour, lambda: walk.prove_by_wallet(misbehaviour, misbehaviour=misbehaviour)
        return
    if name == "mitid-app":
        yield "approve", lambda: walk.from_app(name, "approve", person="bo")
        yield "pushed", lambda: walk.pushed(name)
        yield "no-switch", lambda: walk.from_app(name, "no-switch", person="bo", has_switch=False)
        yield "refuse", lambda: walk.from_app(name, "refuse", decision="refuse")
        yield "opened-twice", lambda: walk.open_twice(name)
        yield "victim", lambda: walk.victim(name)
        yield "without-binding", lambda: walk.stolen_form(name)
        yield "login-csrf", lambda: walk.login_csrf(name)
        yield "code-injection", lambda: walk.code_injection(name)
        yield "two-tabs", lambda: walk.two_tabs(name)
        yield "other-instance", lambda: walk.other_instance(name)
        yield "thief", lambda: walk.thief(name)
        for misbehaviour in MISBEHAVIOURS[name]:
            yield misbehaviour, lambda: walk.from_app(name, misbehaviour, misbehaviour=misbehaviour)
        return
    yield "approve", lambda: walk.approve(name)
    if name == "mitid":
        yield "numbers", lambda: walk.compare_numbers(name, "numbers")
        yield "ended-by-broker", lambda: walk.end_by_broker(name, "ended-by-broker")
    if name in SEARCHES:
        yield "refuse", lambda: walk.scan_wrongly(name, "refuse", decision="refuse")
        for misbehaviour in MISBEHAVIOURS[name]:
            yield misbehaviour, lambda: walk.scan_wrongly(name, misbehaviour, misbehaviour=misbehaviour)
        for search in SEARCHES[name]:
            yield search, lambda: walk.scan_wrongly(name, search, search=search)
        return
    if name == "zenkey":
        yield "other-carrier", lambda: walk.approve(name, "other-carrier", "310410")
    if name.startswith("digid"):
        yield "low", lambda: walk.low(name)
    if is_app(name):
        yield "three-pins", lambda: walk.three_pins(name)
        if name != "digid":
            yield "return-page", lambda: walk.return_page(name)
    yield "refuse", lambda: walk.refuse(name)
    if walk.sites.clients[name].get("response_mode") != "form_post":
        yield "twice", lambda: walk.twice(name)
    yield "without-binding", lambda: walk.without_binding(name)
    for misbehaviour in MISBEHAVIOURS.get(name, []):
        yield misbehaviour, lambda: walk.misbehave(name, misbehaviour)
    for word, (decision, misbehaviour) in LOGOUTS.get(name, {}).items():
        yield "logout-" + word, lambda: walk.log_out(name, "logout-" + word, decision, misbehaviour)
    if name == "digid-web-saml3":
        for misbehaviour in REQUESTS:
            word = "ended-by-digid" + ("-" + misbehaviour if misbehaviour else "")
            yield word, lambda: walk.end_by_digid(name, word, misbehaviour)
    if is_app(name):
        for misbehaviour, (title, told) in SILENCES.items():
            yield misbehaviour, lambda: walk.hear_nothing(name, misbehaviour, title, told)


def trust(authority, home):
    database = os.path.join(home, ".pki", "nssdb")
    os.makedirs(database)
    subprocess.run(["certutil", "-N", "--empty-password", "-d", "sql:" + database], check=True)
    subprocess.run(["certutil", "-A", "-d", "sql:" + database, "-t", "C,,", "-n", "sandbox", "-i", authority], check=True)


def in_turn(names):
    """Returns lists of logins that one browser goes through. DigiD's request to end sessions ends all logins of that user by its pages."""
    web = [name for name in names if is_web(name)]
    others = [[name] for name in names if name not in web]
    return [web] + others if web else others


def go_through(walk, names, short, lock):
    for name in names:
        for word, run in cases(walk, name):
            if short and name not in ENTIRE and word not in ("approve", MISBEHAVIOURS[name][0]):
                continue
            try:
                result = run()
            except Trouble as trouble:
                result = {"trouble": str(trouble)}
                with contextlib.suppress(Trouble, OSError):
                    walk.browser.picture(walk.picture(name, word, "trouble"))
            with lock:
                print(json.dumps({"login": name, "case": word} | result), flush=True)


def main():
    program, pictures, names = sys.argv[1], sys.argv[2], [name for name in sys.argv[3:] if name != "--short"]
    short = "--short" in sys.argv
    os.makedirs(pictures, exist_ok=True)
    sites = Sites(program)
    home = tempfile.mkdtemp(prefix="bulla-home-")
    driver = None
    try:
        trust(sites.authority, home)
        os.environ["HOME"] = home
        driver = Driver(shutil.which("chromedriver") or "/usr/bin/chromedriver")

        def start(name):
            binary = shutil.which("chromium") or "/usr/bin/chromium"
            return Browser(driver, binary, os.path.join(home, f"profile-{name}"), sites.rules)

        walks = [Walk(start(number), sites, pictures, lambda role, number=number: start(f"{number}-{role}"))
                 for number in range(BROWSERS)]
        walks[0].browser.go(sites.service + "/")
        page = source(walks[0].browser)
        left = queue.SimpleQueue()
        for each in in_turn(names or [name for name in sites.clients if f"id=\"login-{name}\"" in page]):
            left.put(each)
        lock = threading.Lock()

        def work(walk):
            while True:
                try:
                    go_through(walk, left.get_nowait(), short, lock)
                except queue.Empty:
                    return
                except BaseException:
                    # The other browser begins nothing more.
                    while not left.empty():
                        left.get()
                    raise

        with concurrent.futures.ThreadPoolExecutor(BROWSERS) as pool:
            for done in [pool.submit(work, walk) for walk in walks]:
                done.result()
        for walk in walks:
            walk.close()
    finally:
        if driver:
            driver.close()
        sites.close()
        shutil.rmtree(home, ignore_errors=True)


def source(browser):
    return browser.driver.call("GET", browser.path + "/source")


if __name__ == "__main__":
    main()
