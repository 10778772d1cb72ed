import JOSE
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("Tokens with external keys") struct ExternalTokenTests {
    private static let claims = ClaimPolicy(issuer: "https://id.example.com", audience: "shop")
    private static let inner = SignaturePolicy(algorithms: [.es256, .rs256])
    private static let outer = EncryptionPolicy(
        keyManagement: [.rsaOAEP256, .ecdhESA128KW], contentEncryption: [.a128cbcHS256])
    private static let nested = TokenPolicy.nested(outer: outer, inner: inner, claims: claims)

    private func thrown(_ body: () async throws -> Void) async -> TokenError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? TokenError
        }
    }

    @Test("nested tokens are issued and verified with external keys in one call each (RFC 7519, 11.2)")
    func nestedRoundTrip() async throws {
        let signing = try PrivateKey.generate(.p256, keyID: "s")
        for kind in [KeyKind.rsa(bits: 2048), .p256, .x25519] {
            let receiving = try PrivateKey.generate(kind, keyID: "e")
            let issuer = try TokenIssuer(
                Self.nested, externalKey: RemoteSigner(signing), encryptionKey: receiving.publicKey)
            let local = try TokenIssuer(
                Self.nested, signingKey: .privateKey(signing), encryptionKey: .publicKey(receiving.publicKey))
            let key: ExternalDecryptionKey =
                receiving.kind == .rsa(bits: 2048)
                ? .unwrapper(RemoteUnwrapper(.privateKey(receiving))) : .agreement(RemoteAgreement(receiving))
            let verifier = try TokenVerifier(
                Self.nested, verificationKeys: KeySet(signing.publicKey), externalKeys: [key])
            let here = try TokenVerifier(
                Self.nested, verificationKeys: KeySet(signing.publicKey), decryptionKeys: KeySet(receiving))
            // Each way: what is made elsewhere is read here, and the reverse.
            for token in [try await issuer.issue(["sub": "a"], timeout: .ample), try local.issue(["sub": "a"])] {
                for verified in [try await verifier.verify(token, timeout: .ample), try here.verify(token)] {
                    #expect(verified.claims.subject == "a" && verified.algorithm == .es256)
                    #expect(verified.header.type == "JWT" && verified.header.keyID == "s")
                    #expect(verified.encryptionHeader?.contentType == "JWT")
                }
                #expect(try await verifier.explain(token, timeout: .ample).isValid)
            }
        }
    }

    @Test("a token with one layer is signed, or decrypted, by an external key")
    func singleLayers() async throws {
        let key = try PrivateKey.generate(.p256)
        let signed = TokenPolicy.signed(Self.inner, claims: Self.claims)
        let token = try await TokenIssuer(signed, externalKey: RemoteSigner(key)).issue(["sub": "a"], timeout: .ample)
        #expect(try TokenVerifier(signed, verificationKeys: KeySet(key.publicKey)).verify(token).claims.subject == "a")
        let sealed = TokenPolicy.encrypted(Self.outer, claims: Self.claims)
        let text = try TokenIssuer(sealed, encryptionKey: .publicKey(key.publicKey)).issue(["sub": "a"])
        let verifier = try TokenVerifier(sealed, externalKeys: [.agreement(RemoteAgreement(key))])
        #expect(try await verifier.verify(text, timeout: .ample).claims.subject == "a")
        // A key for a layer that the policy does not have is rejected at creation.
        #expect(throws: TokenError.policyInvalid(.key)) {
            try TokenVerifier(signed, externalKeys: [.agreement(RemoteAgreement(key))])
        }
        #expect(throws: TokenError.policyInvalid(.key)) {
            try TokenIssuer(sealed, externalKey: RemoteSigner(key))
        }
        #expect(throws: TokenError.policyInvalid(.key)) {
            try TokenIssuer(Self.nested, externalKey: RemoteSigner(key))
        }
    }

    @Test("with external keys a policy rejects the same tokens, and if possible before it calls a key")
    func refusals() async throws {
        let signing = try PrivateKey.generate(.p256)
        let receiving = try PrivateKey.stored()
        let (signers, unwrappers) = (RemoteService(), RemoteService())
        let issuer = try TokenIssuer(
            Self.nested, externalKey: RemoteSigner(signing, signers), encryptionKey: receiving.publicKey)
        #expect(
            await thrown { _ = try await issuer.issue(["iss": "https://evil.example"], timeout: .ample) }
                == .claim(.issuerMismatch))
        #expect(await thrown { _ = try await issuer.issue(["exp": 1], timeout: .ample) } == .claim(.expired))
        #expect(await signers.calls == 0)
        let good = try await issuer.issue(timeout: .ample)

        let verifier = try TokenVerifier(
            Self.nested, verificationKeys: KeySet(signing.publicKey),
            externalKeys: [.unwrapper(RemoteUnwrapper(.privateKey(receiving), unwrappers))])
        func refused(_ token: String) async -> TokenError? {
            await thrown { _ = try await verifier.verify(token, timeout: .ample) }
        }
        let signed = try TokenIssuer(
            .signed(Self.inner, claims: Self.claims), signingKey: .privateKey(signing)
        ).issue()
        #expect(await refused(signed) == .jose(.malformed(ParseFailure(.token, .parts)), layer: .encryption))
        let other = TokenPolicy.nested(
            outer: EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256]), inner: Self.inner,
            claims: Self.claims)
        let foreign = try TokenIssuer(
            other, signingKey: .privateKey(signing), encryptionKey: .publicKey(receiving.publicKey)
        ).issue()
        #expect(await refused(foreign) == .jose(.algorithmNotAllowed(.keyManagement), layer: .encryption))
        #expect(await unwrappers.calls == 0)

        let stranger = try TokenIssuer(
            Self.nested, signingKey: .privateKey(try .generate(.p256)), encryptionKey: .publicKey(receiving.publicKey)
        ).issue()
        #expect(await refused(stranger) == .jose(.signatureInvalid, layer: .signature))
        let explanation = try await verifier.explain(stranger, timeout: .ample)
        #expect(explanation.error == .jose(.signatureInvalid, layer: .signature))
        var late = Self.claims
        late.clock = .fixed(4_000_000_000)
        let old = try TokenVerifier(
            .nested(outer: Self.outer, inner: Self.inner, claims: late), verificationKeys: KeySet(signing.publicKey),
            externalKeys: [.unwrapper(RemoteUnwrapper(.privateKey(receiving)))])
        #expect(await thrown { _ = try await old.verify(good, timeout: .ample) } == .claim(.expired))
        #expect(await refused(good) == nil)
    }

    @Test("claims that fit in no token of the policy are not sent to the external key")
    func oversized() async throws {
        let service = RemoteService()
        var inner = Self.inner
        inner.limits.tokenBytes = 1_000
        let issuer = try TokenIssuer(
            .signed(inner, claims: Self.claims), externalKey: RemoteSigner(try PrivateKey.generate(.p256), service))
        #expect(
            try await issuer.issue(["sub": .string(String(repeating: "a", count: 100))], timeout: .ample).utf8.count
                <= 1_000)
        #expect(await service.calls == 1)
        let claims: ClaimsBuilder = ["sub": .string(String(repeating: "a", count: 1_000))]
        let tooLong = TokenError.jose(.limitExceeded(.tokenBytes), layer: .signature)
        #expect(await thrown { _ = try await issuer.issue(claims, timeout: .ample) } == tooLong)
        #expect(await service.calls == 1)
    }

    @Test("the error of an external key names its layer and keeps its cause, and a cancelled call throws cancelled")
    func failures() async throws {
        let signing = try PrivateKey.generate(.p256)
        let receiving = try PrivateKey.stored()
        let service = RemoteService(.failing(RemoteService.Fault.throttled(9)))
        let issuer = try TokenIssuer(
            Self.nested, externalKey: RemoteSigner(signing, service), encryptionKey: receiving.publicKey)
        let verifier = try TokenVerifier(
            Self.nested, verificationKeys: KeySet(signing.publicKey),
            externalKeys: [.unwrapper(RemoteUnwrapper(.privateKey(receiving), service))])
        let failed = JOSEError.externalKey(.failed(ExternalCause(RemoteService.Fault.throttled(9))))
        #expect(await thrown { _ = try await issuer.issue(timeout: .ample) } == .jose(failed, layer: .signature))
        await service.set(.well)
        let token = try await issuer.issue(timeout: .ample)
        await service.set(.failing(RemoteService.Fault.throttled(9)))
        #expect(
            await thrown { _ = try await verifier.verify(token, timeout: .ample) }
                == .jose(failed, layer: .encryption))
        #expect(try await verifier.explain(token, timeout: .ample).error == .jose(failed, layer: .encryption))

        await service.set(.slow(.ample))
        for work in [
            { _ = try await issuer.issue(timeout: .ample) }, { _ = try await verifier.verify(token, timeout: .ample) },
        ]
            as [@Sendable () async throws -> Void]
        {
            let calls = await service.calls
            let waiting = Task { try await work() }
            while await service.calls == calls { await Task.yield() }
            waiting.cancel()
            await #expect(throws: TokenError.cancelled) { try await waiting.value }
        }
        await service.set(.well)
        #expect(try await verifier.verify(token, timeout: .ample).claims.issuer == "https://id.example.com")
    }

    @Test("keys in the process may change beside external ones, and a cached token ends with them")
    func changingKeys() async throws {
        let signing = try PrivateKey.generate(.p256)
        let (old, new, far) = (
            try PrivateKey.generate(.p256, keyID: "old"), try PrivateKey.generate(.p256, keyID: "new"),
            try PrivateKey.stored(keyID: "far")
        )
        let source = ChangingKeys(KeySet(old))
        let service = RemoteService()
        let verifier = try TokenVerifier(
            Self.nested, verificationKeys: KeySet(signing.publicKey), decryptionKeys: source,
            externalKeys: [.unwrapper(RemoteUnwrapper(.privateKey(far), service))], cache: TokenCache())
        func token(_ key: PrivateKey) throws -> String {
            try TokenIssuer(
                Self.nested, signingKey: .privateKey(signing), encryptionKey: .publicKey(key.publicKey)
            ).issue(["sub": "u"])
        }
        let (toOld, toNew, toFar) = (try token(old), try token(new), try token(far))
        for text in [toOld, toFar, toOld] {
            #expect(try await verifier.verify(text, timeout: .ample).claims.subject == "u")
        }
        #expect(await service.calls == 1)
        let unknown = TokenError.jose(.keyNotFound, layer: .encryption)
        #expect(await thrown { _ = try await verifier.verify(toNew, timeout: .ample) } == unknown)
        source.set(KeySet(new))
        #expect(await thrown { _ = try await verifier.verify(toOld, timeout: .ample) } == unknown)
        #expect(try await verifier.verify(toNew, timeout: .ample).claims.subject == "u")
        #expect(try await verifier.verify(toFar, timeout: .ample).claims.subject == "u")
        #expect(await service.calls == 2)
    }

    @Test("a token that an external key decrypts is hashed once for the cache, and then found in it")
    func hashedOnce() async throws {
        let hashes = Atomic<Int>(0)
        let cache = TokenCache(entries: 10, bytes: 1 << 20) { token in
            hashes.add(1, ordering: .relaxed)
            return Int(token[token.count - 1])
        }
        let (signing, receiving) = (try PrivateKey.generate(.p256), try PrivateKey.stored())
        let service = RemoteService()
        let verifier = try TokenVerifier(
            Self.nested, verificationKeys: KeySet(signing.publicKey),
            externalKeys: [.unwrapper(RemoteUnwrapper(.privateKey(receiving), service))], cache: cache)
        let token = try TokenIssuer(
            Self.nested, signingKey: .privateKey(signing), encryptionKey: .publicKey(receiving.publicKey)
        ).issue(["sub": "u"])
        for count in 1...2 {
            #expect(try await verifier.verify(token, timeout: .ample).claims.subject == "u")
            #expect(hashes.load(ordering: .relaxed) == count)
            #expect(await service.calls == 1)
        }
        // The second attempt of a token of a batch has no lookup of the first.
        cache.removeAll()
        #expect(try await BatchVerifier(verifier).verify([token])[0].get().claims.subject == "u")
        #expect(await service.calls == 2 && cache.count == 1)
    }

    @Test("a batch awaits external keys within its timeout, and without one for as long as they need")
    func batchTimeout() async throws {
        let (signing, receiving) = (try PrivateKey.generate(.p256), try PrivateKey.stored())
        let service = RemoteService(.deaf)
        let batch = BatchVerifier(
            try TokenVerifier(
                Self.nested, verificationKeys: KeySet(signing.publicKey),
                externalKeys: [.unwrapper(RemoteUnwrapper(.privateKey(receiving), service))]))
        let token = try TokenIssuer(
            Self.nested, signingKey: .privateKey(signing), encryptionKey: .publicKey(receiving.publicKey)
        ).issue(["sub": "u"])
        for result in try await batch.verify([token, token], timeout: .milliseconds(50)) {
            #expect(result.rejection == .jose(.externalKey(.timedOut), layer: .encryption))
            #expect(result.rejection?.isRetryable == true)
        }
        await service.release()
        await service.set(.slow(.milliseconds(60)))
        for limit in [nil, Duration.ample] {
            for result in try await batch.verify([token, token], timeout: limit) {
                #expect(try result.get().claims.subject == "u")
            }
        }
    }

    @Test(
        "a token waits for a missing key of the process beside external keys, and so does its report",
        arguments: [false, true])
    func waiting(hasIssuers: Bool) async throws {
        let signing = try PrivateKey.generate(.p256)
        let (old, new, far) = (
            try PrivateKey.generate(.p256, keyID: "old"), try PrivateKey.generate(.p256, keyID: "new"),
            try PrivateKey.stored(keyID: "far")
        )
        let service = RemoteService()
        func verifier(_ source: ChangingKeys) throws -> TokenVerifier {
            let external = [ExternalDecryptionKey.unwrapper(RemoteUnwrapper(.privateKey(far), service))]
            let keys = KeySet(signing.publicKey)
            return hasIssuers
                ? try TokenVerifier(
                    issuers: [TrustedIssuer(Self.nested, keys: keys)], decryptionKeys: source, externalKeys: external)
                : try TokenVerifier(
                    Self.nested, verificationKeys: keys, decryptionKeys: source, externalKeys: external)
        }
        /// A source whose refresh brings the new key, some milliseconds later.
        func refreshing() -> ChangingKeys {
            let source = ChangingKeys(KeySet(old))
            source.onRefresh { [weak source] in
                try await Task.sleep(for: .milliseconds(5))
                source?.set(KeySet(new))
                return true
            }
            return source
        }
        let token = try TokenIssuer(
            Self.nested, signingKey: .privateKey(signing), encryptionKey: .publicKey(new.publicKey)
        ).issue(["sub": "u"])

        let sources = (refreshing(), refreshing(), ChangingKeys(KeySet(old)))
        let verified = try await verifier(sources.0).verify(token, timeout: .ample)
        let report = try await verifier(sources.1).explain(token, timeout: .ample)
        #expect(verified.claims.subject == "u" && report.isValid && report.claims?.subject == "u")
        // Without a refresh, both end with the same error.
        let idle = try verifier(sources.2)
        let missing = TokenError.jose(.keyNotFound, layer: .encryption)
        #expect(await thrown { _ = try await idle.verify(token, timeout: .ample) } == missing)
        #expect(try await idle.explain(token, timeout: .ample).error == missing)
        let name = Array("new".utf8)
        #expect(sources.0.missing == [name] && sources.1.missing == [name] && sources.2.missing == [name, name])
        // No key outside the process was asked.
        #expect(await service.calls == 0)
    }

    @Test("a token whose signature key stays missing after a refresh is decrypted once by an external key")
    func missingSignatureKey() async throws {
        let signing = try PrivateKey.generate(.p256, keyID: "s")
        let receiving = try PrivateKey.stored()
        let service = RemoteService()
        let source = ChangingKeys(.empty)
        let verifier = try TokenVerifier(
            Self.nested, verificationKeys: source,
            externalKeys: [.unwrapper(RemoteUnwrapper(.privateKey(receiving), service))])
        let token = try TokenIssuer(
            Self.nested, signingKey: .privateKey(signing), encryptionKey: .publicKey(receiving.publicKey)
        ).issue(["sub": "u"])
        source.onRefresh { true }
        let missing = TokenError.jose(.keyNotFound, layer: .signature)
        #expect(await thrown { _ = try await verifier.verify(token, timeout: .ample) } == missing)
        #expect(await service.calls == 1)
        source.onRefresh { [weak source] in
            source?.set(KeySet(signing.publicKey))
            return true
        }
        #expect(try await verifier.verify(token, timeout: .ample).claims.subject == "u")
        #expect(await service.calls == 2)
    }

    @Test("a batch takes a token from the cache, and an external key is called only for the others")
    func cachedBatch() async throws {
        let signing = try PrivateKey.generate(.p256)
        let receiving = try PrivateKey.stored()
        let service = RemoteService()
        let verifier = try TokenVerifier(
            Self.nested, verificationKeys: KeySet(signing.publicKey),
            externalKeys: [.unwrapper(RemoteUnwrapper(.privateKey(receiving), service))], cache: TokenCache())
        let issuer = try TokenIssuer(
            Self.nested, signingKey: .privateKey(signing), encryptionKey: .publicKey(receiving.publicKey))
        let (cached, other) = (try issuer.issue(["sub": "a"]), try issuer.issue(["sub": "b"]))
        #expect(try await verifier.verify(cached, timeout: .ample).claims.subject == "a")
        #expect(await service.calls == 1)
        let now = BatchVerifier(verifier).verifySynchronously([cached, other])
        #expect(try now[0].get().claims.subject == "a")
        #expect(throws: TokenError.awaitRequired) { try now[1].get() }
        let awaited = try await BatchVerifier(verifier).verify([cached, other])
        #expect(try awaited.map { try $0.get().claims.subject } == ["a", "b"])
        #expect(await service.calls == 2)
    }

    @Test("a profile's own checks apply with an external key too")
    func profiles() async throws {
        let signing = try PrivateKey.generate(.p256)
        let receiving = try PrivateKey.stored()
        let store = InMemoryReplayStore(capacity: 10)
        var profile = RequestObjectProfile(
            clientID: "client", server: "https://id.example.com", algorithms: [.es256], replayStore: store)
        profile.encryption = Self.outer
        let verifier = try TokenVerifier(
            profile, verificationKeys: KeySet(signing.publicKey),
            externalKeys: [.unwrapper(RemoteUnwrapper(.privateKey(receiving)))])
        let issuer = try TokenIssuer(
            profile.policy, externalKey: RemoteSigner(signing), encryptionKey: receiving.publicKey)
        let token = try await issuer.issue(
            ["jti": "1", "client_id": "client", "response_type": "code"], timeout: .ample)
        #expect(try await verifier.verify(token, timeout: .ample).claims.string("client_id") == "client")
        #expect(await thrown { _ = try await verifier.verify(token, timeout: .ample) } == .replay(.seen))
    }

    @Test("an issuer with an external key throws awaitRequired from methods that do not wait, and so does its batch")
    func awaitRequired() async throws {
        let service = RemoteService()
        let key = try PrivateKey.generate(.p256)
        let policy = TokenPolicy.signed(Self.inner, claims: Self.claims)
        let issuer = try TokenIssuer(policy, externalKey: RemoteSigner(key, service))
        let json = Array(#"{"sub":"a"}"#.utf8)
        #expect(throws: TokenError.awaitRequired) { try issuer.issue(["sub": "a"]) }
        #expect(throws: TokenError.awaitRequired) { try issuer.issue(json: json) }
        #expect(throws: TokenError.awaitRequired) { try issuer.issueBytes(json: json) }
        #expect(throws: TokenError.awaitRequired) { try issuer.issue(encoding: ["sub": "a"]) }
        let batch = BatchIssuer(issuer)
        for result in batch.issueSynchronously([[:], [:]]) + (try await batch.issue(json: [json])) {
            #expect(throws: TokenError.awaitRequired) { try result.get() }
        }
        #expect(await service.calls == 0)
        // Claims that a verifier would reject have their own error.
        #expect(throws: TokenError.claim(.expired)) { try issuer.issue(["exp": 1]) }
        let tokens = [
            try await issuer.issue(["sub": "a"], timeout: .ample), try await issuer.issue(json: json, timeout: .ample),
            String(decoding: try await issuer.issueBytes(json: json, timeout: .ample), as: UTF8.self),
            try await issuer.issue(encoding: ["sub": "a"], timeout: .ample),
        ]
        let verifier = try TokenVerifier(policy, verificationKeys: key.publicKey)
        for token in tokens { #expect(try verifier.verify(token).claims.subject == "a") }
        #expect(await service.calls == 4)
        let local = BatchIssuer(try TokenIssuer(policy, signingKey: key))
        #expect(try verifier.verify(local.issueSynchronously([["sub": "a"]])[0].get()).claims.subject == "a")
    }

    @Test("a timeout ends a call of an external key that ignores cancellation, for signing and for decrypting")
    func timeout() async throws {
        let (signing, receiving) = (try PrivateKey.generate(.p256), try PrivateKey.stored())
        let service = RemoteService()
        let issuer = try TokenIssuer(
            Self.nested, externalKey: RemoteSigner(signing, service), encryptionKey: receiving.publicKey)
        let verifier = try TokenVerifier(
            Self.nested, verificationKeys: KeySet(signing.publicKey),
            externalKeys: [.unwrapper(RemoteUnwrapper(.privateKey(receiving), service))])
        let token = try await issuer.issue(timeout: .ample)
        await service.set(.deaf)
        let time = Duration.milliseconds(50)
        let late = JOSEError.externalKey(.timedOut)
        #expect(await thrown { _ = try await issuer.issue(timeout: time) } == .jose(late, layer: .signature))
        #expect(await thrown { _ = try await verifier.verify(token, timeout: time) } == .jose(late, layer: .encryption))
        #expect(try await verifier.explain(token, timeout: time).error == .jose(late, layer: .encryption))
        await service.release()
        #expect(await thrown { _ = try await issuer.issue(timeout: .ample) } == nil)
        #expect(await thrown { _ = try await verifier.verify(token, timeout: .ample) } == nil)
    }

    @Test("an issuer with a key in the process, a rotating key or no signature issues at once with a timeout")
    func localKeys() async throws {
        struct Rotating: SigningKeySource {
            let key: PrivateKey
            var longestTokenLifetime: Duration? { nil }
            func signingKey() throws(JOSEError) -> PrivateKey { key }
        }
        let (key, receiving) = (try PrivateKey.generate(.p256, keyID: "k"), try PrivateKey.generate(.p256))
        let policy = TokenPolicy.signed(Self.inner, claims: Self.claims)
        let sealed = TokenPolicy.encrypted(Self.outer, claims: Self.claims)
        let verifier = try TokenVerifier(policy, verificationKeys: key.publicKey)
        let decrypting = try TokenVerifier(sealed, decryptionKeys: receiving)
        for timeout in [Duration.zero, .ample] {
            for issuer in [
                try TokenIssuer(policy, signingKey: key), try TokenIssuer(policy, signingKeys: Rotating(key: key)),
            ] {
                let token = try await issuer.issue(["sub": "a"], timeout: timeout)
                #expect(try verifier.verify(token).claims.subject == "a")
            }
            let token = try await TokenIssuer(sealed, encryptionKey: receiving.publicKey)
                .issue(["sub": "a"], timeout: timeout)
            #expect(try decrypting.verify(token).claims.subject == "a")
        }
    }
}

extension Result where Success == VerifiedToken, Failure == TokenError {
    fileprivate var rejection: TokenError? { if case .failure(let error) = self { error } else { nil } }
}
