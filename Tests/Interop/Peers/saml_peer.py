"""The peer pysaml2 with the command xmlsec1: creates responses of a provider, and verifies messages of a service.

    saml_peer.py answer JSON        an ArtifactResponse in SOAP on standard output; members: see `answer`
    saml_peer.py check KIND FILE CERTIFICATE    KIND: authn, resolve, metadata; the ID of what was verified on standard output

Messages are built unsigned, and the finished document is signed through the backend: pysaml2's own `sign=True` signs before
the message is inside.
"""

import json
import sys
from datetime import datetime, timezone
from shutil import which

from saml2 import class_name, element_to_extension_element, md, saml, samlp, soap
from saml2.s_utils import success_status_factory
from saml2.sigver import CryptoBackendXmlSec1, pre_signature_part
from saml2.xmldsig import DIGEST_SHA1, DIGEST_SHA256, SIG_RSA_SHA1, SIG_RSA_SHA256

BACKEND = CryptoBackendXmlSec1(which("xmlsec1"))


def time(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def sign(text, element, key):
    return BACKEND.sign_statement(text, class_name(element), key, element.id)


def template(identifier, sha1):
    digest, method = (DIGEST_SHA1, SIG_RSA_SHA1) if sha1 else (DIGEST_SHA256, SIG_RSA_SHA256)
    return pre_signature_part(identifier, None, digest_alg=digest, sign_alg=method)


def answer(ask):
    """Takes issuer, audience, consumer, resolve, request, now, name, level, key; sha1: signs with SHA-1, which is rejected."""
    now, sha1 = ask["now"], ask.get("sha1", False)
    issuer = lambda: saml.Issuer(text=ask["issuer"])
    assertion = saml.Assertion(
        id="id-assertion", version="2.0", issue_instant=time(now), issuer=issuer(),
        signature=template("id-assertion", sha1),
        subject=saml.Subject(
            name_id=saml.NameID(text=ask["name"]),
            subject_confirmation=[saml.SubjectConfirmation(
                method=saml.SCM_BEARER,
                subject_confirmation_data=saml.SubjectConfirmationData(
                    in_response_to=ask["request"], recipient=ask["consumer"], not_on_or_after=time(now + 120)))]),
        conditions=saml.Conditions(
            not_before=time(now - 120), not_on_or_after=time(now + 120),
            audience_restriction=[saml.AudienceRestriction(audience=[saml.Audience(text=ask["audience"])])]),
        authn_statement=[saml.AuthnStatement(
            authn_instant=time(now), session_index="1", subject_locality=saml.SubjectLocality(address="127.0.0.1"),
            authn_context=saml.AuthnContext(authn_context_class_ref=saml.AuthnContextClassRef(text=ask["level"])))])
    response = samlp.Response(
        id="id-response", version="2.0", issue_instant=time(now), in_response_to=ask["request"],
        destination=ask["consumer"], issuer=issuer(), status=success_status_factory(), assertion=[assertion])
    artifact = samlp.ArtifactResponse(
        id="id-artifact", version="2.0", issue_instant=time(now), in_response_to=ask["resolve"])
    # Unknown members are written before all others, so that there must be none.
    parts = [issuer(), template("id-artifact", sha1), success_status_factory(), response]
    artifact.extension_elements = [element_to_extension_element(part) for part in parts]
    text = str(soap.make_soap_enveloped_saml_thingy(artifact))
    return sign(sign(text, assertion, ask["key"]), artifact, ask["key"])


def check(kind, text, certificate):
    if kind == "resolve":
        message = samlp.artifact_resolve_from_string(soap.parse_soap_enveloped_saml_artifact_resolve(text))
    elif kind == "authn":
        message = samlp.authn_request_from_string(text)
    else:
        message = md.entity_descriptor_from_string(text)
    message.verify()
    if not BACKEND.validate_signature(text, certificate, "pem", class_name(message), message.id):
        raise ValueError("the signature does not hold")
    return message.id


if sys.argv[1] == "answer":
    print(answer(json.loads(sys.argv[2])), end="")
else:
    with open(sys.argv[3], encoding="utf-8") as file:
        print(check(sys.argv[2], file.read(), sys.argv[4]))
