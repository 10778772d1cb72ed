// What a service says of its user, or has the user sign, is printed by nobody: hints, numbers and texts stay out of logs.

extension RelyingParty: CustomStringConvertible, CustomReflectable {
    /// The profile's name; a dump would go through all that the service holds.
    public var description: String { "RelyingParty(\(profile.name))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LogoutNotice: CustomStringConvertible, CustomReflectable {
    /// Without user and session.
    public var description: String { "LogoutNotice(\(issuer))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LoginRequest: CustomStringConvertible, CustomReflectable {
    /// The names of its parameters, and of the words it asks for.
    public var description: String {
        "LoginRequest(\((["scope"] + parameters.map(\.name)).joined(separator: " ")))"
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClaimsRequest: CustomStringConvertible, CustomReflectable {
    /// Says how many claims are asked for.
    public var description: String { "ClaimsRequest(\(names.count))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClaimsRequest.Requirement: CustomStringConvertible, CustomReflectable {
    /// Without the values.
    public var description: String { isEssential ? "essential" : "voluntary" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ItsmeConfirmation: CustomStringConvertible, CustomReflectable {
    /// Which kind.
    public var description: String {
        switch self {
        case .payment: "payment"
        case .freeText: "freeText"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension MitIDParameters.TransactionText: CustomStringConvertible, CustomReflectable {
    /// Without the text.
    public var description: String { "TransactionText(\(content.count) bytes)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ZenKeyCarrierQuery: CustomStringConvertible, CustomReflectable {
    /// Says nothing of the user.
    public var description: String { "ZenKeyCarrierQuery" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AppHandoff.Answer: CustomStringConvertible, CustomReflectable {
    /// Without what the back end left.
    public var description: String {
        switch self {
        case .pending: "pending"
        case .ended: "ended"
        case .expired: "expired"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
