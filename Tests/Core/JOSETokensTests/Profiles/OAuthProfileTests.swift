import JOSE
import JOSETokens
import Testing

@Suite("Request object (RFC 9101)") struct RequestObjectTests {
    private static let good = [
        "iss": #""client""#, "aud": #""https://id.example""#, "client_id": #""client""#, "response_type": #""code""#,
        "exp": "1700000060", "scope": #""openid""#,
    ]
    private static func profile(store: (any ReplayStore)? = nil) -> RequestObjectProfile {
        var profile = RequestObjectProfile(
            clientID: "client", server: ProfileFixture.issuer, algorithms: [.es256], replayStore: store)
        profile.claims.clock = .fixed(ProfileFixture.now)
        return profile
    }

    private static let cases: [ProfileCase] = [
        .refused("4: iss is the client", ["iss": #""other""#], .issuerMismatch),
        .refused("4: aud is the server", ["aud": #""https://other.example""#], .audienceMismatch),
        .refused("5: client_id", ["client_id": nil], .missing("client_id")),
        .refused("5: client_id of another", ["client_id": #""other""#], .invalid("client_id")),
        .refused("4: response_type", ["response_type": nil], .missing("response_type")),
        .refused("4: response_type is a string", ["response_type": #"["code"]"#], .invalid("response_type")),
        .refused("4: no request within", ["request": #""x""#], .forbidden("request")),
        .refused("4: no request_uri within", ["request_uri": "null"], .forbidden("request_uri")),
        .refused("10.8: the client as sub", ["sub": #""client""#], .invalid("sub")),
        .refused("exp", ["exp": nil], .missing("exp")), .accepted("a user as sub", ["sub": #""user""#]),
        .type("JWT"), .type(nil), .type("application/oauth-authz-req+jwt", good: true),
    ]

    @Test("each rule rejects a request object that violates it, and accepts one that meets it", arguments: cases)
    func rules(
        _ one: ProfileCase
    ) throws {
        try one.run(Self.profile(), claims: Self.good, type: "oauth-authz-req+jwt")
    }

    @Test(
        "a client without a name is rejected when the verifier is made, and with one each client_id that is no string")
    func emptyClient() throws {
        let fixture = try ProfileFixture()
        let empty = RequestObjectProfile(clientID: "", server: ProfileFixture.issuer, algorithms: [.es256])
        #expect(throws: TokenError.policyInvalid(.emptyList)) {
            try TokenVerifier(empty, verificationKeys: fixture.keys)
        }
        for value in ["5", "[]", #""""#] {
            try ProfileCase.refused(value, ["client_id": value], .invalid("client_id"))
                .run(Self.profile(), claims: Self.good, type: "oauth-authz-req+jwt")
        }
    }

    @Test("T67: with a replay store, a request object must have a jti and is accepted once") func replay() throws {
        let fixture = try ProfileFixture()
        let verifier = try TokenVerifier(Self.profile(store: InMemoryReplayStore()), verificationKeys: fixture.keys)
        let without = try fixture.sign(ProfileFixture.text(Self.good), type: "oauth-authz-req+jwt")
        #expect(throws: TokenError.claim(.missing("jti"))) { try verifier.verify(without) }
        let token = try fixture.sign(ProfileFixture.text(Self.good, ["jti": #""x""#]), type: "oauth-authz-req+jwt")
        #expect(throws: Never.self) { try verifier.verify(token) }
        #expect(throws: TokenError.replay(.seen)) { try verifier.verify(token) }
    }
}

@Suite("Authorization response, JARM") struct AuthorizationResponseTests {
    private static let good = [
        "iss": #""https://id.example""#, "aud": #""client""#, "exp": "1700000060", "code": #""c""#, "state": #""s""#,
    ]
    private static func profile(state: String? = "s") -> AuthorizationResponseProfile {
        var profile = AuthorizationResponseProfile(
            issuer: ProfileFixture.issuer, clientID: "client", state: state, algorithms: [.es256])
        profile.claims.clock = .fixed(ProfileFixture.now)
        return profile
    }

    private static let cases: [ProfileCase] = [
        .refused("2.4: iss", ["iss": #""https://evil.example""#], .issuerMismatch),
        .refused("2.4: aud", ["aud": #""other""#], .audienceMismatch),
        .refused("2.4: exp", ["exp": nil], .missing("exp")), .refused("2.4: expired", ["exp": "1699999940"], .expired),
        .refused("R04: state", ["state": nil], .missing("state")),
        .refused("R04: another state", ["state": #""S""#], .invalid("state")),
        .refused("R04: state is a string", ["state": "5"], .invalid("state")),
        .refused("2.1: nothing in it", ["code": nil, "sub": #""u""#], .missing("code")),
        .refused("2.1: code is a string", ["code": "5"], .invalid("code")),
        .refused("2.1: an error and a code", ["error": #""x""#], .forbidden("code")),
        .accepted("2.1: an error", ["code": nil, "error": #""access_denied""#]),
        .type("at+jwt"), .type("logout+jwt"), .type(nil, good: true),
    ]

    @Test("each rule rejects a response that violates it, and accepts one that meets it", arguments: cases) func rules(
        _ one: ProfileCase
    ) throws {
        try one.run(Self.profile(), claims: Self.good, type: "JWT")
    }

    @Test(
        "R04: a state that is no string does not equal an empty one",
        arguments: [
            ProfileCase.refused("a number", ["state": "5"], .invalid("state")),
            .refused("a list", ["state": "[]"], .invalid("state")),
            .refused("absent", ["state": nil], .missing("state")),
        ]) func emptyState(_ one: ProfileCase) throws
    {
        let good = Self.good.merging(["state": #""""#]) { $1 }
        try one.run(Self.profile(state: ""), claims: good, type: "JWT")
    }

    @Test("R04: a response with a state is rejected if the request had none") func unasked() throws {
        let fixture = try ProfileFixture()
        let verifier = try TokenVerifier(Self.profile(state: nil), verificationKeys: fixture.keys)
        let token = try fixture.sign(ProfileFixture.text(Self.good), type: nil)
        #expect(throws: TokenError.claim(.forbidden("state"))) { try verifier.verify(token) }
        let plain = try fixture.sign(ProfileFixture.text(Self.good, ["state": nil]), type: nil)
        #expect(throws: Never.self) { try verifier.verify(plain) }
    }
}

@Suite("Introspection response (RFC 9701)") struct IntrospectionTests {
    private static let good = [
        "iss": #""https://id.example""#, "aud": #""rs""#, "iat": "1700000000",
        "token_introspection": #"{"active":true,"sub":"u","exp":1700000060}"#,
    ]
    private static func profile() -> IntrospectionProfile {
        var profile = IntrospectionProfile(issuer: ProfileFixture.issuer, resource: "rs", algorithms: [.es256])
        profile.claims.clock = .fixed(ProfileFixture.now)
        return profile
    }

    private static let cases: [ProfileCase] = [
        .refused("5: iss", ["iss": nil], .issuerMismatch), .refused("5: aud", ["aud": #""other""#], .audienceMismatch),
        .refused("5: iat", ["iat": nil], .missing("iat")),
        .refused("8: an answer of long ago", ["iat": "1699999639"], .tooOld("iat")),
        .refused("5: the answer", ["token_introspection": nil], .missing("token_introspection")),
        .refused("5: an object", ["token_introspection": "true"], .invalid("token_introspection")),
        .refused("5: active", ["token_introspection": "{}"], .invalid("token_introspection")),
        .refused(
            "5: active is a boolean", ["token_introspection": #"{"active":"true"}"#], .invalid("token_introspection")),
        .type("JWT"), .type("at+jwt"), .type(nil), .type("application/token-introspection+jwt", good: true),
    ]

    @Test("each rule rejects a response that violates it, and accepts one that meets it", arguments: cases) func rules(
        _ one: ProfileCase
    ) throws {
        try one.run(Self.profile(), claims: Self.good, type: "token-introspection+jwt")
    }

    @Test("the introspected token is returned if it is active and has not expired") func within() throws {
        let fixture = try ProfileFixture()
        let verifier = try TokenVerifier(Self.profile(), verificationKeys: fixture.keys)
        func token(_ answer: String) throws -> Claims? {
            let text = ProfileFixture.text(Self.good, ["token_introspection": answer])
            return try Self.profile().activeToken(
                in: verifier.verify(fixture.sign(text, type: "token-introspection+jwt")))
        }
        let active = try token(#"{"active":true,"sub":"u","cnf":{"kid":"k"}}"#)
        #expect(try active?.subject == "u" && active?.confirmation()?.keyID == "k")
        #expect(try token(#"{"active":false,"sub":"u"}"#) == nil)
        #expect(throws: TokenError.claim(.expired)) { try token(#"{"active":true,"exp":1699999940}"#) }
        #expect(throws: TokenError.claim(.invalid("exp"))) { try token(#"{"active":true,"exp":"x"}"#) }
    }
}

@Suite("Userinfo (OpenID Connect Core 5.3.2)") struct UserInfoTests {
    private static let good = ["iss": #""https://id.example""#, "aud": #""client""#, "sub": #""u""#, "name": #""N""#]
    private static let signature = SignaturePolicy(algorithms: [.es256])
    private static let all: [TokenLayers] = [.signed, .nested, .encrypted]
    private static func profile(_ layers: TokenLayers, subject: String = "u") -> UserInfoProfile {
        let form: UserInfoProfile.Form =
            switch layers {
            case .signed: .signed(signature)
            case .nested: .nested(outer: ProfileFixture.encryption, inner: signature)
            case .encrypted: .encrypted(ProfileFixture.encryption)
            }
        var profile = UserInfoProfile(issuer: ProfileFixture.issuer, clientID: "client", subject: subject, form: form)
        profile.claims.clock = .fixed(ProfileFixture.now)
        return profile
    }

    private static let cases: [ProfileCase] = [
        .refused("iss of another", ["iss": #""https://other.example""#], .issuerMismatch),
        .refused("aud is another", ["aud": #""other""#], .audienceMismatch),
        .refused("aud lists others alone", ["aud": #"["other"]"#], .audienceMismatch),
        .accepted("aud lists the client and another", ["aud": #"["other","client"]"#]),
        .refused("sub", ["sub": nil], .missing("sub")), .refused("sub is a string", ["sub": "5"], .invalid("sub")),
        .refused("R11: the sub of another", ["sub": #""U""#], .invalid("sub")),
        .refused("an exp that has passed", ["exp": "1699999940"], .expired),
        .accepted("an exp within the leeway", ["exp": "1699999941"]),
        .refused("a negative exp", ["exp": "-1"], .invalid("exp")),
        .refused("exp is a number", ["exp": #""x""#], .invalid("exp")),
        .refused("an nbf in the future", ["nbf": "1700000061"], .notYetValid),
        .accepted("an nbf within the leeway", ["nbf": "1700000060"]),
        .refused("an iat in the future", ["iat": "1700000061"], .issuedInFuture("iat")),
        .refused("iat is a number", ["iat": #""x""#], .invalid("iat")),
        .accepted("no rule asks for azp", ["azp": "1"]), .accepted("no rule asks for nonce", ["nonce": "1"]),
        .accepted("no rule asks for auth_time", ["auth_time": #""x""#]),
    ]
    private static let ofSigned: [ProfileCase] = [
        .refused("iss where signed", ["iss": nil], .issuerMismatch),
        .refused("aud where signed", ["aud": nil], .audienceMismatch),
        .type("at+jwt"), .type(nil, good: true),
    ]
    private static let ofEncrypted: [ProfileCase] = [
        .accepted("no iss where only encrypted", ["iss": nil]), .accepted("no aud where only encrypted", ["aud": nil]),
    ]

    private static func run(_ one: ProfileCase, as layers: TokenLayers) throws {
        let profile = profile(layers)
        let rules = UserInfoProfile.rules(
            isToken: true, isSigned: layers != .encrypted, requiresIssuerAndAudience: true, isOfTenant: false)
        try one.run(profile, claims: good, type: "JWT", as: layers, rules: (rules, profile.claims))
    }

    @Test(
        "R11: each rule rejects userinfo that violates it, and accepts userinfo that meets it, and so does the list of rules",
        arguments: cases + ofSigned) func rules(_ one: ProfileCase) throws
    {
        for layers in [TokenLayers.signed, .nested] { try Self.run(one, as: layers) }
    }

    @Test(
        "R46: the rules for userinfo that is only encrypted are the same, and iss and aud may be absent",
        arguments: cases + ofEncrypted) func encrypted(_ one: ProfileCase) throws
    {
        try Self.run(one, as: .encrypted)
    }

    @Test("a registered claim of a wrong type is rejected, although no rule of the list asks for it (RFC 7519, 4.1)")
    func types() throws {
        for layers in Self.all {
            var profile = Self.profile(layers)
            profile.requiresIssuerAndAudience = false
            for (name, value) in [("jti", "1"), ("iss", "null"), ("aud", "null")] {
                let one = ProfileCase.refused("\(layers)", [name: value], .invalid(ClaimName(name)))
                try one.run(profile, claims: Self.good, type: "JWT", as: layers)
            }
        }
    }

    @Test("R48 claims that the outer header repeats must equal those of userinfo (RFC 7519, 5.3)")
    func copies() throws {
        for layers in [TokenLayers.nested, .encrypted] {
            try ProfileCase.runCopies(Self.profile(layers), claims: Self.good, type: "JWT", as: layers)
        }
    }

    @Test("sub has 1 to 255 ASCII characters, in every form of userinfo (OpenID Connect Core, 2)") func subjects()
        throws
    {
        let fixture = try ProfileFixture()
        let long = String(repeating: "a", count: 255)
        for (subject, isGood) in [
            ("u", true), (long, true), (long + "a", false), ("é", false), ("", false), ("\u{7F}", true),
        ] {
            let text = ProfileFixture.text(Self.good, ["sub": "\"\(subject)\""])
            for layers in Self.all {
                let verifier = try fixture.verifier(Self.profile(layers, subject: subject))
                let token = try fixture.token(text, type: nil, layers)
                if isGood {
                    #expect(throws: Never.self, "\(subject.utf8.count)") { try verifier.verify(token) }
                } else {
                    #expect(throws: TokenError.claim(.invalid("sub")), "\(subject.utf8.count)") {
                        try verifier.verify(token)
                    }
                }
            }
        }
    }

    @Test("R12: userinfo is accepted only in the registered form: signed, encrypted or both") func forms() throws {
        let fixture = try ProfileFixture()
        let text = ProfileFixture.text(Self.good)
        for registered in Self.all {
            let verifier = try fixture.verifier(Self.profile(registered))
            for layers in Self.all {
                let token = try fixture.token(text, type: nil, layers)
                if layers == registered {
                    #expect(throws: Never.self) { try verifier.verify(token) }
                } else {
                    #expect(throws: TokenError.self) { try verifier.verify(token) }
                }
            }
        }
        let verifier = try TokenVerifier(Self.profile(.encrypted), decryptionKeys: KeySet(fixture.reader))
        let bare = try fixture.encrypt(#"{"sub":"u"}"#, contentType: nil)
        #expect(throws: Never.self) { try verifier.verify(bare) }
        let foreign = try fixture.encrypt(#"{"sub":"u","iss":"x"}"#, contentType: nil)
        #expect(throws: TokenError.claim(.issuerMismatch)) { try verifier.verify(foreign) }
        let strange = try fixture.encrypt(#"{"sub":"u","aud":["x"]}"#, contentType: nil)
        #expect(throws: TokenError.claim(.audienceMismatch)) { try verifier.verify(strange) }
    }
}
