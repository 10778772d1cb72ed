import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("Token cache") struct TokenCacheTests {
    @Test("a token is found in the cache with the same claims, and without a cache nothing is stored")
    func hits() throws {
        let fixture = try CacheFixture()
        for policy in [fixture.signed(), fixture.nested()] {
            let token = try fixture.token(policy)
            let verifier = try fixture.verifier(policy)
            let (before, first) = (fixture.cache.lookups.hits, try verifier.verify(token))
            let again = try verifier.verify(token)
            #expect(fixture.cache.lookups.hits == before + 1)
            #expect(first.claims.payload == again.claims.payload && again.claims.subject == "u")
            #expect(again.key?.keyID == "theirs" && again.header.bytes == first.header.bytes)
            #expect(again.encryptionHeader?.bytes == first.encryptionHeader?.bytes)
            let plain = try TokenVerifier(
                policy, verificationKeys: KeySet(fixture.signing.publicKey), decryptionKeys: KeySet(fixture.recipient))
            let lookups = fixture.cache.lookups
            for _ in 0..<2 { #expect(try plain.verify(token).claims.subject == "u") }
            #expect(fixture.cache.lookups == lookups)
        }
        #expect(fixture.cache.count == 2 && fixture.cache.bytes > 1_000)
        fixture.cache.removeAll()
        #expect(fixture.cache.count == 0 && fixture.cache.bytes == 0)
    }

    @Test("a cached token is rejected after exp, and its entry is removed (RFC 7519, 4.1.4)")
    func expiration() throws {
        let fixture = try CacheFixture()
        let token = try fixture.token(fixture.signed())
        let verifier = try fixture.verifier(fixture.signed())
        for _ in 0..<2 { #expect(try verifier.verify(token).claims.subject == "u") }
        fixture.clock.advance(by: .seconds(599))
        #expect(try verifier.verify(token).claims.subject == "u")
        fixture.clock.advance(by: .seconds(1))
        #expect(fixture.error(verifier, token) == .claim(.expired))
        #expect(fixture.cache.lookups.hits == 3 && fixture.cache.count == 0)
    }

    @Test("nbf, age and auth_time of a cached token are checked each time (RFC 7519, 4.1.5 and 4.1.6)")
    func times() throws {
        let fixture = try CacheFixture()
        let now = Int64(fixture.clock.now.secondsSince1970)
        let token = try fixture.token(fixture.signed(), ["nbf": .integer(now), "auth_time": .integer(now - 100)])
        let cases: [(TokenError, Duration, (inout ClaimPolicy) -> Void)] = [
            (.claim(.notYetValid), .seconds(-1), { _ in }),
            (.claim(.tooOld("iat")), .seconds(61), { $0.maximumAge = .seconds(60) }),
            (.claim(.tooOld("auth_time")), .seconds(51), { $0.maximumAuthenticationAge = .seconds(150) }),
        ]
        for (failure, shift, adjust) in cases {
            let verifier = try fixture.verifier(fixture.signed(adjust))
            for _ in 0..<2 { #expect(fixture.error(verifier, token) == nil, "\(failure)") }
            let hits = fixture.cache.lookups.hits
            fixture.clock.advance(by: shift)
            #expect(fixture.error(verifier, token) == failure)
            fixture.clock.advance(by: .zero - shift)
            #expect(fixture.error(verifier, token) == nil, "\(failure)")
            #expect(fixture.cache.lookups.hits == hits + 2)
        }
    }

    @Test("verifiers with different policies do not share results in a shared cache")
    func identity() throws {
        let fixture = try CacheFixture()
        let token = try fixture.token(fixture.signed(), ["sub": "u", "nonce": "n1"])
        let verifier = try fixture.verifier(fixture.signed())
        for _ in 0..<2 { #expect(fixture.error(verifier, token) == nil) }
        let others: [(TokenError, (inout ClaimPolicy) -> Void)] = [
            (.claim(.audienceMismatch), { $0.audience = "bank" }),
            (.claim(.issuerMismatch), { $0.issuer = "https://other.example" }),
            (.claim(.invalid("nonce")), { $0.nonce = "n2" }),
        ]
        for (failure, adjust) in others {
            let other = try fixture.verifier(fixture.signed(adjust))
            for _ in 0..<2 { #expect(fixture.error(other, token) == failure) }
        }
        let stranger = try PrivateKey.generate(.ed25519, keyID: "theirs")
        let otherKeys = try fixture.verifier(fixture.signed(), keys: KeySet(stranger.publicKey))
        #expect(fixture.error(otherKeys, token) == .jose(.signatureInvalid, layer: .signature))
        #expect(fixture.error(try fixture.verifier(fixture.signed { $0.nonce = "n1" }), token) == nil)
    }

    @Test("the replay store is called for a cached token too, and its second use is rejected (T67)")
    func replay() throws {
        let fixture = try CacheFixture()
        let store = InMemoryReplayStore()
        var profile = ClientAssertionProfile(
            clientID: "client", server: "https://id.example", algorithms: [.ed25519], replayStore: store)
        profile.claims.clock = fixture.clock.wallClock
        let token = try fixture.token(profile.policy, ["sub": "client", "jti": "x"], lifetime: .seconds(60))
        let verifier = try TokenVerifier(
            profile, verificationKeys: KeySet(fixture.signing.publicKey), cache: fixture.cache)
        #expect(try verifier.verify(token).claims.tokenID == "x")
        for _ in 0..<2 { #expect(throws: TokenError.replay(.seen)) { try verifier.verify(token) } }
        #expect(fixture.cache.lookups.hits == 2 && store.count == 1)
    }

    @Test("a token without exp is not cached")
    func endless() throws {
        let fixture = try CacheFixture()
        let policy = fixture.signed { $0.requiresExpiration = false }
        let verifier = try fixture.verifier(policy)
        let endless = try Forge.signed(
            header: #"{"alg":"Ed25519"}"#, payload: #"{"iss":"https://id.example","aud":"shop"}"#,
            with: .privateKey(fixture.signing), .ed25519)
        for _ in 0..<2 { #expect(try verifier.verify(endless).claims.expiration == nil) }
        #expect(fixture.cache.count == 0 && fixture.cache.lookups.hits == 0)
        let control = try fixture.token(policy)
        for _ in 0..<2 { #expect(fixture.error(verifier, control) == nil) }
        #expect(fixture.cache.count == 1 && fixture.cache.lookups.hits == 1)
    }

    @Test("a cached token is found only by the verifier of its own issuer")
    func issuers() throws {
        let fixture = try CacheFixture()
        let policies = ["https://a.example", "https://b.example"].map { issuer in
            fixture.signed { $0.issuer = .exactly(issuer) }
        }
        let verifier = try TokenVerifier(
            issuers: policies.map { TrustedIssuer($0, keys: KeySet(fixture.signing.publicKey)) }, cache: fixture.cache)
        for policy in policies {
            let token = try fixture.token(policy)
            let hits = fixture.cache.lookups.hits
            for _ in 0..<3 { #expect(try verifier.verify(token).claims.subject == "u") }
            #expect(fixture.cache.lookups.hits == hits + 2)
        }
    }

    @Test("an external key is called once for a token whose layers are valid, also when its claims are rejected")
    func external() async throws {
        let fixture = try CacheFixture()
        let service = RemoteService()
        let receiving = try PrivateKey.stored(keyID: "far")
        let policy = TokenPolicy.nested(
            outer: EncryptionPolicy(keyManagement: [.rsaOAEP256], contentEncryption: [.a128cbcHS256]),
            inner: SignaturePolicy(algorithms: [.ed25519]), claims: fixture.claims())
        let token = try TokenIssuer(
            policy, signingKey: .privateKey(fixture.signing), encryptionKey: .publicKey(receiving.publicKey)
        ).issue(["sub": "u"])
        let verifier = try TokenVerifier(
            policy, verificationKeys: KeySet(fixture.signing.publicKey),
            externalKeys: [.unwrapper(RemoteUnwrapper(.privateKey(receiving), service))], cache: fixture.cache)
        for _ in 0..<3 { #expect(try await verifier.verify(token, timeout: .ample).claims.subject == "u") }
        #expect(await service.calls == 1)
        for _ in 0..<2 {
            await #expect(throws: TokenError.jose(.decryptionFailed, layer: .encryption)) {
                try await verifier.verify(CacheFixture.forged(token), timeout: .ample)
            }
        }
        #expect(await service.calls == 3)
        let stranger = try TokenIssuer(
            TokenPolicy.nested(
                outer: EncryptionPolicy(keyManagement: [.rsaOAEP256], contentEncryption: [.a128cbcHS256]),
                inner: SignaturePolicy(algorithms: [.ed25519]),
                claims: fixture.claims { $0.issuer = .exactly("https://other.example") }),
            signingKey: .privateKey(fixture.signing), encryptionKey: .publicKey(receiving.publicKey)
        ).issue(["sub": "u"])
        for _ in 0..<2 {
            await #expect(throws: TokenError.claim(.issuerMismatch)) {
                try await verifier.verify(stranger, timeout: .ample)
            }
        }
        #expect(await service.calls == 4)
    }
}
