#!/usr/bin/env python3
"""op.py CERTIFICATE KEY CLIENT.json: idpyoidc's provider behind cheroot, over TLS on 127.0.0.1, for one client.

CLIENT.json: client_id, redirect_uri and jwks. Prints the port. The user is diana, who is always logged in. ID tokens are signed and then
encrypted: idpyoidc 5.0.0 can, and never does so by itself. It ends with its input.
"""
import json
import sys
import threading
from urllib.parse import parse_qs

from cheroot import wsgi
from cheroot.ssl.builtin import BuiltinSSLAdapter
from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration
from idpyoidc.server.token.id_token import IDToken

KEYS = [{"type": "RSA", "use": ["sig"]}, {"type": "EC", "crv": "P-256", "use": ["sig"]}]
PERSON = {"sub": "diana", "name": "Diana Krall", "given_name": "Diana", "family_name": "Krall",
          "email": "diana@person.test", "email_verified": False}


class EncryptedIDToken(IDToken):
    def __call__(self, *arguments, **named):
        return super().__call__(*arguments, **(named | {"encrypt": True}))


def configuration(issuer):
    token = {"class": "idpyoidc.server.token.jwt_token.JWTToken", "kwargs": {"lifetime": 600, "aud": [issuer]}}
    return {
        "issuer": issuer,
        "httpc_params": {"verify": False},
        "key_conf": {"key_defs": KEYS, "uri_path": "jwks.json"},
        "preference": {"scopes_supported": ["openid", "profile", "email"], "response_types_supported": ["code"],
                       "subject_types_supported": ["public", "pairwise"]},
        "endpoint": {
            "provider_config": {"path": ".well-known/openid-configuration",
                                "class": "idpyoidc.server.oidc.provider_config.ProviderConfiguration", "kwargs": {}},
            "authorization": {"path": "authorization", "class": "idpyoidc.server.oidc.authorization.Authorization",
                              "kwargs": {"response_types_supported": ["code"], "response_modes_supported": ["query"]}},
            "token": {"path": "token", "class": "idpyoidc.server.oidc.token.Token",
                      "kwargs": {"client_authn_method": ["private_key_jwt"]}},
            "userinfo": {"path": "userinfo", "class": "idpyoidc.server.oidc.userinfo.UserInfo",
                         "kwargs": {"claim_types_supported": ["normal"],
                                    "userinfo_encryption_alg_values_supported": ["RSA-OAEP"],
                                    "userinfo_encryption_enc_values_supported": ["A128CBC-HS256"]}},
        },
        "token_handler_args": {
            "jwks_def": {"private_path": "", "read_only": False, "key_defs": [
                {"type": "oct", "bytes": 24, "use": ["enc"], "kid": "code"}]},
            "code": {"lifetime": 180, "kwargs": {}},
            "token": token,
            "id_token": {"class": f"{__name__}.EncryptedIDToken", "kwargs": {
                "encrypt_id_token_supported": True,
                "id_token_encryption_alg_values_supported": ["RSA-OAEP"],
                "id_token_encryption_enc_values_supported": ["A128CBC-HS256"]}},
        },
        "authentication": {"anon": {"acr": "http://www.swamid.se/policy/assurance/al1",
                                    "class": "idpyoidc.server.user_authn.user.NoAuthn", "kwargs": {"user": "diana"}}},
        "userinfo": {"class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db": {"diana": PERSON}}},
        "claims_interface": {"class": "idpyoidc.server.session.claims.ClaimsInterface", "kwargs": {}},
        "add_ons": {"pkce": {"function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
                             "kwargs": {"essential": True, "code_challenge_methods": {"S256": "S256"}}}},
        "session_params": {"encrypter": {"kwargs": {"keys": {"key_defs": [
            {"type": "OCT", "use": ["enc"], "kid": "password"}, {"type": "OCT", "use": ["enc"], "kid": "salt"}]},
            "iterations": 1}}},
    }


class Application:
    def __init__(self, server):
        self.server, self.lock = server, threading.Lock()

    def __call__(self, environ, start):
        path = environ["PATH_INFO"].lstrip("/")
        if path == "jwks.json":
            document = json.dumps({"keys": [key.serialize() for key in self.server.keyjar.get_issuer_keys("")]})
            return self.send(start, 200, [("Content-Type", "application/json")], document)
        endpoint = next((each for each in self.server.endpoint.values() if each.endpoint_path == path), None)
        if endpoint is None:
            return self.send(start, 404, [], "")
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
        text = body if environ["REQUEST_METHOD"] == "POST" else environ.get("QUERY_STRING", "")
        request = {name: values[0] for name, values in parse_qs(text).items()}
        headers = {}
        if "HTTP_AUTHORIZATION" in environ:
            headers["authorization"] = environ["HTTP_AUTHORIZATION"]
        http = {"headers": headers, "url": self.server.issuer + "/" + path, "method": environ["REQUEST_METHOD"]}
        # Requests are processed one at a time, because sessions have no lock.
        with self.lock:
            parsed = endpoint.parse_request(request, http_info=http)
            if "error" in parsed:
                return self.send(start, 400, [("Content-Type", "application/json")], parsed.to_json())
            args = endpoint.process_request(parsed, http_info=http)
            if "error" in args:
                text = json.dumps({"error": args["error"], "error_description": args.get("error_description", "")})
                return self.send(start, 400, [("Content-Type", "application/json")], text)
            if "redirect_location" in args:
                return self.send(start, 303, [("Location", args["redirect_location"])], "")
            answer = endpoint.do_response(request=parsed, **args)
        response = answer["response"]
        if answer.get("response_placement", endpoint.response_placement) == "url":
            return self.send(start, 303, [("Location", response)], "")
        return self.send(start, 200, answer["http_headers"], response)

    @staticmethod
    def send(start, status, headers, text):
        body = text.encode() if isinstance(text, str) else text
        start(f"{status} -", [*headers, ("Content-Length", str(len(body)))])
        return [body]


def main():
    certificate, key, client = sys.argv[1:]
    front = wsgi.Server(("127.0.0.1", 0), None)
    front.ssl_adapter = BuiltinSSLAdapter(certificate, key)
    front.prepare()
    issuer = f"https://localhost:{front.bind_addr[1]}"
    server = Server(OPConfiguration(conf=configuration(issuer), base_path="."), cwd="/tmp")
    with open(client) as file:
        given = json.load(file)
    server.context.cdb[given["client_id"]] = {
        "client_id": given["client_id"], "redirect_uris": [(given["redirect_uri"], {})], "response_types": ["code"],
        "response_types_supported": ["code"], "token_endpoint_auth_method": "private_key_jwt",
        "client_salt": "salted-salted", "allowed_scopes": ["openid", "profile", "email"],
        "scope": ["openid", "profile", "email"],
        "id_token_signed_response_alg": "RS256", "id_token_encrypted_response_alg": "RSA-OAEP",
        "id_token_encrypted_response_enc": "A128CBC-HS256", "userinfo_signed_response_alg": "RS256",
        "userinfo_encrypted_response_alg": "RSA-OAEP", "userinfo_encrypted_response_enc": "A128CBC-HS256"}
    server.keyjar.import_jwks(given["jwks"], given["client_id"])
    front.wsgi_app = Application(server)
    threading.Thread(target=front.serve, daemon=True).start()
    print(front.bind_addr[1], flush=True)
    sys.stdin.read()
    front.stop()


if __name__ == "__main__":
    main()
