import JOSEKeySets

/// What a person can do about keys that could not be had.
enum KeySetRemedy {
    static func text(_ error: KeySetError) -> String {
        remedy(error).map { "\(error); to mend it: \($0)" } ?? "\(error)"
    }

    static func remedy(_ error: KeySetError) -> String? {
        switch error {
        case .transport(let error): remedy(error)
        case .urlInvalid: "give the whole URL, such as https://id.example/jwks"
        case .deadlineExceeded: "give it longer: --timeout SECONDS"
        case .discovery(.issuerMismatch): "give the issuer to the letter as its metadata has it, slashes and all"
        case .discovery(.issuerInvalid): "give the issuer's https URL; for http on this machine: --allow-loopback-http"
        case .discovery(.missing): "give the URL of its keys instead: --keys, or keys fetch URL"
        case .status(404): "look whether the URL is that of the key set"
        case .status(401), .status(403): "a key set is public: ask whoever serves it"
        case .status(429), .status(500...): "ask again later"
        case .refused(.privateKey):
            "its owner has lost that key: a new one, and the public half alone (bulla key public)"
        case .refused(.contentType), .refused(.notKeySet), .refused(.malformed), .refused(.empty):
            "look whether the URL is that of the key set"
        default: nil
        }
    }

    static func remedy(_ error: TransportError) -> String? {
        switch error {
        case .schemeNotAllowed: "use https; for http on this machine: --allow-loopback-http"
        case .tls(.untrusted): "give the roots that its certificate leads to: --ca FILE"
        case .tls(.expired): "its server needs a new certificate, or this machine the right time"
        case .tls(.nameMismatch): "use the name that its certificate is for"
        case .nameNotResolved: "look whether the host's name is written right"
        case .connectFailed: "look whether the server runs, and at this port"
        case .connectDeadlineExceeded, .deadlineExceeded: "give it longer: --timeout SECONDS"
        case .redirectNotAllowed: "give the URL that it leads to"
        case .addressNotAllowed: "use https; by http this machine alone is asked, and a link-local address never"
        case .urlInvalid: "give the whole URL, such as https://id.example/jwks"
        default: nil
        }
    }

    /// A stable word, for programs.
    static func word(_ error: KeySetError) -> String {
        switch error {
        case .transport(let error): word(error)
        case .urlInvalid: "url_invalid"
        case .status: "http_status"
        case .refused(.privateKey): "private_key"
        case .refused(.noUsableKeys): "no_usable_keys"
        case .refused(.contentType): "content_type"
        case .refused(.tooLarge): "too_large"
        case .refused: "not_a_key_set"
        case .discovery(.issuerMismatch): "issuer_mismatch"
        case .discovery: "metadata_invalid"
        case .deadlineExceeded: "timeout"
        case .closed: "closed"
        default: "unavailable"
        }
    }

    private static func word(_ error: TransportError) -> String {
        switch error {
        case .schemeNotAllowed: "scheme_not_allowed"
        case .addressNotAllowed: "address_not_allowed"
        case .nameNotResolved: "name_not_resolved"
        case .connectFailed: "connect_failed"
        case .connectDeadlineExceeded, .deadlineExceeded: "timeout"
        case .tls(.untrusted): "tls_untrusted"
        case .tls(.expired): "tls_expired"
        case .tls(.nameMismatch): "tls_name_mismatch"
        case .tls: "tls_failed"
        case .bodyTooLarge, .headersTooLarge: "too_large"
        case .redirectNotAllowed: "redirect_not_allowed"
        case .connectionLost: "connection_lost"
        case .urlInvalid: "url_invalid"
        default: "unavailable"
        }
    }
}
