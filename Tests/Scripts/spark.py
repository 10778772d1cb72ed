"""spark.py BULLA [--short] [SCRIPT]: the scripts of Examples/spark, in a cluster of two executors on this machine, whose processes are killed.

Eight full and four empty partitions of tokens, of which one in 500 is broken. Each id must be answered once and rightly: without a kill,
and after SIGKILL of bulla, of Python's daemon and of an executor. A job that can neither accept nor reject its tokens must fail. Without --short it is a
million tokens, and the CPU time of bulla in a job is compared with that of bulla alone.
"""

import collections
import glob
import gzip
import http.server
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

BULLA = os.path.abspath(sys.argv[1])
SHORT = "--short" in sys.argv[2:]
SCRIPTS = [word for word in sys.argv[2:] if word != "--short"] or ["verify_pipe.py", "verify_arrow.py"]
TOKENS = 20_000 if SHORT else 1_000_000
FULL, EMPTY = 8, 4
TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SPARK = os.path.join(TOP, ".build", "spark", "bin")
ISSUER, AUDIENCE = "https://id.example.com", "shop"
POLICY = ["--iss", ISSUER, "--aud", AUDIENCE, "--alg", "ES256"]
jobs = []


def check(condition, what):
    if not condition:
        print(f"FAILED: {what}", file=sys.stderr)
        sys.exit(1)


def run(*words, text=None):
    done = subprocess.run([BULLA, *words], input=text, capture_output=True, check=False)
    check(done.returncode == 0, f"bulla {words[0]}: {done.stderr.decode()}")
    return done.stdout


def sign(folder, name, first, count):
    claims = b"".join(
        json.dumps({"iss": ISSUER, "aud": AUDIENCE, "sub": f"u{i}", "exp": 4_000_000_000}).encode() + b"\n"
        for i in range(first, first + count)
    )
    tokens = run("sign", "--lines", "--quiet", "--alg", "ES256", "--key", f"{folder}/{name}.jwk", text=claims)
    tokens = tokens.decode().split()
    check(len(tokens) == count, "all tokens are made")
    return tokens


def broken(token, number):
    """Returns a token that is invalid, of several kinds."""
    head, claims, signature = token.split(".")
    other = "A" if signature[0] != "A" else "B"
    kinds = [
        f"{head}.{claims}.{other}{signature[1:]}", token[:-9], "", "junk", f"junk\n{token}", f"{token}\r\n{token}", "\0", "é\u2028\u202e",
        f'{{"id":"t0","token":"{token}"}}', "x" * 300_000, None,
    ]
    return kinds[number % len(kinds)]


