"""One peer, spoken to in lines of JSON: `peer.py jwcrypto|joserfc|jose`. It ends when its input ends.

Request: {"op": ..., "key": JWK text, ...}. Answer: {"ok": true, ...} or {"ok": false, "error": text}.
Bytes travel as base64url text, keys as the JWK text that their maker wrote.
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


def sign(peer, ask):
    return {"token": peer.sign(ask["header"], decode(ask["payload"]), ask["key"])}


def verify(peer, ask):
    return {"payload": encode(peer.verify(ask["alg"], ask["token"], ask["key"]))}


def encrypt(peer, ask):
    return {"token": peer.encrypt(ask["header"], decode(ask["payload"]), ask["key"])}


def decrypt(peer, ask):
    return {"payload": encode(peer.decrypt(ask["alg"], ask["enc"], ask["token"], ask["key"]))}


def claims(peer, ask):
    """The peer's own judgement of a signed JWT: signature, times, issuer and audience."""
    return {"claims": json.dumps(peer.claims(ask["alg"], ask["token"], ask["key"], ask["iss"], ask["aud"]))}


OPERATIONS = {f.__name__: f for f in
              (generate, public, thumbprint, to_pem, from_pem, sign, verify, encrypt, decrypt, claims)}


def main():
    peer = importlib.import_module(sys.argv[1] + "_peer")
    for line in sys.stdin:
        # A peer that hangs must not hang the test: SIGALRM ends the process, and the reader sees the end.
        signal.alarm(60)
        try:
            ask = json.loads(line)
            answer = {"ok": True, **OPERATIONS[ask["op"]](peer, ask)}
        except Exception as fault:
            answer = {"ok": False, "error": f"{type(fault).__name__}: {fault}"}
        signal.alarm(0)
        print(json.dumps(answer), flush=True)


main()
