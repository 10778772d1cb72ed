import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("SD-JWT vectors (RFC 9901)") struct SDJWTVectorTests {
    private static func verifier(_ vector: Vector, _ file: VectorFile, at now: Double? = nil) throws -> SDJWTVerifier {
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .exactly("example+sd-jwt")
        if vector.id == "9901-A.3" { signature.type = .exactly("dc+sd-jwt") }
        signature.requirement = .all
        // The example of appendix A.4 states its times and its issuer in claims of its own.
        var claims = ClaimPolicy(
            issuer: vector.issuer.map { .exactly($0) } ?? .anyIssuerUnchecked, audience: .anyAudienceUnchecked)
        claims.requiresExpiration = vector.issuer != nil
        claims.clock = .fixed(NumericDate(secondsSince1970: try #require(now ?? vector.now)))
        return try SDJWTVerifier(signature, claims: claims, verificationKeys: KeySet(parsing: file.keySet(of: vector)))
    }

    private static func verify(
        _ vector: Vector, _ verifier: SDJWTVerifier, _ text: String, _ binding: KeyBindingPolicy? = nil
    ) throws -> VerifiedSDJWT {
        vector.serialization == .compact
            ? try verifier.verify(text, keyBinding: binding) : try verifier.verify(json: text, keyBinding: binding)
    }

    private static func read(_ vector: Vector) throws -> SDJWT {
        vector.serialization == .compact ? try SDJWT(vector.tokenText) : try SDJWT(json: vector.tokenText)
    }

    private static func text(_ token: SDJWT, as vector: Vector) throws -> String {
        switch vector.serialization {
        case .flattened: try token.json(.flattened)
        case .general: try token.json(.general)
        default: token.text
        }
    }

    private static func binding(_ vector: Vector) -> KeyBindingPolicy? {
        guard let audience = vector.audience, let nonce = vector.nonce else { return nil }
        return KeyBindingPolicy(algorithms: [.es256], audience: audience, nonce: nonce)
    }

    @Test("each published SD-JWT gives the published payload (RFC 9901, 5, 8 and A)") func published() throws {
        let file = try VectorFile("rfc9901/sd-jwt")
        for vector in file.vectors {
            let verified = try Self.verify(
                vector, Self.verifier(vector, file), vector.tokenText, Self.binding(vector))
            #expect(try JSON(verified.claims.payload) == vector.claims, "\(vector.id)")
            #expect((verified.holder != nil) == (vector.nonce != nil), "\(vector.id)")
            let again = try Self.text(Self.read(vector), as: vector)
            if vector.serialization == .compact {
                #expect(again == vector.tokenText, "\(vector.id)")
            } else {
                #expect(try JSON(again.utf8) == vector.token, "\(vector.id)")
            }
        }
    }

    @Test("each published payload with its disclosures gives the published claims (RFC 9901, 6)")
    func payloads() throws {
        let file = try VectorFile("rfc9901/payloads")
        let key = try PrivateKey.generate(.p256)
        let signer = try JWSSigner(key: key, algorithm: .es256, header: HeaderParameters(type: "example+sd-jwt"))
        for vector in file.vectors {
            var signature = SignaturePolicy(algorithms: [.es256])
            signature.type = .exactly("example+sd-jwt")
            var claims = ClaimPolicy(
                issuer: .exactly(try #require(vector.issuer)), audience: .anyAudienceUnchecked)
            claims.clock = .fixed(NumericDate(secondsSince1970: try #require(vector.now)))
            let verifier = try SDJWTVerifier(
                signature, claims: claims, verificationKeys: KeySet(key.publicKey))
            let disclosures = try #require(vector.disclosures)
            let jwt = try signer.sign(vector.payloadBytes)
            let token = ([jwt] + disclosures + [""]).joined(separator: "~")
            #expect(try JSON(verifier.verify(token).claims.payload) == vector.claims, "\(vector.id)")
            let less = ([jwt] + disclosures.dropLast() + [""]).joined(separator: "~")
            if vector.id == "9901-6.3" {
                // Without that of the whole address those within it are of nothing.
                #expect(throws: TokenError.disclosure(.unreferenced)) { try verifier.verify(less) }
            } else {
                #expect(try JSON(verifier.verify(less).claims.payload) != vector.claims, "\(vector.id)")
            }
        }
    }

    @Test("each disclosure may be left out, and a changed one is rejected (RFC 9901, 7.1)") func disclosures() throws {
        let file = try VectorFile("rfc9901/sd-jwt")
        for vector in file.vectors where vector.nonce == nil {
            let verifier = try Self.verifier(vector, file)
            let token = try Self.read(vector)
            for left in token.disclosures.indices {
                var index = -1
                let some = try token.presenting { _ in
                    index += 1
                    return index != left
                }
                #expect(throws: Never.self, "\(vector.id) \(left)") {
                    try Self.verify(vector, verifier, Self.text(some, as: vector))
                }
            }
            let none = try token.presenting { _ in false }
            let hidden = try Self.verify(vector, verifier, Self.text(none, as: vector))
            #expect(hidden.claims.issuer == vector.issuer, "\(vector.id)")
            guard vector.serialization == .compact else { continue }
            var parts = vector.tokenText.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
            let last = parts.count - 2
            parts[last] = base64URL(Array(#"["salt","name","value"]"#.utf8))
            let changed = parts.joined(separator: "~")
            #expect(throws: TokenError.disclosure(.unreferenced), "\(vector.id)") { try verifier.verify(changed) }
        }
    }

    @Test("the published key binding is valid for its own audience, nonce, time and SD-JWT only (RFC 9901, 7.3)")
    func binding() throws {
        let file = try VectorFile("rfc9901/sd-jwt")
        let bound = file.vectors.filter { $0.nonce != nil }
        #expect(bound.count == 5)
        for vector in bound { try binding(vector, file) }
    }

    /// Returns the disclosures of a JSON serialization.
    private static func disclosures(_ token: JSON) -> [String] {
        var first = token
        if case .array(let signatures)? = token["signatures"] { first = signatures[0] }
        guard case .array(let texts)? = first["header"]?["disclosures"] else { return [] }
        return texts.compactMap(\.string)
    }

    private func binding(_ vector: Vector, _ file: VectorFile) throws {
        let verifier = try Self.verifier(vector, file)
        let good = try #require(Self.binding(vector))
        func refused(_ failure: ClaimFailure, _ change: (inout KeyBindingPolicy) -> Void) {
            var policy = good
            change(&policy)
            #expect(throws: TokenError.disclosure(.keyBinding(failure))) {
                try Self.verify(vector, verifier, vector.tokenText, policy)
            }
        }
        #expect(throws: Never.self) { try Self.verify(vector, verifier, vector.tokenText, good) }
        refused(.audienceMismatch) { $0.audience = "https://verifier.example.org/" }
        refused(.invalid("nonce")) { $0.nonce = "123456789" }
        let now = try #require(vector.now)
        let late = try Self.verifier(vector, file, at: now + 361)
        #expect(throws: TokenError.disclosure(.keyBinding(.tooOld("iat")))) {
            try Self.verify(vector, late, vector.tokenText, good)
        }
        let early = try Self.verifier(vector, file, at: now - 61)
        #expect(throws: TokenError.disclosure(.keyBinding(.issuedInFuture("iat")))) {
            try Self.verify(vector, early, vector.tokenText, good)
        }
        #expect(throws: TokenError.disclosure(.keyBindingUnexpected)) {
            try Self.verify(vector, verifier, vector.tokenText)
        }
        // One disclosure less is another text.
        guard vector.serialization == .compact else {
            let shown = try #require(vector.token.map(Self.disclosures)?.last)
            let hidden = vector.tokenText.replacing(#",""# + shown + #"""#, with: "")
            #expect(hidden != vector.tokenText)
            #expect(throws: TokenError.disclosure(.keyBinding(.invalid("sd_hash")))) {
                try verifier.verify(json: hidden, keyBinding: good)
            }
            return
        }
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
