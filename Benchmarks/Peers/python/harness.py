"""A harness of a Python library. Its protocol, which every harness speaks, is in Benchmarks/Peers/README.md."""
import json
import os
import sys
import time

FIXTURES = sys.argv[-1]


def read(name):
    with open(os.path.join(FIXTURES, name), "rb") as file:
        return file.read()


def text(name):
    return read(name).decode().strip()


PAYLOAD = read("claims.json")
CLAIMS = json.loads(PAYLOAD)
ISSUER, AUDIENCE = CLAIMS["iss"], CLAIMS["aud"]
SHARED = ("HS256", "dir", "A256KW")


def key_file(alg, private, form):
    return f"keys/{alg}.{form}" if alg in SHARED else f"keys/{alg}.{'private' if private else 'public'}.{form}"


class Accepted(Exception):
    """A broken token was taken."""


def prove(operation, take, sound):
    """Raises unless the good token is taken and every broken one refused."""
    token = text(operation + ".token")
    if not sound(take(token)):
        raise ValueError("the good token gives something else")
    for line in text(operation + ".refused").splitlines():
        _, reason, broken = line.split("\t")
        try:
            take(broken)
        except Exception:
            continue
        raise Accepted(reason)
    return lambda: take(token)


def prepared(library, operation):
    """What runs the operation once, and the token it made; raises where the library cannot."""
    group, names = operation.split("/")
    names = names.split("+")
    if group == "verify":
        return prove(operation, library.verifier(*names), lambda claims: claims["sub"] == CLAIMS["sub"]), "-"
    if group == "decrypt":
        return prove(operation, library.decrypter(*names), lambda plain: bytes(plain) == PAYLOAD), "-"
    if group == "nested":
        decrypt, verify = library.decrypter(*names[:2]), library.verifier(names[2])
        return prove(operation, lambda token: verify(decrypt(token).decode()), lambda claims: claims["sub"] == CLAIMS["sub"]), "-"
    make = {"sign": "signer", "encrypt": "encrypter"}.get(group)
    if make is None:
        raise NotImplementedError(group)
    run = getattr(library, make)(*names)
    made = run()
    return run, made.decode() if isinstance(made, bytes) else made


class Operation:
    def __init__(self, run):
        self.run, self.step = run, 1

    def measure(self, seconds):
        """How many in that time, and the nanoseconds of the processor that they took."""
        count, end, begun = 0, time.perf_counter() + seconds, time.process_time_ns()
        while True:
            since = time.perf_counter()
            for _ in range(self.step):
                self.run()
            count += self.step
            now = time.perf_counter()
            if now >= end:
                return count, time.process_time_ns() - begun
            if now - since < 0.001:
                self.step *= 2


def say(*words):
    print(*words, sep="\t", flush=True)


def serve(library):
    ready = {}
    for operation in text("operations").split():
        try:
            run, made = prepared(library, operation)
        except Accepted as fault:
            say("accepts", operation, fault)
        except Exception as fault:
            say("cannot", operation, " ".join(f"{type(fault).__name__}: {fault}".split()))
        else:
            ready[operation] = Operation(run)
            say("can", operation, made)
    say("ready")
    for line in sys.stdin:
        operation, seconds = line.split()
        say(operation, *ready[operation].measure(float(seconds)))
