"""Usage: login_example.py SANDBOX LOGIN. Starts `SANDBOX serve`, runs the program Login of Examples/basics, and uses curl as the browser.

One login must succeed, and one whose `state` was changed must fail.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

program, login = sys.argv[1:]


def main():
    with tempfile.TemporaryDirectory() as folder:
        sandbox = subprocess.Popen([program, "serve", "--dir", folder, "--port", "0"], stdout=subprocess.PIPE, text=True)
        try:
            settings = wait(sandbox, f"{folder}/sandbox.json")
            client = next(one for one in settings["clients"] if one["name"] == "openid")
            host = client["issuer"].split("/")[2].split(":")[0]
            resolve = f"{host}:{settings['port']}:127.0.0.1"

            def log_in(change):
                program = subprocess.Popen(
                    ["stdbuf", "-oL", login, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                # The program prints how to open the login in Chromium.
                command = re.fullmatch(r"chromium .* '(https://[^']+)'\n", program.stdout.readline())
                address = command.group(1) if command else ""
                answer = change(approve(folder, resolve, address)) if address else ""
                said, complaint = program.communicate(answer + "\n", timeout=120)
                return program.returncode, said, complaint

            code, said, complaint = log_in(lambda address: address)
            if code != 0 or not re.fullmatch(r"subject \S+\n", said):
                sys.exit(f"Login ended with {code}: {said} {complaint}")
            code, said, complaint = log_in(lambda address: re.sub("state=....", "state=AAAA", address))
            if code == 0 or said:
                sys.exit(f"Login accepted a changed state: {said}")
        finally:
            sandbox.send_signal(signal.SIGTERM)
            sandbox.wait(60)


def wait(sandbox, path):
    for _ in range(1200):
        if os.path.exists(path) or sandbox.poll() is not None:
            break
        time.sleep(0.1)
    # The file is complete once its last line has ended.
    for _ in range(100):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if text.endswith("\n"):
            return json.loads(text)
        time.sleep(0.1)
    sys.exit("The sandbox wrote no configuration.")


def curl(folder, resolve, *arguments):
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--max-time", "60", "--cacert", f"{folder}/ca.pem", "--resolve", resolve,
         "--cookie", f"{folder}/jar", "--cookie-jar", f"{folder}/jar", *arguments],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"curl: {done.stderr}")
    return done.stdout


def approve(folder, resolve, address):
    """Approves the login on the provider's page, and returns the address to which the browser is redirected."""
    page = curl(folder, resolve, address)
    request = re.search(r'name="request" value="([^"]+)"', page)
    action = re.search(r'<form method="post" action="([^"]+)"', page)
    person = re.search(r'name="person" value="([^"]+)"', page)
    if not (request and action and person):
        sys.exit(f"The provider has no page for {address}: {page[:400]}")
    origin = "/".join(address.split("/")[:3])
    head = curl(
        folder, resolve, "--dump-header", "-", "--output", os.devnull, "--header", f"Origin: {origin}", "--data-urlencode",
        f"request={request.group(1)}", "--data-urlencode", f"person={person.group(1)}", "--data", "decision=approve", "--data",
        "misbehaviour=", origin + action.group(1))
    location = re.search(r"(?im)^location: (\S+)", head)
    if not location or "?" not in location.group(1):
        sys.exit(f"The provider did not redirect: {head}")
    return location.group(1)


main()
