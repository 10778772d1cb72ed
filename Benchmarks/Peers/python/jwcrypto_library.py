import json

from jwcrypto import jwe, jwk, jwt

from harness import AUDIENCE, CLAIMS, ISSUER, PAYLOAD, key_file, serve, text


class Library:
    rules = {"iss": ISSUER, "aud": AUDIENCE, "exp": None, "nbf": None}

    def key(self, alg, private):
        return jwk.JWK.from_json(text(key_file(alg, private, "jwk")))

    def verifier(self, alg):
        key, algorithms = self.key(alg, False), [alg]
        return lambda token: json.loads(
            jwt.JWT(jwt=token, key=key, algs=algorithms, check_claims=self.rules, expected_type="JWS").claims)

    def signer(self, alg):
        key, header = self.key(alg, True), {"alg": alg, "typ": "JWT", "kid": "sig-1"}

        def sign():
            token = jwt.JWT(header=header, claims=CLAIMS)
            token.make_signed_token(key)
            return token.serialize()
        return sign

    def decrypter(self, alg, enc):
        key, algorithms = self.key(alg, True), [alg, enc]

        def decrypt(token):
            opened = jwe.JWE(algs=algorithms)
            opened.deserialize(token, key)
            return opened.payload
        return decrypt

    def encrypter(self, alg, enc):
        key, header = self.key(alg, False), json.dumps({"alg": alg, "enc": enc, "typ": "JWT", "kid": "enc-1"})

        def encrypt():
            token = jwe.JWE(PAYLOAD, header)
            token.add_recipient(key)
            return token.serialize(compact=True)
        return encrypt


serve(Library())
