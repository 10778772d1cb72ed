"""joserfc, over pyca/cryptography."""

import json
import warnings

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from joserfc import jwe, jwk, jws, jwt
from joserfc._rfc7518.jwe_algs import RSAAlgKeyEncryption

# joserfc knows OAEP with SHA-1 and SHA-256; the two others come in by its register.
for name, hash in (("RSA-OAEP-384", hashes.SHA384()), ("RSA-OAEP-512", hashes.SHA512())):
    jwe.JWERegistry.register(RSAAlgKeyEncryption(name, name, padding.OAEP(padding.MGF1(hash), hash, None)))

warnings.filterwarnings("ignore", message="EdDSA is deprecated")


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


def encrypt(header, payload, key):
    return jwe.encrypt_compact(header, payload, load(key), algorithms=[header["alg"], header["enc"]])


def decrypt(alg, enc, token, key):
    return jwe.decrypt_compact(token, load(key), algorithms=[alg, enc]).plaintext


def claims(alg, token, key, iss, aud):
    token = jwt.decode(token, load(key), algorithms=[alg])
    jwt.JWTClaimsRegistry(iss={"essential": True, "value": iss}, aud={"essential": True, "value": aud},
                          exp={"essential": True}).validate(token.claims)
    return token.claims
