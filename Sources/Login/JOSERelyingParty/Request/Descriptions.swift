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

extension ItsmeConfirmation: CustomStringConvertible, CustomReflectable {
    /// The kind of the confirmation, without its content.
    public var description: String {
        switch self {
        case .payment: "payment"
        case .freeText: "freeText"
        }
    }
    /// An empty mirror, so that `dump(_:)` does not print the confirmation, which may be about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension MitIDParameters.TransactionText: CustomStringConvertible, CustomReflectable {
    /// The size of the text in bytes, without the text itself.
    public var description: String { "TransactionText(\(content.count) bytes)" }
    /// An empty mirror, so that `dump(_:)` does not print the text, which may be about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ZenKeyCarrierQuery: CustomStringConvertible, CustomReflectable {
    /// Only the name of the type, because the query is about a user.
    public var description: String { "ZenKeyCarrierQuery" }
    /// An empty mirror, so that `dump(_:)` does not print the query, which is about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AppHandoff.Answer: CustomStringConvertible, CustomReflectable {
    /// The state of the answer, without the result.
    public var description: String {
        switch self {
        case .pending: "pending"
        case .ended: "ended"
        case .expired: "expired"
        }
    }
    /// An empty mirror, so that `dump(_:)` does not print the result, which is about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
