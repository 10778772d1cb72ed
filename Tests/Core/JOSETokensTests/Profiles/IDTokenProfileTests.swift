import JOSE
import JOSETokens
import Testing

@Suite("ID token (OpenID Connect Core)") struct IDTokenProfileTests {
    private static let good = [
        "iss": #""https://id.example""#, "aud": #""client""#, "sub": #""u""#, "exp": "1700000300", "iat": "1700000000",
        "nonce": #""n""#, "auth_time": "1699999990", "acr": #""high""#,
    ]
    // SHA-256 of the text, its left half: OpenID Connect Core, 3.1.3.6.
    private static func hash(_ value: String) -> String {
        "\"" + ((try? SignatureAlgorithm.es256.tokenHash(of: value)) ?? "") + "\""
    }

    private static func profile(
        _ change: (inout IDTokenProfile) -> Void = { _ in }
    ) -> IDTokenProfile {
        var profile = IDTokenProfile(
            issuer: ProfileFixture.issuer, clientID: "client", nonce: "n", algorithms: [.es256])
        profile.claims.clock = .fixed(ProfileFixture.now)
        profile.claims.acceptedACR = ["high"]
        profile.claims.maximumAuthenticationAge = .seconds(3600)
        profile.claims.trustedAudiences = ["friend"]
        profile.accessToken = "access"
        profile.code = "code"
        change(&profile)
        return profile
    }

    private static let otherTypes =
        TokenKind.allCases.map(\.rawValue)
        + ["application/logout+jwt", "AT+JWT", "unknown+jwt", ""]
    private static let types: [ProfileCase] =
        otherTypes.map { .type($0) } + ["jwt", "application/jwt", nil].map { .type($0, good: true) }
    private static let missing: [ProfileCase] =
        ["sub", "exp", "iat", "nonce", "auth_time", "acr"].map {
            .refused("2: without \($0)", [$0: nil], .missing(ClaimName($0)))
        }
    private static let cases: [ProfileCase] = [
        .refused("step 2: iss", ["iss": #""https://id.example/""#], .issuerMismatch),
        .refused("step 2: without iss", ["iss": nil], .issuerMismatch),
        .refused("step 3: aud", ["aud": #""other""#], .audienceMismatch),
        .refused("step 3: without aud", ["aud": nil], .audienceMismatch),
        .refused("step 3: an audience nobody trusts, without azp", ["aud": #"["client","x"]"#], .audienceMismatch),
        .refused(
            "step 3: an audience nobody trusts", ["aud": #"["client","x"]"#, "azp": #""client""#], .audienceMismatch
        ),
        .accepted("step 3: a trusted audience", ["aud": #"["client","friend"]"#, "azp": #""client""#]),
        .refused("step 4: azp with several audiences", ["aud": #"["client","friend"]"#], .missing("azp")),
        .refused("step 5: azp is the client", ["azp": #""friend""#], .invalid("azp")),
        .refused("step 5: azp is a string", ["azp": #"["client"]"#], .invalid("azp")),
        .refused("step 5: azp is no number", ["azp": "1"], .invalid("azp")),
        .accepted("step 5: azp", ["azp": #""client""#]),
        .accepted("step 5: null names no party", ["azp": "null"]),
        .refused(
            "step 4: null is no party for several audiences", ["aud": #"["client","friend"]"#, "azp": "null"],
            .missing("azp")),
        .refused("step 9: exp", ["exp": "1699999940"], .expired),
        .accepted("step 9: exp within the leeway", ["exp": "1699999941"]),
        .refused("step 9: exp is a number", ["exp": #""1700000300""#], .invalid("exp")),
        .refused("nbf, RFC 7519, 4.1.5", ["nbf": "1700000061"], .notYetValid),
        .refused("nbf is a number, RFC 7519, 4.1.5", ["nbf": #""1""#], .invalid("nbf")),
        .refused("step 10: iat in the future", ["iat": "1700000061"], .issuedInFuture("iat")),
        .refused("step 10: iat is a number", ["iat": #""1700000000""#], .invalid("iat")),
        .refused("jti is a string, RFC 7519, 4.1.7", ["jti": "1"], .invalid("jti")),
        .accepted("jti", ["jti": #""x""#]),
        .refused("step 11: another nonce", ["nonce": #""N""#], .invalid("nonce")),
        .refused("step 11: a number as nonce", ["nonce": "1"], .invalid("nonce")),
        .refused("step 12: acr", ["acr": #""low""#], .invalid("acr")),
        .refused("step 13: auth_time", ["auth_time": "1699990000"], .tooOld("auth_time")),
        .refused("step 13: auth_time in the future", ["auth_time": "1700000061"], .issuedInFuture("auth_time")),
        .refused("step 13: auth_time is a number", ["auth_time": #""1699999990""#], .invalid("auth_time")),
        .refused("2: sub is not empty", ["sub": #""""#], .invalid("sub")),
        .refused("2: sub is ASCII", ["sub": #""é""#], .invalid("sub")),
        .refused(
            "2: sub of 256 characters", ["sub": "\"" + String(repeating: "a", count: 256) + "\""], .invalid("sub")),
        .accepted("2: sub of 255 characters", ["sub": "\"" + String(repeating: "a", count: 255) + "\""]),
        .refused("2: sub is ASCII where it is escaped", ["sub": #""\u00e9""#], .invalid("sub")),
        .accepted("2: an escaped sub", ["sub": #""\u0075""#]),
        .refused("2: sub is a string", ["sub": "5"], .invalid("sub")),
        .refused("2: exp is not negative", ["exp": "-1"], .invalid("exp")),
        .refused("2: iat is not negative", ["iat": "-1"], .invalid("iat")),
        .refused("2: auth_time is not negative", ["auth_time": "-1"], .invalid("auth_time")),
        .accepted("2: iat may be 0", ["iat": "0"]),
        .accepted("step 11: an escaped nonce", ["nonce": #""\u006e""#]),
        .refused("step 11: a nonce of another length", ["nonce": #""nn""#], .invalid("nonce")),
        .refused("3.1.3.8: at_hash of another token", ["at_hash": hash("other")], .invalid("at_hash")),
        .refused("3.1.3.8: at_hash is a string", ["at_hash": "5"], .invalid("at_hash")),
        .accepted("3.1.3.8: at_hash", ["at_hash": hash("access")]),
        .refused("3.3.2.11: c_hash of another code", ["c_hash": hash("access")], .invalid("c_hash")),
        .refused("3.3.2.11: c_hash is a string", ["c_hash": "5"], .invalid("c_hash")),
        .accepted("3.3.2.11: c_hash", ["c_hash": hash("code")]),
        .refused("R24: a logout token is none", ["events": "{}"], .forbidden("events")),
    ]

    @Test(
        "R43 R44 each rule rejects a violation, and accepts a valid token, signed or nested, and so does the list of rules",
        arguments: missing + cases + types) func rules(_ one: ProfileCase) throws
    {
        let profile = Self.profile()
        let rules = (IDTokenProfile.rules, profile.values)
        try one.run(profile, claims: Self.good, type: "JWT", rules: rules)
        try one.run(Self.nested, claims: Self.good, type: "JWT", as: .nested, rules: rules)
    }

    private static let nested = profile { $0.encryption = ProfileFixture.encryption }

    @Test("a token is encrypted if the profile has an encryption policy, and only then (OpenID Connect Core, 2)")
    func layers() throws {
        let fixture = try ProfileFixture()
        let text = ProfileFixture.text(Self.good)
        for (profile, layers, layer) in [
            (Self.profile(), .signed, nil), (Self.profile(), .nested, .signature), (Self.nested, .nested, nil),
            (Self.nested, .signed, .encryption),
        ] as [(IDTokenProfile, TokenLayers, TokenLayer?)] {
            let verifier = try fixture.verifier(profile)
            let token = try fixture.token(text, type: "JWT", layers)
            if let layer {
                #expect(throws: TokenError.jose(.malformed(ParseFailure(.token, .parts)), layer: layer)) {
                    try verifier.verify(token)
                }
            } else {
                #expect(throws: Never.self) { try verifier.verify(token) }
            }
        }
    }

    @Test("R48 claims that the outer header repeats must equal those of the ID token (RFC 7519, 5.3)")
    func copies() throws {
        try ProfileCase.runCopies(Self.nested, claims: Self.good, type: "JWT", as: .nested)
    }

    @Test("iss is required if any issuer is accepted too, and is reported once if every failure is")
    func anyIssuer() throws {
        let profile = Self.profile { $0.claims.issuer = .anyIssuerUnchecked }
        let rules = (IDTokenProfile.rules, profile.values)
        for one in [
            ProfileCase.refused("absent", ["iss": nil], .missing("iss")),
            .refused("null", ["iss": "null"], .invalid("iss")), .accepted("any", ["iss": #""https://other.example""#]),
        ] { try one.run(profile, claims: Self.good, type: "JWT", rules: rules) }
        let every = Self.profile { $0.claims.reportsEveryFailure = true }
        let fixture = try ProfileFixture()
        let verifier = try fixture.verifier(every)
        let token = try fixture.sign(ProfileFixture.text(Self.good, ["iss": nil, "aud": nil]), type: "JWT")
        #expect(throws: TokenError.claims([.issuerMismatch, .audienceMismatch])) { try verifier.verify(token) }
    }

    @Test(
        "R11: an ID token from the front channel must have the hashes of the code and access token beside it",
        arguments: [
            ProfileCase.refused("at_hash", ["at_hash": nil], .missing("at_hash")),
            .refused("c_hash", ["c_hash": nil], .missing("c_hash")),
            .refused("at_hash of another", ["at_hash": hash("code")], .invalid("at_hash")),
            .refused("nonce", ["nonce": nil], .missing("nonce")),
        ]) func frontChannel(_ one: ProfileCase) throws
    {
        let profile = Self.profile { $0.isFromFrontChannel = true }
        let good = Self.good.merging(["at_hash": Self.hash("access"), "c_hash": Self.hash("code")]) { $1 }
        try one.run(profile, claims: good, type: "JWT")
    }

    @Test(
        "an authorized party of the claims is required in place of the client, such as an app that asks for its back end",
        arguments: [
            ProfileCase.refused("the client", ["azp": #""client""#], .invalid("azp")),
            .refused("absent", ["azp": nil], .missing("azp")), .refused("null", ["azp": "null"], .invalid("azp")),
            .refused("a list", ["azp": #"["app"]"#], .invalid("azp")),
            .accepted("several audiences", ["aud": #"["client","friend"]"#]),
        ]) func authorizedParty(_ one: ProfileCase) throws
    {
        let profile = Self.profile { $0.claims.authorizedParty = "app" }
        try one.run(profile, claims: Self.good.merging(["azp": #""app""#]) { $1 }, type: "JWT")
    }

    @Test("without trusted audiences the client is the only one (OpenID Connect Core, 3.1.3.7, step 3)")
    func otherAudiences() throws {
        let profile = Self.profile { $0.claims.trustedAudiences = nil }
        let changes: [String: String?] = ["aud": #"["client","friend"]"#, "azp": #""client""#]
        try ProfileCase.refused("another", changes, .audienceMismatch).run(profile, claims: Self.good, type: "JWT")
        try ProfileCase.accepted("alone", ["aud": #"["client"]"#]).run(profile, claims: Self.good, type: "JWT")
    }

    @Test("R05: without a sent nonce, no verifier of front-channel ID tokens can be created") func nonce() throws {
        let profile = Self.profile {
            $0.isFromFrontChannel = true
            $0.claims.nonce = nil
        }
        let keys = try ProfileFixture().keys
        #expect(throws: TokenError.policyInvalid(.contradiction)) { try TokenVerifier(profile, verificationKeys: keys) }
        let sent = Self.profile { $0.isFromFrontChannel = true }
        #expect(throws: Never.self) { try TokenVerifier(sent, verificationKeys: keys) }
    }
}
