"""Writes Tests/Vectors/Providers/mitid.json: one login with MitID as it goes over the wire, taken from the broker's documentation and recorded
answers, with keys, certificates and a status that pyca/cryptography makes, and tokens that joserfc signs. Nothing of it comes from the code
under test. Run by hand when the messages change; the keys are made anew."""

import base64
import datetime
import hashlib
import json
import pathlib
import sys
import time
import urllib.parse

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509 import ocsp
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from joserfc import jwk, jws

ISSUER = "https://broker.test/op"
CLIENT = "0a775a87-878c-4b83-abe3-ee29c720c3e7"
NOW = int(time.time())
MOMENT = datetime.datetime.fromtimestamp(NOW, datetime.timezone.utc)
PSS = padding.PSS(padding.MGF1(hashes.SHA256()), 32)


def base64url(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(subject, key, issuer, issuer_key, days, extensions=(), pss=False):
    builder = (x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer))
               .public_key(key.public_key()).serial_number(x509.random_serial_number())
               .not_valid_before(MOMENT - datetime.timedelta(days=1)).not_valid_after(MOMENT + datetime.timedelta(days=days)))
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(issuer_key, hashes.SHA256(), rsa_padding=PSS if pss else None)


def usage(**on):
    names = ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
             "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"]
    return x509.KeyUsage(**{one: on.get(one, False) for one in names})


def der(cert):
    return cert.public_bytes(serialization.Encoding.DER)


