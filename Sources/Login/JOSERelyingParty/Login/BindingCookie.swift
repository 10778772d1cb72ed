/// The cookie that holds a login's binding. Its name is of the login alone: logins side by side in one browser keep each its own.
enum BindingCookie {
    /// The browser takes it by https alone, for the whole of one host, and from nobody else (RFC 6265bis, 4.1.3.2).
    static let prefix = "__Host-bulla-login-"

    /// Of the state no more than a hash: who sees the name does not know what comes back.
    static func name(state: String) throws(RelyingPartyError.Reason) -> String {
        prefix + String(try Secret.hash(state).prefix(12))
    }

    static func field(
        _ value: String, state: String, crossSitePost: Bool, lifetime: Double
    ) throws(RelyingPartyError.Reason) -> String {
        // A form_post comes from the provider's site: only None travels with it.
        let sameSite = crossSitePost ? "None" : "Lax"
        return "\(try name(state: state))=\(value); Path=/; Secure; HttpOnly; SameSite=\(sameSite); "
            + "Max-Age=\(Int(lifetime))"
    }
}

extension AuthorizationCallback {
    /// The binding of this callback's login out of a `Cookie` header; nil where it is not there, or there twice.
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

    /// Takes the cookie of this callback's login away, however the login ended: the value of one `Set-Cookie` header. Nil where the callback
    /// names no login.
    public var clearingCookie: String? {
        state.flatMap { state in
            try? BindingCookie.field("", state: state, crossSitePost: mode == .formPost, lifetime: 0)
        }
    }

    /// SAML's goes by another name, and DigiD's app brings it in its envelope.
    private var state: String? {
        guard let parameters = try? CallbackParameters(self) else { return nil }
        if parameters[AppText.parameter] != nil { return (try? DigiDReturn(self))?.relayState }
        guard let state = parameters["state"] ?? parameters["RelayState"] else { return nil }
        // Ours have no question mark: what is behind one is an error that came so.
        return String(Substring(state.utf8.prefix { $0 != UInt8(ascii: "?") }))
    }
}
