import JOSE
import JOSETokens
import Testing

@Suite("Access token (RFC 9068)") struct AccessTokenProfileTests {
    private static let good = [
        "iss": #""https://id.example""#, "aud": #""https://rs.example""#, "sub": #""u""#, "client_id": #""c""#,
        "exp": "1700000300", "iat": "1700000000", "jti": #""x""#, "scope": #""read write""#,
    ]
    private static func profile() -> AccessTokenProfile {
        var profile = AccessTokenProfile(
            issuer: .exactly(ProfileFixture.issuer), resource: "https://rs.example", algorithms: [.es256])
        profile.claims.clock = .fixed(ProfileFixture.now)
        profile.scopes = ["write"]
        return profile
    }

    private static let missing: [ProfileCase] =
        ["iss", "aud", "sub", "client_id", "exp", "iat", "jti"].map { name in
            let failure: ClaimFailure =
                switch name {
                case "iss": .issuerMismatch
                case "aud": .audienceMismatch
                default: .missing(ClaimName(name))
                }
            return .refused("2.2: without \(name)", [name: nil], failure)
        }
    private static let cases: [ProfileCase] = [
        .refused("2.2: client_id is a string", ["client_id": #"["c"]"#], .invalid("client_id")),
        .refused("2.2: jti is a string", ["jti": "7"], .invalid("jti")),
        .refused("4: the audience is this server", ["aud": #""https://other.example""#], .audienceMismatch),
        .accepted("2.2.3: scope as an array, as some servers write it", ["scope": #"["read","write"]"#]),
        .refused("2.2.3: an array without the scope", ["scope": #"["read"]"#], .invalid("scope")),
        .refused("2.2.3: an array with a word of two scopes", ["scope": #"["read write"]"#], .invalid("scope")),
        .refused("2.2.3: an array with a number", ["scope": #"["write",1]"#], .invalid("scope")),
        .refused("2.2.3: an array in an array", ["scope": #"[["write"]]"#], .invalid("scope")),
        .refused("2.2.3: an empty element", ["scope": #"["write",""]"#], .invalid("scope")),
        .refused("2.2.3: scope is no object", ["scope": #"{"write":true}"#], .invalid("scope")),
        .refused("2.2.3: scope is not null", ["scope": "null"], .invalid("scope")),
        .refused("2.2.3: a scope is a whole word", ["scope": #""read writer""#], .invalid("scope")),
        .refused("2.2.3: scopes keep their case", ["scope": #""Write""#], .invalid("scope")),
        .refused("2.2.3: a scope that is asked for", ["scope": nil], .missing("scope")),
        .accepted("3: several resources", ["aud": #"["a","https://rs.example"]"#]),
        .accepted("2.2.3: one scope", ["scope": #""write""#]),
        .type("JWT"), .type(nil), .type("at+jwt2"), .type("dpop+jwt"), .type("at+jwt\u{0}"),
        .type("application/at+jwt", good: true), .type("AT+JWT", good: true),
    ]

    @Test("each rule rejects a violation, and accepts a valid token", arguments: missing + cases) func rules(
        _ one: ProfileCase
    ) throws {
        try one.run(Self.profile(), claims: Self.good, type: "at+jwt")
    }

    @Test(
        "scope is not judged if no scope is required (RFC 9068, 2.2.3)",
        arguments: [
            ProfileCase.accepted("a list", ["scope": #"["write"]"#]), .accepted("null", ["scope": "null"]),
            .accepted("a number", ["scope": "1"]), .accepted("absent", ["scope": nil]),
            .accepted("empty", ["scope": #""""#]),
        ]) func scope(_ one: ProfileCase) throws
    {
        var profile = Self.profile()
        profile.scopes = []
        try one.run(profile, claims: Self.good, type: "at+jwt")
    }

    @Test("tokens issued with the profile's policy are accepted, encrypted if the profile requires it")
    func issued() throws {
        let fixture = try ProfileFixture()
        let reader = try PrivateKey.generate(.p256)
        var profile = Self.profile()
        let claims: ClaimsBuilder = ["sub": "u", "client_id": "c", "jti": "1", "scope": "write"]
        let issuer = try TokenIssuer(profile.policy, signingKey: .privateKey(fixture.key))
        #expect(throws: TokenError.claim(.missing("client_id"))) { try issuer.issue(["sub": "u", "jti": "1"]) }
        let plain = try issuer.issue(claims)
        #expect(try TokenVerifier(profile, verificationKeys: fixture.keys).verify(plain).header.type == "at+jwt")
        profile.encryption = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a256gcm])
        let nested = try TokenIssuer(
            profile.policy, signingKey: .privateKey(fixture.key), encryptionKey: .publicKey(reader.publicKey)
        ).issue(claims)
        let verifier = try TokenVerifier(
            profile, verificationKeys: fixture.keys, decryptionKeys: KeySet(reader))
        #expect(try verifier.verify(nested).claims.subject == "u")
        #expect(throws: TokenError.self) { try verifier.verify(plain) }
    }
}
