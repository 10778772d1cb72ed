import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("RFC 7519") struct RFC7519Tests {
    private static let signature = SignaturePolicy(algorithms: SignatureAlgorithm.all)
    private static let encryption = EncryptionPolicy(
        keyManagement: KeyManagementAlgorithm.all + [.rsa1_5BrokenDecryptionOnly],
        contentEncryption: ContentEncryption.all)

    private static func claims(_ vector: Vector) -> ClaimPolicy {
        var claims = ClaimPolicy(
            issuer: vector.issuer.map { .exactly($0) } ?? .anyIssuerUnchecked, audience: .anyAudienceUnchecked)
        claims.clock = .fixed(NumericDate(secondsSince1970: vector.now ?? 0))
        return claims
    }

    private static func verifier(
        _ vector: Vector, _ file: VectorFile, _ change: (inout ClaimPolicy) -> Void = { _ in }
    ) throws -> TokenVerifier {
        let keys = try KeySet(parsing: file.keySet(of: vector))
        var claims = claims(vector)
        change(&claims)
        switch vector.kind {
        case .nested:
            return try TokenVerifier(
                .nested(outer: encryption, inner: signature, claims: claims), verificationKeys: keys,
                decryptionKeys: keys)
        case .jwe: return try TokenVerifier(.encrypted(encryption, claims: claims), decryptionKeys: keys)
        default: return try TokenVerifier(.signed(signature, claims: claims), verificationKeys: keys)
        }
    }

    private static func vector(_ id: String, _ path: String = "rfc7519/jwt") throws -> (Vector, VectorFile) {
        let file = try VectorFile(path)
        return (try #require(file.vectors.first { $0.id == id }), file)
    }

    @Test(
        "each published JWT gives the published claims, or is rejected with the policy's algorithms",
        arguments: [
            "rfc7519/jwt", "rfc7520/nested",
        ])
    func published(_ path: String) throws {
        let file = try VectorFile(path)
        for vector in file.vectors {
            let verifier = try Self.verifier(vector, file)
            // A JWT is compact, whatever else its layers could be (RFC 7519, 1).
            let mustSucceed = vector.mustSucceed && vector.serialization == .compact
            do throws(TokenError) {
                let token = try verifier.verify(vector.tokenText)
                #expect(mustSucceed, "\(vector.id)")
                #expect(token.claims.payload == vector.payloadBytes, "\(vector.id)")
                #expect(token.claims.issuer == vector.issuer, "\(vector.id)")
                #expect(token.claims.expiration == 1_300_819_380, "\(vector.id)")
                #expect(token.claims.bool("http://example.com/is_root") == true, "\(vector.id)")
                let signed = vector.kind == .nested ? vector.innerHeader : vector.header
                #expect((try? JSON(token.header.bytes)) == signed, "\(vector.id)")
                if vector.kind == .nested {
                    #expect((try? token.encryptionHeader.map { try JSON($0.bytes) }) == vector.header, "\(vector.id)")
                }
            } catch {
                #expect(!mustSucceed, "\(vector.id): \(error)")
                let layer: TokenLayer = vector.kind == .jws ? .signature : .encryption
                let expected: TokenError? =
                    switch vector.refusal {
                    case "algorithmNotAllowed.keyManagement": .jose(.algorithmNotAllowed(.keyManagement), layer: layer)
                    case "algorithmNotAllowed.signature": .jose(.algorithmNotAllowed(.signature), layer: layer)
                    default: nil
                    }
                if let expected {
                    #expect(error == expected, "\(vector.id)")
                } else if case .jose(.malformed, layer) = error {
                    #expect(vector.refusal == "malformed", "\(vector.id)")
                } else {
                    Issue.record("\(vector.id): \(error)")
                }
            }
        }
    }

    @Test("a token has expired once now reaches exp plus the leeway (RFC 7519, 4.1.4)") func expires() throws {
        for (id, path) in [("7519-3.1", "rfc7519/jwt"), ("7520-6-compact", "rfc7520/nested")] {
            let (vector, file) = try Self.vector(id, path)
            let last = try Self.verifier(vector, file) { $0.clock = .fixed(1_300_819_439) }
            #expect(throws: Never.self, "\(id)") { try last.verify(vector.tokenText) }
            let late = try Self.verifier(vector, file) { $0.clock = .fixed(1_300_819_440) }
            #expect(throws: TokenError.claim(.expired), "\(id)") { try late.verify(vector.tokenText) }
        }
    }

    @Test("a token of another issuer is rejected (RFC 7519, 4.1.1)") func issuer() throws {
        for (id, path) in [("7519-3.1", "rfc7519/jwt"), ("7520-6-compact", "rfc7520/nested")] {
            let (vector, file) = try Self.vector(id, path)
            let own = try Self.verifier(vector, file)
            #expect(throws: Never.self, "\(id)") { try own.verify(vector.tokenText) }
            let verifier = try Self.verifier(vector, file) { $0.issuer = "Joe" }
            #expect(throws: TokenError.claim(.issuerMismatch), "\(id)") { try verifier.verify(vector.tokenText) }
        }
    }

    @Test("a token without aud is rejected if an audience is required (RFC 7519, 4.1.3)") func audience() throws {
        let (vector, file) = try Self.vector("7519-3.1")
        let verifier = try Self.verifier(vector, file) { $0.audience = "someone" }
        #expect(throws: TokenError.claim(.audienceMismatch)) { try verifier.verify(vector.tokenText) }
        // As a positive control, the same key's token with this audience is accepted.
        let secret = try #require(file.keys(of: vector).first?["k"]?.string.flatMap { bytes(base64URL: $0) })
        let named = try JWSSigner(key: SecretKey(bytes: secret), algorithm: .hs256)
            .sign(#"{"iss":"joe","exp":1300819380,"aud":"someone"}"#)
        #expect(throws: Never.self) { try verifier.verify(named) }
    }

    @Test("a signed token is rejected as a nested one, and a nested one as a signed one") func forms() throws {
        let (nested, file) = try Self.vector("7520-6-compact", "rfc7520/nested")
        let keys = try KeySet(parsing: file.keySet(of: nested))
        let signed = try TokenVerifier(
            .signed(Self.signature, claims: Self.claims(nested)), verificationKeys: keys)
        #expect(throws: TokenError.self) { try signed.verify(nested.tokenText) }
        let inner = try #require(nested.inner)
        #expect(throws: Never.self) { try signed.verify(inner) }
        let both = try Self.verifier(nested, file)
        #expect(throws: TokenError.self) { try both.verify(inner) }
        let encrypted = try TokenVerifier(
            .encrypted(Self.encryption, claims: Self.claims(nested)), decryptionKeys: keys)
        #expect(throws: TokenError.self) { try encrypted.verify(nested.tokenText) }
    }
}
