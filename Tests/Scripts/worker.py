"""worker.py BULLA [--short]: bulla worker and bulla enqueue with a real Redis whose processes are killed.

Each id must be answered exactly once and rightly, whatever is killed: workers (SIGKILL), workers that are stopped for longer than
the idle bound (SIGSTOP), Redis (SIGKILL, with AOF everysec), its script cache, and the key server. A token with which workers die is
set aside alone. Without --short it also prints what the queue costs.
"""

import base64
import collections
import http.server
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

BULLA = os.path.abspath(sys.argv[1])
SHORT = "--short" in sys.argv[2:]
TOKENS = 6_000 if SHORT else 200_000
WORKERS = 2 if SHORT else 4
KILLS, STOPS, CRASHES, FLUSHES = (3, 1, 1, 1) if SHORT else (20, 10, 3, 5)
IDLE = 1.0
processes = []
ISSUER, AUDIENCE = "https://id.example.com", "shop"


def check(condition, what):
    if not condition:
        print(f"FAILED: {what}", file=sys.stderr)
        sys.exit(1)


def wait_until(what, condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < end, f"waited {seconds} s: {what}")
        time.sleep(0.02)


class Redis:
    """A server on loopback with its own folder, which may be killed and started again."""

    def __init__(self, folder, *lines):
        self.folder = folder
        os.makedirs(folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.lines = ["bind 127.0.0.1", f"port {self.port}", f"dir {folder}", 'save ""', *lines]
        self.start()

    def start(self):
        with open(f"{self.folder}/redis.conf", "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + "\n")
        self.process = subprocess.Popen(
            [shutil.which("redis-server"), f"{self.folder}/redis.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        processes.append(self.process)
        wait_until("Redis starts", lambda: self.says("PING") == "PONG")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def says(self, *words):
        done = subprocess.run(
            ["redis-cli", "-p", str(self.port), *words], capture_output=True, text=True, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    def json(self, *words):
        """Returns the answer to a command; None for an error."""
        text = self.says("--json", *words)
        return json.loads(text) if text[:1] in ("[", "{", '"', "n") or text.isdigit() else None

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"


class KeyServer:
    """A key set over HTTP, which may be away."""

    def __init__(self, keys):
        self.keys = keys
        self.server = None
        self.port = 0
        self.start()

    def start(self):
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps({"keys": owner.keys}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/jwk-set+json")
                self.send_header("content-length", str(len(body)))
                self.send_header("cache-control", "max-age=1")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/jwks"


class Fleet:
    """Workers that are started again when they are killed."""

    def __init__(self, redis, stream, *options, count=WORKERS):
        self.words = [
            BULLA, "worker", "--redis", redis.url, "--stream", stream, "--idle", str(IDLE), "--retry-delay", "1",
            "--jobs", "1", "--quiet", "--iss", ISSUER, "--aud", AUDIENCE, "--alg", "ES256", *options,
        ]
        self.workers = [self.spawn() for _ in range(count)]

    def spawn(self):
        worker = subprocess.Popen(self.words, stderr=subprocess.PIPE)
        processes.append(worker)
        return worker

    def check(self):
        for worker in self.workers:
            check(worker.poll() is None, f"a worker ended by itself: {worker.returncode} {worker.stderr.read() if worker.returncode else ''}")

    def kill(self, place):
        self.workers[place].kill()
        self.workers[place].wait()
        self.workers[place] = self.spawn()

    def end(self):
        begun = time.monotonic()
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            _, said = worker.communicate(timeout=30)
            check(worker.returncode == 0, f"SIGTERM: status {worker.returncode}: {said.decode()}")
        return time.monotonic() - begun


def run(*words, text=None):
    done = subprocess.run([BULLA, *words], input=text, capture_output=True, check=False)
    check(done.returncode == 0, f"bulla {words[0]}: {done.stderr.decode()}")
    return done.stdout


def make_tokens(folder, name, count, first):
    """Returns rows with ids from `first` on, of which one in 500 is broken, and the expected results."""
    claims = b"".join(
        json.dumps({"iss": ISSUER, "aud": AUDIENCE, "sub": f"u{i}", "exp": 4_000_000_000}).encode() + b"\n" for i in range(count)
    )
    tokens = run("sign", "--lines", "--quiet", "--alg", "ES256", "--key", f"{folder}/{name}.jwk", text=claims).split()
    check(len(tokens) == count, "all tokens are made")
    rows, expected = [], {}
    for i, token in enumerate(tokens):
        is_broken = i % 500 == 7
        if is_broken:
            token = token[:-20] + (b"A" if token[-20:-19] != b"A" else b"B") + token[-19:]
        rows.append(b'{"id":%d,"token":"%s"}\n' % (first + i, token))
        expected[first + i] = "invalid" if is_broken else "valid"
    return rows, expected


def answers(redis, stream):
    """Returns the results of each id, of all answers."""
    found = collections.defaultdict(list)
    last = "-"
    while True:
        entries = redis.json("XRANGE", f"{stream}:answers", last, "+", "COUNT", "500")
        if not entries:
            return found
        for entry, fields in entries:
            for line in fields[fields.index("answers") + 1].splitlines():
                row = json.loads(line)
                found[row["id"]].append(row["result"])
            last = f"({entry}"


def is_done(redis, stream):
    return redis.says("XLEN", stream) == "0" and redis.says("ZCARD", f"{stream}:later") == "0"


def pending(redis, stream):
    return (redis.json("XPENDING", stream, "bulla") or [None])[0]


def expect(redis, stream, expected, what):
    found = answers(redis, stream)
    lost = [i for i in expected if i not in found]
    twice = [i for i, results in found.items() if len(results) != 1]
    wrong = [i for i, result in expected.items() if found.get(i, [result])[0] != result]
    check(not lost and not twice and not wrong, f"{what}: {len(lost)} lost, {len(twice)} twice, {len(wrong)} wrong")
    check(pending(redis, stream) == 0, f"{what}: nothing is pending")


def storm(folder, redis, server, keys):
    """Everything is killed while tokens are verified."""
    half = TOKENS // 2
    first, expected = make_tokens(folder, "s1", half, 0)
    second, more = make_tokens(folder, "s2", half, half)
    expected.update(more)
    dice = random.Random(20_260_000)
    server.keys = keys[:1]
    fleet = Fleet(redis, "tokens", "--keys", server.url, "--allow-loopback-http", "--timeout", "1")
    wait_until("the group exists", lambda: redis.says("EXISTS", "tokens") == "1")
    # The key server is away before a token under its new key comes, and returns with that key.
    server.stop()
    server.keys = keys
    rows = first + second
    dice.shuffle(rows)
    steps = ["kill"] * KILLS + ["stop"] * STOPS + ["crash"] * CRASHES + ["flush"] * FLUSHES
    dice.shuffle(steps)
    part = -(-len(rows) // len(steps))
    stopped = []
    for number, step in enumerate(steps):
        chunk = b"".join(rows[number * part : (number + 1) * part])
        # With everysec, Redis may lose what producers added in the last two seconds. What workers answered is repeated.
        if step == "crash":
            redis.says("CONFIG", "SET", "appendfsync", "always")
        run("enqueue", "--quiet", "--input", "jsonl", "--redis", redis.url, "--stream", "tokens", text=chunk)
        if step == "kill":
            fleet.kill(dice.randrange(WORKERS))
        elif step == "stop":
            worker = dice.choice(fleet.workers)
            worker.send_signal(signal.SIGSTOP)
            stopped.append((time.monotonic() + 1.5 * IDLE, worker))
        elif step == "crash":
            redis.says("CONFIG", "SET", "appendfsync", "everysec")
            redis.kill()
            time.sleep(0.3)
            redis.start()
        else:
            redis.says("SCRIPT", "FLUSH")
        if number == len(steps) * 2 // 3:
            server.start()
        for due, worker in [one for one in stopped if one[0] <= time.monotonic()]:
            worker.send_signal(signal.SIGCONT)
            stopped.remove((due, worker))
        time.sleep(dice.random() * 0.3)
    for due, worker in stopped:
        time.sleep(max(0, due - time.monotonic()))
        worker.send_signal(signal.SIGCONT)
    wait_until("every entry is answered", lambda: is_done(redis, "tokens"), 300)
    expect(redis, "tokens", expected, "the storm")
    check(redis.says("XLEN", "tokens:dead") == "0", "no token is set aside")
    seconds = fleet.end()
    check(SHORT or seconds < 5, f"SIGTERM took {seconds:.1f} s")
    check(pending(redis, "tokens") == 0, "nothing is pending after SIGTERM")
    print(f"{TOKENS} tokens, {WORKERS} workers, {KILLS} killed, {STOPS} stopped, Redis killed {CRASHES} times: each answered once")


def poison(folder, redis):
    """Workers die with one token of 64: it is set aside, and the others are answered."""
    run("key", "generate", "oct", "--alg", "PBES2-HS256+A128KW", "--out", f"{folder}/oct.jwk")
    claims = b"".join(
        json.dumps({"iss": ISSUER, "aud": AUDIENCE, "sub": f"u{i}", "exp": 4_000_000_000}).encode() + b"\n" for i in range(64)
    )
    tokens = run(
        "nest", "--lines", "--quiet", "--alg", "ES256", "--key", f"{folder}/s1.jwk", "--encrypt-key", f"{folder}/oct.jwk",
        "--key-alg", "PBES2-HS256+A128KW", "--enc", "A128GCM", "--p2c", "1000", text=claims,
    ).split()
    header, rest = tokens[20].split(b".", 1)
    members = json.loads(base64.urlsafe_b64decode(header + b"=" * (-len(header) % 4)))
    # The derivation of its key takes minutes, in which its worker is killed.
    members["p2c"] = 200_000_000
    header = base64.urlsafe_b64encode(json.dumps(members, separators=(",", ":")).encode()).rstrip(b"=")
    tokens[20] = header + b"." + rest
    fleet = Fleet(
        redis, "poison", "--keys", f"{folder}/s1.pub.jwk", "--nested", "--decrypt-keys", f"{folder}/oct.jwk", "--key-alg",
        "PBES2-HS256+A128KW", "--enc", "A128GCM", "--max-p2c", "200000000",
    )
    rows = b"".join(b'{"id":%d,"token":"%s"}\n' % (i, token) for i, token in enumerate(tokens))
    run("enqueue", "--quiet", "--input", "jsonl", "--redis", redis.url, "--stream", "poison", text=rows)
    killed = set()
    end = time.monotonic() + 120
    while not is_done(redis, "poison"):
        fleet.check()
        check(time.monotonic() < end, "the other tokens are answered")
        time.sleep(0.1)
        value = (redis.json("HVALS", "poison:working") or [""])[0]
        taken = redis.json("XPENDING", "poison", "bulla", "-", "+", "1")
        # Another token takes milliseconds.
        if taken and taken[0][1] not in killed and taken[0][2] >= 500 and (not value or value.startswith("20|")):
            for place in range(WORKERS):
                fleet.kill(place)
            killed.add(taken[0][1])
    expect(redis, "poison", {i: "valid" for i in range(64) if i != 20}, "a token that ends workers")
    dead = redis.json("XRANGE", "poison:dead", "-", "+")
    check(len(dead) == 1, f"one entry is set aside: {dead}")
    fields = dict(zip(dead[0][1][::2], dead[0][1][1::2]))
    check(fields["reason"] == "worker_died" and json.loads(fields["rows"])["id"] == 20, "it is the token")
    check(len(killed) >= 3, f"{len(killed)} workers died, not one with the whole entry and two with the token alone")
    fleet.end()
    print(f"a token that ended workers {len(killed)} times is set aside, 63 others of its entry are answered")


def refusals(folder, redis):
    """Servers that lose tokens, a group that vanishes, entries that are none, and a full memory."""
    keys = ["--keys", f"{folder}/s1.pub.jwk"]
    for name, line, word in [("volatile", "appendonly no", "append-only"), ("evicting", "maxmemory-policy allkeys-lru", "noeviction")]:
        other = Redis(f"{folder}/{name}", "appendonly yes", line)
        worker = Fleet(other, "x", *keys, count=1).workers[0]
        _, said = worker.communicate(timeout=30)
        check(worker.returncode == 2 and word in said.decode(), f"{name}: {worker.returncode} {said.decode()}")
        fleet = Fleet(other, "x", *keys, "--allow-volatile", count=1)
        wait_until("it is accepted by name", lambda: other.says("EXISTS", "x") == "1")
        fleet.end()
        other.kill()
    fleet = Fleet(redis, "group", *keys, count=1)
    wait_until("the group exists", lambda: redis.says("EXISTS", "group") == "1")
    redis.says("XADD", "group", "*", "other", "field")
    redis.says("XADD", "group", "*", "rows", "no row\n")
    wait_until("entries that are none are set aside", lambda: is_done(redis, "group"))
    check(redis.json("XRANGE", "group:dead", "-", "+")[0][1][3] == "no_rows", "an entry without rows")
    check(answers(redis, "group")[None] == ["invalid"], "a row that is none is invalid")
    redis.says("DEL", "group")
    _, said = fleet.workers[0].communicate(timeout=30)
    check(fleet.workers[0].returncode == 2 and "vanished" in said.decode(), f"a group that vanishes: {said.decode()}")
    rows, expected = make_tokens(folder, "s1", 4_000, 0)
    # A group can only be made while there is memory.
    first = Fleet(redis, "full", *keys, count=1)
    wait_until("the group exists", lambda: redis.says("EXISTS", "full") == "1")
    first.end()
    used = int(redis.says("INFO", "memory").split("used_memory:")[1].split()[0])
    redis.says("CONFIG", "SET", "maxmemory", str(used + 500_000))
    with open(f"{folder}/rows", "wb") as file:
        file.write(b"".join(rows))
    producer = subprocess.Popen(
        [BULLA, "enqueue", "--quiet", "--input", "jsonl", "--redis", redis.url, "--stream", "full", f"{folder}/rows"],
        stderr=subprocess.PIPE,
    )
    processes.append(producer)
    check("no memory left" in producer.stderr.readline().decode(), "a producer waits while memory is full")
    fleet = Fleet(redis, "full", *keys)
    check(producer.wait(timeout=60) == 0, "the producer goes on as workers drain the stream")
    wait_until("the stream is drained", lambda: is_done(redis, "full"))
    expect(redis, "full", expected, "full memory")
    fleet.end()
    redis.says("CONFIG", "SET", "maxmemory", "0")
    print("volatile and evicting servers, a group that vanished, entries that are none, a full memory: as documented")


def cost(folder, redis):
    """What the queue costs, beside bulla verify of the same rows."""
    rows, _ = make_tokens(folder, "s1", 200_000, 0)
    text = b"".join(rows)
    policy = ["--keys", f"{folder}/s1.pub.jwk", "--iss", ISSUER, "--aud", AUDIENCE, "--alg", "ES256", "--quiet", "--jobs", "1"]

    def spent(words, given=None):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([BULLA, *words, *policy], input=given, stdout=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / len(rows) * 1e6

    def redis_time():
        lines = dict(line.split(":") for line in redis.says("INFO", "cpu").splitlines() if ":" in line)
        return float(lines["used_cpu_sys"]) + float(lines["used_cpu_user"])

    alone = spent(["verify", "--input", "jsonl"], text)
    run("enqueue", "--quiet", "--input", "jsonl", "--redis", redis.url, "--stream", "cost", text=text)
    begun = redis_time()
    queued = spent(["worker", "--redis", redis.url, "--stream", "cost", "--until-empty"])
    server = (redis_time() - begun) / len(rows) * 1e6
    print(f"ES256, 64 tokens an entry: verify {alone:.2f} us a token, worker {queued:.2f}, Redis {server:.2f} (of CPU)")
    check(queued - alone <= 3 and server <= 4, "the worker costs at most 3 us a token more than verify, and Redis at most 4")


def main():
    folder = tempfile.mkdtemp(prefix="bulla-worker-")
    try:
        for name in ["s1", "s2"]:
            run("key", "generate", "P-256", "--alg", "ES256", "--kid", name, "--out", f"{folder}/{name}.jwk",
                "--public-out", f"{folder}/{name}.pub.jwk")
        keys = [json.load(open(f"{folder}/{name}.pub.jwk", encoding="utf-8")) for name in ["s1", "s2"]]
        redis = Redis(f"{folder}/redis", "appendonly yes", "appendfsync everysec", "maxmemory-policy noeviction")
        server = KeyServer(keys)
        poison(folder, redis)
        refusals(folder, redis)
        storm(folder, redis, server, keys)
        if not SHORT:
            cost(folder, redis)
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)
    print("ok")


main()
