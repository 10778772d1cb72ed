public import JOSE

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
///
/// The error is retryable if the request may succeed later without a change of configuration of the client or the
/// server: the host name has no address, there was no connection or no response in time, the connection was lost, the
/// task was cancelled, or memory or descriptors are exhausted.
@nonexhaustive public enum TransportError: CodedError, Equatable {
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
@nonexhaustive public enum TLSFault: CodedReason, Equatable {
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

extension TransportError: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .urlInvalid:
            row(
                "url_invalid", "the URL is not absolute, or has user information or a fragment",
                remedy: "give the whole URL, such as https://id.example.com/jwks")
        case .requestInvalid:
            row(
                "request_invalid", "a header field is invalid or reserved, or a GET has a body",
                remedy: "correct the header fields of the request")
        case .schemeNotAllowed:
            row(
                "scheme_not_allowed",
                "the URL's scheme is not https; http is for loopback addresses, where the options of the transport allow it",
                remedy: "use https")
        case .addressNotAllowed:
            row(
                "address_not_allowed", "the host has a private, link-local or loopback address, which is not allowed",
                remedy: "use https and a public address, or allow this one in the options of the transport")
        case .nameNotResolved:
            row(
                "name_not_resolved", "the host name has no address", remedy: "check the spelling of the host name",
                retryable: true)
        case .connectFailed:
            row(
                "connect_failed", "the connection to the host failed",
                remedy: "check that the server runs at this port", retryable: true)
        case .connectDeadlineExceeded:
            row(
                "connect_deadline_exceeded", "no connection was established within the time limit",
                remedy: "raise the timeout, or check that the server answers", retryable: true)
        case .deadlineExceeded:
            row(
                "deadline_exceeded", "no complete response was received within the time limit",
                remedy: "raise the timeout, or check that the server answers", retryable: true)
        case .tls(let fault): row("TLS failed: ", of: fault)
        case .bodyTooLarge:
            row(
                "body_too_large", "the response body is too large",
                remedy: "check that the URL is right, or raise the limit in the request")
        case .headersTooLarge:
            row(
                "headers_too_large", "the response header is too large",
                remedy: "check that the URL is right, or raise the limit in the request")
        case .redirectNotAllowed:
            row(
                "redirect_not_allowed", "the response is a redirect that is not allowed",
                remedy: "give the URL that it redirects to")
        case .connectionLost:
            row(
                "connection_lost", "the connection ended before the response was complete", remedy: "retry",
                retryable: true)
        case .responseInvalid:
            row(
                "response_invalid", "the response is not HTTP", remedy: "check that the server at this port speaks HTTP"
            )
        case .cancelled: row("task_cancelled", "the request was cancelled", remedy: "retry", retryable: true)
        case .closed:
            row(
                "transport_closed", "the transport was shut down",
                remedy: "create a new transport; one that was shut down sends nothing")
        case .backend:
            row(
                "backend_failure", "memory or descriptors are exhausted, or the HTTP library failed",
                remedy: "check the memory and descriptors of this process", retryable: true)
        }
    }
}

extension TLSFault: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .untrusted:
            row(
                "tls_untrusted", "no chain leads from the server's certificate to a trusted root",
                remedy: "give the transport the root certificates of the server's issuer")
        case .expired:
            row(
                "tls_expired", "the server's certificate has expired or is not valid yet",
                remedy: "renew the server's certificate, or set this machine's clock")
        case .nameMismatch:
            row(
                "tls_name_mismatch", "the server's certificate is for another host",
                remedy: "use the host name in the server's certificate")
        case .version:
            row(
                "tls_version", "the client and the server have no TLS version in common",
                remedy: "have the server speak TLS 1.2 or 1.3")
        case .clientCertificate:
            row(
                "tls_client_certificate", "the server rejected the client certificate, or requires one",
                remedy: "give the transport a client certificate that the server accepts")
        case .handshake:
            row("tls_handshake", "the handshake failed", remedy: "check that the server at this port speaks TLS")
        }
    }
}
