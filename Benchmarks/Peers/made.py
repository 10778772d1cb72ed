"""Whether what a harness makes is a token: jwcrypto opens it."""
import json
import os

from jwcrypto import jwe, jwk, jws


class MadeTokens:
    def __init__(self, fixtures):
        self.fixtures = fixtures
        with open(os.path.join(fixtures, "claims.json")) as file:
            self.claims = json.load(file)

    def key(self, alg):
        for name in (f"keys/{alg}.jwk", f"keys/{alg}.private.jwk"):
            path = os.path.join(self.fixtures, name)
            if os.path.exists(path):
                with open(path) as file:
                    return jwk.JWK.from_json(file.read())
        raise KeyError(alg)

    def fault(self, operation, token):
        """None where it holds the claims of the fixtures under the algorithms asked for."""
        group, rest = operation.split("/")
        algorithms = rest.split("+")
        try:
            if group == "sign":
                opened = jws.JWS()
                opened.allowed_algs = algorithms
                opened.deserialize(token, self.key(algorithms[0]))
            else:
                opened = jwe.JWE(algs=algorithms)
                opened.deserialize(token, self.key(algorithms[0]))
            claims = json.loads(opened.payload)
        except Exception as fault:
            return f"{type(fault).__name__}: {fault}"
        # One audience may be a list of one (RFC 7519, 4.1.3).
        if isinstance(claims["aud"], list) and len(claims["aud"]) == 1:
            claims["aud"] = claims["aud"][0]
        return None if claims == self.claims else "it has other claims"
