extension ClaimPolicy: Redacted {
    /// A description that reveals only whether subject, nonce, access token and code are set, and for which claims
    /// there are accepted values, and not the values: they are personal or secret (threat T59).
    package var summary: String {
        let shown = shownProperties.map { "\($0.label): \($0.value)" }
        return "ClaimPolicy(\(shown.joined(separator: ", ")))"
    }

    /// The properties that the description lists.
    package var shownProperties: [(label: String, value: Any)] {
        var children: [(label: String, value: Any)] = [
            ("issuer", issuer), ("audience", audience), ("leeway", leeway), ("requiresExpiration", requiresExpiration),
            ("required", required), ("forbidden", forbidden), ("reportsEveryFailure", reportsEveryFailure),
        ]
        if let maximumAge { children.append(("maximumAge", maximumAge)) }
        if let maximumLifetime { children.append(("maximumLifetime", maximumLifetime)) }
        if let minimumRemainingLifetime { children.append(("minimumRemainingLifetime", minimumRemainingLifetime)) }
        if let maximumAuthenticationAge { children.append(("maximumAuthenticationAge", maximumAuthenticationAge)) }
        if let authorizedParty { children.append(("authorizedParty", authorizedParty)) }
        if let acceptedACR { children.append(("acceptedACR", acceptedACR)) }
        if let trustedAudiences { children.append(("trustedAudiences", trustedAudiences)) }
        if !acceptedValues.isEmpty { children.append(("acceptedValues", acceptedClaims)) }
        for (name, value) in [("subject", subject), ("nonce", nonce), ("accessToken", accessToken), ("code", code)]
        where value != nil {
            children.append((name, "hidden"))
        }
        return children
    }
}

extension ClaimPolicy {
    /// The names of the claims that have accepted values, in the order in which they are checked: by their bytes.
    var acceptedClaims: [ClaimName] {
        acceptedValues.keys.sorted { $0.description.utf8.lexicographicallyPrecedes($1.description.utf8) }
    }
}

extension ClaimsBuilder: Redacted {
    /// A description with the number of claims and none of their values, which may be personal data.
    package var summary: String { "ClaimsBuilder(\(count) members)" }
}

extension ClaimValue: Redacted {
    /// A description of the kind of the value, without the value.
    package var summary: String {
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
}