def published(key, cert):
    """Returns a key as the broker publishes it: without `alg`, with the SHA-1 of its certificate as `kid`."""
    numbers = key.public_key().public_numbers()
    digest = hashlib.sha1(der(cert)).digest()
    return {"kty": "RSA", "use": "sig", "kid": digest.hex().upper(), "x5t": base64url(digest),
            "e": base64url(numbers.e.to_bytes(3, "big")), "n": base64url(numbers.n.to_bytes((numbers.n.bit_length() + 7) // 8, "big")),
            "x5c": [base64.b64encode(der(cert)).decode()]}


def signed(key, header, claims):
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return jws.serialize_compact(header, json.dumps(claims).encode(), jwk.RSAKey.import_key(pem), algorithms=["RS256"])


def main():
    signing = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    attesting = rsa.generate_private_key(public_exponent=65537, key_size=3072)
    authority = rsa.generate_private_key(public_exponent=65537, key_size=3072)
    responding = ec.generate_private_key(ec.SECP256R1())
    root = certificate("Golden CA", authority, "Golden CA", authority, 3650,
                       [(x509.BasicConstraints(True, None), True), (usage(key_cert_sign=True, crl_sign=True), True)], pss=True)
    login = published(signing, certificate("Broker", signing, "Broker", signing, 7300))
    leaf = certificate("Transaction", attesting, "Golden CA", authority, 1095,
                       [(x509.BasicConstraints(False, None), True), (usage(digital_signature=True), True),
                        (x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()), False),
                        (x509.SubjectKeyIdentifier.from_public_key(attesting.public_key()), False)], pss=True)
    transaction = published(attesting, leaf)
    responder = certificate("Responder", responding, "Golden CA", authority, 30,
                            [(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.OCSP_SIGNING]), False), (x509.OCSPNoCheck(), False),
                             (usage(digital_signature=True), True)], pss=True)
    status = (ocsp.OCSPResponseBuilder()
              .add_response(cert=leaf, issuer=root, algorithm=hashes.SHA1(), cert_status=ocsp.OCSPCertStatus.GOOD,
                            this_update=MOMENT, next_update=MOMENT + datetime.timedelta(days=1),
                            revocation_time=None, revocation_reason=None)
              .responder_id(ocsp.OCSPResponderEncoding.HASH, responder).certificates([responder])
              .sign(responding, hashes.SHA256()))

    state, nonce, verifier, code = "golden-state", "golden-nonce", "golden-verifier-of-forty-three-characters-0", "GOLDEN-CODE-1"
    access = "golden.access.token"
    text = "<p>Pay 100 kr.</p>"
    common = {"iss": ISSUER, "nbf": NOW, "iat": NOW, "aud": CLIENT, "sub": "d6eb0dd5-5b56-4c6b-b6b4-2b8bb3b6a8a1",
              "transaction_id": "4f8a3b1c-5d6e-4f7a-8b9c-0d1e2f3a4b5c"}
    id_token = signed(signing, {"alg": "RS256", "kid": login["kid"], "typ": "JWT"}, common | {
        "exp": NOW + 300, "amr": ["code_app"], "nonce": nonce, "at_hash": base64url(hashlib.sha256(access.encode()).digest()[:16]),
        "sid": "A1B2C3", "neb_sid": "x", "auth_time": NOW, "idp": "mitid", "acr": "https://data.gov.dk/concept/core/nsis/Substantial",
        "loa": "https://data.gov.dk/concept/core/nsis/Substantial", "aal": "https://data.gov.dk/concept/core/nsis/High",
        "ial": "https://data.gov.dk/concept/core/nsis/Substantial", "identity_type": "private", "idtoken_type": "citizen",
        "idp_transaction_id": "0c1d2e3f", "session_expiry": str(NOW + 3600)})
    attested = signed(attesting, {"alg": "RS256", "kid": transaction["kid"], "typ": "JWT"}, common | {
        "exp": NOW + 189388800, "amr": "code_app", "transaction_actions": "APPROVE",
        "transaction_text_sha256": base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()})

    # The format is that of the broker's serializer.
    jwks = json.dumps({"keys": [login, transaction]}).replace("+", "\\u002B")
    golden = {
        "source": "the broker's documentation and recorded answers; made by Tests/Interop/Peers/golden_mitid.py",
        "issuer": ISSUER, "client": CLIENT, "now": NOW, "redirectURI": "https://service.test/callback",
        "state": state, "nonce": nonce, "verifier": verifier, "text": text, "root": base64.b64encode(der(root)).decode(),
        "discovery": json.dumps({
            "issuer": ISSUER, "jwks_uri": ISSUER + "/.well-known/openid-configuration/jwks",
            "authorization_endpoint": ISSUER + "/connect/authorize", "token_endpoint": ISSUER + "/connect/token",
            "userinfo_endpoint": ISSUER + "/connect/userinfo", "end_session_endpoint": ISSUER + "/connect/endsession",
            "pushed_authorization_request_endpoint": ISSUER + "/connect/par",
            "backchannel_authentication_endpoint": ISSUER + "/connect/ciba",
            "response_types_supported": ["code", "code id_token"], "response_modes_supported": ["form_post", "query", "fragment"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["plain", "S256"], "authorization_response_iss_parameter_supported": True,
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "private_key_jwt"]}),
        "jwks": jwks,
        "callback": urllib.parse.urlencode({"code": code, "scope": "openid mitid transaction_token", "state": state,
                                            "session_state": "s.1", "iss": ISSUER}),
        "aborted": urllib.parse.urlencode({"error": "access_denied", "error_description": "mitid_user_aborted", "state": state}),
        "tokenRequest": {"grant_type": "authorization_code", "code": code, "redirect_uri": "https://service.test/callback",
                         "code_verifier": verifier},
        "tokenResponse": json.dumps({
            "id_token": id_token, "access_token": access, "expires_in": 10800, "token_type": "Bearer",
            "scope": "openid mitid transaction_token", "transaction_token": attested,
            "transaction_token_ocsp_resp": base64.b64encode(status.public_bytes(serialization.Encoding.DER)).decode()}),
        "userInfo": json.dumps({
            "idp_identity_id": "a1", "mitid.uuid": "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4d", "mitid.age": "35",
            "mitid.date_of_birth": "1988-02-29", "mitid.has_cpr": "true", "mitid.identity_name": "Anna \u00c6bleskov",
            "mitid.transaction_id": "0c1d2e3f", "mitid.psd2": "false", "session_is_active": "true",
            "session_expiry": str(NOW + 3600), "sub": common["sub"]}),
    }
    place = pathlib.Path(__file__).parents[2] / "Vectors" / "Providers" / "mitid.json"
    place.parent.mkdir(exist_ok=True)
    place.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
