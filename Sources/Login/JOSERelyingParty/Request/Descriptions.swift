// Descriptions omit everything about a user, so that hints, identification numbers and texts to sign do not reach logs.

extension RelyingParty: CustomStringConvertible, CustomReflectable {
    /// The name of the profile. A dump would otherwise contain everything that the service holds.
    public var description: String { "RelyingParty(\(profile.name))" }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LogoutNotice: CustomStringConvertible, CustomReflectable {
    /// The issuer, without user and session.
    public var description: String { "LogoutNotice(\(issuer))" }
    /// An empty mirror: the notice identifies a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LoginRequest: CustomStringConvertible, CustomReflectable {
    /// The names of the parameters, without their values.
    public var description: String {
        "LoginRequest(\((["scope"] + parameters.map(\.name)).joined(separator: " ")))"
    }
    /// An empty mirror: the values may be about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClaimsRequest: CustomStringConvertible, CustomReflectable {
    /// The number of the requested claims.
    public var description: String { "ClaimsRequest(\(names.count))" }
    /// An empty mirror: the values may be about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClaimsRequest.Requirement: CustomStringConvertible, CustomReflectable {
    /// Whether the claim is essential or voluntary, without the values.
    public var description: String { isEssential ? "essential" : "voluntary" }
    /// An empty mirror: the values may be about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ItsmeConfirmation: CustomStringConvertible, CustomReflectable {
    /// The kind of the confirmation.
    public var description: String {
        switch self {
        case .payment: "payment"
        case .freeText: "freeText"
        }
    }
    /// An empty mirror: the confirmation may be about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension MitIDParameters.TransactionText: CustomStringConvertible, CustomReflectable {
    /// The number of bytes, without the text.
    public var description: String { "TransactionText(\(content.count) bytes)" }
    /// An empty mirror: the text may be about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ZenKeyCarrierQuery: CustomStringConvertible, CustomReflectable {
    /// Only the name of the type, because the query is about a user.
    public var description: String { "ZenKeyCarrierQuery" }
    /// An empty mirror: the query is about a user.
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
    /// An empty mirror: the result is about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
