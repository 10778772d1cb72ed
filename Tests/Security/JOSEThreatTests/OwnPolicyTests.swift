import JOSE
import JOSETesting
import JOSETokens
import Testing

@Suite("A test issuer with the policy or the profile of the code under test") struct OwnPolicyTests {
    private func policy(_ adjust: (inout ClaimPolicy) -> Void = { _ in }) -> TokenPolicy {
        var claims = ClaimPolicy(issuer: "https://id.example.com", audience: .oneOf(["shop", "app"]))
        claims.required = ["scope"]
        claims.maximumLifetime = .seconds(120)
        adjust(&claims)
        var signature = SignaturePolicy(algorithms: [.rs256, .es256])
        signature.type = .exactly("at+jwt")
        return .signed(signature, claims: claims)
    }

    @Test("issued and forged tokens meet the policy, and each hostile token is rejected with its reason")
    func ownPolicy() throws {
        let issuer = try TestIssuer(policy(), claims: ["scope": "read"])
        let verifier = try issuer.verifier()
        let token = try verifier.verify(try issuer.issue(["sub": "u-1"]))
        #expect(token.claims.subject == "u-1" && token.claims.string("scope") == "read")
        #expect(token.algorithm == .rs256 && token.header.string("typ") == "at+jwt")
        #expect(try verifier.verify(issuer.forged()).claims.subject == "somebody")
        let hostile = try issuer.hostileTokens()
        // The policy opens nothing, so that no token of the usual catalogue is left out.
        let usual = try TestIssuer(signature: .rs256).hostileTokens()
        #expect(usual.count > 100 && Set(hostile.map(\.name)).isSuperset(of: usual.map(\.name)))
        for token in hostile {
            do throws(TokenError) {
                _ = try verifier.verify(token.text)
                Issue.record("accepted: \(token)")
            } catch { #expect(Refusal(error) == token.refusal, "\(token)") }
        }
        // Without the claim that the policy requires, nothing is issued.
        #expect(throws: TokenError.claim(.missing("scope"))) { try TestIssuer(policy()).issue() }
        #expect(throws: TokenError.claim(.missing("scope"))) { try TestIssuer(policy()).hostileTokens() }
        // The clock is that of the test, whatever the policy's was.
        let early = try issuer.issue()
        issuer.clock.advance(by: .seconds(400))
        #expect(throws: TokenError.claim(.expired)) { try verifier.verify(early) }
        #expect(try verifier.verify(issuer.issue()).claims.subject == nil)
    }

    @Test("tokens that the policy accepts deliberately are not in the catalogue") func deliberate() throws {
        let open = try TestIssuer(policy { $0.issuer = .anyIssuerUnchecked }, claims: ["scope": "read"])
        let strict = try TestIssuer(policy(), claims: ["scope": "read"])
        #expect(try !open.hostileTokens().contains { $0.name == "iss: with a slash" })
        #expect(try strict.hostileTokens().contains { $0.name == "iss: with a slash" })
        // An issuer and an audience among the additional claims are those of the test issuer.
        let named = try TestIssuer(
            policy { $0.issuer = .anyIssuerUnchecked },
            claims: ["scope": "read", "iss": "https://b.test", "aud": "app"])
        #expect(named.issuer == "https://b.test" && named.audience == "app")
        #expect(try named.verifier().verify(named.issue()).claims.issuer == "https://b.test")
    }

    @Test("the verifiers make the checks of the profile and use its replay store") func ownProfile() throws {
        struct Once: TokenProfile {
            let policy: TokenPolicy
            let replayStore: (any ReplayStore)? = InMemoryReplayStore()
            func check(_ token: VerifiedToken) throws(TokenError) {
                guard token.claims.string("scope") == "read" else { throw .claim(.invalid("scope")) }
            }
        }
        let issuer = try TestIssuer(Once(policy: policy()), claims: ["scope": "read", "jti": "1"])
        let verifier = try issuer.verifier()
        let token = try issuer.issue()
        #expect(try verifier.verify(token).claims.string("jti") == "1")
        #expect(throws: TokenError.replay(.seen)) { try verifier.verify(token) }
        let other = try issuer.issue(["scope": "write", "jti": "2"])
        #expect(throws: TokenError.claim(.invalid("scope"))) { try verifier.verify(other) }
        // Tokens have a `jti` of their own where it is needed, and making the catalogue marks none.
        let fresh = try TestIssuer(Once(policy: policy()), claims: ["scope": "read"])
        let once = try fresh.verifier()
        #expect(try fresh.hostileTokens().count > 100)
        for _ in 0..<2 {
            let token = try fresh.issue()
            #expect(throws: Never.self) { try once.verify(token) }
            #expect(throws: TokenError.replay(.seen)) { try once.verify(token) }
        }
        let nested = try TestIssuer(
            TokenPolicy.nested(
                outer: EncryptionPolicy(keyManagement: [.rsaOAEP256], contentEncryption: [.a128gcm]),
                inner: SignaturePolicy(algorithms: [.ps256]),
                claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop")))
        #expect(try nested.verifier().verify(nested.issue()).algorithm == .ps256)
    }
}
