internal import JOSE

/// Signed tokens whose signature is valid, and whose claims are not what the policy requires. The tables of the other
/// forms repeat some of these faults.
extension MatrixCase {
    static let claims: [MatrixCase] = [
        text("claims that are not JSON", #"{"iss":"#),
        text("claims that are an array", "[]"),
        text("a duplicate claim", #"{"iss":"\#(MatrixPolicy.issuer)","iss":"\#(MatrixPolicy.issuer)"}"#),
        .fault("claims that are nested too deep", of: "RS256", .claimsText, "limit_exceeded") { recipe, _ in
            recipe.claims["x"] = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        },

        claim("an unknown issuer", "iss", #""https://nobody.example""#, "issuer_mismatch", unknown),
        claim("no issuer", "iss", nil, "issuer_mismatch", unknown),
        claim("an issuer that is a number", "iss", "1", "issuer_mismatch", unknown),
        claim(
            "the name of the other issuer", "iss", "\"\(MatrixPolicy.otherIssuer)\"", "issuer_mismatch",
            [.severalIssuers: .rejected("key_not_found")]),
        .fault("the key of the other issuer", of: "ES256", .signatureKey, "key_not_found") { recipe, keys in
            recipe.signing?.key = .privateKey(keys.ofOtherIssuer)
        },
        .fault(
            "a token of the other issuer", of: "ES256", .signatureKey, "key_not_found", [.severalIssuers: .valid]
        ) { recipe, keys in
            recipe.signing?.key = .privateKey(keys.ofOtherIssuer)
            recipe.claims["iss"] = "\"\(MatrixPolicy.otherIssuer)\""
        },

        claim("another audience", "aud", #""other""#, "audience_mismatch"),
        claim("no audience", "aud", nil, "audience_mismatch"),
        claim("an audience that is a number", "aud", "1", "audience_mismatch"),
        claim("exp that has passed", "exp", "1700000001", "token_expired"),
        claim("no exp", "exp", nil, "claim_missing"),
        claim("exp that is text", "exp", #""4000000000""#, "claim_invalid"),
        claim("nbf in the future", "nbf", "3900000000", "token_not_yet_valid"),
        claim("iat in the future", "iat", "3900000000", "token_issued_in_future"),
        claim(
            "exp that is too far ahead", "exp", "9000000000", "token_lifetime_too_long", [.checkOptions: .valid]),
        claim("no sub", "sub", nil, "claim_missing"),
        claim("sub that is a number", "sub", "1", "claim_invalid"),
        claim("no jti", "jti", nil, "claim_missing"),
        claim("jti that is a number", "jti", "1", "claim_invalid"),
        claim("another value of an accepted one", "role", #""root""#, "claim_invalid"),
        claim("no claim of an accepted value", "role", nil, "claim_missing"),
        claim("a claim that is forbidden", MatrixPolicy.forbidden, "true", "claim_forbidden", [.checkOptions: .valid]),

        barred("a subject that the profile rejects", of: "RS256"),
        used("a jti that was used", of: "RS256"),
    ]

    /// The answer where the issuer is read before a key is chosen.
    static let unknown: [MatrixCircumstance: MatrixAnswer] = [.severalIssuers: .rejected("issuer_unknown")]

    private static func text(_ name: String, _ payload: String) -> MatrixCase {
        .fault(name, of: "RS256", .claimsText, "malformed") { recipe, _ in recipe.claims.text = payload }
    }

    private static func claim(
        _ name: String, _ claim: String, _ json: String?, _ code: String,
        _ exceptions: [MatrixCircumstance: MatrixAnswer] = [:]
    ) -> MatrixCase {
        .fault(name, of: "RS256", .claims, code, exceptions) { recipe, _ in recipe.claims[claim] = json }
    }

    /// Returns the line of a token that the profile alone rejects.
    static func barred(_ name: String, of control: String) -> MatrixCase {
        .fault(name, of: control, .profile, nil, [.profile: .rejected("claim_invalid")]) { recipe, _ in
            recipe.claims["sub"] = "\"\(MatrixPolicy.barred)\""
        }
    }

    /// Returns the line of a token with the `jti` of its control, which is before it in the table.
    static func used(_ name: String, of control: String) -> MatrixCase {
        .fault(name, of: control, .replay, nil, [.replayStore: .rejected("token_replayed")]) { recipe, _ in
            recipe.claims["jti"] = ofControl
            // Another text, also where the signature is deterministic.
            recipe.claims["again"] = "true"
        }
    }
}
