import jwt
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from harness import AUDIENCE, CLAIMS, ISSUER, SHARED, key_file, read, serve


class Library:
    """Signatures alone: it has no JWE."""

    def key(self, alg, private):
        if alg in SHARED:
            return read(f"keys/{alg}.secret")
        pem = read(key_file(alg, private, "pem"))
        return load_pem_private_key(pem, None) if private else load_pem_public_key(pem)

    def verifier(self, alg):
        key, algorithms, rules = self.key(alg, False), [alg], {"require": ["exp", "nbf"]}
        return lambda token: jwt.decode(
            token, key, algorithms=algorithms, audience=AUDIENCE, issuer=ISSUER, options=rules)

    def signer(self, alg):
        key, header = self.key(alg, True), {"kid": "sig-1"}
        return lambda: jwt.encode(CLAIMS, key, algorithm=alg, headers=header)

    def decrypter(self, alg, enc):
        raise NotImplementedError("JWE")

    encrypter = decrypter


serve(Library())
