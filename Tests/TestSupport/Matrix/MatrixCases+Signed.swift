internal import JOSE

extension MatrixKeys {
    var rs256: Signing { Signing(.privateKey(rsa), .rs256) }
    var ps256: Signing { Signing(.privateKey(rsa), .ps256) }
    var es256: Signing { Signing(.privateKey(p256), .es256) }
    var edDSA: Signing { Signing(.privateKey(ed25519), .edDSA) }
    var hs256: Signing { Signing(.symmetricKey(secret), .hs256) }
}

/// Signed tokens, and faults of the header and of the choice of the key.
extension MatrixCase {
    static let signed: [MatrixCase] = [
        .honest("RS256", .signed) { ($0.rs256, nil) },
        .honest("PS256", .signed) { ($0.ps256, nil) },
        .honest("ES256", .signed) { ($0.es256, nil) },
        .honest("EdDSA", .signed) { ($0.edDSA, nil) },
        .honest("HS256", .signed) { ($0.hs256, nil) },
        .honest("RS256 without kid, under the second of two keys", .signed) { keys in
            var signing = Signing(.privateKey(keys.otherRSA), .rs256)
            signing.isNameless = true
            return (signing, nil)
        },
        .honest("ES256 without kid, under the second of two keys", .signed) { keys in
            var signing = Signing(.privateKey(keys.otherP256), .es256)
            signing.isNameless = true
            return (signing, nil)
        },
        .honest("crit that is understood", .signed) { keys in
            var signing = keys.es256
            signing.header.set(MatrixPolicy.critical, 1)
            signing.header.critical = [MatrixPolicy.critical]
            return (signing, nil)
        },

        .fault("alg none", of: "RS256", .signatureHeader, "algorithm_not_allowed") { recipe, _ in
            recipe.signing?.json = #"{"alg":"none","typ":"JWT"}"#
        },
        .edited("alg none without a signature", of: "RS256", .signatureHeader, "algorithm_not_allowed") { text in
            text.setHeader(#"{"alg":"none","typ":"JWT"}"#)
            text.parts[2] = ""
        },
        .fault("alg that is not allowed", of: "RS256", .signatureHeader, "algorithm_not_allowed") { recipe, _ in
            recipe.signing?.algorithm = .rs384
        },
        .fault("alg that nobody knows", of: "RS256", .signatureHeader, "algorithm_not_allowed") { recipe, _ in
            recipe.signing?.json = #"{"alg":"XX256","kid":"r1","typ":"JWT"}"#
        },
        .fault("no alg", of: "RS256", .signatureHeader, "header_alg_missing") { recipe, _ in
            recipe.signing?.json = #"{"kid":"r1","typ":"JWT"}"#
        },
        .fault("alg that is a number", of: "RS256", .signatureHeader, "header_member_type_invalid") { recipe, _ in
            recipe.signing?.json = #"{"alg":256,"kid":"r1","typ":"JWT"}"#
        },
        .fault("kid that is a number", of: "RS256", .signatureHeader, "header_member_type_invalid") { recipe, _ in
            recipe.signing?.json = #"{"alg":"RS256","kid":1,"typ":"JWT"}"#
        },
        .fault("a duplicate member in the header", of: "RS256", .signatureHeader, "malformed") { recipe, _ in
            recipe.signing?.json = #"{"alg":"RS256","kid":"r1","typ":"JWT","kid":"r1"}"#
        },
        .fault("a header that is not JSON", of: "RS256", .signatureHeader, "malformed") { recipe, _ in
            recipe.signing?.json = #"{"alg":"RS256","kid":"r1","typ":"JWT""#
        },
        .fault(
            "crit that is not understood", of: "crit that is understood", .signatureHeader, "critical_header_unknown"
        ) {
            recipe, _ in
            recipe.signing?.header.set("x-other", 1)
            recipe.signing?.header.critical = [MatrixPolicy.critical, "x-other"]
        },
        .fault("an empty crit", of: "RS256", .signatureHeader, "header_crit_invalid") { recipe, _ in
            recipe.signing?.json = #"{"alg":"RS256","kid":"r1","typ":"JWT","crit":[]}"#
        },
        .fault("crit with a name that is no member", of: "RS256", .signatureHeader, "header_crit_invalid") {
            recipe, _ in
            recipe.signing?.json = #"{"alg":"RS256","kid":"r1","typ":"JWT","crit":["x-known"]}"#
        },
        .fault("an unencoded payload", of: "RS256", .signatureHeader, "header_b64_invalid") { recipe, _ in
            recipe.signing?.json = #"{"alg":"RS256","kid":"r1","typ":"JWT","b64":false,"crit":["b64"]}"#
        },
        .fault("another typ", of: "RS256", .signatureHeader, "header_typ_mismatch") { recipe, _ in
            recipe.signing?.header.type = "at+jwt"
        },
        .fault("no typ", of: "ES256", .signatureHeader, "header_typ_mismatch") { recipe, _ in
            recipe.signing?.header.type = nil
        },

        .fault("an unknown kid", of: "RS256", .signatureKey, "key_not_found") { recipe, _ in
            recipe.signing?.header.keyID = "r9"
        },
        .fault("the kid of a key of another kind", of: "RS256", .signatureKey, "key_unsuitable") { recipe, _ in
            recipe.signing?.header.keyID = "e1"
        },
        .fault("the text of a public key as a secret", of: "HS256", .signatureKey, "key_unsuitable") { recipe, keys in
            var secret = try SecretKey(bytes: Array(keys.rsa.publicKey.pem().utf8))
            secret.keyID = "r1"
            recipe.signing?.key = .symmetricKey(secret)
        },
        .fault("the kid of another key of the set", of: "RS256", .signature, "signature_invalid") { recipe, _ in
            recipe.signing?.header.keyID = "r2"
        },
        .fault("a stranger's key under a known kid", of: "ES256", .signature, "signature_invalid") { recipe, keys in
            recipe.signing?.key = .privateKey(keys.stranger)
        },
        .fault(
            "a stranger's key without kid", of: "ES256 without kid, under the second of two keys", .signature,
            "signature_invalid"
        ) { recipe, keys in
            recipe.signing?.key = .privateKey(keys.stranger)
        },
        .fault("another secret under a known kid", of: "HS256", .signature, "signature_invalid") { recipe, _ in
            recipe.signing?.key = .symmetricKey(try SecretKey.generate(bits: 256, keyID: "h1"))
        },
        .fault("a PKCS #1 signature where alg is PS256", of: "PS256", .signature, "signature_invalid") { recipe, _ in
            recipe.signing?.json = #"{"alg":"PS256","kid":"r1","typ":"JWT"}"#
        },
    ]

    /// Signed tokens whose text was changed.
    static let signedText: [MatrixCase] =
        ["RS256", "PS256", "ES256", "EdDSA", "HS256"].map { name in
            .edited("\(name) with a changed signature", of: name, .signature, "signature_invalid") { $0.change(2) }
        }
        + ["RS256", "ES256", "HS256"].map { name in
            .edited("\(name) with a changed payload", of: name, .signature, "signature_invalid") { text in
                text.replace(#""sub":"u""#, with: #""sub":"v""#, in: 1)
            }
        }
        + ["RS256", "ES256"].map { name in
            .edited("\(name) with a cut signature", of: name, .signature, "signature_invalid") { $0.cut(2) }
        }
        + ["RS256", "HS256"].map { name in
            .edited("\(name) with an empty signature", of: name, .signature, "signature_invalid") { $0.parts[2] = "" }
        }
        + [
            .edited("a changed header", of: "RS256", .signature, "signature_invalid") { text in
                text.setHeader(#"{"alg":"RS256","kid":"r1","typ":"JWT","x":1}"#)
            },
            .edited("a signature that is not base64url", of: "RS256", .parts, "malformed") { text in
                text.parts[2] = "!" + text.parts[2].dropFirst()
            },
            .edited("a signature with padding", of: "RS256", .parts, "malformed") { $0.parts[2] += "==" },
            .edited("a signature with bits after its last byte", of: "RS256", .parts, "malformed") { text in
                // Four bits of the last character are not used. Those of A are zero, and B sets one of them.
                text.parts[2] = text.parts[2].dropLast() + "B"
            },
            .edited("a payload that is not base64url", of: "RS256", .parts, "malformed") { text in
                text.parts[1] = "!" + text.parts[1].dropFirst()
            },
            .edited("a header that is not base64url", of: "RS256", .signatureHeader, "malformed") { text in
                text.parts[0] = "!" + text.parts[0].dropFirst()
            },
            .edited("two parts", of: "RS256", .parts, "malformed") { $0.parts.removeLast() },
            .edited("four parts", of: "RS256", .parts, "malformed") { $0.parts.append("AAAA") },
            .edited("no text", of: "RS256", .parts, "malformed") { $0.parts = [""] },
            .edited("a space after the token", of: "RS256", .parts, "malformed") { $0.parts[2] += " " },
            .edited("a token that is too long", of: "RS256", .parts, "limit_exceeded") { text in
                text.parts[2] += String(repeating: "A", count: MatrixPolicy.tokenBytes)
            },
            .edited("a signature that is too long", of: "RS256", .parts, "limit_exceeded") { text in
                text.parts[2] = String(repeating: "A", count: 2 * MatrixPolicy.signatureBytes)
            },
            .fault("a payload that is too long", of: "RS256", .parts, "limit_exceeded") { recipe, _ in
                recipe.claims["pad"] = "\"" + String(repeating: "p", count: MatrixPolicy.plaintextBytes) + "\""
            },
            .fault(
                "an encrypted token where a signature is needed", of: "RS256", .parts, "malformed",
                [.severalIssuers: .rejected("issuer_unknown")]
            ) { recipe, keys in
                recipe.sealing = keys.toRSA
                recipe.sealing?.header.contentType = "JWT"
            },
        ]
}
