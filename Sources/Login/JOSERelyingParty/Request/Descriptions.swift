package import JOSE

// Descriptions omit everything about a user, so that hints, identification numbers and texts to sign do not reach logs.

extension RelyingParty: Redacted {
    /// The name of the profile, without the client and its credentials.
    public var description: String { "RelyingParty(\(profile.name))" }
}

extension LogoutNotice: Redacted {
    /// The issuer, without the user and the session.
    public var description: String { "LogoutNotice(\(issuer))" }
}

extension LoginRequest: Redacted {
    /// The names of the parameters, without their values.
    public var description: String {
        "LoginRequest(\((["scope"] + parameters.map(\.name)).joined(separator: " ")))"
    }
}

extension ClaimsRequest: Redacted {
    /// The number of requested claims, without their names and values.
    public var description: String { "ClaimsRequest(\(names.count))" }
}

extension ClaimsRequest.Requirement: Redacted {
    /// Whether the claim is essential or voluntary, without the values.
    public var description: String { isEssential ? "essential" : "voluntary" }
}
