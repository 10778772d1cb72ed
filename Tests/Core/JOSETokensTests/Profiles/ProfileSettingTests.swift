import JOSE
import JOSETokens
import Testing

/// A setting of a profile is used, or no verifier can be created.
@Suite("Settings of profiles") struct ProfileSettingTests {
    private static let id = "https://id.example.com"

    /// A profile, its verifier, and a setting that its specification determines.
    private struct Case: Sendable {
        let name: String
        let make: @Sendable () throws -> Void
        init(_ name: String, _ make: @escaping @Sendable () throws -> Void) { (self.name, self.make) = (name, make) }
    }

    private static func verifier(_ profile: some TokenProfile) throws {
        let key = try PrivateKey.generate(.p256)
        let decryption = profile.policy.encryption == nil ? KeySet.empty : KeySet(key)
        _ = try TokenVerifier(
            profile, verificationKeys: profile.policy.signature == nil ? KeySet.empty : KeySet(key.publicKey),
            decryptionKeys: decryption)
    }

    private static func change<Profile: TokenProfile>(_ profile: Profile, _ change: (inout Profile) -> Void) throws {
        var profile = profile
        change(&profile)
        try verifier(profile)
    }

    private static var accessToken: AccessTokenProfile {
        AccessTokenProfile(issuer: id, resource: "api", algorithms: [.es256])
    }
    private static var idToken: IDTokenProfile {
        IDTokenProfile(issuer: id, clientID: "shop", nonce: nil, algorithms: [.es256])
    }
    private static var logout: LogoutTokenProfile {
        LogoutTokenProfile(issuer: id, clientID: "shop", algorithms: [.es256], replayStore: nil)
    }
    private static var assertion: ClientAssertionProfile {
        ClientAssertionProfile(clientID: "shop", server: id, algorithms: [.es256], replayStore: nil)
    }
    private static var request: RequestObjectProfile {
        RequestObjectProfile(clientID: "shop", server: id, algorithms: [.es256])
    }
    private static var response: AuthorizationResponseProfile {
        AuthorizationResponseProfile(issuer: id, clientID: "shop", state: "s", algorithms: [.es256])
    }
    private static var introspection: IntrospectionProfile {
        IntrospectionProfile(issuer: id, resource: "api", algorithms: [.es256])
    }
    private static func userInfo(_ form: UserInfoProfile.Form) -> UserInfoProfile {
        UserInfoProfile(issuer: id, clientID: "shop", subject: "u", form: form)
    }
    private static let encryption = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
    private static var typed: SignaturePolicy {
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .exactly("other")
        return signature
    }
    private static func dpop(_ change: (inout DPoPProfile) -> Void) throws {
        _ = try DPoPVerifier(algorithms: [.es256], replayStore: nil, adjusting: change)
    }

    private static let other = TypeRule.exactly("other")

    private static let rejected: [Case] = [
        Case("signature.type") { try change(accessToken) { $0.signature.type = .exactly("JWT") } },
        Case("signature.type") { try change(idToken) { $0.signature.type = other } },
        Case("signature.type") { try change(logout) { $0.signature.type = other } },
        Case("signature.type") { try change(assertion) { $0.signature.type = other } },
        Case("signature.type") { try change(request) { $0.signature.type = other } },
        Case("signature.type") { try change(response) { $0.signature.type = other } },
        Case("signature.type") { try change(introspection) { $0.signature.type = other } },
        Case("signature.type") { try dpop { $0.signature.type = other } },
        Case("signature.type") { try verifier(userInfo(.signed(typed))) },
        Case("signature.type") { try verifier(userInfo(.nested(outer: encryption, inner: typed))) },
        Case("claims.requiresExpiration") { try change(accessToken) { $0.claims.requiresExpiration = false } },
        Case("claims.requiresExpiration") { try change(idToken) { $0.claims.requiresExpiration = false } },
        Case("claims.requiresExpiration") { try change(logout) { $0.claims.requiresExpiration = false } },
        Case("claims.requiresExpiration") { try change(assertion) { $0.claims.requiresExpiration = false } },
        Case("claims.requiresExpiration") { try change(request) { $0.claims.requiresExpiration = false } },
        Case("claims.requiresExpiration") { try change(response) { $0.claims.requiresExpiration = false } },
        Case("claims.maximumLifetime") { try change(logout) { $0.claims.maximumLifetime = .seconds(60) } },
        Case("claims.maximumLifetime") { try change(assertion) { $0.claims.maximumLifetime = .seconds(60) } },
        Case("claims.maximumLifetime") { try change(request) { $0.claims.maximumLifetime = .seconds(60) } },
        Case("claims.maximumAge") { try dpop { $0.claims.maximumAge = .seconds(5) } },
        Case("claims.issuer") { try change(assertion) { $0.claims.issuer = .anyIssuerUnchecked } },
        Case("claims.issuer") { try change(request) { $0.claims.issuer = .oneOf(["shop", "other"]) } },
        Case("claims.subject") { try change(assertion) { $0.claims.subject = "other" } },
        Case("claims.audience") { try change(idToken) { $0.claims.audience = .oneOf(["shop", "app"]) } },
        Case("claims.accessToken") { try change(idToken) { $0.claims.accessToken = "t" } },
        Case("claims.code") { try change(idToken) { $0.claims.code = "c" } },
    ]

