"""worker.py BULLA [--short]: bulla worker and bulla enqueue with a real Redis whose processes are killed.

Each id must be answered exactly once and rightly, whatever is killed: workers that hold entries (SIGKILL), workers that are stopped
for longer than the lease (SIGSTOP), Redis (SIGKILL, with AOF everysec), its script cache, connections before a reply, and the key
server. A token with which workers die is dead-lettered alone. Without --short it also prints what the queue costs.
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

from ports import held_port

BULLA = os.path.abspath(sys.argv[1])
SHORT = "--short" in sys.argv[2:]
TOKENS = 6_000 if SHORT else 200_000
WORKERS = 2 if SHORT else 4
KILLS, STOPS, CRASHES, FLUSHES = (3, 1, 1, 1) if SHORT else (20, 10, 3, 5)
LEASE = 1.0
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


def holds_back(process, number):
    """Whether the process has blocked a signal; true for one that has ended."""
    try:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            blocked = next(line.split()[1] for line in file if line.startswith("SigBlk:"))
    except (OSError, StopIteration):
        return True
    return int(blocked, 16) >> (number - 1) & 1 == 1 or process.poll() is not None


class Redis:
    """A server on loopback with its own folder, which may be killed and started again."""

    def __init__(self, folder, *lines):
        self.folder = folder
        os.makedirs(folder)
        self.port = held_port()
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

    def __init__(self, redis, stream, *options, count=WORKERS, url=None, lease=LEASE):
        self.redis, self.stream = redis, stream
        self.words = [
            BULLA, "worker", "--redis", url or redis.url, "--stream", stream, "--lease", str(lease), "--retry-delay", "1",
            "--jobs", "1", "--iss", ISSUER, "--aud", AUDIENCE, "--alg", "ES256", *options,
        ]
        self.workers = [self.spawn() for _ in range(count)]

    def spawn(self):
        log = tempfile.TemporaryFile()
        worker = subprocess.Popen(self.words, stderr=log)
        worker.log = log
        processes.append(worker)
        return worker

    def said(self, worker):
        worker.log.seek(0)
        return worker.log.read().decode()

    def name(self, worker):
        """Returns the name of the worker in Redis; None before it has one."""
        for line in self.said(worker).splitlines():
            if " verifies the tokens" in line:
                return line.split()[2]
        return None

    def held(self, worker):
        """Returns the entries that the worker holds."""
        name = self.name(worker)
        return [one[0] for one in self.redis.json("XPENDING", self.stream, "bulla", "-", "+", "1000", name) or []] if name else []

    def check(self):
        for worker in self.workers:
            check(worker.poll() is None, f"a worker ended by itself: {worker.returncode} {self.said(worker)}")

    def signal(self, number):
        for worker in self.workers:
            worker.send_signal(number)

    def kill(self, place):
        self.workers[place].kill()
        self.workers[place].wait()
        self.workers[place] = self.spawn()

    def kill_holder(self, dice):
        """Kills a worker that holds entries, and returns them; none if all work is done before one is found."""
        for _ in range(500):
            self.signal(signal.SIGCONT)
            time.sleep(dice.random() * 0.005)
            self.signal(signal.SIGSTOP)
            # What they have sent is read first.
            time.sleep(0.02)
            for place in dice.sample(range(len(self.workers)), len(self.workers)):
                if held := self.held(self.workers[place]):
                    self.kill(place)
                    self.signal(signal.SIGCONT)
                    return held
            if is_done(self.redis, self.stream):
                break
        self.signal(signal.SIGCONT)
        return []

    def failure(self, seconds=30):
        """Waits until the one worker ends, and returns its status and what it said."""
        worker = self.workers[0]
        worker.wait(timeout=seconds)
        return worker.returncode, self.said(worker)

    def answers_to_the_end(self):
        """Whether each worker holds SIGTERM back, as it does first of all: before, a signal ends any process."""
        return all(holds_back(worker, signal.SIGTERM) for worker in self.workers)

    def end(self):
        wait_until("the workers hold SIGTERM back", self.answers_to_the_end)
        begun = time.monotonic()
        self.signal(signal.SIGTERM)
        for worker in self.workers:
            worker.wait(timeout=300)
            check(worker.returncode == 0, f"SIGTERM: status {worker.returncode}: {self.said(worker)}")
        seconds = time.monotonic() - begun
        check(seconds < 20, f"SIGTERM took {seconds:.1f} s")
        check(pending(self.redis, self.stream) in (0, None), "no worker holds anything after SIGTERM")


class Proxy:
    """A way to Redis that ends a connection in place of a reply, as often as it is told."""

    def __init__(self, port):
        self.target, self.drops, self.chance = port, 0, 0.0
        self.dice = random.Random(3)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.create_connection(("127.0.0.1", self.target))
            threading.Thread(target=self.carry, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self.carry, args=(far, near, True), daemon=True).start()

    def carry(self, source, target, is_reply):
        try:
            while data := source.recv(65536):
                if is_reply and self.dice.random() < self.chance:
                    self.drops += 1
                    break
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


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
    # One script reads both keys: between two commands an entry may move from one key to the other.
    both = "return redis.call('XLEN', KEYS[1]) + redis.call('ZCARD', KEYS[2])"
    return redis.says("EVAL", both, "2", stream, f"{stream}:later") == "0"


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
    # A worker that begins waits for the key server: none is killed while it is away, in the first third.
    others = ["stop"] * STOPS + ["crash"] * CRASHES + ["flush"] * FLUSHES
    dice.shuffle(others)
    third = (KILLS + len(others)) // 3
    rest = ["kill"] * KILLS + others[third + 1 :]
    dice.shuffle(rest)
    steps = others[: third + 1] + rest
    part = -(-len(rows) // len(steps))
    stopped, taken_over = [], 0
    for number, step in enumerate(steps):
        chunk = b"".join(rows[number * part : (number + 1) * part])
        if step == "kill":
            # The work begins when all of it is there.
            fleet.signal(signal.SIGSTOP)
        # With everysec, Redis may lose what producers added in the last two seconds. What workers answered is repeated.
        if step == "crash":
            redis.says("CONFIG", "SET", "appendfsync", "always")
        run("enqueue", "--quiet", "--input", "jsonl", "--redis", redis.url, "--stream", "tokens", text=chunk)
        if step == "kill":
            stopped = []
            # It is dead: another worker answers what it held.
            taken_over += len(fleet.kill_holder(dice))
        elif step == "stop":
            worker = dice.choice(fleet.workers)
            worker.send_signal(signal.SIGSTOP)
            stopped.append((time.monotonic() + 1.5 * LEASE, worker))
        elif step == "crash":
            redis.says("CONFIG", "SET", "appendfsync", "everysec")
            redis.kill()
            time.sleep(0.3)
            redis.start()
        else:
            redis.says("SCRIPT", "FLUSH")
        if number == third:
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
    check(redis.says("XLEN", "tokens:dead-letters") == "0", "no token is dead-lettered")
    check(taken_over >= KILLS, f"the {KILLS} workers that were killed held {taken_over} entries")
    fleet.end()
    print(f"{TOKENS} tokens, {WORKERS} workers, {KILLS} killed with {taken_over} entries, {STOPS} stopped, Redis killed {CRASHES} times:"
          " each answered once")


def busy(folder, redis):
    """SIGTERM comes while workers verify: what they have not begun is taken by others at once."""
    keys = ["--keys", f"{folder}/s1.pub.jwk"]
    rows, expected = make_tokens(folder, "s1", TOKENS, 0)
    begun = time.monotonic()
    fleet = Fleet(redis, "busy", *keys)
    busy_ends = 0
    for part in range(4):
        wait_until("the workers begin", lambda: all(fleet.name(worker) for worker in fleet.workers))
        fleet.signal(signal.SIGSTOP)
        text = b"".join(rows[part * TOKENS // 4 : (part + 1) * TOKENS // 4])
        run("enqueue", "--quiet", "--input", "jsonl", "--redis", redis.url, "--stream", "busy", text=text)
        fleet.signal(signal.SIGCONT)
        wait_until("an entry is taken", lambda: pending(redis, "busy") or is_done(redis, "busy"))
        fleet.end()
        busy_ends += not is_done(redis, "busy")
        fleet = Fleet(redis, "busy", *keys)
    wait_until("every entry is answered", lambda: is_done(redis, "busy"))
    expect(redis, "busy", expected, "SIGTERM during work")
    check(busy_ends > 0, "no SIGTERM came during work")
    fleet.end()
    print(f"SIGTERM during work {busy_ends} times: each answered once, {time.monotonic() - begun:.1f} s")


def replies(folder, redis):
    """Connections end before replies: nothing waits for long, nothing is answered or added twice."""
    proxy = Proxy(redis.port)
    fleet = Fleet(redis, "lost", "--keys", f"{folder}/s1.pub.jwk", url=proxy.url)
    wait_until("the workers begin", lambda: all(fleet.name(worker) for worker in fleet.workers))
    proxy.chance = 0.1
    begun = time.monotonic()
    count, entries, expected = 0, 0, {}
    # The number of replies depends on the load of the machine.
    while proxy.drops < 5 or not any("answers again" in fleet.said(worker) for worker in fleet.workers):
        check(count < 80_000, f"{proxy.drops} replies were lost, and no worker reported that Redis answers again")
        rows, more = make_tokens(folder, "s1", 4_000, count)
        run("enqueue", "--quiet", "--input", "jsonl", "--redis", proxy.url, "--stream", "lost", text=b"".join(rows))
        wait_until("entries of lost replies are verified", lambda: is_done(redis, "lost"))
        count, entries = count + 4_000, entries - -4_000 // 64
        expected.update(more)
    seconds, drops = time.monotonic() - begun, proxy.drops
    proxy.chance = 0.0
    check(redis.says("XINFO", "STREAM", "lost").split("entries-added\n")[1].split()[0] == str(entries), "no entry was added twice")
    expect(redis, "lost", expected, "lost replies")
    check(redis.says("XLEN", "lost:dead-letters") == "0", "no token is dead-lettered")
    fleet.end()
    lines = [line for worker in fleet.workers for line in fleet.said(worker).splitlines() if " tokens: " in line]
    total = sum(int("".join(one for one in line.split(" tokens: ")[0] if one.isdigit())) for line in lines)
    check(total == count, f"the workers count each token once: {total} of {count}")
    print(f"{drops} replies lost: each answered once within {seconds:.1f} s")


def bounds(folder, redis):
    """Entries that are none are dead-lettered with their reason, and the others are answered."""
    fleet = Fleet(redis, "bounds", "--keys", f"{folder}/s1.pub.jwk", "--entry-bytes", "10000", count=1)
    rows, expected = make_tokens(folder, "s1", 3, 0)
    wait_until("the worker begins", lambda: fleet.name(fleet.workers[0]))
    add = lambda *fields: redis.says("XADD", "bounds", "*", *fields)
    one, two, three = [row.decode() for row in rows]
    add("tries", "-1", "rows", one)
    add("tries", "99999999999999999999", "rows", one)
    add("tries", "1e3", "rows", one)
    add("rows", "")
    add("rows", "\n\n")
    add("other", "field")
    add("rows", "x\n" * 1025)
    add("rows", "x" * 10_000 + "\n")
    add("tries", "999", "rows", one)
    # An empty line between two rows is a row.
    add("rows", two + "\n" + three.rstrip("\n"))
    add("rows", "no row\n" * 1024)
    redis.says("ZADD", "bounds:later", "0", "a member of somebody else")
    wait_until("every entry is answered or dead-lettered", lambda: is_done(redis, "bounds"))
    found = answers(redis, "bounds")
    check([found[i] for i in range(3)] == [["valid"]] * 3, "the rows are answered")
    check(found[None] == ["invalid"] * 1025, "a row that is none is invalid")
    reasons = [dict(zip(fields[::2], fields[1::2]))["reason"] for _, fields in redis.json("XRANGE", "bounds:dead-letters", "-", "+")]
    wanted = ["bad_tries"] * 3 + ["no_rows"] * 3 + ["too_many_rows", "too_large", "bad_tries"]
    check(sorted(reasons) == sorted(wanted), f"dead-lettered: {reasons}")
    fleet.check()
    fleet.end()
    long = b'{"id":1,"token":"a"}\n' * 2_000 + b"x" * (1 << 20) + b"\n"
    done = subprocess.run([BULLA, "enqueue", "--input", "jsonl", "--tokens", "1", "--redis", redis.url, "--stream", "long"],
                          input=long, capture_output=True, check=False)
    added = int(redis.says("XLEN", "long"))
    check(done.returncode == 2 and 0 < added <= 2_000, f"a line that is too long: {done.returncode}, {added} entries")
    check(f"line 2001 is longer than 1 MiB; Redis has confirmed all lines up to {added}\n" in done.stderr.decode(), done.stderr.decode())
    print(f"{len(reasons)} entries that are none are dead-lettered with their reasons, and a row of more than 1 MiB is not sent")


class Held:
    """An entry of a worker that is alive, and does not verify it."""

    def __init__(self, folder, redis):
        self.redis = redis
        rows, self.expected = make_tokens(folder, "s1", 64, 0)
        redis.says("XGROUP", "CREATE", "held", "bulla", "0", "MKSTREAM")
        run("enqueue", "--quiet", "--input", "jsonl", "--redis", redis.url, "--stream", "held", text=b"".join(rows))
        self.begun = time.monotonic()
        redis.says("XREADGROUP", "GROUP", "bulla", "ghost", "STREAMS", "held", ">")
        redis.says("SET", "held:lease:ghost", "")
        self.fleet = Fleet(redis, "held", "--keys", f"{folder}/s1.pub.jwk", count=1)

    def end(self):
        wait_until("an entry that a living worker holds is taken over", lambda: is_done(self.redis, "held"), 30)
        seconds = time.monotonic() - self.begun
        expect(self.redis, "held", self.expected, "an entry that a living worker holds")
        self.fleet.end()
        return seconds


def permissions(folder):
    """A user with the documented commands suffices; without one of them, or with a key of another type, no row is lost."""
    names = """TYPE EXISTS PEXPIRE SET TIME XGROUP XINFO XADD XREADGROUP XPENDING XCLAIM XACK XDEL XLEN ZADD ZREM ZRANGEBYSCORE ZCARD
        HSET HGET HDEL EVALSHA EVAL INFO PING"""
    text = open(os.path.join(os.path.dirname(__file__), "../../Sources/Core/JOSETokens/JOSETokens.docc/ScalingOut.md"), encoding="utf-8").read()
    words = [f"`{name}`" for name in names.split()]
    check(", ".join(words[:-1]) + " and " + words[-1] in " ".join(text.split()), "the document lists the commands")
    commands = [f"+{name.lower()}" for name in names.split()]
    redis = Redis(f"{folder}/acl", "appendonly yes", "maxmemory-policy noeviction", *[
        f"user {name} on >secret ~x ~x:* " + " ".join(one for one in commands if one != lacking)
        for name, lacking in [("whole", ""), ("lacks", "+zadd")]
    ])
    with open(f"{folder}/password", "w", encoding="utf-8") as file:
        file.write("secret\n")
    rows, expected = make_tokens(folder, "s1", 64, 0)
    run("enqueue", "--quiet", "--input", "jsonl", "--redis", redis.url, "--stream", "x", text=b"".join(rows))

    def fleet(user):
        return Fleet(redis, "x", "--keys", f"{folder}/s1.pub.jwk", "--redis-password-file", f"{folder}/password", count=1,
                     url=f"redis://{user}@127.0.0.1:{redis.port}")

    status, said = fleet("lacks").failure()
    check(status == 2 and "lacks a permission" in said, f"a user without ZADD: {status} {said}")
    redis.says("SET", "x:later", "a string")
    status, said = fleet("whole").failure()
    check(status == 2 and "another type" in said, f"a key of another type: {status} {said}")
    redis.says("DEL", "x:later")
    whole = fleet("whole")
    wait_until("the entry is answered", lambda: is_done(redis, "x"))
    redis.says("SET", "x:later", "a string")
    run("enqueue", "--quiet", "--input", "jsonl", "--redis", redis.url, "--stream", "x", text=b"".join(rows).replace(b'"id":', b'"id":9'))
    status, said = whole.failure()
    check(status == 2 and "another type" in said and redis.says("XLEN", "x") == "1", f"a key that changes its type: {status} {said}")
    redis.says("DEL", "x:later")
    whole = fleet("whole")
    wait_until("the entry is answered", lambda: is_done(redis, "x"))
    expected.update({int(f"9{i}"): result for i, result in list(expected.items())})
    expect(redis, "x", expected, "permissions and types")
    whole.end()
    redis.kill()
    print("a user that lacks a command, keys of another type: refused, and no row is lost")


def outage(folder, redis):
    """Redis is away at the start, and for longer than the lease: workers wait, and take nothing over from each other."""
    other = Redis(f"{folder}/outage", "appendonly yes", "appendfsync always", "maxmemory-policy noeviction")
    other.kill()
    run("key", "generate", "oct", "--alg", "PBES2-HS256+A128KW", "--out", f"{folder}/slow.jwk")
    claims = b"".join(
        json.dumps({"iss": ISSUER, "aud": AUDIENCE, "sub": f"u{i}", "exp": 4_000_000_000}).encode() + b"\n" for i in range(8)
    )
    tokens = run(
        "nest", "--lines", "--quiet", "--alg", "ES256", "--key", f"{folder}/s1.jwk", "--encrypt-key", f"{folder}/slow.jwk",
        "--key-alg", "PBES2-HS256+A128KW", "--enc", "A128GCM", "--p2c", "100000", text=claims,
    ).split()
    # On a busy machine a worker may need a second before it reaches Redis again.
    lease = 4.0
    fleet = Fleet(
        other, "away", "--keys", f"{folder}/s1.pub.jwk", "--nested", "--decrypt-keys", f"{folder}/slow.jwk", "--key-alg",
        "PBES2-HS256+A128KW", "--enc", "A128GCM", "--max-p2c", "100000", lease=lease,
    )
    wait_until("the workers report that Redis is away", lambda: all("it tries again" in fleet.said(one) for one in fleet.workers))
    time.sleep(0.5)
    fleet.check()
    other.start()
    wait_until("the workers begin", lambda: all(fleet.name(worker) for worker in fleet.workers))
    rows = b"".join(b'{"id":%d,"token":"%s"}\n' % (i, token) for i, token in enumerate(tokens))
    run("enqueue", "--quiet", "--input", "jsonl", "--tokens", "4", "--redis", other.url, "--stream", "away", text=rows)
    wait_until("an entry is taken", lambda: pending(other, "away"))
    other.kill()
    time.sleep(2 * lease)
    other.start()
    # A claim of any worker would be seen in the deliveries of the entry, or in its value.
    end = time.monotonic() + 120
    while not is_done(other, "away"):
        check(time.monotonic() < end, "the entries are answered")
        working = other.says("HGETALL", "away:working")
        check(not working, f"no entry is taken over after the outage: {working}")
        time.sleep(0.05)
    expect(other, "away", {i: "valid" for i in range(8)}, "an outage")
    fleet.end()
    last = Fleet(other, "away", "--keys", f"{folder}/s1.pub.jwk", count=1)
    wait_until("the worker begins", lambda: last.name(last.workers[0]))
    other.kill()
    last.workers[0].terminate()
    status, said = last.failure()
    check(status == 2 and "did not answer at the end" in said, f"SIGTERM while Redis is away: {status} {said}")
    print("Redis away at the start and for twice the lease: workers wait, and no entry is taken over")


def poison(folder, redis):
    """Workers die with one token of 64: it is dead-lettered, and the others are answered."""
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
    dead = redis.json("XRANGE", "poison:dead-letters", "-", "+")
    check(len(dead) == 1, f"one entry is dead-lettered: {dead}")
    fields = dict(zip(dead[0][1][::2], dead[0][1][1::2]))
    check(fields["reason"] == "worker_died" and json.loads(fields["rows"])["id"] == 20, "it is the token")
    check(len(killed) >= 3, f"{len(killed)} workers died, not one with the whole entry and two with the token alone")
    fleet.end()
    print(f"a token that ended workers {len(killed)} times is dead-lettered, 63 others of its entry are answered")


def refusals(folder, redis):
    """Servers that lose tokens, a group that vanishes, entries that are none, and a full memory."""
    keys = ["--keys", f"{folder}/s1.pub.jwk"]
    for name, line, word in [("volatile", "appendonly no", "append-only"), ("evicting", "maxmemory-policy allkeys-lru", "noeviction")]:
        other = Redis(f"{folder}/{name}", "appendonly yes", line)
        status, said = Fleet(other, "x", *keys, count=1).failure()
        check(status == 2 and word in said, f"{name}: {status} {said}")
        fleet = Fleet(other, "x", *keys, "--allow-volatile", count=1)
        wait_until("it is accepted by name", lambda: other.says("EXISTS", "x") == "1")
        fleet.end()
        other.kill()
    # A key server that accepts connections and never answers delays no end.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/jwks"
        fleet = Fleet(redis, "silent", "--keys", url, "--allow-loopback-http", "--timeout", "25", count=1)
        connection, _ = silent.accept()
        fleet.end()
        connection.close()
    fleet = Fleet(redis, "group", *keys, count=1)
    wait_until("the group exists", lambda: redis.says("EXISTS", "group") == "1")
    redis.says("DEL", "group")
    status, said = fleet.failure()
    check(status == 2 and "vanished" in said, f"a group that vanishes: {status} {said}")
    rows, expected = make_tokens(folder, "s1", 4_000, 0)
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
    check(producer.wait(timeout=300) == 0, "the producer goes on as workers drain the stream")
    wait_until("the stream is drained", lambda: is_done(redis, "full"))
    expect(redis, "full", expected, "full memory")
    fleet.end()
    redis.says("CONFIG", "SET", "maxmemory", "0")
    print("volatile and evicting servers, a group that vanished, a full memory: as documented")


def cost(folder, redis):
    """What the queue costs, beside bulla verify of the same rows."""
    rows, _ = make_tokens(folder, "s1", 200_000, 0)
    text = b"".join(rows)
    policy = ["--keys", f"{folder}/s1.pub.jwk", "--iss", ISSUER, "--aud", AUDIENCE, "--alg", "ES256", "--quiet", "--jobs", "1"]

    def spent(words, given=None):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([BULLA, *words, *policy], input=given, capture_output=True, check=False)
        check(done.returncode == 0, f"bulla {words[0]}: {done.returncode} {done.stderr.decode()}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / len(rows) * 1e6

    def redis_time():
        lines = dict(line.split(":") for line in redis.says("INFO", "cpu").splitlines() if ":" in line)
        return float(lines["used_cpu_sys"]) + float(lines["used_cpu_user"])

    alone = spent(["verify", "--input", "jsonl", "--exit-zero"], text)
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
        held = Held(folder, redis)
        bounds(folder, redis)
        permissions(folder)
        outage(folder, redis)
        replies(folder, redis)
        busy(folder, redis)
        # A worker that lives has ten times the lease.
        seconds = held.end()
        check(seconds >= 10 * LEASE, f"the entry was taken over after {seconds:.1f} s")
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
    print("Each token was answered once, whatever was killed, stopped, full or away.")


main()
