/// An HTTP client that sends requests and returns their responses. The module `JOSEFetch` provides one that is based on
/// libcurl.
///
/// An implementation must enforce every limit of ``TransportRequest``, verify the certificate and the name of the
/// server, follow no redirect beyond `redirectLimit`, and return at once when the task is cancelled.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns the response, whatever its status.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// The reason why a request has no response. It contains nothing that a server sent.
@nonexhaustive public enum TransportError: Error, Equatable, Sendable {
    /// The URL is not absolute, lacks a scheme or a host, or contains user information or a fragment.
    case urlInvalid
    /// A header field is invalid or reserved for the transport, or a GET has a body.
    case requestInvalid
    /// The scheme is not https. The scheme http is accepted only for loopback addresses, if an option allows it.
    case schemeNotAllowed
    /// The host is, or its name resolves to, an address that is not allowed, such as a private, link-local or loopback
    /// address.
    case addressNotAllowed
    /// The host name has no address. The error is retryable.
    case nameNotResolved
    /// No connection was established: it was refused, the host is unreachable, or the connection was lost before the
    /// request was sent. The error is retryable.
    case connectFailed
    /// No connection was established within `connectDeadline`. The error is retryable.
    case connectDeadlineExceeded
    /// No complete response was received within `deadline`. The error is retryable.
    case deadlineExceeded
    /// The TLS handshake failed, or the server is not trusted.
    case tls(TLSFault)
    /// The decoded body exceeds `bodyLimit`.
    case bodyTooLarge
    /// The header fields exceed the limits on their number or size.
    case headersTooLarge
    /// The response is a redirect to another origin or scheme, or one beyond `redirectLimit`.
    case redirectNotAllowed
    /// The connection ended before the response was complete. The error is retryable.
    case connectionLost
    /// The response is not HTTP.
    case responseInvalid
    /// The task was cancelled. The error is retryable.
    case cancelled
    /// The transport was shut down.
    case closed
    /// Memory or descriptors are exhausted, or the HTTP library failed. The server is not at fault. The error is
    /// retryable.
    case backend
}

/// The reason why a TLS connection was not established.
@nonexhaustive public enum TLSFault: Equatable, Sendable {
    /// No chain leads from the server's certificate to a trusted root.
    case untrusted
    /// The certificate has expired, or is not valid yet.
    case expired
    /// The certificate is for another host.
    case nameMismatch
    /// The client and the server have no allowed TLS version in common.
    case version
    /// The server rejected the client's certificate, or requires one and received none.
    case clientCertificate
    /// The handshake failed for another reason.
    case handshake
}

extension TransportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .urlInvalid: "the URL is not absolute, or has user information or a fragment"
        case .requestInvalid: "a header field is invalid or reserved, or a GET has a body"
        case .schemeNotAllowed:
            "the URL's scheme is not https; http is for loopback addresses, where the options of the transport allow it"
        case .addressNotAllowed: "the host has a private, link-local or loopback address, which is not allowed"
        case .nameNotResolved: "the host name has no address"
        case .connectFailed: "the connection to the host failed"
        case .connectDeadlineExceeded: "no connection was established within the time limit"
        case .deadlineExceeded: "no complete response was received within the time limit"
        case .tls(let fault): "TLS failed: \(fault)"
        case .bodyTooLarge: "the response body is too large"
        case .headersTooLarge: "the response header is too large"
        case .redirectNotAllowed: "the response is a redirect that is not allowed"
        case .connectionLost: "the connection ended before the response was complete"
        case .responseInvalid: "the response is not HTTP"
        case .cancelled: "the request was cancelled"
        case .closed: "the transport was shut down"
        case .backend: "memory or descriptors are exhausted, or the HTTP library failed"
        }
    }
}

extension TLSFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .untrusted: "no chain leads from the server's certificate to a trusted root"
        case .expired: "the server's certificate has expired or is not valid yet"
        case .nameMismatch: "the server's certificate is for another host"
        case .version: "the client and the server have no TLS version in common"
        case .clientCertificate: "the server rejected the client certificate, or requires one"
        case .handshake: "the handshake failed"
        }
    }
}
