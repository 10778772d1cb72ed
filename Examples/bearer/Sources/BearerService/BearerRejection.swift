/// The rejection of a request, as RFC 6750, section 3, describes it. It says nothing of the content of the token.
public enum BearerRejection: Error, Equatable, Sendable {
    /// The request has no bearer token: it gets no error code (RFC 6750, 3.1).
    case noToken
    /// The `Authorization` header field is not of the form `Bearer token`.
    case malformed
    /// The token was rejected. The text is the code of the error.
    case rejected(String)
    /// The token is valid, and lacks the scope.
    case scope(String)
    /// The token was neither accepted nor rejected, for example because its key could not be fetched.
    case unavailable

    /// The status of the response.
    public var status: Int {
        switch self {
        case .noToken, .rejected: 401
        case .malformed: 400
        case .scope: 403
        case .unavailable: 503
        }
    }

    /// The header fields of the response.
    public var fields: [(name: String, value: String)] {
        let challenge = #"Bearer realm="orders""#
        let error: String
        switch self {
        case .noToken: error = ""
        case .malformed: error = #", error="invalid_request""#
        case .rejected(let code): error = #", error="invalid_token", error_description="\#(code)""#
        case .scope(let scope): error = #", error="insufficient_scope", scope="\#(scope)""#
        case .unavailable: return [("Retry-After", "5")]
        }
        return [("WWW-Authenticate", challenge + error), ("Cache-Control", "no-store")]
    }
}
