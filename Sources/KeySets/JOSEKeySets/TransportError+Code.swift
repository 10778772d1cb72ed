extension TransportError {
    /// A stable identifier of the error for logs, metrics and programs in other languages. The article Error codes of
    /// JOSETokens lists all identifiers.
    public var code: String {
        switch self {
        case .urlInvalid: "url_invalid"
        case .requestInvalid: "request_invalid"
        case .schemeNotAllowed: "scheme_not_allowed"
        case .addressNotAllowed: "address_not_allowed"
        case .nameNotResolved: "name_not_resolved"
        case .connectFailed: "connect_failed"
        case .connectDeadlineExceeded: "connect_deadline_exceeded"
        case .deadlineExceeded: "deadline_exceeded"
        case .tls(let fault): fault.code
        case .bodyTooLarge: "body_too_large"
        case .headersTooLarge: "headers_too_large"
        case .redirectNotAllowed: "redirect_not_allowed"
        case .connectionLost: "connection_lost"
        case .responseInvalid: "response_invalid"
        case .cancelled: "task_cancelled"
        case .closed: "transport_closed"
        case .backend: "backend_failure"
        }
    }
}

extension TLSFault {
    /// A stable identifier of the reason for logs, metrics and programs in other languages. The article Error codes of
    /// JOSETokens lists all identifiers.
    public var code: String {
        switch self {
        case .untrusted: "tls_untrusted"
        case .expired: "tls_expired"
        case .nameMismatch: "tls_name_mismatch"
        case .version: "tls_version"
        case .clientCertificate: "tls_client_certificate"
        case .handshake: "tls_handshake"
        }
    }
}
