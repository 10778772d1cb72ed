internal import JOSE

extension MatrixKeys {
    var toRSA: Sealing { Sealing(.privateKey(rsaRecipient), .rsaOAEP256, .a256gcm) }
    var toP256: Sealing { Sealing(.privateKey(p256Recipients[0]), .ecdhES, .a128gcm) }
    /// The content encryption key is wrapped with a key that was agreed on.
    var toWrappedP256: Sealing { Sealing(.privateKey(p256Recipients[0]), .ecdhESA128KW, .a128cbcHS256) }
    var toWrapping: Sealing { Sealing(.symmetricKey(wrapping), .a256gcmkw, .a256gcm) }
    var toDirect: Sealing { Sealing(.symmetricKey(direct), .dir, .a256gcm) }

    /// Returns the encryption layer around a signed token (RFC 7519, 5.2).
    func nesting(_ sealing: Sealing) -> Sealing {
        var sealing = sealing
        sealing.header.contentType = "JWT"
        return sealing
    }
}

/// Nested tokens, and faults of their encryption layer.
extension MatrixCase {
    static let nested: [MatrixCase] =
        [
            .honest("RS256 in RSA-OAEP-256", .nested) { ($0.rs256, $0.nesting($0.toRSA)) },
            .honest("ES256 in ECDH-ES", .nested) { ($0.es256, $0.nesting($0.toP256)) },
            .honest("PS256 in ECDH-ES+A128KW", .nested) { ($0.ps256, $0.nesting($0.toWrappedP256)) },
            .honest("HS256 in A256GCMKW", .nested) { ($0.hs256, $0.nesting($0.toWrapping)) },
            .honest("EdDSA in dir", .nested) { ($0.edDSA, $0.nesting($0.toDirect)) },
            .honest("ES256 in RSA-OAEP-256 without kid", .nested) { keys in
                var sealing = keys.nesting(keys.toRSA)
                sealing.isNameless = true
                return (keys.es256, sealing)
            },
            .honest("RS256 in ECDH-ES without kid, for the second of two keys", .nested) { keys in
                var sealing = keys.nesting(Sealing(.privateKey(keys.p256Recipients[1]), .ecdhES, .a256gcm))
                sealing.isNameless = true
                return (keys.rs256, sealing)
            },
            .honest("RS256 in RSA-OAEP-256 with iss outside", .nested) { keys in
                var sealing = keys.nesting(keys.toRSA)
                sealing.issuer = MatrixPolicy.issuer
                return (keys.rs256, sealing)
            },
            .honest("ES256 in dir with iss outside", .nested) { keys in
                var sealing = keys.nesting(keys.toDirect)
                sealing.issuer = MatrixPolicy.issuer
                return (keys.es256, sealing)
            },

            .edited("a duplicate member outside", of: dir, .parts, "malformed") { text in
                text.setHeader(#"{"alg":"dir","enc":"A256GCM","kid":"m4","cty":"JWT","kid":"m4"}"#)
            },
            .edited("a header outside that is not JSON", of: dir, .parts, "malformed") {
                $0.setHeader(#"{"alg":"dir""#)
            },
            .edited("four of five parts", of: dir, .parts, "malformed") { $0.parts.removeLast() },
            .edited("six parts", of: dir, .parts, "malformed") { $0.parts.append("AAAA") },
            .edited("a ciphertext that is too long for a token", of: dir, .parts, "limit_exceeded") { text in
                text.parts[3] += String(repeating: "A", count: MatrixPolicy.tokenBytes)
            },
            .fault("a signed token where encryption is needed", of: oaep, .parts, "malformed") { recipe, _ in
                recipe.sealing = nil
            },
            .fault("a content that is too long", of: oaep, .encryptionHeader, "limit_exceeded") { recipe, _ in
                recipe.claims["pad"] = "\"" + String(repeating: "p", count: MatrixPolicy.plaintextBytes) + "\""
            },
            .edited("a ciphertext that is not base64url", of: oaep, .encryptionHeader, "malformed") { text in
                text.parts[3] = "!" + text.parts[3].dropFirst()
            },
            .edited("an encrypted key that is not base64url", of: oaep, .encryptionHeader, "malformed") { text in
                text.parts[1] = "!" + text.parts[1].dropFirst()
            },

            direct("no alg outside", #"{"enc":"A256GCM","kid":"m4","cty":"JWT"}"#, "header_alg_missing"),
            direct("no enc", #"{"alg":"dir","kid":"m4","cty":"JWT"}"#, "header_enc_missing"),
            direct(
                "zip", #"{"alg":"dir","enc":"A256GCM","kid":"m4","cty":"JWT","zip":"DEF"}"#, "header_zip_not_allowed",
                // There compressed content is accepted, and this one is not compressed.
                [
                    .checkOptions: .rejected(
                        EncryptionPolicy.compressionIsBuilt ? "decompression_failed" : "unsupported")
                ]),
            direct(
                "crit outside that is not understood",
                #"{"alg":"dir","enc":"A256GCM","kid":"m4","cty":"JWT","crit":["x-other"],"x-other":1}"#,
                "critical_header_unknown"),
            direct("no cty", #"{"alg":"dir","enc":"A256GCM","kid":"m4"}"#, "header_cty_mismatch"),
            direct("another cty", #"{"alg":"dir","enc":"A256GCM","kid":"m4","cty":"json"}"#, "header_cty_mismatch"),
            .fault("a key management that is not allowed", of: oaep, .encryptionHeader, "algorithm_not_allowed") {
                recipe, _ in
                recipe.sealing?.keyManagement = .rsaOAEP
            },
            .fault("a content encryption that is not allowed", of: oaep, .encryptionHeader, "algorithm_not_allowed") {
                recipe, _ in
                recipe.sealing?.contentEncryption = .a192gcm
            },
            .edited("RSA1_5", of: oaep, .encryptionHeader, "algorithm_not_allowed") { text in
                text.setHeader(#"{"alg":"RSA1_5","enc":"A256GCM","kid":"m1","cty":"JWT"}"#)
            },

            .fault("an unknown kid outside", of: oaep, .decryptionKey, "key_not_found") { recipe, _ in
                recipe.sealing?.header.keyID = "m9"
            },
            .fault("the kid outside of a key of another kind", of: oaep, .decryptionKey, "key_unsuitable") {
                recipe, _ in
                recipe.sealing?.header.keyID = "m2"
            },
            .edited("an encrypted key beside dir", of: dir, .encryptionHeader, "malformed") { $0.parts[1] = "AAAA" },
            .edited("an IV that is too short", of: oaep, .encryptionHeader, "malformed") { $0.cut(2) },
            .edited("no tag of the wrapped key", of: gcmkw, .encryptionHeader, "header_iv_tag_invalid") { text in
                text.setHeader(#"{"alg":"A256GCMKW","enc":"A256GCM","kid":"m3","cty":"JWT","iv":"AAAAAAAAAAAAAAAA"}"#)
            },

            .edited("no epk", of: ecdh, .decryption, "header_epk_invalid") { text in
                text.setHeader(#"{"alg":"ECDH-ES","enc":"A128GCM","kid":"m2","cty":"JWT"}"#)
            },
            .edited("epk that is not on the curve", of: ecdh, .decryption, "header_epk_invalid") { text in
                let coordinate = String(repeating: "A", count: 42) + "E"
                let key = #"{"kty":"EC","crv":"P-256","x":"\#(coordinate)","y":"\#(coordinate)"}"#
                text.setHeader(#"{"alg":"ECDH-ES","enc":"A128GCM","kid":"m2","cty":"JWT","epk":\#(key)}"#)
            },
            .fault("another RSA key under a known kid outside", of: oaep, .decryption, "decryption_failed") {
                recipe, keys in
                var key = keys.otherRSA
                (key.keyID, key.use) = ("m1", nil)
                recipe.sealing?.key = .privateKey(key)
            },
            .fault("another EC key under a known kid outside", of: ecdh, .decryption, "decryption_failed") {
                recipe, keys in
                var key = keys.stranger
                (key.keyID, key.use) = ("m2", nil)
                recipe.sealing?.key = .privateKey(key)
            },
        ]
        + [oaep, ecdh, ecdhKW, gcmkw, dir].flatMap { name -> [MatrixCase] in
            [("a changed tag", 4), ("a changed ciphertext", 3)].map { what, part in
                .edited("\(what): \(name)", of: name, .decryption, "decryption_failed") { $0.change(part) }
            }
        }
        + [oaep, ecdhKW, gcmkw].map { name in
            .edited("a changed encrypted key: \(name)", of: name, .decryption, "decryption_failed") { $0.change(1) }
        }
        + [
            .edited("an encrypted key that was cut", of: oaep, .decryption, "decryption_failed") { $0.cut(1) },
            .edited("a changed IV", of: oaep, .decryption, "decryption_failed") { $0.change(2) },
            .edited("a tag that was cut", of: oaep, .decryption, "decryption_failed") { $0.cut(4) },
            .edited("no tag", of: oaep, .decryption, "decryption_failed") { $0.parts[4] = "" },
            .edited("a changed header outside", of: dir, .decryption, "decryption_failed") { text in
                text.setHeader(#"{"alg":"dir","enc":"A256GCM","kid":"m4","cty":"JWT","x":1}"#)
            },
        ]

    static let oaep = "RS256 in RSA-OAEP-256"
    static let ecdh = "ES256 in ECDH-ES"
    static let ecdhKW = "PS256 in ECDH-ES+A128KW"
    static let gcmkw = "HS256 in A256GCMKW"
    static let dir = "EdDSA in dir"

    /// Returns the line of a token that is encrypted with `dir` under this header.
    private static func direct(
        _ name: String, _ header: String, _ code: String, _ exceptions: [MatrixCircumstance: MatrixAnswer] = [:]
    ) -> MatrixCase {
        .fault(name, of: dir, .encryptionHeader, code, exceptions) { recipe, _ in recipe.sealing?.json = header }
    }
}
