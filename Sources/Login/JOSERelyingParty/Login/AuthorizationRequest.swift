public import JOSE

/// An authorization request that is ready to be sent: the result of ``RelyingParty/beginLogin(_:)``.
///
/// The service redirects the browser to ``url`` and sets ``cookie``.
public struct AuthorizationRequest: Sendable {
    /// The URL to which the service redirects the browser, or which the app opens.
    public let url: String
    /// A secret that binds the login to the browser or app session that began it. The service stores it only there, as
    /// ``cookie`` does, and passes it to `completeLogin` together with the callback.
    public let binding: String
    /// The value of a `Set-Cookie` header that stores ``binding`` in the browser. Each login has its own cookie name,
    /// so that concurrent logins in one browser do not overwrite each other.
    /// ``AuthorizationCallback/binding(inCookies:)`` reads the cookie.
    public let cookie: String
    /// The request object that the service must serve at its `request_uri`; nil unless the request is delivered by
    /// reference.
    public let requestDocument: RequestDocument?
    /// The parameters of the login request that were left out because the provider would have ignored their values.
    public let dropped: [ParameterName]
    /// The time at which the login expires. A callback that arrives later is rejected.
    public let expires: NumericDate
    /// The time at which ``url`` expires, if it can expire before the login does, as with a pushed request (RFC 9126,
    /// 2.2); nil if it works until ``expires``.
    public let urlExpires: NumericDate?

    package init(
        url: String, binding: String, cookie: String, requestDocument: RequestDocument?, dropped: [ParameterName],
        expires: NumericDate, urlExpires: NumericDate?
    ) {
        self.url = url
        self.binding = binding
        self.cookie = cookie
        self.requestDocument = requestDocument
        self.dropped = dropped
        self.expires = expires
        self.urlExpires = urlExpires
    }

    /// Returns ``url``, unless it has expired.
    ///
    /// - Parameter now: The current time.
    /// - Throws: `expired` if the login, or the pushed request to which ``url`` refers, has expired. The service then
    ///   begins a new login.
    public func url(at now: NumericDate) throws(RelyingPartyError) -> String {
        guard now < min(expires, urlExpires ?? expires) else {
            throw RelyingPartyError(.expired, in: .request, action: .restart)
        }
        return url
    }
}

/// A request object that the service serves at a URL, from which the provider fetches it (OpenID Connect Core, 6.2).
public struct RequestDocument: Sendable {
    /// The URL at which the service serves the document (`request_uri`), as it is registered with the provider.
    public let url: String
    /// The value of the `Content-Type` header with which the document is served.
    public let contentType = "application/jwt"
    /// The request object, a JWT in compact serialization. Anyone who knows the URL can fetch it, so that its
    /// parameters are confidential only if the JWT is encrypted.
    public let body: String
}

extension AuthorizationRequest: Redacted {}

extension RequestDocument: Redacted {}
