import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("SD-JWT vectors, RFC 9901") struct SDJWTVectorTests {
    private static func verifier(_ vector: Vector, _ file: VectorFile, at now: Double? = nil) throws -> SDJWTVerifier {
        var signature = SignaturePolicy(algorithms: [.es256])
        let jwt = try JSON(part(0, of: vector.tokenText))
        signature.type = .exactly(try #require(jwt["typ"]?.string))
        var claims = ClaimPolicy(
            issuer: .exactly(try #require(vector.issuer)), audience: .anyAudienceUnchecked)
        claims.clock = .fixed(try #require(now ?? vector.now))
        return try SDJWTVerifier(signature, claims: claims, verificationKeys: KeySet(parsing: file.keySet(of: vector)))
    }

    private static func binding(_ vector: Vector) -> KeyBindingPolicy? {
        guard let audience = vector.audience, let nonce = vector.nonce else { return nil }
        return KeyBindingPolicy(algorithms: [.es256], audience: audience, nonce: nonce)
    }

    @Test("each published SD-JWT gives the payload that the RFC prints, 5 and A") func published() throws {
        let file = try VectorFile("rfc9901/sd-jwt")
        for vector in file.vectors {
            let verified = try Self.verifier(vector, file).verify(vector.tokenText, keyBinding: Self.binding(vector))
            #expect(try JSON(verified.claims.payload) == vector.claims, "\(vector.id)")
            #expect((verified.holder != nil) == (vector.nonce != nil), "\(vector.id)")
            #expect(try SDJWT(vector.tokenText).text == vector.tokenText, "\(vector.id)")
        }
    }

    @Test("each disclosure may be left out, and none may be changed, 7.1") func disclosures() throws {
        let file = try VectorFile("rfc9901/sd-jwt")
        for vector in file.vectors where vector.nonce == nil {
            let verifier = try Self.verifier(vector, file)
            let token = try SDJWT(vector.tokenText)
            for left in token.disclosures.indices {
                var index = -1
                let some = try token.presenting { _ in
                    index += 1
                    return index != left
                }
                #expect(throws: Never.self, "\(vector.id) \(left)") { try verifier.verify(some.text) }
            }
            let none = try token.presenting { _ in false }
            #expect(try verifier.verify(none.text).claims.issuer == vector.issuer, "\(vector.id)")
            var parts = vector.tokenText.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
            let last = parts.count - 2
            parts[last] = base64URL(Array(#"["salt","name","value"]"#.utf8))
            let changed = parts.joined(separator: "~")
            #expect(throws: TokenError.disclosure(.unreferenced), "\(vector.id)") { try verifier.verify(changed) }
        }
    }

    @Test("the published key binding holds for its verifier, nonce, time and text alone, 7.3") func binding() throws {
        let file = try VectorFile("rfc9901/sd-jwt")
        let bound = file.vectors.filter { $0.nonce != nil }
        #expect(bound.count == 2)
        for vector in bound { try binding(vector, file) }
    }

    private func binding(_ vector: Vector, _ file: VectorFile) throws {
        let verifier = try Self.verifier(vector, file)
        let good = try #require(Self.binding(vector))
        func refused(_ failure: ClaimFailure, _ change: (inout KeyBindingPolicy) -> Void) {
            var policy = good
            change(&policy)
            #expect(throws: TokenError.disclosure(.keyBinding(failure))) {
                try verifier.verify(vector.tokenText, keyBinding: policy)
            }
        }
        refused(.audienceMismatch) { $0.audience = "https://verifier.example.org/" }
        refused(.invalid("nonce")) { $0.nonce = "123456789" }
        let now = try #require(vector.now)
        let late = try Self.verifier(vector, file, at: now + 361)
        #expect(throws: TokenError.disclosure(.keyBinding(.tooOld("iat")))) {
            try late.verify(vector.tokenText, keyBinding: good)
        }
        let early = try Self.verifier(vector, file, at: now - 61)
        #expect(throws: TokenError.disclosure(.keyBinding(.notYetValid))) {
            try early.verify(vector.tokenText, keyBinding: good)
        }
        #expect(throws: TokenError.disclosure(.keyBindingUnexpected)) { try verifier.verify(vector.tokenText) }
        // One disclosure less is another text.
        var parts = vector.tokenText.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
        parts.remove(at: 2)
        #expect(throws: TokenError.disclosure(.keyBinding(.invalid("sd_hash")))) {
            try verifier.verify(parts.joined(separator: "~"), keyBinding: good)
        }
        parts[parts.count - 1] = ""
        #expect(throws: TokenError.disclosure(.keyBindingMissing)) {
            try verifier.verify(parts.joined(separator: "~"), keyBinding: good)
        }
    }
}
