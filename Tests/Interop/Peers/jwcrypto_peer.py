"""The peer jwcrypto, on pyca/cryptography."""

import json

from jwcrypto import jwa, jwe, jwk, jws, jwt

# It takes an empty plaintext for one that was not decrypted, and decodes a compact payload that is not encoded (`b64`).
FEATURES = {"PEM", "claims", "flattened JWS", "general JWS", "detached JWS", "b64", "flattened JWE", "general JWE",
            "aad", "aad under GCM", "deflate", "inflate"}


def registered(use):
    return {name for name, algorithm in jwa.JWA.algorithms_registry.items()
            if algorithm.algorithm_use == use and algorithm.algorithm_usage_location in ("alg", "enc")}


def algorithms():
    return {name for name in registered("sig") | registered("kex") if name != "none"}


def encryptions():
    return registered("enc")


def generate(kind):
    if kind == "RSA":
        key = jwk.JWK.generate(kty="RSA", size=2048)
    elif kind.startswith("oct"):
        key = jwk.JWK.generate(kty="oct", size=int(kind[3:]))
    elif kind.startswith("ML-DSA-"):
        key = jwk.JWK.generate(kty="AKP", alg=kind)
    else:
        key = jwk.JWK.generate(kty="EC" if kind.startswith(("P-", "secp")) else "OKP", crv=kind)
    return key.export()


def public(key):
    return jwk.JWK.from_json(key).export_public()


def thumbprint(key):
    return jwk.JWK.from_json(key).thumbprint()


def to_pem(key, private, passphrase):
    key = jwk.JWK.from_json(key)
    if not private:
        return key.export_to_pem().decode()
    return key.export_to_pem(private_key=True, password=passphrase.encode() if passphrase else None).decode()


def from_pem(pem, kind):
    return jwk.JWK.from_pem(pem.encode()).export()


def sign(header, payload, key):
    token = jws.JWS(payload)
    token.add_signature(jwk.JWK.from_json(key), protected=json.dumps(header))
    return token.serialize(compact=True)


def verify(alg, token, key):
    it = jws.JWS()
    it.allowed_algs = [alg]
    it.deserialize(token, jwk.JWK.from_json(key))
    return it.payload


def sign_detached(header, payload, key):
    token = jws.JWS(payload)
    token.add_signature(jwk.JWK.from_json(key), protected=json.dumps(header))
    token.detach_payload()
    return token.serialize(compact=True)


def verify_detached(alg, token, payload, key):
    it = jws.JWS()
    it.allowed_algs = [alg]
    it.deserialize(token)
    it.verify(jwk.JWK.from_json(key), detached_payload=payload)


def sign_json(entries, payload, flattened):
    token = jws.JWS(payload.decode() if any("b64" in protected for protected, _, _ in entries) else payload)
    for protected, header, key in entries:
        token.add_signature(jwk.JWK.from_json(key), protected=json.dumps(protected), header=json.dumps(header))
    whole = json.loads(token.serialize())
    if not flattened and "signatures" not in whole:
        # It writes a single signature in the flattened form: the same members, in an array here.
        payload = whole.pop("payload")
        whole = {"payload": payload, "signatures": [whole]}
    return whole


def verify_json(algs, token, keys):
    # One valid signature is enough for it, so that each key verifies its own.
    for alg, key in zip(algs, keys):
        it = jws.JWS()
        it.allowed_algs = [alg]
        it.deserialize(json.dumps(token), jwk.JWK.from_json(key))
    return it.payload if isinstance(it.payload, bytes) else it.payload.encode()


def encrypt(header, payload, key):
    token = jwe.JWE(payload, protected=json.dumps(header), algs=[header["alg"], header["enc"]],
                    recipient=jwk.JWK.from_json(key))
    return token.serialize(compact=True)


def decrypt(alg, enc, token, key):
    it = jwe.JWE(algs=[alg, enc])
    it.deserialize(token, jwk.JWK.from_json(key))
    return it.payload


def encrypt_json(protected, unprotected, aad, entries, payload, flattened):
    token = jwe.JWE(payload, protected=json.dumps(protected), unprotected=json.dumps(unprotected), aad=aad,
                    algs=[header["alg"] for header, _ in entries] + [protected["enc"]], flattened=flattened)
    for header, key in entries:
        token.add_recipient(jwk.JWK.from_json(key), header=json.dumps(header))
    return json.loads(token.serialize())


def decrypt_json(algs, enc, token, keys):
    payloads = []
    for alg, key in zip(algs, keys):
        it = jwe.JWE(algs=[alg, enc])
        it.deserialize(json.dumps(token), jwk.JWK.from_json(key))
        payloads.append(it.payload)
    return payloads


def claims(alg, token, key, iss, aud):
    it = jwt.JWT(jwt=token, key=jwk.JWK.from_json(key), algs=[alg], expected_type="JWS",
                 check_claims={"iss": iss, "aud": aud, "exp": None})
    return json.loads(it.claims)
