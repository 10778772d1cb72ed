import JOSE
import JOSETesting
import JOSETokens
import Testing

/// The table of types by which kinds of tokens are told apart.
@Suite("Kinds of tokens by their typ (RFC 8725, 3.11)") struct TokenKindTests {
    private static let logout = [
        "iss": #""https://id.example""#, "aud": #""client""#, "sub": #""u""#, "exp": "1700000120", "iat": "1700000000",
        "jti": #""x""#, "events": #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#,
    ]
    private static let request = [
        "iss": #""client""#, "aud": #""https://id.example""#, "client_id": #""client""#, "exp": "1700000120",
        "response_type": #""code""#,
    ]
    private static let assertion = [
        "iss": #""client""#, "sub": #""client""#, "aud": #""https://id.example""#, "exp": "1700000120", "jti": #""x""#,
    ]

    /// Expects that a profile accepts its own type and `JWT`, and rejects the types of all other kinds.
    private func expect(_ profile: some TokenProfile, _ own: TokenKind, _ claims: [String: String]) throws {
        let fixture = try ProfileFixture()
        let verifier = try TokenVerifier(profile, verificationKeys: fixture.keys)
        for type in [nil, "JWT", own.rawValue, "application/" + own.rawValue, "unknown+jwt"] {
            let token = try fixture.sign(ProfileFixture.text(claims), type: type)
            #expect(throws: Never.self, "\(own): \(type ?? "absent")") { try verifier.verify(token) }
        }
        for kind in TokenKind.allCases where kind != own {
            for type in [kind.rawValue, "application/" + kind.rawValue.uppercased()] {
                let token = try fixture.sign(ProfileFixture.text(claims), type: type)
                #expect(throws: TokenError.jose(.headerInvalid(.type), layer: .signature), "\(own): \(type)") {
                    try verifier.verify(token)
                }
            }
        }
    }

    @Test("R43 a profile whose rule for typ is any rejects the types of all other kinds of token")
    func anyType() throws {
        var logout = LogoutTokenProfile(
            issuer: ProfileFixture.issuer, clientID: "client", algorithms: [.es256], replayStore: nil)
        var request = RequestObjectProfile(
            clientID: "client", server: ProfileFixture.issuer, algorithms: [.es256])
        var assertion = ClientAssertionProfile(
            clientID: "client", server: ProfileFixture.issuer, algorithms: [.es256], replayStore: nil)
        (logout.type, request.type, assertion.type) = (.any, .any, .any)
        (logout.claims.clock, request.claims.clock) = (.fixed(ProfileFixture.now), .fixed(ProfileFixture.now))
        assertion.claims.clock = .fixed(ProfileFixture.now)
        try expect(logout, .logoutToken, Self.logout)
        try expect(request, .requestObject, Self.request)
        try expect(assertion, .clientAssertion, Self.assertion)
    }

    @Test("each type is in the table once, in lower case and without the prefix application/")
    func table() {
        let types = TokenKind.allCases.map(\.rawValue)
        #expect(Set(types).count == types.count)
        for type in types { #expect(type == type.lowercased() && !type.contains("/") && !type.isEmpty) }
    }

    @Test("a rule for typ that names one value, or none, stays as it is where other kinds are rejected")
    func rules() {
        for rule in [TypeRule.absent, .exactly("x"), .absentOr("x")] {
            #expect(rule.rejecting(kindsOtherThan: []) == rule)
        }
        #expect(TypeRule.any.rejecting(["a"]) == .otherThan(["a"]))
        #expect(TypeRule.otherThan(["a"]).rejecting(["b"]) == .otherThan(["a", "b"]))
    }

    @Test("an issuer of a policy that rejects types writes JWT, and refuses a rejected one")
    func issuing() throws {
        let fixture = try ProfileFixture()
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .otherThan([TokenKind.logoutToken.rawValue])
        var claims = ClaimPolicy(issuer: ProfileFixture.issuer, audience: "client")
        claims.requiresExpiration = false
        let policy = TokenPolicy.signed(signature, claims: claims)
        let issuer = try TokenIssuer(policy, signingKey: .privateKey(fixture.key))
        #expect(try UnverifiedToken(issuer.issue(["sub": "u"])).header.type == "JWT")
        #expect(throws: TokenError.jose(.headerInvalid(.type), layer: .signature)) {
            try TokenIssuer(
                policy, signingKey: .privateKey(fixture.key), signatureHeader: HeaderParameters(type: "logout+jwt"))
        }
    }
}
