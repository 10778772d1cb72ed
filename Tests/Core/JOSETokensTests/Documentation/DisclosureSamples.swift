import Foundation
import JOSE
import JOSETokens
import Testing

@Suite("Samples: selective disclosure") struct DisclosureSamples {
    @Test("a credential is issued, stored, presented and verified") func credential() throws {
        let issuerKey = try PrivateKey.generate(.p256, keyID: "2026-11")
        let holderKey = try PrivateKey.generate(.p256)
        let issuerKeys = KeySet(issuerKey.publicKey)
        // Sample: issue a credential
        let issuer = try SDJWTIssuer(key: issuerKey, algorithm: .es256, type: "dc+sd-jwt")
        var claims: ClaimsBuilder = [
            "iss": "https://id.example.com", "sub": "248289761001", "given_name": "Erika", "birthdate": "1963-08-12",
            "address": ["locality": "Köln", "country": "DE"], "nationalities": ["DE", "FR"],
        ]
        claims.expiration = NumericDate(Date().addingTimeInterval(31_536_000))
        let credential = try issuer.issue(
            claims,
            hiding: ["given_name", "birthdate", ["address", "locality"], ["nationalities", .everyElement]],
            holder: holderKey.publicKey)
        let issued = credential.text
        // Sample: end

        // Sample: a verifier of credentials
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .exactly("dc+sd-jwt")
        var requirements = ClaimPolicy(issuer: "https://id.example.com", audience: .anyAudienceUnchecked)
        requirements.required = ["given_name"]
        let verifier = try SDJWTVerifier(signature, claims: requirements, verificationKeys: issuerKeys)
        // Sample: end

        // Sample: receive a credential
        let received = try verifier.verify(issued)
        let stored = try SDJWT(issued)
        let names = stored.disclosures.compactMap(\.name)
        // Sample: end
        #expect(received.claims.string("birthdate") == "1963-08-12")
        #expect(Set(names) == ["given_name", "birthdate", "locality"] && stored.disclosures.count == 5)

        let nonce = "wFcXXHpjFGNJqZpr"
        // Sample: present a credential
        let presentation =
            try stored
            .presenting { $0.name == "given_name" || $0.string == "DE" }
            .bound(by: holderKey, algorithm: .es256, audience: "https://shop.example", nonce: nonce)
        let presented = presentation.text
        // Sample: end

        // Sample: verify a presentation
        let binding = KeyBindingPolicy(algorithms: [.es256], audience: "https://shop.example", nonce: nonce)
        let shown = try verifier.verify(presented, keyBinding: binding)
        let name = shown.claims.string("given_name")
        let holder = shown.holder
        // Sample: end
        #expect(name == "Erika" && holder == holderKey.publicKey)
        #expect(shown.claims.string("birthdate") == nil && shown.claims.strings("nationalities") == ["DE"])
        #expect(shown.claims.string(at: ["address", "country"]) == "DE")

        let another = KeyBindingPolicy(algorithms: [.es256], audience: "https://shop.example", nonce: "another")
        #expect(throws: TokenError.disclosure(.keyBinding(.invalid("nonce")))) {
            try verifier.verify(presented, keyBinding: another)
        }
        #expect(throws: TokenError.disclosure(.keyBindingUnexpected)) { try verifier.verify(presented) }
        #expect(throws: TokenError.disclosure(.keyBindingMissing)) { try verifier.verify(issued, keyBinding: binding) }
        let hidden = try stored.presenting { $0.name == "birthdate" }
        #expect(throws: TokenError.claim(.missing("given_name"))) { try verifier.verify(hidden.text) }
    }
}
