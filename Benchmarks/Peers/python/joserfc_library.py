import json

from joserfc import jwe, jwt
from joserfc.jwk import import_key

from harness import AUDIENCE, CLAIMS, ISSUER, PAYLOAD, key_file, serve, text


class Library:
    rules = jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": ISSUER}, aud={"essential": True, "value": AUDIENCE}, exp={"essential": True},
        nbf={"essential": True})

    def key(self, alg, private):
        return import_key(json.loads(text(key_file(alg, private, "jwk"))))

    def verifier(self, alg):
        key, algorithms = self.key(alg, False), [alg]

        def verify(token):
            claims = jwt.decode(token, key, algorithms=algorithms).claims
            self.rules.validate(claims)
            return claims
        return verify

    def signer(self, alg):
        key, header, algorithms = self.key(alg, True), {"alg": alg, "typ": "JWT", "kid": "sig-1"}, [alg]
        return lambda: jwt.encode(header, CLAIMS, key, algorithms=algorithms)

    def decrypter(self, alg, enc):
        key, algorithms = self.key(alg, True), [alg, enc]
        return lambda token: jwe.decrypt_compact(token, key, algorithms=algorithms).plaintext

    def encrypter(self, alg, enc):
        key, algorithms = self.key(alg, False), [alg, enc]
        header = {"alg": alg, "enc": enc, "typ": "JWT", "kid": "enc-1"}
        return lambda: jwe.encrypt_compact(header, PAYLOAD, key, algorithms=algorithms)


serve(Library())
