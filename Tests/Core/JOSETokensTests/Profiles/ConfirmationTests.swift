import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Confirmation (RFC 7800)") struct ConfirmationTests {
    private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    private func confirmation(_ cnf: String?) throws -> KeyConfirmation? {
        let fixture = try ProfileFixture()
        var claims = ClaimPolicy(issuer: .anyIssuerUnchecked, audience: .anyAudienceUnchecked)
        claims.requiresExpiration = false
        let verifier = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.es256]), claims: claims), verificationKeys: fixture.keys)
        let text = cnf.map { #"{"cnf":\#($0)}"# } ?? "{}"
        return try verifier.verify(fixture.sign(text, type: nil)).claims.confirmation()
    }

    @Test("each confirmation method is read in the form of its RFC") func read() throws {
        #expect(try confirmation(nil) == nil)
        let jkt = try #require(try confirmation(#"{"jkt":"\#(Self.thumbprint)"}"#))
        #expect(jkt.keyThumbprint == bytes(base64URL: Self.thumbprint) && jkt.certificateThumbprint == nil)
        let both = try #require(try confirmation(#"{"x5t#S256":"\#(Self.thumbprint)","kid":"k","other":1}"#))
        #expect(both.certificateThumbprint == bytes(base64URL: Self.thumbprint) && both.keyID == "k")
        let key = try PrivateKey.generate(.p256).publicKey
        #expect(try confirmation(#"{"jwk":\#(key.jwk())}"#)?.key == key)
    }

    @Test(
        "a malformed cnf is rejected, and not treated as absent",
        arguments: [
            "null", "{}", "[]", #""x""#, #"{"jkt":5}"#, #"{"jkt":null}"#, #"{"jkt":""}"#, #"{"jkt":"AAAA"}"#,
            #"{"jkt":"\#(thumbprint)="}"#, #"{"jkt":"\#(thumbprint)A"}"#, #"{"x5t#S256":["\#(thumbprint)"]}"#,
            #"{"kid":5}"#, #"{"jwk":"x"}"#, #"{"jwk":{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAA"}}"#,
            #"{"jwk":{"kty":"EC"},"jku":"https://x.example"}"#, #"{"jwe":"a","jku":"b"}"#,
        ]) func malformed(_ cnf: String) throws
    {
        #expect(throws: TokenError.claim(.invalid("cnf"))) { try confirmation(cnf) }
        #expect(try confirmation(#"{"jkt":"\#(Self.thumbprint)"}"#) != nil)
    }

    @Test("a cnf with a private key as jwk is rejected") func privateKey() throws {
        let key = try PrivateKey.generate(.p256)
        let jwk = String(decoding: try key.exportPrivateJWK(), as: UTF8.self)
        #expect(throws: TokenError.claim(.invalid("cnf"))) { try confirmation(#"{"jwk":\#(jwk)}"#) }
        #expect(try confirmation(#"{"jwk":\#(key.publicKey.jwk())}"#)?.key == key.publicKey)
    }

    @Test("only the key or certificate that cnf names passes the check, and none passes an empty cnf")
    func compared() throws {
        let key = try PrivateKey.generate(.p256).publicKey
        let other = try PrivateKey.generate(.p256).publicKey
        let der: [UInt8] = [0x30, 0x00]
        let byThumbprint = KeyConfirmation(keyThumbprint: try key.thumbprint())
        let byKey = KeyConfirmation(key: key)
        for confirmation in [byThumbprint, byKey] {
            #expect(throws: Never.self) { try confirmation.check(key: key) }
            #expect(throws: TokenError.claim(.invalid("cnf"))) { try confirmation.check(key: other) }
            #expect(throws: TokenError.claim(.invalid("cnf"))) { try confirmation.check(certificate: der) }
        }
        let contradiction = KeyConfirmation(keyThumbprint: try other.thumbprint(), key: key)
        #expect(throws: TokenError.self) { try contradiction.check(key: key) }
        #expect(throws: TokenError.self) { try KeyConfirmation().check(key: key) }
    }

    @Test("confirmations that ClaimValue creates are read back, including the SHA-256 of a certificate") func written()
        throws
    {
        let fixture = try ProfileFixture()
        let key = fixture.key.publicKey
        var claims = ClaimPolicy(issuer: "i", audience: "a")
        claims.clock = .fixed(0)
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
        let issuer = try TokenIssuer(policy, signingKey: .privateKey(fixture.key))
        let verifier = try TokenVerifier(policy, verificationKeys: fixture.keys)
        func back(_ value: ClaimValue) throws -> KeyConfirmation {
            try #require(try verifier.verify(issuer.issue(["cnf": value])).claims.confirmation())
        }
        #expect(try back(.confirmation(thumbprintOf: key)) == KeyConfirmation(keyThumbprint: try key.thumbprint()))
        #expect(try back(.confirmation(key: key)) == KeyConfirmation(key: key))
        // SHA-256 of "abc", FIPS 180-4.
        let bound = try back(.confirmation(certificate: Array("abc".utf8)))
        #expect(
            hex(bound.certificateThumbprint ?? []) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(throws: Never.self) { try bound.check(certificate: Array("abc".utf8)) }
        #expect(throws: TokenError.self) { try bound.check(certificate: Array("abd".utf8)) }
    }
}
