import Foundation
import JOSE
import Synchronization
import TestSupport
import Testing

@testable import JOSETokens

@Suite("Batches: rare errors are those of single verification") struct BatchErrorTests {
    private func errors(_ results: [Result<VerifiedToken, TokenError>]) -> [TokenError?] {
        results.map { Seen($0).error }
    }

    @Test("T09 in a batch, equal headers of two issuers select the keys of each issuer (RFC 8725, 3.8)")
    func sameName() async throws {
        let issuers = ["https://a.test", "https://b.test"]
        let keys = try issuers.map { _ in try PrivateKey.stored(keyID: "k1") }
        let policies = issuers.map { issuer in
            TokenPolicy.signed(SignaturePolicy(algorithms: [.rs256]), claims: BatchFixture.claims(issuer))
        }
        let one = try TokenVerifier(
            issuers: zip(policies, keys).map { TrustedIssuer($0, keys: KeySet($1.publicKey)) })
        // Every fourth token names the other issuer.
        let tokens = try (0..<40).map { number in
            let issuer = number % 4 == 3 ? (number + 1) % 2 : number % 2
            return Array(
                try JWSSigner(key: keys[number % 2], algorithm: .rs256)
                    .sign(BatchFixture.payload(number, issuer: issuers[issuer])).utf8)
        }
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "one kid", valid: 30)
        let invalid = TokenError.jose(.signatureInvalid, layer: .signature)
        #expect(
            errors(BatchVerifier(one).verifySynchronously(tokens)) == (0..<40).map { $0 % 4 == 3 ? invalid : nil })
    }

    @Test("T71 a token of a batch without a free limiter slot is rejected as overloaded, and verifies once one is free")
    func limiter() async throws {
        let signing = try PrivateKey.generate(.p256)
        let mine = try PrivateKey.generate(.p256)
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 4)
        var outer = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        outer.limiter = limiter
        let policy = TokenPolicy.nested(
            outer: outer, inner: SignaturePolicy(algorithms: [.es256]), claims: BatchFixture.claims())
        let verifier = try TokenVerifier(
            policy, verificationKeys: KeySet(signing.publicKey), decryptionKeys: KeySet(mine))
        let encrypter = try JWEEncrypter(
            key: mine.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm,
            header: HeaderParameters(contentType: "JWT"))
        let signer = try JWSSigner(key: signing, algorithm: .es256)
        let tokens = try (0..<9).map { Array(try encrypter.encrypt(signer.sign(BatchFixture.payload($0))).utf8) }
        let busy = TokenError.jose(.overloaded(.busy), layer: .encryption)
        let batch = BatchVerifier(verifier)
        let coalescing = CoalescingVerifier(verifier, isMeasured: false)
        try limiter.enter()
        #expect(errors(batch.verifySynchronously(tokens)) == Array(repeating: busy, count: 9))
        #expect(errors(try await batch.verify(tokens)) == Array(repeating: busy, count: 9))
        await #expect(throws: busy) { try await coalescing.verify(tokens[0]) }
        #expect(limiter.queued == 0)
        limiter.leave()
        #expect(errors(batch.verifySynchronously(tokens)) == Array(repeating: nil, count: 9))
        #expect(try await coalescing.verify(tokens[0]).claims.subject == "0")
        #expect(limiter.running == 0)
    }

    @Test("in a batch, the certificates of each token are verified, even if headers are equal (RFC 7515, 4.1.6)")
    func certificates() async throws {
        let maker = try CertificateMaker()
        let root = try maker.issue("Root", extensions: CertificateMaker.Extensions.root, days: 3650)
        let leaf = try maker.issue("leaf", by: root, extensions: CertificateMaker.Extensions.leaf, days: 30)
        let chain = try CertificateChain(pem: leaf.pem)
        let start = chain.leaf.notBefore
        var header = HeaderParameters()
        header.set(certificates: chain)
        let signer = try JWSSigner(key: PrivateKey(pem: leaf.keyPEM), algorithm: .es256, header: header)
        let tokens = try (0..<4).map { Array(try signer.sign(BatchFixture.payload($0)).utf8) }
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: BatchFixture.claims())
        // The third token comes a day after the certificate's last.
        let days = Days()
        var trust = try CertificateTrust(roots: [Certificate(pem: root.pem)])
        trust.clock = .custom {
            let isInTime = days.looks.add(1, ordering: .relaxed).newValue < 3
            return start + .seconds(isInTime ? 86_400 : 31 * 86_400)
        }
        let expired = TokenError.jose(.certificateInvalid(.expired), layer: .signature)
        let batch = BatchVerifier(try TokenVerifier(policy, trust: trust))
        #expect(errors(batch.verifySynchronously(tokens)) == [nil, nil, expired, expired])
        // Without trust the certificate is not used.
        let stranger = try PrivateKey.generate(.p256, keyID: "stranger").publicKey
        let without = BatchVerifier(try TokenVerifier(policy, verificationKeys: stranger))
        #expect(
            errors(without.verifySynchronously(tokens))
                == Array(repeating: .jose(.signatureInvalid, layer: .signature), count: 4))
    }

    private final class Days: Sendable { let looks = Atomic(0) }

    @Test(
        "in a batch, a policy's limits and the bound on keys to try apply as in single verification (RFC 7515, 4.1.4)"
    )
    func limits() async throws {
        let key = try PrivateKey.stored()
        let signer = try JWSSigner(key: key, algorithm: .rs256)
        let tokens = try (0..<9).map { number in
            let name = String(repeating: "x", count: number * 40)
            return Array(try signer.sign(BatchFixture.payload(number, issuer: BatchFixture.issuer + name)).utf8)
        }
        func compare(_ keys: KeySet, _ valid: Int, _ adjust: (inout SignaturePolicy) -> Void = { _ in }) async throws {
            var signature = SignaturePolicy(algorithms: [.rs256])
            adjust(&signature)
            var claims = BatchFixture.claims()
            claims.issuer = .anyIssuerUnchecked
            let one = try TokenVerifier(.signed(signature, claims: claims), verificationKeys: keys)
            try await expectSame(
                tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "limits",
                valid: valid)
        }
        let mine = JWK.publicKey(key.publicKey)
        let others = try (0..<4).map { _ in JWK.publicKey(try PrivateKey.stored().publicKey) }
        try await compare(KeySet([mine]), 9)
        try await compare(KeySet(Array(others.prefix(3)) + [mine]), 9)
        // So many at most are tried.
        try await compare(KeySet(others + [mine]), 0) { $0.limits.candidateKeys = 4 }
        try await compare(KeySet(others + [mine]), 9) { $0.limits.candidateKeys = 5 }
        try await compare(KeySet([mine]), 3) { $0.limits.plaintextBytes = tokensPayload(2) }
        try await compare(KeySet([mine]), 3) { $0.limits.tokenBytes = tokens[2].count }
        try await compare(KeySet([mine]), 0) { $0.type = .exactly("other") }
    }

    /// Bytes of the payload of that number.
    private func tokensPayload(_ number: Int) -> Int {
        BatchFixture.payload(number, issuer: BatchFixture.issuer + String(repeating: "x", count: number * 40)).utf8
            .count
    }
}
