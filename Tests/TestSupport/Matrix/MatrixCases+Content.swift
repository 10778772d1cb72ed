internal import JOSE

/// Nested tokens whose encryption layer is valid, with faults of what it contains, and tokens of the other forms.
extension MatrixCase {
    static let nestedFaults: [MatrixCase] = [
        content("claims without a signature inside", .signatureHeader, "malformed") { recipe, _ in
            let claims = recipe.claims.json
            recipe.sealing?.content = { _ in claims }
        },
        content("a third layer", .signatureHeader, "malformed") { recipe, keys in
            let outer = keys.nesting(keys.toDirect)
            let token = try MatrixRecipe(claims: recipe.claims, signing: recipe.signing, sealing: outer).token()
            recipe.sealing?.content = { _ in token }
        },
        content("text inside", .signatureHeader, "malformed") { recipe, _ in recipe.sealing?.content = { _ in "text" }
        },
        content("alg none inside", .signatureHeader, "algorithm_not_allowed") { recipe, _ in
            recipe.signing?.json = #"{"alg":"none","typ":"JWT"}"#
        },
        content("another typ inside", .signatureHeader, "header_typ_mismatch") { recipe, _ in
            recipe.signing?.header.type = "at+jwt"
        },
        content("crit inside that is not understood", .signatureHeader, "critical_header_unknown") { recipe, _ in
            recipe.signing?.header.set("x-other", 1)
            recipe.signing?.header.critical = ["x-other"]
        },
        content("an unknown kid inside", .signatureKey, "key_not_found") { recipe, _ in
            recipe.signing?.header.keyID = "r9"
        },
        content("a changed signature inside", .signature, "signature_invalid") { recipe, _ in
            recipe.sealing?.content = { inner in
                var text = CompactText(inner)
                text.change(2)
                return text.text
            }
        },
        content("changed claims inside", .signature, "signature_invalid") { recipe, _ in
            recipe.sealing?.content = { inner in
                var text = CompactText(inner)
                text.replace(#""sub":"u""#, with: #""sub":"v""#, in: 1)
                return text.text
            }
        },
        content("claims inside that are an array", .claimsText, "malformed") { recipe, _ in recipe.claims.text = "[]" },
        content("another audience inside", .claims, "audience_mismatch") { recipe, _ in
            recipe.claims["aud"] = #""other""#
        },
        content("an unknown issuer inside", .claims, "issuer_mismatch", unknown) { recipe, _ in
            recipe.claims["iss"] = #""https://nobody.example""#
        },
        content("exp inside that has passed", .claims, "token_expired") { recipe, _ in
            recipe.claims["exp"] = "1700000001"
        },
        .fault(
            "another iss outside than inside", of: "RS256 in RSA-OAEP-256 with iss outside", .claims,
            "header_copy_differs", unknown
        ) { recipe, _ in
            recipe.sealing?.issuer = "https://nobody.example"
        },
        content("another sub outside than inside", .claims, "header_copy_differs") { recipe, _ in
            recipe.sealing?.header.set("sub", "v")
        },
        content("a token of the other issuer inside", .signatureKey, "key_not_found", [.severalIssuers: .valid]) {
            recipe, keys in
            ofOther(&recipe, keys)
        },
        .fault(
            "a token of the other issuer, which is named outside", of: "RS256 in RSA-OAEP-256 with iss outside",
            .signatureKey, "key_not_found", [.severalIssuers: .valid]
        ) { recipe, keys in
            ofOther(&recipe, keys)
            recipe.sealing?.issuer = MatrixPolicy.otherIssuer
        },
        barred("a subject inside that the profile rejects", of: oaep),
        used("a jti inside that was used", of: oaep),
    ]
    private static func content(
        _ name: String, _ stage: MatrixStage, _ code: String, _ exceptions: [MatrixCircumstance: MatrixAnswer] = [:],
        _ change: @escaping Change
    ) -> MatrixCase {
        .fault(name, of: oaep, stage, code, exceptions, change)
    }

    private static func ofOther(_ recipe: inout MatrixRecipe, _ keys: MatrixKeys) {
        recipe.signing = Signing(.privateKey(keys.ofOtherIssuer), .es256)
        recipe.claims["iss"] = "\"\(MatrixPolicy.otherIssuer)\""
    }
}
