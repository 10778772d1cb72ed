import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("Tokens of several issuers") struct MultiIssuerTests: IssuerFixture {
    let keys: TwoIssuersKeys
    init() throws { keys = try TwoIssuersKeys() }

    @Test("T09 one kid of two issuers selects two keys, and no token of one is accepted as the other's (RFC 8725, 3.8)")
    func sameName() throws {
        let verifier = try both
        #expect(verifier.policies.map(\.claims.issuer) == [.exactly(Self.a), .exactly(Self.b)])
        #expect(try verifier.verify(token(Self.a, keyOfA)).claims.issuer == Self.a)
        #expect(try verifier.verify(token(Self.b, keyOfB)).claims.issuer == Self.b)
        for (issuer, key) in [(Self.a, keyOfB), (Self.b, keyOfA)] {
            let relabelled = try token(issuer, key)
            #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature), "\(issuer)") {
                try verifier.verify(relabelled)
            }
        }
        // In the other order too: none is merely the first.
        let turned = try TokenVerifier(issuers: [
            TrustedIssuer(Self.signed(Self.b), keys: KeySet(keyOfB.publicKey)),
            TrustedIssuer(Self.signed(Self.a), keys: KeySet(keyOfA.publicKey)),
        ])
        #expect(throws: Never.self) { try turned.verify(token(Self.a, keyOfA)) }
        #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) {
            try turned.verify(token(Self.a, keyOfB))
        }
    }

    @Test("T55 the issuer is compared byte by byte, and a token of an unknown issuer uses no key (RFC 7519, 4.1.1)")
    func unknown() throws {
        let source = ChangingKeys(KeySet(keyOfA.publicKey))
        let verifier = try TokenVerifier(issuers: [TrustedIssuer(Self.signed(Self.a), keys: source)])
        for iss in [
            #""https://a.test/""#, #""https://A.test""#, #""HTTPS://a.test""#, #""https://a.test:443""#, #""""#, "null",
            #"["https://a.test"]"#, "5", #""https://a.test\u0000""#, #"" https://a.test""#,
        ] {
            let token = try token("", keyOfA, iss: iss)
            #expect(throws: TokenError.issuerUnknown, "\(iss)") { try verifier.verify(token) }
        }
        let without = try JWSSigner(key: keyOfA, algorithm: .es256).sign(#"{"aud":"shop","exp":9999999999}"#)
        #expect(throws: TokenError.issuerUnknown) { try verifier.verify(without) }
        let twice = try token("", keyOfA, iss: #""https://a.test","iss":"https://b.test""#)
        let fault = #expect(throws: TokenError.self) { try verifier.verify(twice) }
        guard case .jose(.malformed, .signature) = fault else { return #expect(Bool(false), "another error") }
        #expect(source.asked == 0 && source.missing.isEmpty)
        #expect(throws: Never.self) { try verifier.verify(token("", keyOfA, iss: #""https:\/\/a.test""#)) }
        #expect(source.asked == 1)

        let (composed, decomposed) = ("https://a.test/\u{E9}", "https://a.test/e\u{301}")
        let accented = try TokenVerifier(issuers: [
            TrustedIssuer(Self.signed(composed), keys: KeySet(keyOfA.publicKey)),
            TrustedIssuer(Self.signed(decomposed), keys: KeySet(keyOfB.publicKey)),
        ])
        #expect(throws: Never.self) { try accented.verify(token(composed, keyOfA)) }
        #expect(throws: Never.self) { try accented.verify(token(decomposed, keyOfB)) }
        #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) {
            try accented.verify(token(composed, keyOfB))
        }
    }

    @Test("a configuration is rejected unless each policy names exactly one issuer, and each issuer once")
    func configuration() throws {
        var anyone = Self.claims(Self.a)
        for rule in [IssuerRule.anyIssuerUnchecked, .oneOf([Self.a])] {
            anyone.issuer = rule
            let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: anyone)
            #expect(throws: TokenError.policyInvalid(.issuerNotExact)) {
                try TokenVerifier(issuers: [TrustedIssuer(policy)])
            }
        }
        let one = TrustedIssuer(Self.signed(Self.a), keys: KeySet(keyOfA.publicKey))
        #expect(throws: TokenError.policyInvalid(.issuerRepeated)) { try TokenVerifier(issuers: [one, one]) }
        #expect(throws: TokenError.policyInvalid(.emptyList)) { try TokenVerifier(issuers: []) }
        #expect(throws: Never.self) { try TokenVerifier(issuers: [one]) }
        var lax = Self.claims(Self.a)
        lax.leeway = .seconds(301)
        #expect(throws: TokenError.policyInvalid(.leeway)) {
            try TokenVerifier(issuers: [
                TrustedIssuer(.signed(SignaturePolicy(algorithms: [.es256]), claims: lax))
            ])
        }
    }

    @Test("text that is not a token is rejected with the error of a verifier for one issuer")
    func shapes() throws {
        let verifier = try both
        let parts = TokenError.jose(.malformed(ParseFailure(.token, .parts)), layer: .signature)
        for text in ["", "a", "a.b", "a.b.c.d", "a.b.c.d.e.f"] {
            #expect(throws: parts, "\(text)") { try verifier.verify(text) }
        }
        #expect(throws: TokenError.jose(.malformed(ParseFailure(.payload, .base64URL)), layer: .signature)) {
            try verifier.verify("e30.!.e30")
        }
        let large = try token(Self.a, keyOfA) + String(repeating: "a", count: ParsingLimits.standard.tokenBytes)
        #expect(throws: TokenError.jose(.limitExceeded(.tokenBytes), layer: .signature)) {
            try verifier.verify(large)
        }
        // Each issuer's own bound, where another's is wider.
        var narrow = SignaturePolicy(algorithms: [.es256])
        narrow.limits.tokenBytes = 50
        let uneven = try TokenVerifier(issuers: [
            TrustedIssuer(.signed(narrow, claims: Self.claims(Self.a)), keys: KeySet(keyOfA.publicKey)),
            TrustedIssuer(Self.signed(Self.b), keys: KeySet(keyOfB.publicKey)),
        ])
        #expect(throws: TokenError.jose(.limitExceeded(.tokenBytes), layer: .signature)) {
            try uneven.verify(token(Self.a, keyOfA))
        }
        #expect(throws: Never.self) { try uneven.verify(token(Self.b, keyOfB)) }
        // Encrypted, where no issuer's tokens are.
        let encrypted = try sealed(token(Self.a, keyOfA))
        #expect(throws: TokenError.issuerUnknown) { try verifier.verify(encrypted) }
        let hinted = try sealed(token(Self.a, keyOfA), "\"\(Self.a)\"")
        #expect(throws: parts) { try verifier.verify(hinted) }
    }

    @Test("T34 a token over the largest size limit of all issuers is rejected before its issuer is read")
    func size() throws {
        let known = try token(Self.a, keyOfA)
        let stranger = try token("https://c.test", keyOfA)
        let count = known.utf8.count
        #expect(stranger.utf8.count == count)
        func verifier(_ tokenBytes: Int) throws -> TokenVerifier {
            let issuers = [(Self.a, keyOfA, tokenBytes), (Self.b, keyOfB, tokenBytes - 1)].map { issuer, key, bytes in
                var signature = SignaturePolicy(algorithms: [.es256])
                signature.limits.tokenBytes = bytes
                return TrustedIssuer(
                    .signed(signature, claims: Self.claims(issuer)), keys: KeySet(key.publicKey))
            }
            return try TokenVerifier(issuers: issuers)
        }
        #expect(throws: Never.self) { try verifier(count).verify(known) }
        #expect(throws: TokenError.issuerUnknown) { try verifier(count).verify(stranger) }
        for token in [known, stranger] {
            #expect(throws: TokenError.jose(.limitExceeded(.tokenBytes), layer: .signature)) {
                try verifier(count - 1).verify(token)
            }
        }
    }

    @Test("a token waits only for its own issuer's key source, and no other source is notified")
    func waiting() async throws {
        let (ofA, ofB) = (ChangingKeys(.empty), ChangingKeys(.empty))
        let key = keyOfA.publicKey
        ofA.onRefresh { [weak ofA] in
            ofA?.set(KeySet(key))
            return true
        }
        ofB.onRefresh {
            Issue.record("asked the other")
            return true
        }
        let verifier = try TokenVerifier(
            issuers: [TrustedIssuer(Self.signed(Self.a), keys: ofA), TrustedIssuer(Self.nested(Self.b), keys: ofB)],
            decryptionKeys: KeySet(mine))
        let token = try token(Self.a, keyOfA)
        #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) { try verifier.verify(token) }
        #expect(try await verifier.verify(token, timeout: .seconds(1)).claims.issuer == Self.a)
        #expect(ofB.asked == 0 && ofB.missing.isEmpty)
        await #expect(throws: TokenError.issuerUnknown) {
            try await verifier.verify(self.token("https://c.test", keyOfA), timeout: .seconds(1))
        }
        // Within another token too, found by what is inside.
        let nested = ChangingKeys(.empty)
        nested.onRefresh { [weak nested] in
            nested?.set(KeySet(key))
            return true
        }
        let hidden = try TokenVerifier(
            issuers: [TrustedIssuer(Self.nested(Self.a), keys: nested)], decryptionKeys: KeySet(mine))
        #expect(try await hidden.verify(sealed(token), timeout: .seconds(1)).claims.issuer == Self.a)
        // And for a key of our own that is not there yet.
        let own = ChangingKeys(.empty)
        let mine = mine
        own.onRefresh { [weak own] in
            own?.set(KeySet(mine))
            return true
        }
        let opening = try TokenVerifier(
            issuers: [TrustedIssuer(Self.nested(Self.a), keys: KeySet(key))], decryptionKeys: own)
        #expect(try await opening.verify(sealed(token), timeout: .seconds(1)).claims.issuer == Self.a)
    }

    @Test("the profile of a token's issuer applies its own checks and calls its replay store")
    func profiles() throws {
        let issuer = try TestIssuer(
            issuer: Self.a, audience: "shop",
            adjusting: { ($0.required, $0.maximumLifetime) = (["jti"], .seconds(600)) })
        let store = InMemoryReplayStore(capacity: 10)
        let profile = OnceProfile(policy: issuer.policy, replayStore: store)
        let verifier = try TokenVerifier(issuers: [
            TrustedIssuer(profile, keys: issuer.verificationKeys),
            TrustedIssuer(Self.signed(Self.b), keys: KeySet(keyOfB.publicKey)),
        ])
        let token = try issuer.issue(["jti": "1"])
        #expect(throws: Never.self) { try verifier.verify(token) }
        #expect(throws: TokenError.replay(.seen)) { try verifier.verify(token) }
        let odd = try issuer.issue(["jti": "odd"])
        #expect(throws: TokenError.claim(.invalid("jti"))) { try verifier.verify(odd) }
        let free = try self.token(Self.b, keyOfB)
        for _ in 0..<2 { #expect(throws: Never.self) { try verifier.verify(free) } }
    }
}

/// Tokens that count once, by a number that is not odd.
private struct OnceProfile: TokenProfile {
    let policy: TokenPolicy
    let replayStore: (any ReplayStore)?

    func check(_ token: VerifiedToken) throws(TokenError) {
        if token.claims.tokenID == "odd" { throw .claim(.invalid("jti")) }
    }
}
