"""The command `jose` of Debian, a C library's: one process a request. It has neither RSA-OAEP nor Edwards curves."""

import json
import subprocess
import tempfile

from octets import decode


def jose(*arguments, input=b"", **files):
    """`files` are written to a folder of this call alone; an argument `@name` becomes its path."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(f"{folder}/{name}", "w") as file:
                file.write(text)
        line = ["jose"] + [f"{folder}/{a[1:]}" if a.startswith("@") else a for a in arguments]
        done = subprocess.run(line, input=input, capture_output=True, timeout=50)
    if done.returncode != 0:
        raise ValueError(done.stderr.decode().strip() or f"jose ended with {done.returncode}")
    return done.stdout


def generate(kind):
    if kind == "RSA":
        template = {"kty": "RSA", "bits": 2048}
    elif kind.startswith("oct"):
        template = {"kty": "oct", "bytes": int(kind[3:]) // 8}
    else:
        template = {"kty": "EC", "crv": kind}
    return jose("jwk", "gen", "-i", json.dumps(template)).decode()


def public(key):
    return jose("jwk", "pub", "-i", "@key", key=key).decode()


def thumbprint(key):
    return jose("jwk", "thp", "-a", "S256", "-i", "@key", key=key).decode()


def sign(header, payload, key):
    template = json.dumps({"protected": header})
    return jose("jws", "sig", "-I", "-", "-k", "@key", "-s", template, "-c", input=payload, key=key).decode()


def expect(token, **wanted):
    # The command takes whatever algorithms a token names: the choice is made here.
    header = json.loads(decode(token.split(".")[0]))
    for name, value in wanted.items():
        if header.get(name) != value:
            raise ValueError(f"{name} is {header.get(name)}")


def verify(alg, token, key):
    expect(token, alg=alg)
    return jose("jws", "ver", "-i", "-", "-k", "@key", "-O", "-", input=token.encode(), key=key)


def encrypt(header, payload, key):
    template = json.dumps({"protected": header})
    return jose("jwe", "enc", "-I", "-", "-k", "@key", "-i", template, "-c", input=payload, key=key).decode()


def decrypt(alg, enc, token, key):
    expect(token, alg=alg, enc=enc)
    return jose("jwe", "dec", "-i", "-", "-k", "@key", "-O", "-", input=token.encode(), key=key)
