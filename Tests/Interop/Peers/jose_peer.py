"""The command `jose` of Debian, of a C library: one process for each request. It has neither RSA-OAEP nor Edwards curves."""

import json
import subprocess
import tempfile

from octets import decode, encode

# It ignores `b64` and encodes the payload. What it authenticates in addition to AES-GCM's input if there is an
# `aad` is not the value of RFC 7516, 5.1, step 14: no other implementation decrypts it.
# With `zip` it writes the header and does not compress the plaintext, so that it cannot read its own tokens.
FEATURES = {"flattened JWS", "general JWS", "detached JWS", "flattened JWE", "general JWE", "aad", "inflate",
            "empty plaintext"}


def names():
    return set(jose("alg").decode().split())


def encryptions():
    return {name for name in names() if name.endswith("GCM") or "CBC-HS" in name}


def algorithms():
    return names() - encryptions()


def jose(*arguments, input=b"", **files):
    """Runs the command. `files` are written to a folder of this call; an argument `@name` is replaced by the path of the file."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(f"{folder}/{name}", "w") as file:
                file.write(text)
        line = ["jose"] + [f"{folder}/{a[1:]}" if a.startswith("@") else a for a in arguments]
        done = subprocess.run(line, input=input, capture_output=True, timeout=300)
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
    # The command accepts any algorithm that a token names, so that it is checked here.
    """Checks members of the header of a compact token, or of a protected header by itself."""
    header = json.loads(decode(token.split(".")[0]))
    for name, value in wanted.items():
        if header.get(name) != value:
            raise ValueError(f"{name} is {header.get(name)}")


def verify(alg, token, key):
    expect(token, alg=alg)
    return jose("jws", "ver", "-i", "-", "-k", "@key", "-O", "-", input=token.encode(), key=key)


def sign_detached(header, payload, key):
    template = json.dumps({"protected": header})
    return jose("jws", "sig", "-I", "-", "-k", "@key", "-s", template, "-O", "/dev/null", "-c", input=payload,
                key=key).decode()


def verify_detached(alg, token, payload, key):
    expect(token, alg=alg)
    jose("jws", "ver", "-i", token, "-I", "-", "-k", "@key", input=payload, key=key)


def numbered(texts):
    return {f"key{place}": text for place, text in enumerate(texts)}


def sign_json(entries, payload, flattened):
    choices = []
    for place, (protected, header, _) in enumerate(entries):
        choices += ["-k", f"@key{place}", "-s", json.dumps({"protected": protected, "header": header})]
    whole = json.loads(jose("jws", "sig", "-I", "-", *choices, input=payload, **numbered(key for _, _, key in entries)))
    if not flattened and "signatures" not in whole:
        payload = whole.pop("payload")
        whole = {"payload": payload, "signatures": [whole]}
    return whole


def verify_json(algs, token, keys):
    for alg, signature in zip(algs, token.get("signatures", [token])):
        expect(signature["protected"], alg=alg)
    choices = [part for place in range(len(keys)) for part in ("-k", f"@key{place}")]
    return jose("jws", "ver", "-i", "-", *choices, "-a", "-O", "-", input=json.dumps(token).encode(), **numbered(keys))


def encrypt(header, payload, key):
    template = json.dumps({"protected": header})
    return jose("jwe", "enc", "-I", "-", "-k", "@key", "-i", template, "-c", input=payload, key=key).decode()


def decrypt(alg, enc, token, key):
    expect(token, alg=alg, enc=enc)
    return jose("jwe", "dec", "-i", "-", "-k", "@key", "-O", "-", input=token.encode(), key=key)


def encrypt_json(protected, unprotected, aad, entries, payload, flattened):
    template = {"protected": protected, "unprotected": unprotected}
    if aad:
        template["aad"] = encode(aad)
    choices, files = [], numbered(key for _, key in entries)
    for place, (header, _) in enumerate(entries):
        files[f"header{place}"] = json.dumps({"header": header})
        choices += ["-r", f"@header{place}", "-k", f"@key{place}"]
    whole = json.loads(jose("jwe", "enc", "-I", "-", "-i", json.dumps(template), *choices, input=payload, **files))
    if not flattened and "recipients" not in whole:
        whole["recipients"] = [{name: whole.pop(name) for name in ("header", "encrypted_key") if name in whole}]
    return whole


def decrypt_json(algs, enc, token, keys):
    shared = {**json.loads(decode(token["protected"])), **token.get("unprotected", {})}
    for alg, recipient in zip(algs, token.get("recipients", [token])):
        header = {**shared, **recipient.get("header", {})}
        if (header.get("alg"), header.get("enc")) != (alg, enc):
            raise ValueError(f"alg is {header.get('alg')}, enc is {header.get('enc')}")
    return [jose("jwe", "dec", "-i", "-", "-k", "@key", "-O", "-", input=json.dumps(token).encode(), key=key)
            for key in keys]
