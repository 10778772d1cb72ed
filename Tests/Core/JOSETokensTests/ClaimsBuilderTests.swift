import JOSE
import JOSETokens
import Testing

@Suite("Claims builder") struct ClaimsBuilderTests {
    @Test("registered claims of a builder are read and written by property (RFC 7519, 4.1)") func registered() throws {
        var claims = ClaimsBuilder()
        #expect(claims.issuer == nil && claims.audience.isEmpty && claims.expiration == nil)
        claims.issuer = "https://id.example"
        claims.subject = "u"
        claims.audience = ["shop"]
        claims.tokenID = "x"
        claims.notBefore = 1_000
        claims.issuedAt = 1_000.9
        claims.expiration = 2_000
        claims["auth_time"] = .date(900)
        var policy = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        policy.clock = .fixed(1_500)
        let tokens = TokenPolicy.signed(SignaturePolicy(algorithms: [.hs256]), claims: policy)
        let key = try SecretKey.generate(bits: 256)
        let token = try TokenIssuer(tokens, signingKey: .symmetricKey(key)).issue(claims)
        let read = try TokenVerifier(tokens, verificationKeys: KeySet(key)).verify(token).claims
        #expect(read.issuer == claims.issuer && read.subject == "u" && read.tokenID == "x")
        #expect(read.json("aud") == Array(#""shop""#.utf8) && read.audience == claims.audience)
        #expect(read.json("iat") == Array("1000".utf8))
        #expect(read.notBefore == 1_000 && read.issuedAt == 1_000 && read.expiration == 2_000)
        #expect(claims.issuedAt == 1_000 && read.date("auth_time") == 900 && read.date("sub") == nil)
    }

    @Test("nil and an empty audience remove the claim, and several audiences become an array (RFC 7519, 4.1.3)")
    func changing() throws {
        var claims: ClaimsBuilder = ["sub": "u", "aud": ["a", "b"], "exp": 1_000.5]
        #expect(claims.audience == ["a", "b"] && claims.expiration == 1_000.5)
        claims.audience = []
        claims.subject = nil
        claims.expiration = nil
        #expect(claims["aud"] == nil && claims["sub"] == nil && claims["exp"] == nil)
        claims.audience = ["a", "b"]
        claims.expiration = -0.5
        #expect(claims.audience == ["a", "b"] && claims.expiration == -1)
    }

    @Test("an issuer rejects a time that no NumericDate can have") func invalid() throws {
        let policy = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        let issuer = try TokenIssuer(
            .signed(SignaturePolicy(algorithms: [.hs256]), claims: policy),
            signingKey: .symmetricKey(SecretKey.generate(bits: 256)))
        for seconds in [Double.nan, .infinity, -.infinity, 0x1p54] {
            var claims: ClaimsBuilder = [:]
            claims.issuedAt = NumericDate(secondsSince1970: seconds)
            #expect(throws: TokenError.self, "\(seconds)") { try issuer.issue(claims) }
        }
        #expect(throws: Never.self) { try issuer.issue() }
    }
}
