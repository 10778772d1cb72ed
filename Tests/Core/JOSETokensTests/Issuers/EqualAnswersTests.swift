import JOSE
import TestSupport
import Testing

@testable import JOSETokens

@Suite("Several issuers: every verifier has the same results", .serialized) struct EqualAnswersTests {
    private static let fixture = Result { try EqualAnswersFixture() }

    @Test(
        "T77 a nested token with its issuer only in the claims has one result in every kind of verification",
        arguments: [SignatureAlgorithm.es256, .ed25519, .edDSA, .rs256, .ps256, .hs256])
    func nested(algorithm: SignatureAlgorithm) async throws {
        let fixture = try Self.fixture.get()
        let tokens = try fixture.tokens(algorithm)
        for (name, verifier) in try fixture.verifiers(algorithm) {
            let alone = tokens.map { token in Seen { () throws(TokenError) in try verifier.verify(token.bytes) } }
            for (token, answer) in zip(tokens, alone) {
                #expect((answer.error == nil) == token.isValid, "\(algorithm.name), \(name), \(token.name)")
            }
            try await Self.expectEqual(tokens.map(\.bytes), verifier, alone, "\(algorithm.name), \(name)")
        }
    }

    @Test("T77 an encrypted token without a signature has one result in every kind of verification")
    func encrypted() async throws {
        let fixture = try Self.fixture.get()
        let verifier = try TokenVerifier(
            issuers: [
                TrustedIssuer(.encrypted(fixture.outer, claims: EqualAnswersFixture.claims(EqualAnswersFixture.a)))
            ],
            decryptionKeys: KeySet(fixture.mine))
        let claims = EqualAnswersFixture.payload(EqualAnswersFixture.a)
        let tokens = try [
            fixture.sealed(claims, issuer: nil), fixture.sealed(claims, issuer: EqualAnswersFixture.a),
            fixture.sealed(EqualAnswersFixture.payload(EqualAnswersFixture.b), issuer: nil),
            fixture.sealed(claims, issuer: nil, to: fixture.stranger),
        ].map { Array($0.utf8) }
        let alone = tokens.map { token in Seen { () throws(TokenError) in try verifier.verify(token) } }
        #expect(alone.map { $0.error == nil } == [true, true, false, false])
        try await Self.expectEqual(tokens, verifier, alone, "encrypted")
    }

    private static func expectEqual(
        _ tokens: [[UInt8]], _ verifier: TokenVerifier, _ alone: [Seen], _ comment: Comment
    ) async throws {
        try await expectSame(
            tokens, BatchVerifier(verifier), { (token) throws(TokenError) in try verifier.verify(token) }, comment,
            valid: alone.count { $0.error == nil })
        let coalescing = CoalescingVerifier(verifier, isMeasured: false)
        for (place, token) in tokens.enumerated() {
            let answer = await Self.seen(coalescing, token)
            #expect(
                answer == alone[place], "\(comment), coalesced, token \(place): \(String(describing: answer.error))")
        }
        let unequal = await withTaskGroup(of: Int.self) { group in
            for caller in 0..<8 {
                group.addTask {
                    var unequal = 0
                    for step in tokens.indices {
                        let place = (step + caller) % tokens.count
                        if await Self.seen(coalescing, tokens[place]) != alone[place] { unequal += 1 }
                    }
                    return unequal
                }
            }
            return await group.reduce(0, +)
        }
        #expect(unequal == 0, "\(comment), coalesced from eight tasks")
    }

    private static func seen(_ verifier: CoalescingVerifier, _ token: [UInt8]) async -> Seen {
        do throws(TokenError) {
            return Seen(.success(try await verifier.verify(token)))
        } catch {
            return Seen(.failure(error))
        }
    }
}

/// Two issuers with keys of every kind, and tokens of theirs that name the issuer outside, inside only, or wrongly.
private struct EqualAnswersFixture {
    static let a = "https://a.test"
    static let b = "https://b.test"
    let outer = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
    let mine: PrivateKey
    let stranger: PrivateKey
    private let keys: [String: [JWK]]

    struct Token {
        let name: String
        let bytes: [UInt8]
        var isValid = false
    }

    init() throws {
        mine = try .generate(.x25519)
        stranger = try .generate(.x25519)
        func two(_ make: () throws -> JWK) rethrows -> [JWK] { [try make(), try make()] }
        keys = [
            "EC": try two { .privateKey(try .generate(.p256)) },
            "OKP": try two { .privateKey(try .generate(.ed25519)) },
            "RSA": try two { .privateKey(try .stored()) },
            "oct": try two { .symmetricKey(try .generate(bits: 256)) },
        ]
    }

