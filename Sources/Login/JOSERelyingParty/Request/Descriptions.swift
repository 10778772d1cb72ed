// Descriptions omit everything about a user, so that hints, identification numbers and texts to sign do not reach logs.

extension RelyingParty: CustomStringConvertible, CustomReflectable {
    /// The name of the profile, without the client and its credentials.
    public var description: String { "RelyingParty(\(profile.name))" }
    /// An empty mirror, so that `dump(_:)` does not print the client's credentials.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LogoutNotice: CustomStringConvertible, CustomReflectable {
    /// The issuer, without the user and the session.
    public var description: String { "LogoutNotice(\(issuer))" }
    /// An empty mirror, so that `dump(_:)` does not print the user and the session.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LoginRequest: CustomStringConvertible, CustomReflectable {
    /// The names of the parameters, without their values.
    public var description: String {
        "LoginRequest(\((["scope"] + parameters.map(\.name)).joined(separator: " ")))"
    }
    /// An empty mirror, so that `dump(_:)` does not print the values, which may be about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClaimsRequest: CustomStringConvertible, CustomReflectable {
    /// The number of requested claims, without their names and values.
    public var description: String { "ClaimsRequest(\(names.count))" }
    /// An empty mirror, so that `dump(_:)` does not print the values, which may be about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClaimsRequest.Requirement: CustomStringConvertible, CustomReflectable {
    /// Whether the claim is essential or voluntary, without the values.
    public var description: String { isEssential ? "essential" : "voluntary" }
    /// An empty mirror, so that `dump(_:)` does not print the values, which may be about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
