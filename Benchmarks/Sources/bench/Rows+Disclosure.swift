internal import CRaw
internal import Foundation
internal import JOSE
internal import JOSETokens

extension Fixtures {
    /// Returns rows of an SD-JWT with ten claims, of which eight are hidden and three are disclosed, bound to the holder's key.
    func disclosureRows() throws -> [Row] {
        let now = Int64(Date().timeIntervalSince1970)
        let claims: ClaimsBuilder = [
            "iss": .string(Self.issuer), "iat": .integer(now), "exp": .integer(now + 86_400),
            "given_name": "Janneke", "family_name": "van den Berg-Visser", "email": "janneke.visser@example.com",
            "phone_number": "+31 20 555 0142", "birthdate": "1986-02-11", "locale": "nl-NL",
            "address": .object([("locality", "Utrecht"), ("country", "NL")]), "nationalities": .array(["NL", "BE"]),
        ]
        let hidden: [ClaimPath] = [
            "given_name", "family_name", "email", "phone_number", "birthdate", "locale", ["address", "locality"],
            ["nationalities", .everyElement],
        ]
        let issuer = try SDJWTIssuer(key: p256, algorithm: .es256, type: "dc+sd-jwt")
        let holder = try PrivateKey.generate(.p256)
        let held = try issuer.issue(claims, hiding: hidden, holder: holder.publicKey)
        let shown: Set<String> = ["given_name", "email", "birthdate"]
        func present() throws(TokenError) -> SDJWT {
            try held.presenting { shown.contains($0.name ?? "") }
                .bound(by: holder, algorithm: .es256, audience: Self.audience, nonce: "n-0S6_WzA2Mj9")
        }
        let presentation = Array(try present().text.utf8)
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .exactly("dc+sd-jwt")
        let verifier = try SDJWTVerifier(
            signature, claims: ClaimPolicy(issuer: .exactly(Self.issuer), audience: .anyAudienceUnchecked),
            verificationKeys: KeySet(p256.publicKey))
        var binding = KeyBindingPolicy(algorithms: [.es256], audience: Self.audience, nonce: "n-0S6_WzA2Mj9")
        binding.maximumAge = .seconds(86_400)
        let raws = try DisclosureRaws(self, presentation, holder)
        return [
            Row(
                "profile", "SD-JWT issue ES256",
                { count in
                    let holder = holder.publicKey
                    var good = 0
                    for _ in 0..<count {
                        if (try? issuer.issue(claims, hiding: hidden, holder: holder)) != nil { good += 1 }
                    }
                    return good
                }, raw: raws.issue),
            Row(
                "profile", "SD-JWT present ES256",
                { count in
                    var good = 0
                    for _ in 0..<count where (try? present()) != nil { good += 1 }
                    return good
                }, raw: raws.present),
            Row(
                "profile", "SD-JWT verify ES256",
                { [binding] count in
                    var good = 0
                    for _ in 0..<count where (try? verifier.verify(presentation.span, keyBinding: binding)) != nil {
                        good += 1
                    }
                    return good
                }, raw: raws.verify,
                note: "raw: both signatures, the holder's key made from its point, and the hashes that they cover"),
        ]
    }
}

/// The cryptography of the three rows.
private struct DisclosureRaws {
    private let parts: (jwt: TokenParts, binding: TokenParts)
    private let issuerSecret, issuerPublic, holderSecret, holderPublic, point: [UInt8]
    /// The texts that a verifier hashes: each disclosure, for the issuer's signature covers its hash alone, and all that precedes
    /// the key binding JWT, which has the hash of it (RFC 9901, 7.1 and 7.3).
    private let hashed: [[UInt8]]

    init(_ fixtures: Fixtures, _ presentation: [UInt8], _ holder: PrivateKey) throws {
        let texts = presentation.split(separator: UInt8(ascii: "~"))
        let binding = texts.last ?? []
        parts = (TokenParts(Array(texts.first ?? [])), TokenParts(Array(binding)))
        hashed = texts.dropFirst().dropLast().map { Array($0) } + [Array(presentation.dropLast(binding.count))]
        issuerSecret = try fixtures.p256.exportPrivateDER()
        issuerPublic = try fixtures.p256.publicKey.der()
        holderSecret = try holder.exportPrivateDER()
        holderPublic = try holder.publicKey.der()
        point = try fixtures.uncompressed(holder.publicKey)
    }

    func issue() -> Raw { Raw("sign", "ES256", [(.key, issuerSecret), (.input, parts.jwt.signingInput)]) }
    func present() -> Raw { Raw("sign", "ES256", [(.key, holderSecret), (.input, parts.binding.signingInput)]) }

    func verify() -> Raw {
        verify(
            issuerPublic, parts.jwt,
            then: [Raw("key", "EC", [(.point, point)]), verify(holderPublic, parts.binding)]
                + hashed.map { Raw("digest", "SHA256", [(.input, $0)]) })
    }

    private func verify(_ key: [UInt8], _ parts: TokenParts, then others: [Raw] = []) -> Raw {
        Raw(
            "verify", "ES256", [(.key, key), (.input, parts.signingInput), (.signature, parts.decoded[2])], then: others
        )
    }
}
