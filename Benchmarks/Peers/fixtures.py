"""Writes the keys and tokens that every harness uses: `fixtures.py FOLDER`.

    operations           one a line: GROUP/ALGORITHMS, in the order of the table
    claims.json          what is signed or encrypted, about 540 bytes
    keys/ALGORITHM.*     private and public, as PEM and JWK; of shared keys .jwk and .secret
    OPERATION.token      what is verified or decrypted; for a batch many, one a line
    OPERATION.plaintext  what comes out of a decryption
    OPERATION.refused    what must not be taken: LAYER, REASON, TOKEN with tabs between

The layer of a broken token is "cryptography" where a signature or a tag is wrong, so that bare OpenSSL refuses it as well, and
"token" where the header or a claim is. jwcrypto makes them all.
"""
import json
import os
import secrets
import sys
import time

from jwcrypto import jwe, jwk, jws

SIGNATURES = ["RS256", "PS256", "ES256", "EdDSA", "HS256"]
ENCRYPTIONS = [
    ("RSA-OAEP", "A128CBC-HS256"), ("RSA-OAEP-256", "A256GCM"), ("ECDH-ES", "A128GCM"), ("A256KW", "A256GCM"), ("dir", "A256GCM")]
NESTED = [("RSA-OAEP", "A128CBC-HS256", "RS256"), ("ECDH-ES", "A128GCM", "ES256")]
BATCH = 256
ISSUER, AUDIENCE = "https://op.example.com/tenants/7f3a", "client-portal-web-01"


def operations():
    return ([f"verify/{alg}" for alg in SIGNATURES] + [f"batch/{alg}" for alg in SIGNATURES]
            + ["nested/" + "+".join(each) for each in NESTED] + ["nested-batch/" + "+".join(each) for each in NESTED]
            + ["vectorized/" + "+".join(each) for each in NESTED if each[0].startswith("RSA-OAEP")] + [f"sign/{alg}" for alg in SIGNATURES]
            + [f"{group}/{alg}+{enc}" for group in ("decrypt", "encrypt") for alg, enc in ENCRYPTIONS])


def new_key(alg):
    identifier = "sig-1" if alg in SIGNATURES else "enc-1"
    if alg[:2] in ("RS", "PS"):
        return jwk.JWK.generate(kty="RSA", size=2048, kid=identifier)
    if alg in ("ES256", "ECDH-ES"):
        return jwk.JWK.generate(kty="EC", crv="P-256", kid=identifier)
    if alg == "EdDSA":
        return jwk.JWK.generate(kty="OKP", crv="Ed25519", kid=identifier)
    return jwk.JWK.generate(kty="oct", size=256, kid=identifier)


def claims(now, **other):
    """As an OpenID provider sends them."""
    return json.dumps({
        "iss": ISSUER, "sub": "248289761001-5c1b9e40f2", "aud": AUDIENCE, "exp": now + 10 * 365 * 86400, "nbf": now - 60,
        "iat": now - 60, "auth_time": now - 75, "nonce": "n-0S6_WzA2Mj9fQbX7tR1kLw", "acr": "urn:example:acr:silver",
        "amr": ["pwd", "otp"], "azp": AUDIENCE, "name": "Janneke van den Berg-Visser", "given_name": "Janneke",
        "family_name": "van den Berg-Visser", "email": "janneke.visser@example.com", "email_verified": True,
        "phone_number": "+31 20 555 0142", "locale": "nl-NL", "sid": "08a5019c-17e1-4977-8f42", **other,
    }, separators=(",", ":"))


def sign(alg, key, payload):
    token = jws.JWS(payload)
    token.allowed_algs = [alg]
    token.add_signature(key, alg, json.dumps({"alg": alg, "typ": "JWT", "kid": "sig-1"}, separators=(",", ":")))
    return token.serialize(compact=True)


def encrypt(alg, enc, key, plaintext, **header):
    header = {"alg": alg, "enc": enc, "kid": "enc-1", **(header or {"typ": "JWT"})}
    token = jwe.JWE(plaintext, json.dumps(header, separators=(",", ":")))
    token.add_recipient(key)
    return token.serialize(compact=True)


