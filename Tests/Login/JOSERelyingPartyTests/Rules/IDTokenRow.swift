import JOSETokens

@testable import JOSERelyingParty

/// A change of a valid ID token, with the error of `IDTokenProfile` and the reason of a login side by side; both are nil for a token
/// that both accept.
struct IDTokenRow: Sendable {
    /// The values of the login that the claims are compared with.
    struct Values: Sendable {
        let now: Int64
        let client: String
        let code: String
        let accessToken: String
    }
    let claim: String
    let fault: String
    let core: ClaimFailure?
    let login: RelyingPartyError.Reason?
    let change: @Sendable (inout ClaimsBuilder, Values) -> Void

    init(
        _ claim: String, _ fault: String, _ core: ClaimFailure?, _ login: RelyingPartyError.Reason?,
        _ change: @escaping @Sendable (inout ClaimsBuilder, Values) -> Void
    ) {
        (self.claim, self.fault, self.core, self.login, self.change) = (claim, fault, core, login, change)
    }

    /// Creates a row that sets the claim to a value, or removes it.
    init(
        _ claim: String, _ fault: String, _ core: ClaimFailure?, _ login: RelyingPartyError.Reason?,
        _ value: ClaimValue?
    ) {
        self.init(claim, fault, core, login) { claims, _ in claims[claim] = value }
    }

    private static func hash(of text: String) -> ClaimValue? {
        (try? SignatureAlgorithm.rs256.tokenHash(of: text)).map { .string($0) }
    }

    /// The rows for a login that requested the level `gold` and an authentication within the last hour.
    static let all: [IDTokenRow] = identity + times + values + hashes

    private static let identity: [IDTokenRow] = [
        .init("iss", "another issuer", .issuerMismatch, .issuerMismatch, "https://other.test"),
        .init("iss", "absent", .issuerMismatch, .issuerMismatch, nil),
        .init("aud", "another client", .audienceMismatch, .audienceMismatch, "other"),
        .init("aud", "absent", .audienceMismatch, .audienceMismatch, nil),
        .init("aud", "a list of the client alone", nil, nil) { claims, values in
            claims["aud"] = [.string(values.client)]
        },
        .init("aud", "a second audience", .audienceMismatch, .audienceMismatch) { claims, values in
            claims["aud"] = [.string(values.client), "other"]
        },
        .init("aud", "a second audience beside azp", .audienceMismatch, .audienceMismatch) { claims, values in
            claims["aud"] = [.string(values.client), "other"]
            claims["azp"] = .string(values.client)
        },
        .init("azp", "another client", .invalid("azp"), .authorizedPartyMismatch, "other"),
        .init("azp", "a number", .invalid("azp"), .authorizedPartyMismatch, 1),
        .init("azp", "the client", nil, nil) { claims, values in claims["azp"] = .string(values.client) },
        .init("sub", "absent", .missing("sub"), .claimMissing("sub"), nil),
        .init("sub", "empty", .invalid("sub"), .claimMissing("sub"), ""),
        .init("sub", "a number", .invalid("sub"), .claimType("sub"), 1),
        .init("sub", "not ASCII", .invalid("sub"), .claimType("sub"), "é"),
        .init(
            "sub", "256 characters", .invalid("sub"), .claimType("sub"), .string(String(repeating: "a", count: 256))),
    ]

    private static let times: [IDTokenRow] = [
        .init("exp", "passed", .expired, .expired) { claims, values in claims["exp"] = .integer(values.now - 60) },
        .init("exp", "within the leeway", nil, nil) { claims, values in claims["exp"] = .integer(values.now - 59) },
        .init("exp", "absent", .missing("exp"), .claimMissing("exp"), nil),
        .init("exp", "a string", .invalid("exp"), .claimType("exp"), "1700000300"),
        .init("nbf", "in the future", .notYetValid, .notYetValid) { claims, values in
            claims["nbf"] = .integer(values.now + 61)
        },
        .init("nbf", "a string", .invalid("nbf"), .claimType("nbf"), "1"),
        .init("iat", "in the future", .issuedInFuture("iat"), .issuedInFuture) { claims, values in
            claims["iat"] = .integer(values.now + 61)
        },
        .init("iat", "absent", .missing("iat"), .claimMissing("iat"), nil),
        .init("iat", "a string", .invalid("iat"), .claimType("iat"), "1"),
        .init("auth_time", "too long ago", .tooOld("auth_time"), .authenticationTooOld) { claims, values in
            claims["auth_time"] = .integer(values.now - 3_661)
        },
        .init("auth_time", "in the future", .issuedInFuture("auth_time"), .issuedInFuture) { claims, values in
            claims["auth_time"] = .integer(values.now + 61)
        },
        .init("auth_time", "absent", .missing("auth_time"), .claimMissing("auth_time"), nil),
        .init("auth_time", "a string", .invalid("auth_time"), .claimType("auth_time"), "1"),
    ]

    private static let values: [IDTokenRow] = [
        .init("nonce", "of another login", .invalid("nonce"), .nonceMismatch, "other"),
        .init("nonce", "absent", .missing("nonce"), .nonceMismatch, nil),
        .init("nonce", "a number", .invalid("nonce"), .nonceMismatch, 1),
        .init("acr", "another level", .invalid("acr"), .acrTooLow, "silver"),
        .init("acr", "absent", .missing("acr"), .acrTooLow, nil),
        .init("jti", "a number", .invalid("jti"), .claimType("jti"), 1),
        .init("jti", "a string", nil, nil, "one"),
        .init("events", "those of a logout token", .forbidden("events"), .claimUnexpected("events")) { claims, _ in
            claims["events"] = [LogoutTokenProfile.event: [:]]
        },
        .init("events", "empty", .forbidden("events"), .claimUnexpected("events"), [:]),
    ]

    private static let hashes: [IDTokenRow] = [
        .init("at_hash", "of another token", .invalid("at_hash"), .hashMismatch, hash(of: "other")),
        .init("at_hash", "a number", .invalid("at_hash"), .hashMismatch, 1),
        .init("at_hash", "of the access token", nil, nil) { claims, values in
            claims["at_hash"] = hash(of: values.accessToken)
        },
        .init("c_hash", "of another code", .invalid("c_hash"), .hashMismatch, hash(of: "other")),
        .init("c_hash", "a number", .invalid("c_hash"), .hashMismatch, 1),
        .init("c_hash", "of the code", nil, nil) { claims, values in claims["c_hash"] = hash(of: values.code) },
    ]
}
