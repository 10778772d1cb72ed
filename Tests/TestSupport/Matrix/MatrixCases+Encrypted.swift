internal import JOSE

/// Encrypted tokens without a signature.
extension MatrixCase {
    static let encrypted: [MatrixCase] =
        [
            .honest("RSA-OAEP-256", .encrypted) { (nil, typed($0.toRSA)) },
            .honest("ECDH-ES", .encrypted) { (nil, typed($0.toP256)) },
            .honest("A256GCMKW", .encrypted) { (nil, typed($0.toWrapping)) },
            .honest("dir", .encrypted) { (nil, typed($0.toDirect)) },
            .honest("RSA-OAEP-256 with iss outside", .encrypted) { keys in
                var sealing = typed(keys.toRSA)
                sealing.issuer = MatrixPolicy.issuer
                return (nil, sealing)
            },
        ]
        + ["RSA-OAEP-256", "ECDH-ES", "A256GCMKW", "dir"].map { name in
            .edited("\(name) with a changed tag", of: name, .decryption, "decryption_failed") { $0.change(4) }
        }
        + [
            .edited("RSA-OAEP-256 with a changed encrypted key", of: "RSA-OAEP-256", .decryption, "decryption_failed") {
                $0.change(1)
            },
            alone("a signed token where claims are encrypted", .parts, "malformed") { recipe, keys in
                (recipe.signing, recipe.sealing) = (keys.rs256, nil)
            },
            alone("encrypted claims that are too long", .encryptionHeader, "limit_exceeded") { recipe, _ in
                recipe.claims["pad"] = "\"" + String(repeating: "p", count: MatrixPolicy.plaintextBytes) + "\""
            },
            alone("another typ of encrypted claims", .encryptionHeader, "header_typ_mismatch") { recipe, _ in
                recipe.sealing?.header.type = "at+jwt"
            },
            alone("an unknown kid of encrypted claims", .decryptionKey, "key_not_found") { recipe, _ in
                recipe.sealing?.header.keyID = "m9"
            },
            alone("a signed token where claims are expected inside", .claimsText, "malformed") { recipe, keys in
                recipe.signing = keys.rs256
            },
            alone("a duplicate claim inside", .claimsText, "malformed") { recipe, _ in
                recipe.claims.text = #"{"iss":"\#(MatrixPolicy.issuer)","iss":"\#(MatrixPolicy.issuer)"}"#
            },
            alone("encrypted claims of the other issuer", .claims, "issuer_mismatch", [.severalIssuers: .valid]) {
                recipe, _ in
                recipe.claims["iss"] = "\"\(MatrixPolicy.otherIssuer)\""
            },
            alone("another audience of encrypted claims", .claims, "audience_mismatch") { recipe, _ in
                recipe.claims["aud"] = #""other""#
            },
            alone("an encrypted exp that has passed", .claims, "token_expired") { recipe, _ in
                recipe.claims["exp"] = "1700000001"
            },
            alone("another sub outside than that of the claims", .claims, "header_copy_differs") { recipe, _ in
                recipe.sealing?.header.set("sub", "v")
            },
            barred("an encrypted subject that the profile rejects", of: "RSA-OAEP-256"),
            used("an encrypted jti that was used", of: "RSA-OAEP-256"),
        ]

    private static func typed(_ sealing: Sealing) -> Sealing {
        var sealing = sealing
        sealing.header.type = MatrixPolicy.type
        return sealing
    }

    private static func alone(
        _ name: String, _ stage: MatrixStage, _ code: String, _ exceptions: [MatrixCircumstance: MatrixAnswer] = [:],
        _ change: @escaping Change
    ) -> MatrixCase {
        .fault(name, of: "RSA-OAEP-256", stage, code, exceptions, change)
    }
}
