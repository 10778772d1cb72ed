import Foundation
import JOSE
import JOSETesting
import TestSupport
import Testing

@testable import JOSETokens

@Suite("Tokens with certificates") struct CertifiedTokenTests {
    @Test("a token verifier with trusted roots uses the keys of x5c, and checks their path at its own clock's time")
    func tokens() throws {
        let maker = try CertificateMaker()
        let root = try maker.issue("Root", extensions: CertificateMaker.Extensions.root, days: 3650)
        let leaf = try maker.issue("leaf", by: root, extensions: CertificateMaker.Extensions.leaf, days: 30)
        let chain = try CertificateChain(pem: leaf.pem)
        let start = chain.leaf.notBefore
        let day = Duration.seconds(86_400)
        func policy(_ now: NumericDate) -> TokenPolicy {
            var claims = ClaimPolicy(issuer: "https://i.test", audience: "me")
            claims.clock = .fixed(now)
            claims.requiresExpiration = false
            return .signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
        }
        var header = HeaderParameters()
        header.set(certificates: chain, members: [.x5c, .x5tS256])
        let issuer = try JWSSigner(key: PrivateKey(pem: leaf.keyPEM), algorithm: .es256, header: header)
        let token = try issuer.sign(#"{"iss":"https://i.test","aud":"me"}"#)
        let trust = try CertificateTrust(roots: [Certificate(pem: root.pem)])
        let stranger = try PrivateKey.generate(.p256, keyID: "stranger")
        func verify(_ now: NumericDate, _ trust: CertificateTrust?) throws(TokenError) -> VerifiedToken {
            let other = KeySet(stranger.publicKey)
            return try TokenVerifier(policy(now), verificationKeys: other, trust: trust).verify(token)
        }
        #expect(try verify(start + day, trust).key?.certificates == chain)
        let expired = TokenError.jose(.certificateInvalid(.expired), layer: .signature)
        #expect(throws: expired) { try verify(start + day * 31, trust) }
        #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) { try verify(start + day, nil) }
        // A time of its own comes before the policy's clock.
        var then = trust
        then.clock = .fixed(start + day)
        _ = try verify(start + day * 31, then)

        let explanation = try TokenVerifier(policy(start + day * 31), trust: trust).explain(token)
        let failed = explanation.lines.first { $0.outcome == .failed }
        #expect(failed?.check == "a key that fits kid, alg, use and size" && failed?.remedy == "renew the certificate")
        #expect(failed?.failure == "the certificate is not trusted: it or a certificate of its path has expired")
    }

    @Test("batches and concurrent requests of tokens under one chain have the results of verification one by one")
    func batches() async throws {
        let maker = try CertificateMaker()
        let root = try maker.issue("Root", extensions: CertificateMaker.Extensions.root, days: 3650)
        let leaves = [
            try maker.issue("rsa", by: root, .rsa(2048), extensions: CertificateMaker.Extensions.leaf, days: 30),
            try maker.issue("curve", by: root, extensions: CertificateMaker.Extensions.leaf, days: 30),
        ]
        let clock = TestClock(.now + .seconds(60))
        var claims = ClaimPolicy(issuer: "https://i.test", audience: "me")
        claims.clock = clock.wallClock
        claims.requiresExpiration = false
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.rs256, .es256]), claims: claims)
        var trust = try CertificateTrust(roots: [Certificate(pem: root.pem)])
        func verifier() throws -> TokenVerifier { try TokenVerifier(policy, trust: trust) }
        var tokens: [String] = []
        for (leaf, algorithm) in zip(leaves, [SignatureAlgorithm.rs256, .es256]) {
            var header = HeaderParameters()
            header.set(certificates: try CertificateChain(pem: leaf.pem), members: .x5c)
            let signer = try JWSSigner(key: PrivateKey(pem: leaf.keyPEM), algorithm: algorithm, header: header)
            for number in 0..<80 {
                let audience = number % 7 == 3 ? "you" : "me"
                let token = try signer.sign(#"{"iss":"https://i.test","aud":"\#(audience)","jti":"\#(number)"}"#)
                tokens.append(number % 5 == 4 ? String(token.dropLast(6)) + "AAAAAA" : token)
            }
        }
        trust.pathCacheLifetime = .zero
        let plain = try verifier()
        trust.pathCacheLifetime = .seconds(3_600)
        func outcome(_ verify: () throws(TokenError) -> VerifiedToken) -> String {
            do throws(TokenError) { return try verify().claims.tokenID ?? "" } catch { return "\(error)" }
        }
        let expected = tokens.map { token in outcome { () throws(TokenError) in try plain.verify(token) } }
        #expect(Set(expected).count > 50)
        let cached = try verifier()
        for _ in 0..<2 {
            #expect(tokens.map { token in outcome { () throws(TokenError) in try cached.verify(token) } } == expected)
        }
        for verifier in [cached, try verifier()] {
            let batch = BatchVerifier(verifier)
            let found = batch.verifySynchronously(tokens).map { result in
                outcome { () throws(TokenError) in try result.get() }
            }
            #expect(found == expected)
            let parallel = try await batch.verify(tokens).map { result in
                outcome { () throws(TokenError) in try result.get() }
            }
            #expect(parallel == expected)
            let coalescing = CoalescingVerifier(verifier, isMeasured: false)
            for (token, wanted) in zip(tokens.prefix(20), expected) {
                let result: Result<VerifiedToken, TokenError>
                do throws(TokenError) { result = .success(try await coalescing.verify(token)) } catch {
                    result = .failure(error)
                }
                #expect(outcome { () throws(TokenError) in try result.get() } == wanted)
            }
        }
        // All of them end with the certificate.
        clock.advance(by: .seconds(31 * 86_400))
        let expired = TokenError.jose(.certificateInvalid(.expired), layer: .signature)
        #expect(BatchVerifier(cached).verifySynchronously(tokens).allSatisfy { $0.isFailure(expired) })
    }
}

extension Result<VerifiedToken, TokenError> {
    fileprivate func isFailure(_ error: TokenError) -> Bool {
        if case .failure(let found) = self { found == error } else { false }
    }
}
