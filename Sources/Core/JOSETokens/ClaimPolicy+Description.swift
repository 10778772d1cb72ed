extension ClaimPolicy: CustomStringConvertible, CustomReflectable {
    /// Of subject, nonce, access token and code only that they are asked for: they are other people's (threat T59).
    public var description: String {
        let shown = customMirror.children.map { "\($0.label ?? ""): \($0.value)" }
        return "ClaimPolicy(\(shown.joined(separator: ", ")))"
    }

    public var customMirror: Mirror {
        var children: [(label: String, value: Any)] = [
            ("issuer", issuer), ("audience", audience), ("leeway", leeway), ("requiresExpiration", requiresExpiration),
            ("required", required), ("forbidden", forbidden), ("reportsEveryFailure", reportsEveryFailure),
        ]
        if let maximumAge { children.append(("maximumAge", maximumAge)) }
        if let maximumLifetime { children.append(("maximumLifetime", maximumLifetime)) }
        if let maximumAuthenticationAge { children.append(("maximumAuthenticationAge", maximumAuthenticationAge)) }
        if let authorizedParty { children.append(("authorizedParty", authorizedParty)) }
        if let acceptedACR { children.append(("acceptedACR", acceptedACR)) }
        for (name, value) in [("subject", subject), ("nonce", nonce), ("accessToken", accessToken), ("code", code)]
        where value != nil {
            children.append((name, "hidden"))
        }
        return Mirror(self, children: children.map { (label: $0.label, value: $0.value) }, displayStyle: .struct)
    }
}

extension ClaimsBuilder: CustomStringConvertible, CustomReflectable {
    /// Says nothing of the claims: they are other people's.
    public var description: String { "ClaimsBuilder(\(count) members)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClaimValue: CustomStringConvertible, CustomReflectable {
    /// Its kind alone.
    public var description: String {
        switch self {
        case .string: "string"
        case .integer, .number: "number"
        case .bool: "boolean"
        case .null: "null"
        case .array: "array"
        case .object: "object"
        case .json: "JSON"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