    /// The key of issuer a, then that of issuer b.
    private func keys(_ algorithm: SignatureAlgorithm) -> [JWK] {
        let kind =
            switch algorithm {
            case .es256: "EC"
            case .ed25519, .edDSA: "OKP"
            case .hs256: "oct"
            default: "RSA"
            }
        return keys[kind] ?? []
    }

    static func claims(_ issuer: String) -> ClaimPolicy {
        var claims = ClaimPolicy(issuer: .exactly(issuer), audience: "shop")
        claims.clock = .fixed(1_700_000_000)
        return claims
    }

    static func payload(_ issuer: String, expires: Int = 1_700_000_600) -> String {
        #"{"iss":"\#(issuer)","aud":"shop","sub":"u","exp":\#(expires)}"#
    }

    func sealed(_ content: String, issuer: String?, to recipient: PrivateKey? = nil) throws -> String {
        var header = HeaderParameters(contentType: content.hasPrefix("{") ? nil : "JWT")
        if let issuer { header.set("iss", json: Array("\"\(issuer)\"".utf8)) }
        return try JWEEncrypter(
            key: (recipient ?? mine).publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm, header: header
        ).encrypt(content)
    }

    private func signed(_ payload: String, _ key: JWK, _ algorithm: SignatureAlgorithm) throws -> String {
        switch key {
        case .privateKey(let key): try JWSSigner(key: key, algorithm: algorithm).sign(payload)
        case .symmetricKey(let key): try JWSSigner(key: key, algorithm: algorithm).sign(payload)
        case .publicKey: ""
        }
    }

    func tokens(_ algorithm: SignatureAlgorithm) throws -> [Token] {
        let keys = keys(algorithm)
        let (ofA, ofB) = (keys[0], keys[1])
        let inner = try signed(Self.payload(Self.a), ofA, algorithm)
        let innerOfB = try signed(Self.payload(Self.b), ofB, algorithm)
        let hidden = try sealed(inner, issuer: nil)
        func token(_ name: String, _ text: String, isValid: Bool = false) -> Token {
            Token(name: name, bytes: Array(text.utf8), isValid: isValid)
        }
        return [
            token("issuer inside only", hidden, isValid: true),
            token("issuer outside and inside", try sealed(inner, issuer: Self.a), isValid: true),
            token("signed only", innerOfB, isValid: true),
            token("another issuer's key inside", try sealed(signed(Self.payload(Self.a), ofB, algorithm), issuer: nil)),
            token(
                "an unknown issuer inside",
                try sealed(signed(Self.payload("https://c.test"), ofA, algorithm), issuer: nil)),
            token(
                "no issuer inside", try sealed(signed(#"{"aud":"shop","exp":1700000600}"#, ofA, algorithm), issuer: nil)
            ),
            token("an issuer without encryption inside", try sealed(innerOfB, issuer: nil)),
            token("another issuer outside", try sealed(inner, issuer: Self.b)),
            token("an unknown issuer outside", try sealed(inner, issuer: "https://c.test")),
            token(
                "expired", try sealed(signed(Self.payload(Self.a, expires: 1_600_000_000), ofA, algorithm), issuer: nil)
            ),
            token("claims without a signature inside", try sealed(Self.payload(Self.a), issuer: nil)),
            token("encrypted to another key", try sealed(inner, issuer: nil, to: stranger)),
            token("cut", String(hidden.dropLast(3))), token("signed only, where encryption is required", inner),
            token("again", hidden, isValid: true),
        ]
    }

    /// Returns verifiers of the same two issuers, with a decryption key that all share, or that one issuer has for itself.
    func verifiers(_ algorithm: SignatureAlgorithm) throws -> [(name: String, verifier: TokenVerifier)] {
        let keys = keys(algorithm)
        let inner = SignaturePolicy(algorithms: [algorithm])
        func nested(_ issuer: String) -> TokenPolicy {
            .nested(outer: outer, inner: inner, claims: Self.claims(issuer))
        }
        let ofA = KeySet([keys[0]])
        let ofB = TrustedIssuer(.signed(inner, claims: Self.claims(Self.b)), keys: KeySet([keys[1]]))
        return [
            (
                "shared decryption key",
                try TokenVerifier(
                    issuers: [TrustedIssuer(nested(Self.a), keys: ofA), ofB], decryptionKeys: KeySet(mine))
            ),
            (
                "own decryption key",
                try TokenVerifier(
                    issuers: [
                        TrustedIssuer(nested(Self.a), keys: ofA, decryptionKeys: KeySet(mine)), ofB,
                        TrustedIssuer(nested("https://d.test"), keys: ofA),
                    ], decryptionKeys: KeySet(mine))
            ),
        ]
    }
}
