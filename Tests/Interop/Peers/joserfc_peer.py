"""The peer joserfc, on pyca/cryptography."""

import json
import warnings

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from joserfc import jwe, jwk, jws, jwt
from joserfc._rfc7518.jwe_algs import RSAAlgKeyEncryption

# joserfc supports OAEP with SHA-1 and SHA-256; the two others are added to its registry.
for name, hash in (("RSA-OAEP-384", hashes.SHA384()), ("RSA-OAEP-512", hashes.SHA512())):
    jwe.JWERegistry.register(RSAAlgKeyEncryption(name, name, padding.OAEP(padding.MGF1(hash), hash, None)))

warnings.filterwarnings("ignore", message="EdDSA is deprecated")
warnings.filterwarnings("ignore", message='JWE algorithm "RSA1_5" is deprecated')

FEATURES = {"PEM", "claims", "flattened JWS", "general JWS", "detached JWS", "b64", "compact b64", "flattened JWE",
            "general JWE", "aad", "aad under GCM", "deflate", "inflate", "empty plaintext"}


def algorithms():
    return {name for name in [*jws.JWSRegistry.algorithms, *jwe.JWERegistry.algorithms["alg"]] if name != "none"}


def encryptions():
    return set(jwe.JWERegistry.algorithms["enc"])


def in_turn(keys):
    """Selects the keys for signatures or recipients in their order."""
    loaded = iter([load(key) for key in keys])
    return lambda _: next(loaded)


def load(key):
    return jwk.import_key(json.loads(key))


def generate(kind):
    if kind == "RSA":
        key = jwk.RSAKey.generate_key(2048)
    elif kind.startswith("oct"):
        key = jwk.OctKey.generate_key(int(kind[3:]))
    elif kind.startswith(("P-", "secp")):
        key = jwk.ECKey.generate_key(kind)
    else:
        key = jwk.OKPKey.generate_key(kind)
    return json.dumps(key.as_dict(private=True))


def public(key):
    return json.dumps(load(key).as_dict(private=False))


def thumbprint(key):
    return load(key).thumbprint()


def to_pem(key, private, passphrase):
    return load(key).as_pem(private=private, password=passphrase).decode()


def from_pem(pem, kind):
    kty = "RSA" if kind == "RSA" else "EC" if kind.startswith(("P-", "secp")) else "OKP"
    return json.dumps(jwk.import_key(pem, kty).as_dict())


def sign(header, payload, key):
    return jws.serialize_compact(header, payload, load(key), algorithms=[header["alg"]])


def verify(alg, token, key):
    return jws.deserialize_compact(token, load(key), algorithms=[alg]).payload


def sign_detached(header, payload, key):
    return jws.detach_content(sign(header, payload, key))


def verify_detached(alg, token, payload, key):
    jws.deserialize_compact(token, load(key), algorithms=[alg], payload=payload)


def sign_json(entries, payload, flattened):
    members = [{"protected": protected, "header": header} for protected, header, _ in entries]
    return jws.serialize_json(members[0] if flattened else members, payload, in_turn([key for _, _, key in entries]),
                              registry=own_headers(protected["alg"] for protected, _, _ in entries))


def verify_json(algs, token, keys):
    return jws.deserialize_json(token, in_turn(keys), registry=own_headers(algs)).payload


def own_headers(algs):
    """Returns a registry that accepts unknown members, which joserfc rejects by default."""
    return jws.JWSRegistry(algorithms=list(algs), strict_check_header=False)


def encrypt(header, payload, key):
    return jwe.encrypt_compact(header, payload, load(key), algorithms=[header["alg"], header["enc"], "DEF"])


def decrypt(alg, enc, token, key):
    return jwe.decrypt_compact(token, load(key), algorithms=[alg, enc, "DEF"]).plaintext


def encrypt_json(protected, unprotected, aad, entries, payload, flattened):
    form = jwe.FlattenedJSONEncryption if flattened else jwe.GeneralJSONEncryption
    token = form(protected, payload, unprotected, aad)
    for header, key in entries:
        token.add_recipient(header, load(key))
    algs = [header["alg"] for header, _ in entries] + [protected["enc"]]
    return jwe.encrypt_json(token, None, registry=jwe.JWERegistry(algorithms=algs, strict_check_header=False))


def decrypt_json(algs, enc, token, keys):
    # It decrypts the key of every recipient, and accepts the token only if all have the same content key.
    registry = jwe.JWERegistry(algorithms=[*algs, enc], strict_check_header=False, verify_all_recipients=True)
    return [jwe.decrypt_json(token, in_turn(keys), registry=registry).plaintext]


def claims(alg, token, key, iss, aud):
    token = jwt.decode(token, load(key), algorithms=[alg])
    jwt.JWTClaimsRegistry(iss={"essential": True, "value": iss}, aud={"essential": True, "value": aud},
                          exp={"essential": True}).validate(token.claims)
    return token.claims
