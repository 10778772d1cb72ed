import JOSEKeySets

/// Remedies for a key set that cannot be fetched.
enum KeySetRemedy {
    static func text(_ error: KeySetError) -> String {
        remedy(error).map { "\(error); remedy: \($0)" } ?? "\(error)"
    }

    static func remedy(_ error: KeySetError) -> String? {
        switch error {
        case .transport(let error): remedy(error)
        case .urlInvalid:
            "give the whole URL, such as https://id.example/jwks; for http on this machine: --allow-loopback-http"
        case .deadlineExceeded: "raise the timeout: --timeout SECONDS"
        case .discovery(.issuerMismatch): "give the issuer exactly as in its metadata, slashes included"
        case .discovery(.issuerInvalid): "give the issuer's https URL; for http on this machine: --allow-loopback-http"
        case .discovery(.missing): "give the URL of its JWKS instead: --keys, or keys fetch URL"
        case .status(404): "check that the URL is that of the key set"
        case .status(401), .status(403): "a key set is public: ask its operator"
        case .status(429), .status(500...): "retry later"
        case .refused(.privateKey):
            "that key is compromised: its owner must replace it, and publish public keys only (bulla key public)"
        case .refused(.contentType), .refused(.notKeySet), .refused(.malformed), .refused(.empty):
            "check that the URL is that of the key set"
        default: nil
        }
    }

    static func remedy(_ error: TransportError) -> String? {
        switch error {
        case .schemeNotAllowed: "use https; for http on this machine: --allow-loopback-http"
        case .tls(.untrusted): "give the root certificates of its issuer: --ca FILE"
        case .tls(.expired): "renew the server's certificate, or set this machine's clock"
        case .tls(.nameMismatch): "use the host name in its certificate"
        case .nameNotResolved: "check the spelling of the host name"
        case .connectFailed: "check that the server runs at this port"
        case .connectDeadlineExceeded, .deadlineExceeded: "raise the timeout: --timeout SECONDS"
        case .redirectNotAllowed: "give the URL that it redirects to"
        case .addressNotAllowed: "use https; http is for this machine only, and link-local addresses are never allowed"
        case .urlInvalid: "give the whole URL, such as https://id.example/jwks"
        default: nil
        }
    }
}
