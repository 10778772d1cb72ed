package import JOSE

/// A kind of token with a media type of its own, which `typ` states without the prefix `application/` (RFC 7515, 4.1.9;
/// RFC 8725, 3.11).
///
/// This is the one table of these types. A profile requires the type of its kind, or rejects those of all other kinds,
/// and so do the logins of the module `JOSERelyingParty`: whatever rule for `typ` a profile has, a token that says of
/// itself that it is of another kind is not accepted. ID tokens, userinfo and authorization responses have no type of
/// their own: their `typ` is `JWT` or absent.
package enum TokenKind: String, CaseIterable, Sendable {
    /// A JWT access token (RFC 9068, 2.1).
    case accessToken = "at+jwt"
    /// A request object (RFC 9101, 10.8).
    case requestObject = "oauth-authz-req+jwt"
    /// A client assertion whose issuer sets a type (the update of RFC 7523 for the audience of assertions).
    case clientAssertion = "client-authentication+jwt"
    /// An assertion that is an authorization grant and whose issuer sets a type (the same update of RFC 7523).
    case authorizationGrant = "authorization-grant+jwt"
    /// An assertion of an identity for another authorization server (OAuth Identity Assertion Authorization Grant).
    case identityAssertionGrant = "oauth-id-jag+jwt"
    /// A proof of possession of a key (RFC 9449, 4.2).
    case dpopProof = "dpop+jwt"
    /// A signed introspection response (RFC 9701, 5).
    case introspectionResponse = "token-introspection+jwt"
    /// The attestation of a client by its back end (OAuth 2.0 Attestation-Based Client Authentication).
    case clientAttestation = "oauth-client-attestation+jwt"
    /// The proof of possession that accompanies the attestation of a client.
    case clientAttestationProof = "oauth-client-attestation-pop+jwt"
    /// A transaction token within a trust domain (OAuth Transaction Tokens).
    case transactionToken = "txntoken+jwt"
    /// A security event token (RFC 8417, 2.3).
    case securityEvent = "secevent+jwt"
    /// A logout token (OpenID Connect Back-Channel Logout 1.0, 2.4).
    case logoutToken = "logout+jwt"
    /// A credential with selective disclosure (SD-JWT VC).
    case disclosableCredential = "dc+sd-jwt"
    /// A credential with selective disclosure, by the earlier name of the type.
    case earlierDisclosableCredential = "vc+sd-jwt"
    /// The proof of possession of a presented SD-JWT (RFC 9901, 4.3).
    case keyBinding = "kb+jwt"
    /// A verifiable credential (Securing Verifiable Credentials using JOSE and COSE, 3.1).
    case verifiableCredential = "vc+jwt"
    /// A verifiable presentation (the same specification, 3.1).
    case verifiablePresentation = "vp+jwt"
    /// The proof of possession in a request for a credential (OpenID for Verifiable Credential Issuance 1.0, appendix
    /// F).
    case credentialProof = "openid4vci-proof+jwt"
    /// A list of the states of tokens (Token Status List).
    case statusList = "statuslist+jwt"
    /// An entity statement (OpenID Federation 1.0, 3).
    case entityStatement = "entity-statement+jwt"
    /// A resolve response (OpenID Federation 1.0, 8.3).
    case resolveResponse = "resolve-response+jwt"
    /// A trust mark (OpenID Federation 1.0, 7).
    case trustMark = "trust-mark+jwt"
    /// A signed key set (OpenID Federation 1.0, 5.2).
    case signedKeySet = "jwk-set+jwt"
    /// An attestation of an entity (RFC 9782).
    case entityAttestation = "eat+jwt"
    /// An assertion about a telephone call, PASSporT (RFC 8225, 4.1).
    case callAssertion = "passport"
    /// A port token, in which a mobile network names the subject that a user had at another one before.
    case portToken = "port_token+jwt"

    /// Returns the types of all kinds but these.
    package static func types(otherThan types: [String]) -> [String] {
        allCases.map(\.rawValue).filter { !types.contains($0) }
    }
}

extension TypeRule {
    /// Returns the rule that also rejects the types of all kinds of token but these. A rule that accepts one value, or
    /// none, stays as it is.
    package func rejecting(kindsOtherThan kinds: [TokenKind]) -> TypeRule {
        rejecting(TokenKind.types(otherThan: kinds.map(\.rawValue)))
    }
}
