import JOSE
import JOSETesting
import JOSETokens
import Testing

@Suite("Samples: testing") struct TestingSamples {
    private struct Middleware {
        let verifier: TokenVerifier
        init(_ verifier: TokenVerifier) { self.verifier = verifier }
        func accepts(_ token: String) -> Bool { (try? verifier.verify(token)) != nil }
    }

    @Test("an issuer with the policy of the code under test") func ownPolicy() throws {
        var claims = ClaimPolicy(issuer: "https://id.example.com", audience: "shop")
        claims.required = ["scope"]
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
        var refused: [Bool] = []
        // Sample: the policy of your code in tests
        let issuer = try TestIssuer(policy, claims: ["scope": "read"])
        let middleware = Middleware(try issuer.verifier())
        let token = try issuer.issue(["sub": "u-1"])
        for hostile in try issuer.hostileTokens() { refused.append(!middleware.accepts(hostile.text)) }
        issuer.clock.advance(by: .seconds(3_600))
        // Sample: end
        #expect(refused.count > 100 && refused.allSatisfy { $0 })
        #expect(!middleware.accepts(token))
        #expect(middleware.accepts(try issuer.issue()))
    }
}
