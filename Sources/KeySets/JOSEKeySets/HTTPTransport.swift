/// Carries one request to a server and its answer back, within the request's bounds. `JOSEFetch` has one over libcurl; a service
/// that has an HTTP client of its own can bring that.
///
/// Who implements it keeps every bound of ``TransportRequest``, verifies the server's certificate and name, follows no redirect
/// beyond `redirectLimit`, and gives up at once when the task is cancelled.
public protocol HTTPTransport: Sendable {
    /// The answer, whatever its status.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// Why there is no answer. Holds nothing that a server sent.
@nonexhaustive public enum TransportError: Error, Equatable, Sendable {
    /// Not an absolute URL of a scheme and a host, or with user information or a fragment.
    case urlInvalid
    /// A header field that is none or that is the transport's to set, or a GET with a body.
    case requestInvalid
    /// Neither https nor, on loopback and where that is allowed, http.
    case schemeNotAllowed
    /// The host, or the address that its name stands for, is not one to connect to: private, link-local, loopback.
    case addressNotAllowed
    /// The name has no address. Retryable.
    case nameNotResolved
    /// No connection: refused, unreachable, or cut before a request was sent. Retryable.
    case connectFailed
    /// No connection within `connectDeadline`. Retryable.
    case connectDeadlineExceeded
    /// No whole answer within `deadline`. Retryable.
    case deadlineExceeded
    /// The connection is not to be trusted, or not to be had.
    case tls(TLSFault)
    /// The body, decoded, has more than `bodyLimit` bytes.
    case bodyTooLarge
    /// More header lines, or longer ones, than are read.
    case headersTooLarge
    /// A redirect to another origin, to another scheme, or beyond `redirectLimit`.
    case redirectNotAllowed
    /// The connection ended before the answer did. Retryable.
    case connectionLost
    /// Not an HTTP answer.
    case responseInvalid
    /// The task was cancelled. Retryable.
    case cancelled
    /// The transport was shut down.
    case closed
    /// Out of memory or of descriptors, or a fault of the library beneath: not the server's doing. Retryable.
    case backend
}

/// Why TLS did not come about.
@nonexhaustive public enum TLSFault: Equatable, Sendable {
    /// No path from the server's certificate to a root.
    case untrusted
    /// The certificate has expired, or is not valid yet.
    case expired
    /// The certificate is for another host.
    case nameMismatch
    /// No version that both sides allow.
    case version
    /// The server refused the client's certificate, or asked for one and got none.
    case clientCertificate
    /// Anything else of the handshake.
    case handshake
}

extension TransportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .urlInvalid: "the URL is not absolute, or has user information or a fragment"
        case .requestInvalid: "a header field may not be sent, or a GET has a body"
        case .schemeNotAllowed: "the URL's scheme is not https"
        case .addressNotAllowed: "the host's address is private, link-local or loopback"
        case .nameNotResolved: "the host's name has no address"
        case .connectFailed: "no connection to the host"
        case .connectDeadlineExceeded: "no connection in time"
        case .deadlineExceeded: "no whole answer in time"
        case .tls(let fault): "TLS failed: \(fault)"
        case .bodyTooLarge: "the answer is too large"
        case .headersTooLarge: "the answer's header is too large"
        case .redirectNotAllowed: "the answer is a redirect that may not be followed"
        case .connectionLost: "the connection ended too early"
        case .responseInvalid: "the answer is not HTTP"
        case .cancelled: "cancelled"
        case .closed: "the transport was shut down"
        case .backend: "out of memory or descriptors, or a fault of the HTTP library"
        }
    }
}

extension TLSFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .untrusted: "no path from the server's certificate to a trusted root"
        case .expired: "the server's certificate is not valid at this time"
        case .nameMismatch: "the server's certificate is for another host"
        case .version: "no common version"
        case .clientCertificate: "the server does not accept the client's certificate"
        case .handshake: "no handshake"
        }
    }
}
