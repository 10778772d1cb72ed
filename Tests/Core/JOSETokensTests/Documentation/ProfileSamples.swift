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
