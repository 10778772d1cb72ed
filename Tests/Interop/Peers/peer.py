"""One peer, spoken to in lines of JSON: `peer.py jwcrypto|joserfc|jose`. It ends when its input ends.

Request: {"op": ..., "key": JWK text, ...}. Answer: {"ok": true, ...} or {"ok": false, "error": text}.
Bytes travel as base64url text, keys and headers as JSON text.
"""

import importlib
import json
import signal
import sys

from octets import decode, encode


def generate(peer, ask):
    return {"key": peer.generate(ask["kind"])}


def public(peer, ask):
    return {"key": peer.public(ask["key"])}


def thumbprint(peer, ask):
    return {"thumbprint": peer.thumbprint(ask["key"])}


def to_pem(peer, ask):
    return {"pem": peer.to_pem(ask["key"], ask.get("private", False), ask.get("passphrase"))}


def from_pem(peer, ask):
    return {"key": peer.from_pem(ask["pem"], ask["kind"])}


def supports(peer, ask):
    """Returns what the peer supports: registered names, and features by the words of FEATURES."""
    return {"algs": sorted(peer.algorithms()), "encs": sorted(peer.encryptions()), "features": sorted(peer.FEATURES)}


def sign(peer, ask):
    return {"token": peer.sign(json.loads(ask["header"]), decode(ask["payload"]), ask["key"])}


def verify(peer, ask):
    return {"payload": encode(peer.verify(ask["alg"], ask["token"], ask["key"]))}


def sign_detached(peer, ask):
    return {"token": peer.sign_detached(json.loads(ask["header"]), decode(ask["payload"]), ask["key"])}


def verify_detached(peer, ask):
    peer.verify_detached(ask["alg"], ask["token"], decode(ask["payload"]), ask["key"])
    return {}


def sign_json(peer, ask):
    """Signs. `entries` has the protected and unprotected header and the key of each signature; several make the general form."""
    entries = [(json.loads(e["protected"]), json.loads(e["header"]), e["key"]) for e in ask["entries"]]
    token = peer.sign_json(entries, decode(ask["payload"]), ask["flattened"])
    if ask["detached"]:
        del token["payload"]
    return {"token": json.dumps(token)}


def verify_json(peer, ask):
    """Verifies each signature with the key at the same index. A detached payload is inserted first."""
    token = json.loads(ask["token"])
    if "payload" in ask:
        token["payload"] = ask["payload"]
    return {"payload": encode(peer.verify_json(ask["algs"], token, ask["keys"]))}


def encrypt(peer, ask):
    return {"token": peer.encrypt(json.loads(ask["header"]), decode(ask["payload"]), ask["key"])}


def decrypt(peer, ask):
    return {"payload": encode(peer.decrypt(ask["alg"], ask["enc"], ask["token"], ask["key"]))}


def encrypt_json(peer, ask):
    """Encrypts. `entries` has the header and the key of each recipient; `header` and `unprotected` are for all."""
    entries = [(json.loads(e["header"]), e["key"]) for e in ask["entries"]]
    token = peer.encrypt_json(json.loads(ask["header"]), json.loads(ask["unprotected"]), decode(ask["aad"]), entries,
                              decode(ask["payload"]), ask["flattened"])
    return {"token": json.dumps(token)}


def decrypt_json(peer, ask):
    """Decrypts each recipient with the key at the same index; all must have the same plaintext."""
    payloads = peer.decrypt_json(ask["algs"], ask["enc"], json.loads(ask["token"]), ask["keys"])
    if len(set(payloads)) != 1:
        raise ValueError("the recipients read different plaintexts")
    return {"payload": encode(payloads[0])}


def claims(peer, ask):
    """Verifies a signed JWT with the peer's own checks: signature, times, issuer and audience."""
    return {"claims": json.dumps(peer.claims(ask["alg"], ask["token"], ask["key"], ask["iss"], ask["aud"]))}


OPERATIONS = {f.__name__: f for f in
              (generate, public, thumbprint, to_pem, from_pem, supports, sign, verify, sign_detached, verify_detached,
               sign_json, verify_json, encrypt, decrypt, encrypt_json, decrypt_json, claims)}


def main():
    peer = importlib.import_module(sys.argv[1] + "_peer")
    for line in sys.stdin:
        # A peer that hangs must not block the test: SIGALRM ends the process, and the test reads the end of its output.
        signal.alarm(60)
        try:
            ask = json.loads(line)
            answer = {"ok": True, **OPERATIONS[ask["op"]](peer, ask)}
        except Exception as fault:
            answer = {"ok": False, "error": f"{type(fault).__name__}: {fault}"}
        signal.alarm(0)
        print(json.dumps(answer), flush=True)


main()
