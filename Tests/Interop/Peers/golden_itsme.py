"""Writes Tests/Vectors/Providers/itsme.json: logins with itsme in three generations as they go over the wire, taken from its documents, with
tokens that joserfc signs and encrypts. Nothing of it comes from the code under test. Run by hand when the messages change; the keys are made
anew.

golden_itsme.py --open: reads what a client made from standard input (a list of objects `jwt`, `decrypt`, `verify`), opens each with
joserfc, and prints headers and claims."""

import base64
import hashlib
import json
import pathlib
import sys
import urllib.parse

from joserfc import jwe, jwk, jws

NOW = 1_700_000_000
CLIENT, REDIRECT, SERVICE = "my-partner-code", "https://service.test/callback", "MY_LOGIN"
STATE, NONCE, CODE = "golden-state-0123456789", "golden-nonce-0123456789", "golden-code/+="
VERIFIER, BINDING = "golden-verifier-0123456789-0123456789-0123456789", "golden-binding"
ACCESS = "golden-access-token"
# A `sub` of the second generation has 32 characters.
SUBJECT = "2c8e4a5d9f104b7c3e1f60a7b8d92c45"

# The tag, which the documents of v1 write with the date twice, and the URL of v2.
V1, V2 = "tag:itsmetag:sixdots.be,2016-06:", "http://itsme.services/v2/claim/"
SEED, TODAY = ("RSA-OAEP", "A128CBC-HS256"), ("RSA-OAEP-256", "A128CBC-HS256")

# Issuer, paths, requested claims, `aud` of the request object, layers of ID token and userinfo, and whether the assertion is encrypted.
GENERATIONS = {
    "v1": {
        "profile": "itsme.v1", "issuer": "https://merchant.itsme.be/oidc", "level": V1 + "acr_advanced",
        "given": "tag:sixdots.be,2016-06:acr_advanced", "claims": [V1 + "claim_nationality", "tag:sixdots.be,2017-05:claim_device"],
        "object": "/token", "pair": None, "seed": SEED, "nested_assertion": False, "pkce": False},
    "v2": {
        "profile": "itsme.v2", "issuer": "https://idp.prd.itsme.services/v2", "level": V2 + "acr_advanced",
        "given": "http://itsme.services/V2/claim/acr_advanced", "claims": [V2 + "claim_citizenship", V2 + "BENationalNumber"],
        "object": "/authorization", "pair": SEED, "seed": SEED, "nested_assertion": True, "pkce": False},
    "now": {
        "profile": "itsme.now.key", "issuer": "https://idp.prd.itsme.services/v2", "level": V2 + "acr_advanced",
        "given": "http://itsme.services/V2/claim/acr_advanced", "claims": [V2 + "claim_citizenship", V2 + "BENationalNumber"],
        "object": "", "pair": TODAY, "seed": TODAY, "nested_assertion": False, "pkce": True},
}


def text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def query(parameters):
    return urllib.parse.urlencode(parameters, quote_via=urllib.parse.quote, safe="-._~")


def signed(key, claims):
    return jws.serialize_compact({"alg": "RS256", "kid": key.kid, "typ": "JWT"}, text(claims).encode(), key, algorithms=["RS256"])


def wrapped(token, key, pair):
    if pair is None:
        return token
    header = {"alg": pair[0], "enc": pair[1], "kid": key.kid, "cty": "JWT"}
    return jwe.encrypt_compact(header, token, key, algorithms=list(pair))


def key(kid, use):
    return jwk.RSAKey.generate_key(2048, {"kid": kid, "use": use})


