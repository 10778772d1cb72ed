import JOSE
import JOSETesting
import JOSETokens
import Testing

@Suite("Userinfo that is only encrypted (OpenID Connect Core, 5.3.2)") struct UserInfoProfileTests {
    private static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"

    /// Returns the failure of a response with these claims; nil if it is accepted.
    private func failure(
        issuer: IssuerRule, audience: AudienceRule = "client", _ claims: String
    ) throws -> ClaimFailure? {
        let key = try PrivateKey.generate(.p256)
        let policy = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        var profile = UserInfoProfile(
            issuer: ProfileFixture.issuer, clientID: "client", subject: "u", form: .encrypted(policy))
        (profile.claims.issuer, profile.claims.audience) = (issuer, audience)
        profile.claims.clock = .fixed(ProfileFixture.now)
        let token = try JWEEncrypter(
            key: key.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm
        ).encrypt(#"{"sub":"u"\#(claims)}"#)
        let verifier = try TokenVerifier(profile, decryptionKeys: KeySet(key))
        do {
            _ = try verifier.verify(token)
            return nil
        } catch .claim(let failure) {
            return failure
        }
    }

    @Test("R46 iss and aud that are present are compared with each kind of rule, and may be absent")
    func rules() throws {
        let (issuer, other) = (ProfileFixture.issuer, "https://other.example")
        let template = IssuerTemplate("https://id.example/{tenantid}/v2.0", tenants: .oneOf([Self.tenant]))
        let tenant = #","tid":"\#(Self.tenant)","iss":"https://id.example/"#
        for (rule, claims, wanted) in [
            (.exactly(issuer), "", nil), (.exactly(issuer), #","iss":"\#(issuer)""#, nil),
            (.exactly(issuer), #","iss":"\#(other)""#, .issuerMismatch),
            (.oneOf([issuer, other]), "", nil), (.oneOf([issuer, other]), #","iss":"\#(other)""#, nil),
            (.oneOf([issuer, other]), #","iss":"https://third.example""#, .issuerMismatch),
            (.oneOf([issuer, other]), #","iss":1"#, .invalid("iss")),
            (.template(template), "", nil), (.template(template), tenant + #"\#(Self.tenant)/v2.0""#, nil),
            (.template(template), tenant + #"x/v2.0""#, .issuerMismatch),
            (.anyIssuerUnchecked, #","iss":"\#(other)""#, nil),
        ] as [(IssuerRule, String, ClaimFailure?)] {
            #expect(try failure(issuer: rule, claims) == wanted, "\(rule)\(claims)")
        }
        for (rule, claims, wanted) in [
            (.exactly("client"), "", nil), (.exactly("client"), #","aud":["x","client"]"#, nil),
            (.exactly("client"), #","aud":"x""#, .audienceMismatch),
            (.oneOf(["client", "second"]), "", nil), (.oneOf(["client", "second"]), #","aud":["x","second"]"#, nil),
            (.oneOf(["client", "second"]), #","aud":"x""#, .audienceMismatch),
            (.anyAudienceUnchecked, #","aud":"x""#, nil),
        ] as [(AudienceRule, String, ClaimFailure?)] {
            #expect(try failure(issuer: .exactly(issuer), audience: rule, claims) == wanted, "\(rule)\(claims)")
        }
    }

    @Test("no verifier can be created with a template that is no template of issuers")
    func template() throws {
        let key = try PrivateKey.generate(.p256)
        for (text, isGood) in [("https://id.example/{tenantid}/v2.0", true), ("https://id.example/v2.0", false)] {
            var profile = UserInfoProfile(
                issuer: ProfileFixture.issuer, clientID: "client", subject: "u",
                form: .encrypted(ProfileFixture.encryption))
            profile.claims.issuer = .template(IssuerTemplate(text, tenants: .oneOf([Self.tenant])))
            if isGood {
                #expect(throws: Never.self) { try TokenVerifier(profile, decryptionKeys: KeySet(key)) }
            } else {
                #expect(throws: TokenError.policyInvalid(.issuerTemplate)) {
                    try TokenVerifier(profile, decryptionKeys: KeySet(key))
                }
            }
        }
    }
}

@Suite("Userinfo that is signed (OpenID Connect Core, 5.3.2)") struct SignedUserInfoTests {
    private typealias Tenants = IssuerTemplateTests

    /// Returns the failure of a response with these claims beside `sub`; nil if it is accepted.
    private func failure(
        _ claims: String, isRequired: Bool, issuer: IssuerRule? = nil, audience: AudienceRule? = nil,
        trusted: [String]? = nil, key: PrivateKey, by signer: PrivateKey? = nil
    ) throws -> TokenError? {
        var profile = UserInfoProfile(
            issuer: ProfileFixture.issuer, clientID: "client", subject: "u",
            form: .signed(SignaturePolicy(algorithms: [.es256])))
        profile.requiresIssuerAndAudience = isRequired
        if let issuer { profile.claims.issuer = issuer }
        if let audience { profile.claims.audience = audience }
        profile.claims.trustedAudiences = trusted
        profile.claims.clock = .fixed(ProfileFixture.now)
        let token = try JWSSigner(key: signer ?? key, algorithm: .es256).sign(#"{"sub":"u"\#(claims)}"#)
        let verifier = try TokenVerifier(profile, verificationKeys: KeySet(key.publicKey))
        do {
            _ = try verifier.verify(token)
            return nil
        } catch {
            return error
        }
    }

    @Test("iss and aud are required unless the provider's responses have none, and are compared where they are")
    func issuerAndAudience() throws {
        let key = try PrivateKey.generate(.p256, keyID: "k")
        let issuer = #","iss":"\#(ProfileFixture.issuer)""#
        let audience = #","aud":"client""#
        for (claims, isRequired, wanted) in [
            (issuer + audience, true, nil), (issuer + audience, false, nil), (audience, true, .issuerMismatch),
            (issuer, true, .audienceMismatch), (audience, false, nil), (issuer, false, nil), ("", false, nil),
            (#","iss":"https://other.example""#, false, .issuerMismatch),
            (#","aud":"other""#, false, .audienceMismatch), (#","aud":["other"]"#, false, .audienceMismatch),
            (#","aud":["other","client"]"#, false, nil),
        ] as [(String, Bool, ClaimFailure?)] {
            let found = try failure(claims, isRequired: isRequired, key: key)
            #expect(found == wanted.map { .claim($0) }, "\(claims) \(isRequired)")
        }
        let forged = try failure("", isRequired: false, key: key, by: .generate(.p256, keyID: "k"))
        #expect(forged == .jose(.signatureInvalid, layer: .signature))
    }

    @Test("iss and aud are required even if any issuer and any audience are accepted, unless the responses have none")
    func anyIssuerAndAudience() throws {
        let key = try PrivateKey.generate(.p256, keyID: "k")
        let (issuer, audience) = (#","iss":"https://other.example""#, #","aud":"other""#)
        for (claims, isRequired, wanted) in [
            (issuer + audience, true, nil), (audience, true, .missing("iss")), (issuer, true, .missing("aud")),
            (issuer + audience, false, nil), (audience, false, nil), (issuer, false, nil), ("", false, nil),
        ] as [(String, Bool, ClaimFailure?)] {
            let found = try failure(
                claims, isRequired: isRequired, issuer: .anyIssuerUnchecked, audience: .anyAudienceUnchecked, key: key)
            #expect(found == wanted.map { .claim($0) }, "\(claims) \(isRequired)")
        }
    }

    @Test("aud has no other audience than the client and the trusted ones, whether it is required or not")
    func trustedAudiences() throws {
        let key = try PrivateKey.generate(.p256, keyID: "k")
        for isRequired in [true, false] {
            for (audience, trusted, wanted) in [
                (#""client""#, ["partner"], nil), (#"["partner","client"]"#, ["partner"], nil),
                (#"["client","other"]"#, nil, nil), (#"["client","other"]"#, ["partner"], .audienceMismatch),
                (#"["client","partner"]"#, [], .audienceMismatch), (#""partner""#, ["partner"], .audienceMismatch),
            ] as [(String, [String]?, ClaimFailure?)] {
                let claims = #","iss":"\#(ProfileFixture.issuer)","aud":\#(audience)"#
                let found = try failure(claims, isRequired: isRequired, trusted: trusted, key: key)
                #expect(found == wanted.map { .claim($0) }, "\(audience) \(isRequired)")
            }
        }
    }

    @Test("with an issuer template iss is required in any case, because it names the tenant of the key")
    func tenants() throws {
        let key = try Tenants.key("shared", issuer: "\"\(Tenants.text)\"")
        let rule = IssuerRule.template(IssuerTemplate(Tenants.text, tenants: .oneOf([Tenants.tenantA])))
        let tenant = #","tid":"\#(Tenants.tenantA)""#
        let named = tenant + #","iss":"\#(Tenants.issuer(Tenants.tenantA))""#
        let foreign = tenant + #","iss":"\#(Tenants.issuer(Tenants.tenantB))""#
        for isRequired in [true, false] {
            func failure(_ claims: String) throws -> TokenError? {
                try self.failure(claims + #","aud":"client""#, isRequired: isRequired, issuer: rule, key: key)
            }
            #expect(try failure(named) == nil, "\(isRequired)")
            #expect(try failure(tenant) != nil && failure("") != nil, "\(isRequired)")
            #expect(try failure(foreign) == .claim(.issuerMismatch), "\(isRequired)")
        }
        #expect(try failure(named, isRequired: false, issuer: rule, key: key) == nil)
    }
}
