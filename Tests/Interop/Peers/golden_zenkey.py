"""Writes Tests/Vectors/Providers/zenkey.json: the messages of one ZenKey login, from the provider file and signed by joserfc.

Each request is what must be sent byte for byte, each answer what is read. Run anew only where the provider file changes."""

import base64
import hashlib
import json
import pathlib
import urllib.parse

from joserfc import jwk, jws

NOW = 1_700_000_000
CLIENT, SECRET, REDIRECT = "ccid-SP0001", "se:cr+et/with spaces", "https://service.test/callback"
STATE, NONCE = "golden-state-0123456789", "golden-nonce-0123456789"
VERIFIER = "golden-verifier-0123456789-0123456789-0123456789"
BINDING, CODE, ACCESS = "golden-binding", "golden-code/+=", "golden-access-token"
NEW, OLD = "https://oidc.verizon.com", "https://oidc.att.com"
CONTEXT = "Pay 10 € to Jane & Joe"


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def query(parameters):
    return urllib.parse.urlencode(parameters, quote_via=urllib.parse.quote, safe="-._~")


def signed(key, header, claims):
    # ZenKey's sample has a member `type`, which no RFC defines.
    registry = jws.JWSRegistry(algorithms=["RS256"], strict_check_header=False)
    return jws.serialize_compact({"alg": "RS256", **header}, text(claims).encode(), key, registry=registry)


def published(key, kid):
    return text({"keys": [{**key.as_dict(private=False), "kid": kid, "use": "sig"}]})


def configuration(issuer, **more):
    return text({
        "issuer": issuer, "authorization_endpoint": issuer + "/auth", "token_endpoint": issuer + "/token",
        "userinfo_endpoint": issuer + "/userinfo", "jwks_uri": issuer + "/jwks",
        "id_token_signing_alg_values_supported": ["RS256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"], **more})


def main():
    carrier, older = jwk.RSAKey.generate_key(2048), jwk.RSAKey.generate_key(2048)
    port = signed(older, {"kid": "old-1"}, {
        "iss": OLD, "sub": "mccmnc-old", "aud": CLIENT, "iat": NOW - 86_400})
    half = hashlib.sha256(ACCESS.encode()).digest()[:16]
    token = signed(carrier, {"kid": "vz-1", "type": "at+jwt"}, {
        "iss": NEW, "sub": "mccmnc-new", "aud": [CLIENT], "nonce": NONCE, "exp": NOW + 3600, "iat": NOW,
        "auth_time": NOW - 5, "acr": "a3", "amr": ["hwk", "pin"], "context": CONTEXT[:10], "at_hash": encoded(half),
        "aka": [port]})
    discovery = "https://discoveryissuer.myzenkey.com/.well-known/openid_configuration?" + query(
        {"client_id": CLIENT, "mccmnc": "001001"})
    document = {
        "source": "written from the guide for relying parties; signed by joserfc, Tests/Interop/Peers/golden_zenkey.py",
        "now": NOW, "client": CLIENT, "secret": SECRET, "redirectURI": REDIRECT, "state": STATE, "nonce": NONCE,
        "verifier": VERIFIER, "binding": BINDING, "context": CONTEXT, "mccmnc": "001001", "issuer": NEW,
        "authorization": query({
            "client_id": CLIENT, "response_type": "code", "scope": "email openid", "redirect_uri": REDIRECT,
            "state": STATE, "nonce": NONCE,
            "code_challenge": encoded(hashlib.sha256(VERIFIER.encode()).digest()), "code_challenge_method": "S256",
            "acr_values": "a3", "context": CONTEXT}),
        "callback": query({"code": CODE, "state": STATE}),
        "tokenAuthorization": "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode(),
        "tokenForm": query({
            "grant_type": "authorization_code", "code": CODE, "redirect_uri": REDIRECT, "code_verifier": VERIFIER}),
        "userInfoAuthorization": "Bearer " + ACCESS,
        "pages": {
            discovery: configuration(NEW, mccmnc=1001, link_branding="Verizon"),
            NEW + "/jwks": published(carrier, "vz-1"),
            NEW + "/token": text({
                "access_token": ACCESS, "token_type": "Bearer", "expires_in": 3600, "id_token": token,
                "correlation_id": "abcdefgh"}),
            NEW + "/userinfo": text({
                "sub": "mccmnc-new", "email": "jane@example.com", "email_verified": "true", "name": "Jane Doe"}),
            OLD + "/.well-known/openid-configuration": configuration(OLD),
            OLD + "/jwks": published(older, "old-1"),
        },
    }
    path = pathlib.Path(__file__).resolve().parents[2] / "Vectors" / "Providers" / "zenkey.json"
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
