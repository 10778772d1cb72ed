/// A login that has begun.
public struct AuthorizationRequest: Sendable {
    /// Where the browser or the app goes, by GET.
    public let url: String
    /// Ties the login to the browser or app session that began it: kept there and nowhere else, and given back with the callback.
    public let binding: String
    /// The binding as a cookie of a name of its own: the value of one `Set-Cookie` header. `AuthorizationCallback.binding(inCookies:)` finds it.
    public let cookie: String
    /// For a request by reference: what the service serves at that address.
    public let requestDocument: RequestDocument?
    /// Parameters that were left out because the provider would have ignored them.
    public let dropped: [ParameterName]
    /// Seconds since 1970 after which the login can no longer be completed.
    public let expires: Double
    /// Seconds since 1970 after which `url` no longer works, where that is sooner.
    public let urlExpires: Double?

    /// `url`, as long as it works: throws `expired` once a request that was pushed has ended, after which the login is begun anew. `now` in
    /// seconds since 1970.
    public func url(at now: Double) throws(RelyingPartyError) -> String {
        guard now < min(expires, urlExpires ?? expires) else {
            throw RelyingPartyError(.expired, in: .request, remedy: .restart)
        }
        return url
    }
}

/// A request object to serve by reference.
public struct RequestDocument: Sendable {
    /// Where, as it is registered.
    public let url: String
    /// `Content-Type`.
    public let contentType = "application/jwt"
    /// The body; who may ask for it is anybody, so that only what is encrypted is secret.
    public let body: String
}

extension AuthorizationRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "AuthorizationRequest" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestDocument: CustomStringConvertible, CustomReflectable {
    public var description: String { "RequestDocument(\(url))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
