public import JOSE

/// An authorization request that is ready to be sent: the result of ``RelyingParty/beginLogin(_:)``.
///
/// The service redirects the browser to ``url`` and sets ``cookie``.
public struct AuthorizationRequest: Sendable {
    /// The URL to which the browser or the app goes, by GET.
    public let url: String
    /// The secret that ties the login to the browser or the app session that began it. The service stores it there, nowhere else,
    /// and passes it back with the callback.
    public let binding: String
    /// The binding as the value of one `Set-Cookie` header. Each login has its own cookie name, by which
    /// ``AuthorizationCallback/binding(inCookies:)`` finds the binding.
    public let cookie: String
    /// The request object that the service has to serve, if the request is delivered by reference.
    public let requestDocument: RequestDocument?
    /// The parameters that were left out because the provider would have ignored them.
    public let dropped: [ParameterName]
    /// The time from which the login can no longer be completed.
    public let expires: NumericDate
    /// The time from which ``url`` no longer works, if that is sooner than ``expires``.
    public let urlExpires: NumericDate?

    /// Returns ``url``, unless it has expired.
    ///
    /// - Parameter now: The current time.
    /// - Throws: `expired` once the login, or the pushed request that ``url`` refers to, has expired. The service then begins a
    ///   new login.
    public func url(at now: NumericDate) throws(RelyingPartyError) -> String {
        guard now < min(expires, urlExpires ?? expires) else {
            throw RelyingPartyError(.expired, in: .request, remedy: .restart)
        }
        return url
    }
}

/// A request object that is delivered by reference (OpenID Connect Core, 6.2).
public struct RequestDocument: Sendable {
    /// The URL at which the service serves the document, as it is registered with the provider.
    public let url: String
    /// The value of the `Content-Type` header with which the document is served.
    public let contentType = "application/jwt"
    /// The content of the document. Anyone can request the document, so that only what is encrypted in it is secret.
    public let body: String
}

extension AuthorizationRequest: CustomStringConvertible, CustomReflectable {
    /// Only the name of the type, because the URL, the cookie and the binding are secret.
    public var description: String { "AuthorizationRequest" }
    /// An empty mirror: the URL, the cookie and the binding are secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestDocument: CustomStringConvertible, CustomReflectable {
    /// The URL of the document, without its content.
    public var description: String { "RequestDocument(\(url))" }
    /// An empty mirror: the content may be secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