def changed(token, part):
    """The token with one bit of that part another one: in its middle, where every bit of a character counts."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    parts = token.split(".")
    place = len(parts[part]) // 2
    other = alphabet[alphabet.index(parts[part][place]) ^ 1]
    parts[part] = parts[part][:place] + other + parts[part][place + 1:]
    return ".".join(parts)


def broken_signed(alg, keys, now):
    """Each is one step away from the good token."""
    good = sign(alg, keys[alg], claims(now))
    header, payload, signature = good.split(".")
    none = jws.base64url_encode('{"alg":"none","typ":"JWT","kid":"sig-1"}')
    other = "PS256" if alg == "RS256" else "RS256"
    yield "cryptography", "a changed signature", changed(good, 2)
    yield "cryptography", "changed claims", changed(good, 1)
    yield "cryptography", "another key", sign(alg, new_key(alg), claims(now))
    yield "token", "no signature", f"{header}.{payload}."
    yield "token", "alg none", f"{none}.{payload}."
    yield "token", "another algorithm", sign(other, keys["RS256"], claims(now))
    yield "token", "another issuer", sign(alg, keys[alg], claims(now, iss=ISSUER + "/"))
    yield "token", "another audience", sign(alg, keys[alg], claims(now, aud="another-portal"))
    yield "token", "expired", sign(alg, keys[alg], claims(now, exp=now - 3600))
    yield "token", "not yet valid", sign(alg, keys[alg], claims(now, nbf=now + 360000))


def broken_encrypted(alg, good):
    yield "cryptography", "a changed tag", changed(good, 4)
    yield "cryptography", "changed content", changed(good, 3)
    if alg not in ("dir", "ECDH-ES"):
        yield "cryptography", "a changed key", changed(good, 1)
    yield "token", "no tag", good.rsplit(".", 1)[0] + "."


def public(key):
    return key if key["kty"] == "oct" else jwk.JWK.from_json(key.export_public())


class Folder:
    def __init__(self, path):
        self.path = path

    def write(self, name, data):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def write_refused(self, operation, broken):
        self.write(operation + ".refused", "".join("\t".join(each) + "\n" for each in broken))

    def write_key(self, alg, key):
        if key["kty"] == "oct":
            self.write(f"keys/{alg}.secret", jws.base64url_decode(key["k"]))
            self.write(f"keys/{alg}.jwk", key.export())
            return
        self.write(f"keys/{alg}.private.jwk", key.export())
        self.write(f"keys/{alg}.public.jwk", key.export_public())
        self.write(f"keys/{alg}.private.pem", key.export_to_pem(private_key=True, password=None))
        self.write(f"keys/{alg}.public.pem", key.export_to_pem())


def write(path):
    folder, now = Folder(path), int(time.time())
    keys = {alg: new_key(alg) for alg in SIGNATURES + [alg for alg, _ in ENCRYPTIONS]}
    keys["PS256"] = keys["RS256"]
    keys["RSA-OAEP-256"] = keys["RSA-OAEP"]
    for alg, key in keys.items():
        folder.write_key(alg, key)
    folder.write("claims.json", claims(now))
    for alg in SIGNATURES:
        folder.write(f"verify/{alg}.token", sign(alg, keys[alg], claims(now)))
        folder.write_refused(f"verify/{alg}", broken_signed(alg, keys, now))
        many = [sign(alg, keys[alg], claims(now, sid=secrets.token_hex(12))) for _ in range(BATCH)]
        folder.write(f"batch/{alg}.token", "".join(token + "\n" for token in many))
        folder.write_refused(f"batch/{alg}", broken_signed(alg, keys, now))
    for alg, enc in ENCRYPTIONS:
        token = encrypt(alg, enc, public(keys[alg]), claims(now))
        folder.write(f"decrypt/{alg}+{enc}.token", token)
        folder.write(f"decrypt/{alg}+{enc}.plaintext", claims(now))
        folder.write_refused(f"decrypt/{alg}+{enc}", broken_encrypted(alg, token))
    for alg, enc, inner in NESTED:
        def nest(token):
            return encrypt(alg, enc, public(keys[alg]), token, cty="JWT")
        signed = sign(inner, keys[inner], claims(now))
        token = nest(signed)
        inside = [(layer, reason + " inside", nest(each)) for layer, reason, each in broken_signed(inner, keys, now)]
        name, broken = f"{alg}+{enc}+{inner}", list(broken_encrypted(alg, token)) + inside
        folder.write(f"nested/{name}.token", token)
        folder.write(f"nested/{name}.plaintext", signed)
        folder.write_refused(f"nested/{name}", broken)
        many = [nest(sign(inner, keys[inner], claims(now, sid=secrets.token_hex(12)))) for _ in range(BATCH)]
        for group in ("nested-batch", "vectorized"):
            if f"{group}/{name}" in operations():
                folder.write(f"{group}/{name}.token", "".join(each + "\n" for each in many))
                folder.write_refused(f"{group}/{name}", broken)
    folder.write("operations", "".join(name + "\n" for name in operations()))


if __name__ == "__main__":
    write(sys.argv[1])
