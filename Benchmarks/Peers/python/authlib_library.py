import json
import warnings

warnings.simplefilter("ignore")  # of its own successor, joserfc
from authlib.jose import JsonWebEncryption, JsonWebKey, JsonWebToken

from harness import AUDIENCE, CLAIMS, ISSUER, PAYLOAD, key_file, serve, text


class Library:
    rules = {
        "iss": {"essential": True, "value": ISSUER}, "aud": {"essential": True, "value": AUDIENCE},
        "exp": {"essential": True}, "nbf": {"essential": True}}

    def key(self, alg, private):
        return JsonWebKey.import_key(json.loads(text(key_file(alg, private, "jwk"))))

    def verifier(self, alg):
        key, tokens = self.key(alg, False), JsonWebToken([alg])

        def verify(token):
            claims = tokens.decode(token, key, claims_options=self.rules)
            claims.validate()
            return claims
        return verify

    def signer(self, alg):
        key, header, tokens = self.key(alg, True), {"alg": alg, "typ": "JWT", "kid": "sig-1"}, JsonWebToken([alg])
        return lambda: tokens.encode(header, CLAIMS, key, check=False)

    def decrypter(self, alg, enc):
        key, tokens = self.key(alg, True), JsonWebEncryption([alg, enc])
        return lambda token: tokens.deserialize_compact(token, key)["payload"]

    def encrypter(self, alg, enc):
        key, tokens = self.key(alg, False), JsonWebEncryption([alg, enc])
        header = {"alg": alg, "enc": enc, "typ": "JWT", "kid": "enc-1"}
        return lambda: tokens.serialize_compact(header, PAYLOAD, key)


serve(Library())
