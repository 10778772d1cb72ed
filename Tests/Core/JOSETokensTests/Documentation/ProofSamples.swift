import Foundation
import JOSE
import JOSETokens
import Testing

@Suite("Samples: proof of possession") struct ProofSamples {
    // Sample: tokens that are bound to keys
    struct BoundTokens {
        let tokens: TokenVerifier
        let proofs: DPoPVerifier

        /// Verifies the token of the header field `Authorization`, and the proof of the header field `DPoP`.
        func verify(_ token: String, proof: String, method: String, url: String) throws(TokenError) -> VerifiedToken {
            let verified = try tokens.verify(token)
            guard let confirmation = try verified.claims.confirmation() else { throw .claim(.missing("cnf")) }
            var request = DPoPRequest(method: method, url: url, accessToken: token, confirmation: confirmation)
            request.client = verified.claims.string("client_id")
            _ = try proofs.verify(proof, for: request)
            return verified
        }
    }
    // Sample: end

    @Test("a token is bound to the key of a proof, and used with proofs of that key alone") func bound() throws {
        let clientKey = try PrivateKey.generate(.p256)
        let signingKey = try PrivateKey.generate(.p256, keyID: "2026-11")
        let profile = AccessTokenProfile(
            issuer: "https://id.example.com", resource: "https://api.example.com", algorithms: [.es256])
        let issuer = try TokenIssuer(profile.policy, signingKey: signingKey)
        // Sample: prove to the token endpoint
        let prover = try DPoPProver(key: clientKey, algorithm: .es256)
        let firstProof = try prover.proof(method: "POST", url: "https://id.example.com/token")
        // Sample: end

        // Sample: bind a token
        let proofs = try DPoPVerifier(algorithms: [.es256, .ed25519], replayStore: InMemoryReplayStore())
        let tokenRequest = DPoPRequest(method: "POST", url: "https://id.example.com/token")
        let proven = try proofs.verify(firstProof, for: tokenRequest)
        let accessToken = try issuer.issue([
            "sub": "248289761001", "client_id": "shop", "jti": UUID(),
            "cnf": try ClaimValue.confirmation(thumbprintOf: proven.key),
        ])
        // Sample: end

        // Sample: prove to an API
        let url = "https://api.example.com/orders"
        let proof = try prover.proof(method: "GET", url: url, accessToken: accessToken)
        let fields = ["Authorization": "DPoP \(accessToken)", "DPoP": proof]
        // Sample: end
        #expect(fields.count == 2)

        let api = BoundTokens(
            tokens: try TokenVerifier(profile, verificationKeys: signingKey.publicKey),
            proofs: try DPoPVerifier(algorithms: [.es256], replayStore: InMemoryReplayStore()))
        #expect(try api.verify(accessToken, proof: proof, method: "GET", url: url).claims.subject == "248289761001")
        #expect(throws: TokenError.replay(.seen)) {
            try api.verify(accessToken, proof: proof, method: "GET", url: url)
        }
        let next = try prover.proof(method: "GET", url: url, accessToken: accessToken)
        #expect(throws: TokenError.claim(.invalid("htm"))) {
            try api.verify(accessToken, proof: next, method: "POST", url: url)
        }
        let thief = try DPoPProver(key: .generate(.p256), algorithm: .es256)
        let stolen = try thief.proof(method: "GET", url: url, accessToken: accessToken)
        #expect(throws: TokenError.claim(.invalid("cnf"))) {
            try api.verify(accessToken, proof: stolen, method: "GET", url: url)
        }
        let unbound = try issuer.issue(["sub": "248289761001", "client_id": "shop", "jti": UUID()])
        #expect(throws: TokenError.claim(.missing("cnf"))) {
            try api.verify(unbound, proof: next, method: "GET", url: url)
        }

        let keys = KeySet(signingKey.publicKey)
        // Sample: refuse a bound token as a bearer token
        var bearerProfile = AccessTokenProfile(
            issuer: "https://id.example.com", resource: "https://api.example.com", algorithms: [.es256])
        bearerProfile.claims.forbidden = ["cnf"]
        let bearerVerifier = try TokenVerifier(bearerProfile, verificationKeys: keys)
        // Sample: end
        _ = try bearerVerifier.verify(unbound)
        #expect(throws: TokenError.claim(.forbidden("cnf"))) { try bearerVerifier.verify(accessToken) }
    }

    @Test("a proof without the nonce of the server is answered with a nonce") func nonce() throws {
        let prover = try DPoPProver(key: .generate(.p256), algorithm: .es256)
        let proofs = try DPoPVerifier(algorithms: [.es256], replayStore: InMemoryReplayStore())
        let (accessToken, url) = ("an access token", "https://api.example.com/orders")
        let confirmation = KeyConfirmation(keyThumbprint: try prover.key.thumbprint())
        let (newest, previous) = ("eyJ7S_zG.eyJH0-Z.HX4w-7v", "nonce-of-a-minute-ago")
        // Sample: require a nonce
        func check(_ proof: String) -> (status: Int, challenge: String?) {
            var request = DPoPRequest(method: "GET", url: url, accessToken: accessToken, confirmation: confirmation)
            request.nonces = [newest, previous]
            do throws(TokenError) {
                _ = try proofs.verify(proof, for: request)
                return (200, nil)
            } catch .claim(.missing("nonce")), .claim(.invalid("nonce")) {
                // With the header field DPoP-Nonce, whose value is the newest nonce.
                return (401, #"DPoP error="use_dpop_nonce""#)
            } catch .claim(.invalid("cnf")) {
                return (401, #"DPoP error="invalid_token""#)
            } catch let error where error.isRetryable {
                return (503, nil)
            } catch {
                return (401, #"DPoP error="invalid_dpop_proof""#)
            }
        }
        // Sample: end
        // Sample: prove with a nonce
        let proof = try prover.proof(method: "GET", url: url, accessToken: accessToken, nonce: newest)
        // Sample: end
        #expect(check(proof).status == 200)
        #expect(
            check(try prover.proof(method: "GET", url: url, accessToken: accessToken, nonce: previous)).status == 200)
        func challenge(of proof: String) -> String? { check(proof).challenge }
        let plain = try prover.proof(method: "GET", url: url, accessToken: accessToken)
        #expect(challenge(of: plain) == #"DPoP error="use_dpop_nonce""#)
        let posted = try prover.proof(method: "POST", url: url, accessToken: accessToken, nonce: newest)
        #expect(challenge(of: posted) == #"DPoP error="invalid_dpop_proof""#)
        let thief = try DPoPProver(key: .generate(.p256), algorithm: .es256)
        let stolen = try thief.proof(method: "GET", url: url, accessToken: accessToken, nonce: newest)
        #expect(challenge(of: stolen) == #"DPoP error="invalid_token""#)
    }

    @Test("a token is bound to the certificate of a connection (RFC 8705, 3)") func certificate() throws {
        let key = try PrivateKey.generate(.p256, keyID: "1")
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "https://api.example.com"))
        let issuer = try TokenIssuer(policy, signingKey: key)
        let verifier = try TokenVerifier(policy, verificationKeys: key.publicKey)
        let (der, other): ([UInt8], [UInt8]) = (Array("a certificate".utf8), Array("another".utf8))
        // Sample: bind to a certificate
        let token = try issuer.issue(["sub": "248289761001", "cnf": try ClaimValue.confirmation(certificate: der)])
        // Sample: end
        func check(_ presented: [UInt8]) throws(TokenError) {
            let verified = try verifier.verify(token)
            // Sample: check a certificate
            guard let confirmation = try verified.claims.confirmation() else { throw .claim(.missing("cnf")) }
            try confirmation.check(certificate: presented)
            // Sample: end
        }
        try check(der)
        #expect(throws: TokenError.claim(.invalid("cnf"))) { try check(other) }
    }
}