    @Test("T87 a setting that the profile determines is rejected when a verifier is created, and is never ignored")
    func settings() throws {
        for one in Self.rejected {
            #expect(throws: TokenError.policyInvalid(.setByProfile(one.name)), "\(one.name)") { try one.make() }
        }
        // Positive control: the profiles unchanged, with their own values, and with settings that they leave to the caller.
        try Self.verifier(Self.accessToken)
        try Self.verifier(Self.response)
        try Self.verifier(Self.introspection)
        try Self.verifier(Self.userInfo(.signed(SignaturePolicy(algorithms: [.es256]))))
        try Self.verifier(Self.userInfo(.encrypted(Self.encryption)))
        try Self.change(Self.userInfo(.encrypted(Self.encryption))) {
            $0.claims.issuer = .oneOf([Self.id, "b"])
            $0.claims.audience = .oneOf(["shop", "app"])
        }
        try Self.change(Self.accessToken) {
            $0.signature.type = .exactly("at+jwt")
            $0.claims.issuer = .oneOf([Self.id, "b"])
            $0.claims.maximumLifetime = .seconds(60)
        }
        try Self.change(Self.idToken) {
            $0.accessToken = "t"
            $0.claims.accessToken = "t"
            $0.claims.audience = .oneOf(["shop"])
            $0.claims.authorizedParty = "app"
            $0.claims.trustedAudiences = ["friend"]
        }
        try Self.change(Self.logout) {
            $0.type = .absentOr("logout+jwt")
            $0.signature.type = .absentOr("logout+jwt")
            $0.maximumLifetime = .seconds(60)
            $0.claims.maximumLifetime = .seconds(60)
        }
        try Self.change(Self.assertion) { $0.claims.subject = "shop" }
        try Self.change(Self.request) { $0.type = .absentOr("oauth-authz-req+jwt") }
        try Self.dpop { $0.maximumAge = .seconds(5) }
    }

    @Test("T87 an issuer of a profile's policy rejects such a setting too, and so does a verifier of several issuers")
    func others() throws {
        let key = try PrivateKey.generate(.p256)
        var changed = Self.accessToken
        changed.signature.type = Self.other
        let fault = TokenError.policyInvalid(.setByProfile("signature.type"))
        #expect(throws: Never.self) { try TokenIssuer(Self.accessToken.policy, signingKey: key) }
        #expect(throws: fault) { try TokenIssuer(changed.policy, signingKey: key) }
        #expect(throws: fault) { try TokenVerifier(changed.policy, verificationKeys: key) }
        #expect(throws: Never.self) {
            try TokenVerifier(issuers: [TrustedIssuer(Self.accessToken, keys: KeySet(key.publicKey))])
        }
        #expect(throws: fault) { try TokenVerifier(issuers: [TrustedIssuer(changed, keys: KeySet(key.publicKey))]) }
    }

    @Test("a profile whose tokens need no exp requires it if the caller does (RFC 9449, 4.2; RFC 9701, 5)")
    func expiration() throws {
        let key = try PrivateKey.generate(.p256)
        var profile = Self.introspection
        let token = try TokenIssuer(profile.policy, signingKey: key)
            .issue(json: Array(#"{"token_introspection":{"active":false}}"#.utf8))
        // The issuer adds `exp`, so that the token is accepted either way.
        profile.claims.requiresExpiration = true
        #expect(throws: Never.self) { try TokenVerifier(profile, verificationKeys: key).verify(token) }
        let now = Int64(WallClock.system.now.secondsSince1970)
        let bare = try JWSSigner(
            key: key, algorithm: .es256, header: HeaderParameters(type: "token-introspection+jwt")
        ).sign(
            Array(#"{"iss":"\#(Self.id)","aud":"api","iat":\#(now),"token_introspection":{"active":false}}"#.utf8))
        #expect(throws: Never.self) { try TokenVerifier(Self.introspection, verificationKeys: key).verify(bare) }
        #expect(throws: TokenError.claim(.missing("exp"))) {
            try TokenVerifier(profile, verificationKeys: key).verify(bare)
        }
    }
}
