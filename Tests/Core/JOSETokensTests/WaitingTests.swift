import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Waiting for keys") struct WaitingTests {
    private let old: PrivateKey
    private let new: PrivateKey
    private let recipient: PrivateKey
    private let claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")

    init() throws {
        old = try PrivateKey.generate(.p256, keyID: "old")
        new = try PrivateKey.generate(.p256, keyID: "new")
        recipient = try PrivateKey.generate(.p256, keyID: "mine")
    }

    private var signed: TokenPolicy { .signed(SignaturePolicy(algorithms: [.es256]), claims: claims) }
    private var nested: TokenPolicy {
        .nested(
            outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]),
            inner: SignaturePolicy(algorithms: [.es256]), claims: claims)
    }

    private func token(_ key: PrivateKey, _ policy: TokenPolicy) throws -> String {
        var encryptionKey: JWK?
        if case .nested = policy.form { encryptionKey = .publicKey(recipient.publicKey) }
        return try TokenIssuer(policy, signingKey: .privateKey(key), encryptionKey: encryptionKey).issue(["sub": "u"])
    }

    /// A source that has the old key, and brings both by a refresh that ends some milliseconds later.
    private func source() -> ChangingKeys {
        let source = ChangingKeys(KeySet(old.publicKey))
        let both = KeySet([.publicKey(old.publicKey), .publicKey(new.publicKey)])
        source.onRefresh { [weak source] in
            try await Task.sleep(for: .milliseconds(5))
            source?.set(both)
            return true
        }
        return source
    }

    @Test("a missing key is an error at once without a timeout; with one, the token waits for the refresh")
    func waiting() async throws {
        for policy in [signed, nested] {
            let source = source()
            let verifier = try TokenVerifier(policy, verificationKeys: source, decryptionKeys: KeySet(recipient))
            let fresh = try token(new, policy)
            #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) { try verifier.verify(fresh) }
            #expect(try await verifier.verify(fresh, timeout: .ample).key?.keyID == "new")
            #expect(source.missing == [Array("new".utf8), Array("new".utf8)])
        }
    }

    @Test(
        "a token whose signature failed is verified once more if a refresh replaced the key under its kid (RFC 7517, 4.5)"
    )
    func replaced() async throws {
        var key = new
        key.keyID = "old"
        let next = key
        for policy in [signed, nested] {
            let source = ChangingKeys(KeySet(old.publicKey))
            source.onRefresh { [weak source] in
                source?.set(KeySet(next.publicKey))
                return true
            }
            let verifier = try TokenVerifier(policy, verificationKeys: source, decryptionKeys: KeySet(recipient))
            let fresh = try token(next, policy)
            #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) { try verifier.verify(fresh) }
            #expect(source.failed == [Array("old".utf8)] && source.missing.isEmpty)
            #expect(try await verifier.verify(fresh, timeout: .ample).key?.keyID == "old")
            // The refresh brings the same key again: the token is rejected after it.
            let late = try token(old, policy)
            await #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) {
                try await verifier.verify(late, timeout: .ample)
            }
            #expect(source.failed.count == 4 && source.missing.isEmpty)
        }
    }

    @Test("layers alone are verified once more if a refresh brought keys, and not otherwise") func layers() async throws
    {
        for policy in [signed, nested] {
            let fresh = try token(new, policy)
            let (brings, idle) = (source(), ChangingKeys(KeySet(old.publicKey)))
            func open(_ source: ChangingKeys) async throws -> VerifiedToken {
                try await LayersVerifier(
                    policy.form, contentType: .any, verificationKeys: source, decryptionKeys: KeySet(recipient)
                ).verify(Array(fresh.utf8), timeout: .ample)
            }
            #expect(try await open(brings).key?.keyID == "new")
            await #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) { try await open(idle) }
            #expect(idle.missing == [Array("new".utf8)])
        }
    }

    /// The drivers that wait for keys of a nested token.
    enum Driver: CaseIterable {
        case verifier, issuers, batch, coalescing, layers, explaining, explainingIssuers
    }

    /// Verifies a nested token, and returns the error with which it is rejected.
    private func error(
        _ driver: Driver, _ token: String, _ signing: ChangingKeys, _ opening: ChangingKeys
    ) async throws -> TokenError? {
        let bytes = Array(token.utf8)
        let hasIssuers = driver == .issuers || driver == .explainingIssuers
        let verifier =
            try hasIssuers
            ? TokenVerifier(issuers: [TrustedIssuer(nested, keys: signing)], decryptionKeys: opening)
            : TokenVerifier(nested, verificationKeys: signing, decryptionKeys: opening)
        do throws(TokenError) {
            switch driver {
            case .verifier, .issuers: _ = try await verifier.verify(bytes, timeout: .ample)
            case .coalescing: _ = try await CoalescingVerifier(verifier).verify(bytes, timeout: .ample)
            case .layers:
                _ = try await LayersVerifier(
                    nested.form, contentType: .any, verificationKeys: signing, decryptionKeys: opening
                ).verify(bytes, timeout: .ample)
            case .batch, .explaining, .explainingIssuers: break
            }
        } catch {
            return error
        }
        switch driver {
        case .batch:
            let results = try await BatchVerifier(verifier).verify([bytes], timeout: .ample)
            if case .failure(let error) = results[0] { return error }
        case .explaining, .explainingIssuers: return try await verifier.explain(bytes, timeout: .ample).error
        case .verifier, .issuers, .coalescing, .layers: break
        }
        return nil
    }

    /// A source that lacks the key, and of which a refresh brings it, or nothing.
    private func late(_ key: PrivateKey, _ outage: KeysUnavailableReason?, comes: Bool) -> ChangingKeys {
        let held = KeySet(old)
        let source = ChangingKeys(outage.map { .failure(.keysUnavailable($0)) } ?? .success(held))
        let keys = comes ? KeySet(key) : held
        source.onRefresh { [weak source] in
            if comes || outage == nil { source?.set(keys) }
            return true
        }
        return source
    }

    @Test(
        "the keys of both layers of a nested token are awaited, those of each layer once", arguments: Driver.allCases)
    func bothLayers(driver: Driver) async throws {
        let fresh = try token(new, nested)
        for outage in [nil, KeysUnavailableReason.notFetched] {
            let missing = outage.map { JOSEError.keysUnavailable($0) } ?? .keyNotFound
            let cases: [(comes: (signing: Bool, opening: Bool), error: TokenError?)] = [
                ((true, true), nil), ((false, true), .jose(missing, layer: .signature)),
                ((true, false), .jose(missing, layer: .encryption)),
                ((false, false), .jose(missing, layer: .encryption)),
            ]
            for (comes, expected) in cases {
                let signing = late(new, outage, comes: comes.signing)
                let opening = late(recipient, outage, comes: comes.opening)
                #expect(try await error(driver, fresh, signing, opening) == expected, "\(comes)")
            }
            // Nobody refreshes: the error is that of the first attempt.
            let (signing, opening) = (late(new, outage, comes: true), late(recipient, outage, comes: true))
            signing.onRefresh(nil)
            opening.onRefresh(nil)
            #expect(try await error(driver, fresh, signing, opening) == .jose(missing, layer: .encryption))
        }
    }

    @Test("the attempts that wait for keys are bounded by the number of layers") func attempts() async throws {
        let fresh = try token(new, nested)
        let (mine, theirs) = (Array("mine".utf8), Array("new".utf8))
        let signing = late(new, nil, comes: true), opening = late(recipient, nil, comes: true)
        #expect(try await error(.verifier, fresh, signing, opening) == nil)
        #expect(opening.missing == [mine] && signing.missing == [theirs])
        // Refreshes that bring nothing: each layer has one attempt before its wait, and one after it.
        let idle = late(new, nil, comes: false), found = late(recipient, nil, comes: true)
        #expect(try await error(.verifier, fresh, idle, found) == .jose(.keyNotFound, layer: .signature))
        #expect(found.missing == [mine] && idle.missing == [theirs, theirs])
    }

    @Test("an SD-JWT waits for a missing or replaced key of its issuer, in both serializations (RFC 9901, 7)")
    func disclosing() async throws {
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .exactly("example+sd-jwt")
        let fresh = try SDJWTIssuer(key: new, algorithm: .es256, type: "example+sd-jwt")
            .issue(["iss": "https://id.example", "aud": "shop", "exp": 4_000_000_000, "sub": "u"], hiding: ["sub"])
        let json = try fresh.json()
        for isJSON in [false, true] {
            func verify(_ source: ChangingKeys) async throws -> VerifiedSDJWT {
                let verifier = try SDJWTVerifier(signature, claims: claims, verificationKeys: source)
                if isJSON { return try await verifier.verify(json: json, timeout: .ample) }
                return try await verifier.verify(fresh.text, timeout: .ample)
            }
            let idle = ChangingKeys(KeySet(old.publicKey))
            await #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) { try await verify(idle) }
            #expect(idle.missing == [Array("new".utf8)])
            let verified = try await verify(source())
            #expect(verified.key.keyID == "new" && verified.claims.subject == "u")
            var other = old
            other.keyID = "new"
            let replaced = ChangingKeys(KeySet(other.publicKey))
            let keys = KeySet(new.publicKey)
            replaced.onRefresh { [weak replaced] in
                replaced?.set(keys)
                return true
            }
            #expect(try await verify(replaced).claims.subject == "u")
            #expect(replaced.failed == [Array("new".utf8)] && replaced.missing.isEmpty)
        }
    }

    @Test("a token whose key is known, or which no key could make valid, causes no refresh")
    func noWaiting() async throws {
        let source = source()
        source.onRefresh {
            Issue.record("waited")
            return true
        }
        let verifier = try TokenVerifier(signed, verificationKeys: source)
        let held = try token(old, signed)
        #expect(try await verifier.verify(held, timeout: .seconds(1)).key?.keyID == "old")
        let expired = try TokenVerifier(
            .signed(
                SignaturePolicy(algorithms: [.es256]),
                claims: {
                    var claims = claims
                    claims.clock = .fixed(9_000_000_000)
                    return claims
                }()), verificationKeys: source)
        await #expect(throws: TokenError.claim(.expired)) { try await expired.verify(held, timeout: .seconds(1)) }
        await #expect(throws: TokenError.jose(.malformed(ParseFailure(.token, .parts)), layer: .signature)) {
            try await verifier.verify("a.b", timeout: .seconds(1))
        }
    }

    @Test("the first error is reported if the refresh brings no key, times out or does not happen")
    func inVain() async throws {
        let fresh = try token(new, signed)
        let missing = TokenError.jose(.keyNotFound, layer: .signature)
        for answer in [true, false] {
            let source = ChangingKeys(KeySet(old.publicKey))
            source.onRefresh { answer }
            let verifier = try TokenVerifier(signed, verificationKeys: source)
            await #expect(throws: missing) { try await verifier.verify(fresh, timeout: .seconds(1)) }
            // Once more, and no further.
            #expect(source.asked == (answer ? 2 : 1))
        }
        let source = ChangingKeys(KeySet(old.publicKey))
        let verifier = try TokenVerifier(signed, verificationKeys: source)
        await #expect(throws: missing) { try await verifier.verify(fresh, timeout: .seconds(1)) }
        source.set(KeySet(new.publicKey))
        #expect(try await verifier.verify(fresh, timeout: .ample).key?.keyID == "new")
    }

    @Test("a token waits for the first fetch of keys, and a cancelled call throws cancelled")
    func first() async throws {
        let source = ChangingKeys(.failure(.keysUnavailable(.notFetched)))
        let verifier = try TokenVerifier(signed, verificationKeys: source)
        let fresh = try token(new, signed)
        let keys = KeySet(new.publicKey)
        #expect(throws: TokenError.jose(.keysUnavailable(.notFetched), layer: .signature)) {
            try verifier.verify(fresh)
        }
        source.onRefresh { throw CancellationError() }
        await #expect(throws: TokenError.cancelled) { try await verifier.verify(fresh, timeout: .seconds(1)) }
        source.onRefresh { [weak source] in
            source?.set(keys)
            return true
        }
        #expect(try await verifier.verify(fresh, timeout: .ample).key?.keyID == "new")
    }

    @Test("a token of a profile waits for a missing key too")
    func profiles() async throws {
        let source = source()
        let profile = IDTokenProfile(
            issuer: "https://id.example", clientID: "shop", nonce: nil, algorithms: [.es256])
        let issuer = try TokenIssuer(profile.policy, signingKey: .privateKey(new))
        let fresh = try issuer.issue(["sub": "u"])
        let verifier = try TokenVerifier(profile, verificationKeys: source)
        #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) { try verifier.verify(fresh) }
        #expect(try await verifier.verify(Array(fresh.utf8), timeout: .seconds(1)).claims.subject == "u")
    }
}
