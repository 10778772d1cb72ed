import JOSE
import JOSEItsme
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import Testing

@Suite("Layers of a provider's tokens") struct TokenReaderTests {
    private static func fixture(_ change: (inout TokenRules) -> Void = { _ in }) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        manner.idToken = .signed
        var profile = ProviderProfile(name: "own", production: nil)
        change(&profile.idToken.token)
        return try LoginFixture(profile, manner: manner, request: LoginRequest())
    }

    /// Returns an ID token with this header, signed by the provider.
    private static func token(
        _ claims: ClaimsBuilder, header: String, _ algorithm: SignatureAlgorithm = .rs256
    ) throws -> String {
        try Forge.signed(
            header: header, payload: String(decoding: claims.json(), as: UTF8.self),
            with: .privateKey(TestKeys.provider), algorithm)
    }

    @Test("R22: a token of the largest size is read, and a larger one is too large before its parts are counted")
    func sizes() async throws {
        let header = #"{"alg":"RS256","kid":"provider-signature"}"#
        let size = Mutex(0)
        let measured = try Self.fixture()
        measured.provider.script.idToken = { claims in
            let token = try Self.token(claims, header: header)
            size.withLock { $0 = token.utf8.count }
            return token
        }
        #expect(try await measured.login().subject == "user-1")
        let count = size.withLock { $0 }
        for (limit, failure) in [(count, nil), (count - 1, RelyingPartyError.idToken(.tooLarge))] {
            let fixture = try Self.fixture { $0.limits.tokenBytes = limit }
            #expect(try await fixture.failure { $0.idToken = { try Self.token($0, header: header) } } == failure)
        }
        let fixture = try Self.fixture { $0.limits.tokenBytes = count }
        for (length, reason) in [(count, RelyingPartyError.Reason.malformed), (count + 1, .tooLarge)] {
            let text = String(repeating: "a", count: length)
            #expect(try await fixture.failure { $0.idToken = { _ in text } } == .idToken(reason))
        }
    }

    @Test(
        "R10: a rejected type is reported after a wrong algorithm, and a token without a type has none (RFC 8725, 3.11)"
    )
    func rejectedTypes() async throws {
        let fixture = try Self.fixture { rules in
            rules.type = .any
            rules.acceptedTypes = ["secevent+jwt"]
        }
        for (name, algorithm, type, reason) in [
            ("RS256", .rs256, "", nil), ("RS256", .rs256, #","typ":"JWT""#, nil),
            ("RS256", .rs256, #","typ":"secevent+jwt""#, nil), ("RS256", .rs256, #","typ":"""#, nil),
            ("RS256", .rs256, #","typ":"at+jwt""#, RelyingPartyError.Reason.contentTypeMismatch),
            ("RS256", .rs256, #","typ":"application/AT+JWT""#, .contentTypeMismatch),
            ("PS256", .ps256, #","typ":"at+jwt""#, .algorithmNotAllowed),
            ("PS256", .ps256, #","typ":"JWT""#, .algorithmNotAllowed),
        ] as [(String, SignatureAlgorithm, String, RelyingPartyError.Reason?)] {
            let error = try await fixture.failure { script in
                script.idToken = { claims in
                    try Self.token(
                        claims, header: #"{"alg":"\#(name)","kid":"provider-signature"\#(type)}"#, algorithm)
                }
            }
            #expect(error == reason.map { RelyingPartyError.idToken($0) }, "\(name)\(type)")
        }
    }

    @Test("HS256 requires a client secret of 32 bytes (RFC 7518, 3.2), and encryption under its digest does not")
    func secretLengths() async throws {
        for (length, signature, isAccepted) in [
            (32, ItsmeSecretSignature.hs256, true), (31, .hs256, false), (31, .rs256, true),
        ] {
            var manner = ProviderManner(authentication: .secretPost)
            (manner.idToken, manner.userInfo) = (.direct, .direct)
            manner.signsWithSecret = signature == .hs256
            manner.secret = String(repeating: "s", count: length)
            func fixture() throws -> LoginFixture {
                try LoginFixture(
                    .itsmeSecret(signature: signature), manner: manner, request: LoginFixture.basic,
                    credentials: .secret(manner.secret))
            }
            guard isAccepted else {
                #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) { try fixture() }
                continue
            }
            #expect(try await fixture().login().subject == "user-1")
        }
    }

    @Test("a content encryption whose key is longer than the digest of the secret is a configuration error")
    func digestLengths() throws {
        func make(_ content: ContentEncryption) throws {
            var manner = ProviderManner(authentication: .secretPost)
            manner.idToken = .direct
            var profile = ProviderProfile(name: "own", production: nil)
            profile.client.authentication = [.clientSecretPost]
            profile.idToken.token.layers = .nested
            profile.idToken.token.keyManagement = [.dir]
            profile.idToken.token.contentEncryption = [content]
            profile.idToken.token.decryption = .secretDigest
            _ = try LoginFixture(
                profile, manner: manner, request: LoginRequest(), credentials: .secret(manner.secret))
        }
        for content in [ContentEncryption.a128gcm, .a192gcm, .a256gcm, .a128cbcHS256] { try make(content) }
        for content in [ContentEncryption.a192cbcHS384, .a256cbcHS512] {
            #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) { try make(content) }
        }
    }
}