def login(rules, theirs, encrypting, ours, decrypting):
    issuer, authorization = rules["issuer"], rules["issuer"] + "/authorization"
    wanted = text({"userinfo": {rules["claims"][0]: None, rules["claims"][1]: {"essential": True}}})
    plain = {
        "client_id": CLIENT, "response_type": "code", "scope": f"openid service:{SERVICE} profile", "redirect_uri": REDIRECT,
        "state": STATE, "nonce": NONCE}
    if rules["pkce"]:
        plain |= {"code_challenge": encoded(hashlib.sha256(VERIFIER.encode()).digest()), "code_challenge_method": "S256"}
    plain |= {"acr_values": rules["level"], "claims": wanted}
    common = {"iss": issuer, "sub": SUBJECT, "aud": CLIENT}
    id_token = common | {"iat": NOW, "exp": NOW + 300, "auth_time": NOW - 5, "nonce": NONCE, "acr": rules["given"]}
    claims = common | {"given_name": "Zoë", "family_name": "D'Hondt", "locale": "nl", "gender": "female", "birthdate": "1988-02-29"}
    claims[rules["claims"][0]] = "BE"
    form = {"grant_type": "authorization_code", "code": CODE, "redirect_uri": REDIRECT}
    if rules["pkce"]:
        form["code_verifier"] = VERIFIER
    form["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    return {
        "profile": rules["profile"], "issuer": issuer, "level": rules["level"], "claims": rules["claims"],
        "discovery": text({
            "issuer": issuer, "authorization_endpoint": authorization, "token_endpoint": issuer + "/token",
            "userinfo_endpoint": issuer + "/userinfo", "jwks_uri": issuer + "/jwkSet", "response_types_supported": ["code"],
            "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"]}),
        "jwks": text({"keys": [theirs.as_dict(private=False), encrypting.as_dict(private=False)]}),
        "authorization": query(plain),
        # The object has all parameters of the query and the audience; a JSON value stays JSON.
        "object": plain | {"claims": json.loads(wanted), "iss": CLIENT, "aud": issuer + rules["object"]},
        "objectHeaders": [
            {"alg": rules["seed"][0], "enc": rules["seed"][1], "kid": "e-itsme", "cty": "JWT"},
            {"alg": "RS256", "kid": "s1", "typ": "JWT"}],
        "callback": query({"code": CODE, "state": STATE}),
        # All parameters except the assertion, which is new each time.
        "tokenForm": query(form),
        "assertion": {"iss": CLIENT, "sub": CLIENT, "aud": issuer + "/token"},
        "assertionHeaders": ([
            {"alg": rules["seed"][0], "enc": rules["seed"][1], "kid": "e-itsme", "cty": "JWT"}] if rules["nested_assertion"] else []) + [
            {"alg": "RS256", "kid": "s1", "typ": "JWT"}],
        "tokenResponse": text({
            "access_token": ACCESS, "token_type": "Bearer", "expires_in": 3600,
            "id_token": wrapped(signed(theirs, id_token), decrypting, rules["pair"])}),
        "userInfoAuthorization": "Bearer " + ACCESS,
        "userInfo": wrapped(signed(theirs, claims), decrypting, rules["pair"]),
        "bareUserInfo": text(claims),
    }


def make():
    theirs, encrypting = key("s-itsme", "sig"), key("e-itsme", "enc")
    ours, decrypting = key("s1", "sig"), key("e1", "enc")
    document = {
        "source": "itsme's documents of Login and Share Data and of today; signed and encrypted by joserfc, Tests/Interop/Peers/golden_itsme.py",
        "now": NOW, "client": CLIENT, "service": SERVICE, "redirectURI": REDIRECT, "state": STATE, "nonce": NONCE, "code": CODE,
        "verifier": VERIFIER, "binding": BINDING, "subject": SUBJECT,
        "keys": {"signing": text(ours.as_dict(private=True)), "decryption": text(decrypting.as_dict(private=True)),
                 "provider": text(encrypting.as_dict(private=True))},
        "logins": {name: login(rules, theirs, encrypting, ours, decrypting) for name, rules in GENERATIONS.items()},
    }
    path = pathlib.Path(__file__).resolve().parents[2] / "Vectors" / "Providers" / "itsme.json"
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def opened(token, decrypting, verifying):
    headers = []
    if token.count(".") == 4:
        layer = jwe.decrypt_compact(token, jwk.RSAKey.import_key(json.loads(decrypting)), algorithms=[*SEED, *TODAY])
        headers.append(layer.protected)
        token = layer.plaintext.decode()
    layer = jws.deserialize_compact(token, jwk.RSAKey.import_key(json.loads(verifying)), algorithms=["RS256"])
    headers.append(layer.headers())
    return {"headers": headers, "claims": json.loads(layer.payload)}


def main():
    if sys.argv[1:] == ["--open"]:
        print(text([opened(each["jwt"], each["decrypt"], each["verify"]) for each in json.load(sys.stdin)]))
    else:
        make()


if __name__ == "__main__":
    main()
