public import JOSE

extension ClaimsBuilder {
    /// The issuer, `iss` (RFC 7519, 4.1.1). A `TokenIssuer` whose policy names one issuer adds it if it is absent.
    public var issuer: String? {
        get { string("iss") }
        set { self["iss"] = newValue.map { .string($0) } }
    }
    /// The subject, `sub` (RFC 7519, 4.1.2).
    public var subject: String? {
        get { string("sub") }
        set { self["sub"] = newValue.map { .string($0) } }
    }
    /// The audience, `aud` (RFC 7519, 4.1.3). One recipient is written as a string, several are written as an array,
    /// and an empty list removes the claim. A `TokenIssuer` whose policy names one audience adds it if it is absent.
    public var audience: [String] {
        get {
            let values: [ClaimValue]
            switch self["aud"] {
            case .array(let audience)?: values = audience
            case let audience?: values = [audience]
            case nil: values = []
            }
            return values.compactMap { value -> String? in
                guard case .string(let text) = value else { return nil }
                return text
            }
        }
        set {
            let values = newValue.map { ClaimValue.string($0) }
            self["aud"] = values.count > 1 ? .array(values) : values.first
        }
    }
    /// The expiration time, `exp` (RFC 7519, 4.1.4), in whole seconds, rounded down. A `TokenIssuer` adds it if it is
    /// absent.
    public var expiration: NumericDate? {
        get { date("exp") }
        set { self["exp"] = newValue.map { .date($0) } }
    }
    /// The time before which the token is not valid, `nbf` (RFC 7519, 4.1.5), in whole seconds, rounded down.
    public var notBefore: NumericDate? {
        get { date("nbf") }
        set { self["nbf"] = newValue.map { .date($0) } }
    }
    /// The time of issue, `iat` (RFC 7519, 4.1.6), in whole seconds, rounded down. A `TokenIssuer` adds it if it is
    /// absent.
    public var issuedAt: NumericDate? {
        get { date("iat") }
        set { self["iat"] = newValue.map { .date($0) } }
    }
    /// The identifier of the token, `jti` (RFC 7519, 4.1.7).
    public var tokenID: String? {
        get { string("jti") }
        set { self["jti"] = newValue.map { .string($0) } }
    }

    private func string(_ name: String) -> String? {
        guard case .string(let text)? = self[name] else { return nil }
        return text
    }

    private func date(_ name: String) -> NumericDate? {
        switch self[name] {
        case .integer(let seconds)?: NumericDate(secondsSince1970: Double(seconds))
        case .number(let seconds)?: NumericDate(secondsSince1970: seconds)
        default: nil
        }
    }
}

extension ClaimValue {
    /// Creates a claim from a point in time: a number of whole seconds since 1970, rounded down (RFC 7519, 2).
    ///
    /// Because times are rounded down, a token never expires later than the given `exp`, and an `iat` or `nbf` of the
    /// current time is not in the future. A time that is not a number, or that is infinite, is rejected when the token
    /// is issued.
    public static func date(_ date: NumericDate) -> ClaimValue {
        let seconds = date.secondsSince1970.rounded(.down)
        return date.isValid ? .integer(Int64(seconds)) : .number(seconds)
    }
}
