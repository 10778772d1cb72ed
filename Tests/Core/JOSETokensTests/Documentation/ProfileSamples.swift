import Foundation
import JOSE
import JOSETokens
import Testing

@Suite("Samples: profiles") struct ProfileSamples {
    @Test("a client authenticates itself with an assertion, once (RFC 7523, 3)") func assertion() throws {
        let clientKey = try PrivateKey.generate(.p256, keyID: "c1")
        let clientKeys = KeySet(clientKey.publicKey)
        // Sample: verify a client assertion
        let used = InMemoryReplayStore()
        let client = ClientAssertionProfile(
            clientID: "shop", server: "https://id.example.com", algorithms: [.es256], replayStore: used)
        let verifier = try TokenVerifier(client, verificationKeys: clientKeys)
        // Sample: end

        // Sample: issue a client assertion
        let issuer = try TokenIssuer(client.policy, signingKey: clientKey, lifetime: .seconds(60))
        let assertion = try issuer.issue(["jti": UUID()])
        // Sample: end
        let verified = try verifier.verify(assertion)
        #expect(verified.claims.subject == "shop" && verified.claims.audience == ["https://id.example.com"])
        #expect(throws: TokenError.replay(.seen)) { try verifier.verify(assertion) }
    }

    @Test("an API accepts access tokens without the typ of RFC 9068, and no ID token, by a policy of its own")
    func otherAccessTokens() throws {
        let key = try PrivateKey.generate(.rsa(bits: 2048), keyID: "2026-11")
        let keys = KeySet(key.publicKey)
        // Sample: access tokens of another form
        var signature = SignaturePolicy(algorithms: [.rs256])
        signature.type = .absentOr("JWT")
        var claims = ClaimPolicy(issuer: "https://id.example.com", audience: "https://api.example.com")
        claims.required = ["sub", "scope"]
        claims.forbidden = ["nonce", "at_hash", "events"]
        let verifier = try TokenVerifier(.signed(signature, claims: claims), verificationKeys: keys)
        // Sample: end
        let issuer = try TokenIssuer(verifier.policies[0], signingKey: key)
        let token = try issuer.issue(["sub": "248289761001", "scope": "orders:read"])
        #expect(try verifier.verify(token).claims.subject == "248289761001")
        let profile = AccessTokenProfile(
            issuer: "https://id.example.com", resource: "https://api.example.com", algorithms: [.rs256])
        let error = #expect(throws: TokenError.self) {
            try TokenVerifier(profile, verificationKeys: keys).verify(token)
        }
        #expect(error?.code == "header_typ_mismatch")
        let id = IDTokenProfile(
            issuer: "https://id.example.com", clientID: "shop", nonce: nil, algorithms: [.rs256])
        let idToken = try TokenIssuer(id.policy, signingKey: key).issue(["sub": "248289761001"])
        #expect(throws: TokenError.claim(.audienceMismatch)) { try verifier.verify(idToken) }
    }

    @Test("an API reads the introspected token of a signed response (RFC 9701, 5)") func introspection() throws {
        let serverKey = try PrivateKey.generate(.p256, keyID: "2026-11")
        let serverKeys = KeySet(serverKey.publicKey)
        // Sample: verify an introspection response
        let profile = IntrospectionProfile(
            issuer: "https://id.example.com", resource: "https://api.example.com", algorithms: [.es256])
        let verifier = try TokenVerifier(profile, verificationKeys: serverKeys)

        /// Returns the claims of the token, or nil if it is not active.
        func claims(in response: String) throws(TokenError) -> Claims? {
            try profile.activeToken(in: verifier.verify(response))
        }
        // Sample: end
        let issuer = try TokenIssuer(profile.policy, signingKey: serverKey)
        let active = try issuer.issue(["token_introspection": ["active": true, "sub": "248289761001"]])
        #expect(try claims(in: active)?.subject == "248289761001")
        let inactive = try issuer.issue(["token_introspection": ["active": false]])
        #expect(try claims(in: inactive) == nil)
    }
}
