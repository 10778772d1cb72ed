"""Measures what the installed command costs in a process of its own: its start, a few tokens, and many requests of `bulla check`.

Each line has the CPU time (user and system) and the elapsed time of a process, as medians, and both for each token.
"""
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

bulla = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 31
place = pathlib.Path(tempfile.mkdtemp())
# The most that a process may cost for each token, in microseconds of CPU time.
goals = {100: 200, 1_000: 30}
most_milliseconds = 7


def make(*arguments):
    return subprocess.run([bulla, *arguments], capture_output=True, text=True, check=True).stdout


def measure(arguments, tokens=None):
    """Returns the medians of CPU and elapsed seconds."""
    used, elapsed = [], []
    for _ in range(rounds):
        with open(tokens or os.devnull, "rb") as source:
            before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            subprocess.run([bulla, *arguments], stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        elapsed.append(time.monotonic() - begun)
        used.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return statistics.median(used), statistics.median(elapsed)


def report(name, count, costs, goal=None):
    used, elapsed = costs
    line = f"{name:<34} {used * 1e3:8.1f} ms of CPU {elapsed * 1e3:8.1f} ms elapsed"
    if count:
        line += f"; a token {used / count * 1e6:7.1f} us of CPU {elapsed / count * 1e6:7.1f} us elapsed"
    if goal:
        line += f" (goal {goal})"
    print(line)


try:
    names = ["--iss", "https://id.example.com", "--aud", "shop"]
    make("key", "generate", "P-256", "--alg", "ES256", "--kid", "s1", "--out", f"{place}/s1.jwk", "--public-out", f"{place}/s1.pub.jwk")
    (place / "claims").write_text("".join(json.dumps({"sub": f"user-{n}"}) + "\n" for n in range(10_000)))
    tokens = make("sign", "--lines", "--key", f"{place}/s1.jwk", *names, "--lifetime", "36000", f"{place}/claims").splitlines(True)
    start = measure(["--version"])
    report("bulla --version", 0, start, f"{most_milliseconds} ms elapsed")
    costs = {}
    for count in (100, 1_000, 10_000):
        (place / "tokens").write_text("".join(tokens[:count]))
        costs[count] = measure(["verify", "--keys", f"{place}/s1.pub.jwk", *names, "--alg", "ES256"], place / "tokens")
        report(f"bulla verify, {count} tokens of ES256", count, costs[count], goals.get(count))
    keys, options = json.loads((place / "s1.pub.jwk").read_text()), {"algs": ["ES256"], "iss": names[1], "aud": "shop"}
    (place / "requests").write_text("".join(
        json.dumps({"n": n, "op": "jwt-verify", "token": token.strip(), "keys": keys, "options": options}) + "\n" for n, token in enumerate(tokens)))
    with open(place / "requests", "rb") as source:
        answers = subprocess.run([bulla, "check"], stdin=source, capture_output=True, check=True).stdout.splitlines()
    if sum(json.loads(answer)["result"] == "valid" for answer in answers) != 10_000:
        sys.exit("bulla check did not accept all 10,000 tokens.")
    checked = measure(["check"], place / "requests")
    report("bulla check, 10000 requests", 10_000, checked)
    print(f"bulla check takes {checked[0] / costs[10_000][0]:.2f} times the CPU time of bulla verify (goal: at most 2)")
    if start[1] * 1e3 > most_milliseconds:
        sys.exit("bulla --version takes longer than its goal, which is for an idle machine.")
finally:
    shutil.rmtree(place, ignore_errors=True)
