import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

/// Many concurrent tokens, each of which is within the limits.
@Suite("Threats: floods") struct FloodThreats {
    private let signing = Keys.made(.p256)
    private let recipient = Keys.rsa
    private let rules = ClaimPolicy(issuer: "https://i.test", audience: "me")

    private func nested(_ limiter: DecryptionLimiter?) -> TokenPolicy {
        var outer = EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256])
        outer.limiter = limiter
        return .nested(outer: outer, inner: SignaturePolicy(algorithms: [.es256]), claims: rules)
    }

    @Test("T71 a flood of nested tokens is bounded and rejected as overload, while signed tokens are still verified")
    func nestedFlood() async throws {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 4, timeout: .seconds(30))
        let policy = nested(limiter)
        let signedPolicy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: rules)
        let keys = KeySet(signing.shown)
        let verifier = try TokenVerifier(policy, verificationKeys: keys, decryptionKeys: KeySet(recipient))
        let signedVerifier = try TokenVerifier(signedPolicy, verificationKeys: keys)
        // Under a sanitizer, beside other tests, a flood can take longer than the five minutes of tokens without a lifetime.
        let hour = TokenOptions(lifetime: .seconds(3_600))
        let good = try TokenIssuer(policy, signingKey: signing, encryptionKey: recipient.shown)
            .issue(["sub": "u"], options: hour)
        let signed = try TokenIssuer(signedPolicy, signingKey: signing).issue(["sub": "u"], options: hour)
        // All parts have the right form, and each token costs a complete private-key operation.
        var parts = good.split(separator: ".").map { String($0) }
        parts[4] = String(repeating: "A", count: parts[4].utf8.count)
        let forged = parts.joined(separator: ".")

        let verdicts = await withTaskGroup(of: Refusal?.self, returning: [Refusal?].self) { group in
            for _ in 0..<200 {
                group.addTask {
                    do { _ = try await verifier.verify(forged, timeout: .seconds(30)) } catch {
                        return (error as? TokenError).map { Refusal($0) } ?? .other
                    }
                    return accepted
                }
            }
            // The signed tokens are verified on the same threads.
            for _ in 0..<50 {
                group.addTask {
                    let isBounded = limiter.running <= 1 && limiter.queued <= 4
                    let verdict = verdict { () throws(TokenError) in try signedVerifier.verify(signed) }
                    return isBounded && verdict == accepted ? .replayed : .other
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let counts = Dictionary(grouping: verdicts) { $0 }.mapValues(\.count)
        // The counts of tokens that were decrypted and of those that were not, and all signed tokens.
        #expect(counts[.decryptionFailed, default: 0] + counts[.overloaded, default: 0] == 200)
        #expect(counts[.decryptionFailed, default: 0] > 0 && counts[.replayed] == 50)
        #expect(limiter.running == 0 && limiter.queued == 0)
        #expect(verdict { () throws(TokenError) in try verifier.verify(good) } == accepted)

        // While the only slot is in use, the result is overload, and no part of the token is decrypted.
        try limiter.enter()
        #expect(verdict { () throws(TokenError) in try verifier.verify(good) } == .overloaded)
        #expect(verdict { () throws(TokenError) in try verifier.verify(forged) } == .overloaded)
        #expect(verdict { () throws(TokenError) in try signedVerifier.verify(signed) } == accepted)
        limiter.leave()
        #expect(verdict { () throws(TokenError) in try verifier.verify(good) } == accepted)
    }
}
