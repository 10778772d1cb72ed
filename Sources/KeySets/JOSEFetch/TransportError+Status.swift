#if HTTP
    internal import CJOSEFetch
    internal import JOSEKeySets

    extension TransportError {
        /// Creates the error of a status, or returns nil for a response.
        init?(_ status: cjose_fetch_status) {
            switch status {
            case .ok: return nil
            case .url: self = .urlInvalid
            case .scheme: self = .schemeNotAllowed
            case .address: self = .addressNotAllowed
            case .name: self = .nameNotResolved
            case .connect: self = .connectFailed
            case .connect_deadline: self = .connectDeadlineExceeded
            case .deadline: self = .deadlineExceeded
            case .tls_untrusted: self = .tls(.untrusted)
            case .tls_expired: self = .tls(.expired)
            case .tls_name: self = .tls(.nameMismatch)
            case .tls_version: self = .tls(.version)
            case .tls_client: self = .tls(.clientCertificate)
            case .tls_handshake: self = .tls(.handshake)
            case .body: self = .bodyTooLarge
            case .headers: self = .headersTooLarge
            case .redirect: self = .redirectNotAllowed
            case .lost: self = .connectionLost
            case .response: self = .responseInvalid
            case .cancelled: self = .cancelled
            case .closed: self = .closed
            case .backend: self = .backend
            }
        }
    }
#endif
