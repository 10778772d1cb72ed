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
}