def make_input(folder):
    """Writes files with a partition each, and returns the expected result of each id, and the rows as bulla alone gets them."""
    os.makedirs(f"{folder}/in")
    expected, size = {}, TOKENS // FULL
    with open(f"{folder}/rows", "w", encoding="utf-8") as whole:
        for part in range(FULL + EMPTY):
            # Empty partitions are between full ones. A compressed file is one partition.
            with gzip.open(f"{folder}/in/{part * 5 % (FULL + EMPTY):02}.json.gz", "wt", compresslevel=1, encoding="utf-8") as file:
                if part >= FULL:
                    continue
                for i, token in enumerate(sign(folder, "s1", part * size, size), part * size):
                    expected[f"t{i}"] = "invalid" if i % 500 == 7 else "valid"
                    row = json.dumps({"id": f"t{i}", "token": broken(token, i // 500) if i % 500 == 7 else token}) + "\n"
                    file.write(row)
                    whole.write(row)
    return expected


def processes():
    """Returns the parent, the state and the words of each process, by its number."""
    found = {}
    for place in glob.glob("/proc/[0-9]*"):
        try:
            with open(f"{place}/stat", encoding="utf-8", errors="replace") as file:
                state, parent = file.read().rsplit(")", 1)[1].split()[:2]
            with open(f"{place}/cmdline", "rb") as file:
                found[int(place[6:])] = (int(parent), state, file.read().decode(errors="replace").split("\0"))
        except (OSError, ValueError, IndexError):
            pass
    return found


def below(top):
    """Returns the descendants of a process that live, with their parents and words."""
    found = processes()
    children = collections.defaultdict(list)
    for number, (parent, _, _) in found.items():
        children[parent].append(number)
    result, queue = {}, [top]
    while queue:
        for child in children[queue.pop()]:
            queue.append(child)
            if found[child][1] != "Z":
                result[child] = found[child]
    return result


class Job:
    def __init__(self, folder, script, source, target, words):
        self.log = f"{target}.log"
        master = "local-cluster[2,1,1024]"
        settings = [
            # A partition for each file, because a compressed file cannot be split.
            "spark.sql.files.maxPartitionBytes=1", "spark.sql.files.openCostInBytes=0",
            "spark.driver.host=127.0.0.1", "spark.driver.bindAddress=127.0.0.1", "spark.ui.enabled=false",
            f"spark.local.dir={folder}/local", f"spark.sql.warehouse.dir={folder}/warehouse",
        ]
        if SHORT:
            # Most of a short job is the start of its virtual machines.
            settings += [f"spark.{one}.extraJavaOptions=-XX:TieredStopAtLevel=1" for one in ("driver", "executor")]
        environment = dict(
            os.environ, PYSPARK_PYTHON=f"{SPARK}/python", PYSPARK_DRIVER_PYTHON=f"{SPARK}/python", SPARK_LOCAL_IP="127.0.0.1",
            SPARK_WORKER_DIR=f"{folder}/work",
        )
        environment.pop("SPARK_HOME", None)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [f"{SPARK}/spark-submit", "--master", master, *[word for one in settings for word in ("--conf", one)],
                 f"{TOP}/Examples/spark/{script}", f"file://{source}", f"file://{target}", *words],
                stdout=log, stderr=log, env=environment, cwd=folder, start_new_session=True,
            )
        jobs.append(self)

    def kill(self, what):
        """Kills the first process of a kind, as soon as one works on a partition."""
        while self.process.poll() is None:
            found = below(self.process.pid)
            working = [n for n, (_, _, words) in found.items() if words[0] == BULLA]
            if working:
                if what == "bulla":
                    victims = working
                elif what == "daemon":
                    daemons = {n for n, (_, _, words) in found.items() if "pyspark.daemon" in words}
                    victims = [n for n in daemons if found[n][0] not in daemons]
                else:
                    victims = [n for n, (_, _, words) in found.items() if any("CoarseGrainedExecutorBackend" in word for word in words)]
                for victim in victims[:1]:
                    try:
                        os.kill(victim, signal.SIGKILL)
                        return True
                    except ProcessLookupError:
                        pass
            time.sleep(0.005)
        return False

    def end(self):
        self.process.wait(timeout=1_800)
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    @staticmethod
    def cause(said):
        """Returns the lines of a log that name an error, and its end."""
        lines = said.splitlines()
        return "\n".join([line for line in lines if "Error" in line or "Exception" in line][:20] + lines[-5:])


def expect(target, expected, what, said):
    found = collections.defaultdict(list)
    for name in glob.glob(f"{target}/part-*"):
        with open(name, encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                found[row["id"]].append(row["result"])
    lost = sum(one not in found for one in expected)
    twice = sum(len(results) != 1 for results in found.values())
    wrong = sum(found.get(one, [result])[0] != result for one, result in expected.items())
    is_right = os.path.exists(f"{target}/_SUCCESS") and len(found) == len(expected) and not lost and not twice and not wrong
    check(is_right, f"{what}: {lost} lost, {twice} twice, {wrong} wrong, {len(found)} ids\n{Job.cause(said)}")


def ended(said, status):
    """Returns whether the log of a job says that bulla ended with a status."""
    return re.search(rf"(error code|ended with status) {status}\b", said) is not None


def is_left(folder):
    return [words for _, state, words in processes().values() if state != "Z" and words[0] == BULLA and any(folder in word for word in words)]


class KeyServer:
    """A key set over HTTP that is counted, and that may fail."""

    def __init__(self, body):
        self.requests, self.status = 0, 200
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                owner.requests += 1
                self.send_response(owner.status)
                self.send_header("content-type", "application/jwk-set+json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/jwks"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def storms(folder, expected):
    words = [BULLA, "verify", "--keys", f"{folder}/s1.pub.jwk", *POLICY]
    for script in SCRIPTS:
        for victim in [None, "bulla", "daemon", "executor"]:
            what = f"{script}, " + (f"kill -9 of {victim}" if victim else "no kill")
            target = f"{folder}/out-{script[7:-3]}-{victim}"
            begun = time.monotonic()
            job = Job(folder, script, f"{folder}/in", target, words)
            check(victim is None or job.kill(victim), f"{what}: nothing was killed")
            said = job.end()
            check(job.process.returncode == 0, f"{what}: status {job.process.returncode}\n{Job.cause(said)}")
            if victim in ("bulla", "executor"):
                check(("Lost task" if victim == "bulla" else "Lost executor") in said, f"{what}: nobody noticed\n{Job.cause(said)}")
            expect(target, expected, what, said)
            shutil.rmtree(target)
            print(f"{what}: {len(expected)} ids, each once and rightly, {time.monotonic() - begun:.0f} s", flush=True)
    end = time.monotonic() + 20
    while is_left(folder) and time.monotonic() < end:
        time.sleep(0.1)
    check(not is_left(folder), f"processes are left: {is_left(folder)}")


def failures(folder):
    """Jobs that can neither accept nor reject their tokens fail."""
    os.makedirs(f"{folder}/few")
    rows = [{"id": f"t{i}", "token": token} for i, token in enumerate(sign(folder, "s1", 0, 20))]
    for part in range(12):
        with gzip.open(f"{folder}/few/{part:02}.json.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row | {"id": f"{part}-{row['id']}"}) + "\n" for row in rows)
    few = {f"{part}-t{i}": "valid" for part in range(12) for i in range(20)}
    server = KeyServer(json.dumps({"keys": [json.load(open(f"{folder}/s1.pub.jwk", encoding="utf-8"))]}).encode())
    remote = [BULLA, "verify", "--keys", server.url, "--allow-loopback-http", "--key-cache", f"{folder}/cache", *POLICY]
    for script in SCRIPTS:
        name = script[7:-3]
        job = Job(folder, script, f"{folder}/few", f"{folder}/gone-{name}", [BULLA, "verify", "--keys", f"{folder}/gone.jwk", *POLICY])
        said = job.end()
        check(job.process.returncode != 0, f"{script}: a missing key file")
        check(ended(said, 2) and not os.path.exists(f"{folder}/gone-{name}/_SUCCESS"), f"{script}: a missing key file\n{Job.cause(said)}")

        shutil.rmtree(f"{folder}/cache", ignore_errors=True)
        server.requests, server.status = 0, 200
        job = Job(folder, script, f"{folder}/few", f"{folder}/cached-{name}", remote)
        said = job.end()
        expect(f"{folder}/cached-{name}", few, f"{script}: keys from a URL", said)
        check(server.requests == 1, f"{script}: {server.requests} fetches by twelve processes with one key cache")

        server.status = 503
        os.makedirs(f"{folder}/new-{name}", exist_ok=True)
        with gzip.open(f"{folder}/new-{name}/a.json.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps({"id": f"n{i}", "token": token}) + "\n" for i, token in enumerate(sign(folder, "s2", 0, 20)))
        job = Job(folder, script, f"{folder}/new-{name}", f"{folder}/retry-{name}", remote)
        said = job.end()
        check(job.process.returncode != 0 and ended(said, 75), f"{script}: tokens of a new key while the key server fails\n{Job.cause(said)}")
        check(not os.path.exists(f"{folder}/retry-{name}/_SUCCESS"), f"{script}: such a job has no result")
        print(f"{script}: fails without its key file and, with status 75, without its key server; 12 processes with a key cache fetch once", flush=True)


def cost(folder, expected):
    """What bulla costs in a job, beside bulla alone."""
    flags = ["--keys", f"{folder}/s1.pub.jwk", *POLICY, "--input", "jsonl", "--exit-zero", "--jobs", "1", "--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([BULLA, "verify", *flags, f"{folder}/rows"], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    alone = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / TOKENS * 1e6
    wrapper = f"{folder}/timed"
    with open(wrapper, "w", encoding="utf-8") as file:
        file.write(
            "#!/bin/bash\nTIMEFORMAT='%U %S'\n"
            f"{{ time {shlex.quote(BULLA)} \"$@\" 2>&3; }} 3>&2 2>>{shlex.quote(folder)}/times\n"
        )
    os.chmod(wrapper, 0o755)
    for script in SCRIPTS:
        if os.path.exists(f"{folder}/times"):
            os.unlink(f"{folder}/times")
        target = f"{folder}/timed-{script[7:-3]}"
        job = Job(folder, script, f"{folder}/in", target, [wrapper, "verify", "--keys", f"{folder}/s1.pub.jwk", *POLICY])
        said = job.end()
        expect(target, expected, f"{script}: timed", said)
        shutil.rmtree(target)
        with open(f"{folder}/times", encoding="utf-8") as file:
            times = [float(number) for number in file.read().split()]
        inside = sum(times) / TOKENS * 1e6
        print(f"{script}: bulla takes {inside:.2f} us of CPU a token in the job, {alone:.2f} alone ({inside / alone:.2f} times)", flush=True)
        check(len(times) >= 2 * FULL and inside <= 2 * alone, f"{script}: bulla costs at most twice as much in a job")


def main():
    folder = tempfile.mkdtemp(prefix="bulla-spark-")
    try:
        for name in ["s1", "s2"]:
            run("key", "generate", "P-256", "--alg", "ES256", "--kid", name, "--out", f"{folder}/{name}.jwk",
                "--public-out", f"{folder}/{name}.pub.jwk")
        expected = make_input(folder)
        storms(folder, expected)
        if not SHORT:
            cost(folder, expected)
        failures(folder)
    finally:
        for job in jobs:
            for number in [*below(job.process.pid), job.process.pid] if job.process.poll() is None else []:
                try:
                    os.kill(number, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{TOKENS} tokens in {FULL} full and {EMPTY} empty partitions: each answered once, after each kill")


main()
