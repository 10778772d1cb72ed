/// The cookie that contains the binding of a login. Each login has its own cookie name, so that several logins in one
/// browser do not overwrite each other.
package enum BindingCookie {
    /// The prefix of the names. A browser accepts such a cookie only over https, only for the host that set it, and
    /// only for the whole host (RFC 6265bis, 4.1.3.2).
    static let prefix = "__Host-bulla-login-"

    /// Returns the name of the cookie: the prefix and a part of the hash of the state, so that the name does not
    /// disclose the state.
    static func name(state: String) throws(RelyingPartyError.Reason) -> String {
        prefix + String(try Secret.hash(state).prefix(12))
    }

    /// Returns the value of a `Set-Cookie` header.
    package static func field(
        _ value: String, state: String, crossSitePost: Bool, lifetime: Duration
    ) throws(RelyingPartyError.Reason) -> String {
        // A form_post is a cross-site request, with which a browser sends only cookies of SameSite=None.
        let sameSite = crossSitePost ? "None" : "Lax"
        return "\(try name(state: state))=\(value); Path=/; Secure; HttpOnly; SameSite=\(sameSite); "
            + "Max-Age=\(lifetime.components.seconds)"
    }
}

extension AuthorizationCallback {
    /// Returns the binding of this callback's login, read from the cookies of the request.
    ///
    /// - Parameter header: The value of the request's `Cookie` header.
    /// - Returns: The binding, or nil if there is no cookie of this login, or more than one.
    public func binding(inCookies header: String) -> String? {
        guard let name = state.flatMap({ try? BindingCookie.name(state: $0) }) else { return nil }
        var found: String?
        for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
            let pair = pair.drop { $0 == UInt8(ascii: " ") }
            guard pair.starts(with: name.utf8) else { continue }
            let value = pair.dropFirst(name.utf8.count)
            guard value.first == UInt8(ascii: "=") else { continue }
            guard found == nil else { return nil }
            found = String(Substring(value.dropFirst()))
        }
        return found
    }

    /// The value of a `Set-Cookie` header that deletes the binding cookie of this callback's login; nil if the callback
    /// has no `state`. The service sets it whether the login succeeded or failed.
    public var clearingCookie: String? {
        state.flatMap { state in
            try? BindingCookie.field("", state: state, crossSitePost: mode == .formPost, lifetime: .zero)
        }
    }
}
