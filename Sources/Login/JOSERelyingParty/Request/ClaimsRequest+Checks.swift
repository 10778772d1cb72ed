internal import JOSETokens

extension ClaimsRequest {
    /// Checks the requested values (OpenID Connect Core, 5.5.1).
    ///
    /// - Throws: `invalidParameter(claims)` for a value that no claim can have, for an empty list, and if a claim has
    ///   both `value` and `values`.
    func check() throws(RelyingPartyError.Reason) {
        for (_, requirement) in userInfo + idToken { try requirement.check() }
    }
}

extension ClaimsRequest.Requirement {
    fileprivate func check() throws(RelyingPartyError.Reason) {
        if let values {
            guard value == nil, !values.isEmpty, values.allSatisfy(\.isScalar) else {
                throw .invalidParameter("claims")
            }
        } else if case .array? = value {
            _ = try wanted()
        } else if let value {
            guard value.isScalar else { throw .invalidParameter("claims") }
        }
    }

    /// Returns the requested values, all of which must be strings; an empty list for any value.
    func wanted() throws(RelyingPartyError.Reason) -> [String] {
        var wanted = values ?? []
        switch value {
        case .array(let list)?:
            guard !list.isEmpty else { throw .invalidParameter("claims") }
            wanted += list
        case let one?: wanted.append(one)
        case nil: break
        }
        var texts: [String] = []
        for value in wanted {
            guard case .string(let text) = value else { throw .invalidParameter("claims") }
            texts.append(text)
        }
        return texts
    }
}

extension ClaimValue {
    /// Whether the value is a string, an integer or a Boolean value.
    fileprivate var isScalar: Bool {
        switch self {
        case .string, .integer, .bool: true
        default: false
        }
    }
}
