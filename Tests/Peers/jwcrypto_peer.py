"""jwcrypto, over pyca/cryptography."""

import json

from jwcrypto import jwe, jwk, jws, jwt


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


def encrypt(header, payload, key):
    token = jwe.JWE(payload, protected=json.dumps(header), recipient=jwk.JWK.from_json(key))
    return token.serialize(compact=True)


def decrypt(alg, enc, token, key):
    it = jwe.JWE(algs=[alg, enc])
    it.deserialize(token, jwk.JWK.from_json(key))
    return it.payload


def claims(alg, token, key, iss, aud):
    it = jwt.JWT(jwt=token, key=jwk.JWK.from_json(key), algs=[alg], expected_type="JWS",
                 check_claims={"iss": iss, "aud": aud, "exp": None})
    return json.loads(it.claims)
