import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Verifiers with a limiter of private-key operations") struct LimitedDecryptionTests {
    private let signing: PrivateKey
    private let recipient: PrivateKey
    private let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 2, timeout: .ample)
    private let busy = TokenError.jose(.overloaded(.busy), layer: .encryption)

    init() throws {
        signing = try PrivateKey.generate(.p256, keyID: "theirs")
        recipient = try PrivateKey.generate(.p256, keyID: "mine")
    }

    private func policy(_ issuer: String = "https://id.example", gated: Bool = true) -> TokenPolicy {
        var outer = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        if gated { outer.limiter = limiter }
        return .nested(
            outer: outer, inner: SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: .exactly(issuer), audience: "shop"))
    }

    private func token(_ policy: TokenPolicy) throws -> String {
        try TokenIssuer(
            policy, signingKey: .privateKey(signing), encryptionKey: .publicKey(recipient.publicKey)
        ).issue(["sub": "u"])
    }

    private func verifier(_ policy: TokenPolicy) throws -> TokenVerifier {
        try TokenVerifier(policy, verificationKeys: KeySet(signing.publicKey), decryptionKeys: KeySet(recipient))
    }

    @Test(
        "verifiers that share a limiter are bounded together; other verifiers and signed tokens are not"
    )
    func shared() throws {
        let (first, second) = (policy(), policy("https://other.example"))
        let (one, other) = (try verifier(first), try verifier(second))
        let tokens = (try token(first), try token(second))
        let apart = try verifier(policy(gated: false))
        let rules = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        let signedPolicy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: rules)
        let signed = try TokenIssuer(signedPolicy, signingKey: .privateKey(signing)).issue(["sub": "u"])
        let plain = try TokenVerifier(signedPolicy, verificationKeys: KeySet(signing.publicKey))
        try limiter.enter()
        #expect(throws: busy) { try one.verify(tokens.0) }
        #expect(throws: busy) { try other.verify(tokens.1) }
        #expect(try apart.verify(tokens.0).claims.subject == "u")
        #expect(try plain.verify(signed).claims.subject == "u")
        limiter.leave()
        #expect(try one.verify(tokens.0).claims.subject == "u")
        #expect(try other.verify(tokens.1).claims.subject == "u")
    }

    @Test("with a timeout a token waits for a slot, and a full queue and an expired timeout have different errors")
    func waiting() async throws {
        let policy = policy()
        let (verifier, token) = (try verifier(policy), try token(policy))
        try limiter.enter()
        let first = Task { try await verifier.verify(token, timeout: .ample) }
        try await until { limiter.queued == 1 }
        await #expect(throws: TokenError.jose(.overloaded(.timedOut), layer: .encryption)) {
            try await verifier.verify(token, timeout: .milliseconds(5))
        }
        let second = Task { try await verifier.verify(token, timeout: .ample) }
        try await until { limiter.queued == 2 }
        await #expect(throws: TokenError.jose(.overloaded(.queueFull), layer: .encryption)) {
            try await verifier.verify(token, timeout: .ample)
        }
        second.cancel()
        await #expect(throws: TokenError.cancelled) { try await second.value }
        limiter.leave()
        #expect(try await first.value.claims.subject == "u")
        #expect(limiter.running == 0 && limiter.queued == 0)
        #expect(limiter.rejected == 2, "not who waited and came in, nor who left")
    }

    private let full = TokenError.jose(.overloaded(.queueFull), layer: .encryption)

    /// Begins to verify a token, and returns once it is in the queue.
    private func waiting(
        _ verify: @escaping @Sendable () async throws -> Void
    ) async throws -> Task<Void, any Error> {
        let queued = limiter.queued
        let task = Task { try await verify() }
        try await until { limiter.queued == queued + 1 }
        return task
    }

    private struct Subject: Decodable { let sub: String }

    @Test(
        "T71 a token takes the place of one of another client with more, in every way of verifying",
        arguments: ["bytes", "text", "part", "value", "coalesced", "decrypted"])
    func clients(way: String) async throws {
        let policy = policy()
        let (verifier, token) = (try verifier(policy), try token(policy))
        let coalescing = CoalescingVerifier(verifier)
        var outer = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        outer.limiter = limiter
        let decrypter = try JWEDecrypter(keys: KeySet(recipient), policy: outer)
        let call: @Sendable (String?) async throws -> Void = { client in
            switch way {
            case "bytes": _ = try await verifier.verify(Array(token.utf8), timeout: .ample, client: client)
            case "text": _ = try await verifier.verify(token, timeout: .ample, client: client)
            case "part": _ = try await verifier.verify(token[...], timeout: .ample, client: client)
            case "value": _ = try await verifier.verify(token, as: Subject.self, timeout: .ample, client: client).sub
            case "coalesced": _ = try await coalescing.verify(token, timeout: .ample, client: client)
            default:
                do throws(JOSEError) { _ = try await decrypter.decrypt(token, timeout: .ample, client: client) } catch {
                    throw TokenError.jose(error, layer: .encryption)
                }
            }
        }
        try limiter.enter()
        let first = try await waiting { try await call("192.0.2.1") }
        let second = try await waiting { try await call("192.0.2.1") }
        await #expect(throws: full) { try await call("192.0.2.1") }
        let other = Task { try await call("192.0.2.2") }
        await #expect(throws: full) { try await second.value }
        limiter.leave()
        try await first.value
        try await other.value
        #expect(limiter.running == 0 && limiter.queued == 0)
    }

    @Test("T71 a token that was accepted before takes the place of one that was not, and a forged one never does")
    func known() async throws {
        let policy = policy()
        let verifier = try verifier(policy)
        let (token, other) = (try token(policy), try token(policy))
        var parts = other.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        parts[4] = String(repeating: "A", count: parts[4].utf8.count)
        let forged = parts.joined(separator: ".")
        await #expect(throws: TokenError.jose(.decryptionFailed, layer: .encryption)) {
            try await verifier.verify(forged, timeout: .ample)
        }
        #expect(try await verifier.verify(token, timeout: .ample).claims.subject == "u")
        try limiter.enter()
        let first = try await waiting { _ = try await verifier.verify(other, timeout: .ample) }
        let second = try await waiting { _ = try await verifier.verify(other, timeout: .ample) }
        await #expect(throws: full) { try await verifier.verify(forged, timeout: .ample) }
        let known = Task { try await verifier.verify(token, timeout: .ample).claims.subject }
        await #expect(throws: full) { try await second.value }
        limiter.leave()
        #expect(try await known.value == "u")
        try await first.value
        #expect(limiter.running == 0 && limiter.queued == 0)
    }

    @Test("a token that waited for a slot still waits for a missing key, and then for a slot again")
    func both() async throws {
        let policy = policy()
        let token = try token(policy)
        let source = ChangingKeys(KeySet.empty)
        let keys = KeySet(signing.publicKey)
        source.onRefresh { [weak source, limiter] in
            source?.set(keys)
            try limiter.enter()
            return true
        }
        let verifier = try TokenVerifier(policy, verificationKeys: source, decryptionKeys: KeySet(recipient))
        try limiter.enter()
        let waiter = Task { try await verifier.verify(token, timeout: .ample) }
        try await until { limiter.queued == 1 }
        limiter.leave()
        try await until { source.missing.count == 1 && limiter.queued == 1 }
        limiter.leave()
        #expect(try await waiter.value.key?.keyID == "theirs")
        #expect(limiter.running == 0 && limiter.queued == 0)
    }

    @Test(
        "tokens of several issuers wait for slots of one limiter, with or without iss in the header (RFC 7519, 5.3)"
    )
    func issuers() async throws {
        let policies = ["https://a.example", "https://b.example"].map { policy($0) }
        let verifier = try TokenVerifier(
            issuers: policies.map { TrustedIssuer($0, keys: KeySet(signing.publicKey)) },
            decryptionKeys: KeySet(recipient))
        for policy in policies {
            let token = try token(policy)
            try limiter.enter()
            #expect(throws: busy) { try verifier.verify(token) }
            let waiter = Task { try await verifier.verify(token, timeout: .ample) }
            try await until { limiter.queued == 1 }
            limiter.leave()
            #expect(try await waiter.value.claims.subject == "u")
            #expect(limiter.running == 0)
        }
    }

    @Test("the limiter applies to external keys too")
    func external() async throws {
        let policy = policy()
        let token = try token(policy)
        let verifier = try TokenVerifier(
            policy, verificationKeys: KeySet(signing.publicKey), decryptionKeys: KeySet(recipient), externalKeys: [])
        try limiter.enter()
        await #expect(throws: TokenError.jose(.overloaded(.timedOut), layer: .encryption)) {
            try await verifier.verify(Array(token.utf8), timeout: .milliseconds(5))
        }
        let waiter = Task { try await verifier.verify(token, timeout: .ample) }
        try await until { limiter.queued == 1 }
        limiter.leave()
        #expect(try await waiter.value.claims.subject == "u")
        #expect(limiter.running == 0)
    }

    @Test("a verification report states that the limiter had no free slot, and a remedy")
    func explained() throws {
        let policy = policy()
        let (verifier, token) = (try verifier(policy), try token(policy))
        try limiter.enter()
        let explanation = verifier.explain(token)
        let line = explanation.lines.first { $0.outcome == .failed }
        #expect(explanation.error == busy && line?.layer == .encryption)
        #expect(line?.failure == "overloaded: the maximum number of decryptions is running" && line?.remedy != nil)
        limiter.leave()
        #expect(verifier.explain(token).isValid)
    }
}
