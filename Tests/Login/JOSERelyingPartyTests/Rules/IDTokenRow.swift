import JOSETokens

@testable import JOSERelyingParty

/// A change of a valid ID token, and the reason for which a login fails; nil if it succeeds.
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
    let reason: RelyingPartyError.Reason?
    let change: @Sendable (inout ClaimsBuilder, Values) -> Void

    init(
        _ claim: String, _ fault: String, _ reason: RelyingPartyError.Reason?,
        _ change: @escaping @Sendable (inout ClaimsBuilder, Values) -> Void
    ) {
        (self.claim, self.fault, self.reason, self.change) = (claim, fault, reason, change)
    }

    /// Creates a row that sets the claim to a value, or removes it.
    init(_ claim: String, _ fault: String, _ reason: RelyingPartyError.Reason?, _ value: ClaimValue?) {
        self.init(claim, fault, reason) { claims, _ in claims[claim] = value }
    }

    private static func hash(of text: String) -> ClaimValue? {
        (try? SignatureAlgorithm.rs256.tokenHash(of: text)).map { .string($0) }
    }

    /// The rows for a login that requested the level `gold` and an authentication within the last hour.
    static let all: [IDTokenRow] = identity + times + values + hashes

    private static let identity: [IDTokenRow] = [
        .init("iss", "another issuer", .issuerMismatch, "https://other.test"),
        .init("iss", "absent", .issuerMismatch, nil),
        .init("aud", "another client", .audienceMismatch, "other"),
        .init("aud", "absent", .audienceMismatch, nil),
        .init("aud", "a list of the client alone", nil) { claims, values in
            claims["aud"] = [.string(values.client)]
        },
        .init("aud", "a second audience", .audienceMismatch) { claims, values in
            claims["aud"] = [.string(values.client), "other"]
        },
        .init("aud", "a second audience beside azp", .audienceMismatch) { claims, values in
            claims["aud"] = [.string(values.client), "other"]
            claims["azp"] = .string(values.client)
        },
        .init("azp", "another client", .authorizedPartyMismatch, "other"),
        .init("azp", "a number", .authorizedPartyMismatch, 1),
        .init("azp", "the client", nil) { claims, values in claims["azp"] = .string(values.client) },
        .init("sub", "absent", .claimMissing("sub"), nil),
        .init("sub", "empty", .claimMissing("sub"), ""),
        .init("sub", "a number", .claimType("sub"), 1),
        .init("sub", "not ASCII", .claimType("sub"), "é"),
        .init("sub", "256 characters", .claimType("sub"), .string(String(repeating: "a", count: 256))),
    ]

    private static let times: [IDTokenRow] = [
        .init("exp", "passed", .expired) { claims, values in claims["exp"] = .integer(values.now - 60) },
        .init("exp", "within the leeway", nil) { claims, values in claims["exp"] = .integer(values.now - 59) },
        .init("exp", "absent", .claimMissing("exp"), nil),
        .init("exp", "a string", .claimType("exp"), "1700000300"),
        .init("nbf", "in the future", .notYetValid) { claims, values in
            claims["nbf"] = .integer(values.now + 61)
        },
        .init("nbf", "a string", .claimType("nbf"), "1"),
        .init("iat", "in the future", .issuedInFuture) { claims, values in
            claims["iat"] = .integer(values.now + 61)
        },
        .init("iat", "absent", .claimMissing("iat"), nil),
        .init("iat", "a string", .claimType("iat"), "1"),
        .init("auth_time", "too long ago", .authenticationTooOld) { claims, values in
            claims["auth_time"] = .integer(values.now - 3_661)
        },
        .init("auth_time", "in the future", .issuedInFuture) { claims, values in
            claims["auth_time"] = .integer(values.now + 61)
        },
        .init("auth_time", "absent", .claimMissing("auth_time"), nil),
        .init("auth_time", "a string", .claimType("auth_time"), "1"),
    ]

    private static let values: [IDTokenRow] = [
        .init("nonce", "of another login", .nonceMismatch, "other"),
        .init("nonce", "absent", .nonceMismatch, nil),
        .init("nonce", "a number", .nonceMismatch, 1),
        .init("acr", "another level", .acrTooLow, "silver"),
        .init("acr", "absent", .acrTooLow, nil),
        .init("jti", "a number", .claimType("jti"), 1),
        .init("jti", "a string", nil, "one"),
        .init("events", "those of a logout token", .claimUnexpected("events")) { claims, _ in
            claims["events"] = [LogoutTokenProfile.event: [:]]
        },
        .init("events", "empty", .claimUnexpected("events"), [:]),
    ]

    private static let hashes: [IDTokenRow] = [
        .init("at_hash", "of another token", .hashMismatch, hash(of: "other")),
        .init("at_hash", "a number", .hashMismatch, 1),
        .init("at_hash", "of the access token", nil) { claims, values in
            claims["at_hash"] = hash(of: values.accessToken)
        },
        .init("c_hash", "of another code", .hashMismatch, hash(of: "other")),
        .init("c_hash", "a number", .hashMismatch, 1),
        .init("c_hash", "of the code", nil) { claims, values in claims["c_hash"] = hash(of: values.code) },
    ]
}
