"""Writes Tests/Vectors/own/dates.json: tokens whose times are NumericDate values with and without a fraction (RFC 7519, 2), signed by
joserfc, jwcrypto and PyJWT. Run by hand, from the folder of the project; the keys are made anew:

    python3 -m venv .venv && .venv/bin/pip install joserfc==1.8.0 jwcrypto==1.6.1 PyJWT==2.15.1 cryptography==50.0.2
    .venv/bin/python Tests/Interop/Peers/golden_dates.py
"""

import datetime
import importlib.metadata
import json
import pathlib

import jwt as pyjwt
from joserfc import jwk as joserfc_jwk, jwt as joserfc_jwt
from jwcrypto import jwk as jwcrypto_jwk, jwt as jwcrypto_jwt

ISSUED = 1795000000


def claims(issued, expires):
    return {"iss": "https://id.example", "aud": "shop", "sub": "u", "iat": issued, "nbf": issued, "exp": expires,
            "session": {"auth_time": issued}, "logins": [issued, expires]}


def joserfc(payload, key):
    return joserfc_jwt.encode({"alg": "ES256", "typ": "JWT"}, payload, joserfc_jwk.import_key(key))


def jwcrypto(payload, key):
    token = jwcrypto_jwt.JWT(header={"alg": "ES256", "typ": "JWT"}, claims=payload)
    token.make_signed_token(jwcrypto_jwk.JWK(**key))
    return token.serialize()


def pyjwt_token(payload, key):
    return pyjwt.encode(payload, pyjwt.PyJWK(key, "ES256").key, algorithm="ES256")


def main():
    key = joserfc_jwk.ECKey.generate_key("P-256").as_dict(private=True)
    private = {name: key[name] for name in ("kty", "crv", "x", "y", "d")}
    tokens = []
    for library, sign in (("joserfc", joserfc), ("jwcrypto", jwcrypto), ("PyJWT", pyjwt_token)):
        for form, issued, expires in (("integer", ISSUED, ISSUED + 3600), ("fraction", ISSUED + 0.25, ISSUED + 3600.75)):
            tokens.append({"id": f"{library} {form}", "library": f"{library} {importlib.metadata.version(library)}",
                           "issued": issued, "expires": expires, "token": sign(claims(issued, expires), private)})
    # A library that takes datetime values writes them as whole seconds.
    moment = datetime.datetime.fromtimestamp(ISSUED, datetime.timezone.utc)
    payload = claims(ISSUED, ISSUED + 3600) | {"iat": moment, "nbf": moment, "exp": moment + datetime.timedelta(hours=1)}
    tokens.append({"id": "PyJWT datetime", "library": f"PyJWT {importlib.metadata.version('PyJWT')}",
                   "issued": ISSUED, "expires": ISSUED + 3600, "token": pyjwt_token(payload, private)})
    file = {"source": "RFC 7519, 2: NumericDate, as other libraries write it",
            "command": "python3 Tests/Interop/Peers/golden_dates.py",
            "key": {name: private[name] for name in ("kty", "crv", "x", "y")}, "tokens": tokens}
    pathlib.Path("Tests/Vectors/own/dates.json").write_text(json.dumps(file, indent=2) + "\n")


if __name__ == "__main__":
    main()
