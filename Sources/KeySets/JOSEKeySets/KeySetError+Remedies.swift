extension KeySetError {
    /// A description of how to correct the failure, for developers and operators. It contains nothing that a server
    /// sent.
    public var remedy: String {
        switch self {
        case .urlInvalid: "give the whole URL, such as https://id.example.com/jwks"
        case .optionInvalid: "correct the option where the key source is made"
        case .transport(let error): error.remedy
        case .status(401), .status(403): "a key set is public: ask its operator"
        case .status(404): "check that the URL is that of the key set"
        case .status where isRetryable: "retry later"
        case .status: "check the URL, and the server's log"
        case .refused(let rejection): rejection.remedy
        case .discovery(let fault): fault.remedy
        case .issuerRepeated: "configure each issuer once"
        case .deadlineExceeded: "raise the timeout, or check that the server answers"
        case .closed: "create a new key source; one that was shut down fetches nothing"
        }
    }
}

extension KeySetRejection {
    /// A description of how to correct the failure, for developers and operators. It contains nothing that a server
    /// sent.
    public var remedy: String {
        switch self {
        case .empty, .contentType, .malformed, .notKeySet: "check that the URL is that of the key set"
        case .tooLarge: "have the issuer publish fewer keys, or raise the limit in the options"
        case .privateKey: "that key is compromised: its owner must replace it, and publish public keys only"
        case .noUsableKeys: "have the issuer publish a key of a supported kind"
        case .duplicateKeyID: "have the issuer give each key its own kid, or accept such sets in the options"
        case .replacedKey: "have the issuer publish the new key under a new kid, or accept such sets in the options"
        case .tooOld: "fetch the keys again"
        }
    }
}

extension DiscoveryFault {
    /// A description of how to correct the failure, for developers and operators. It contains nothing that a server
    /// sent.
    public var remedy: String {
        switch self {
        case .issuerInvalid: "give the issuer's https URL"
        case .addressInvalid: "give the metadata's whole https URL"
        case .tooLarge, .malformed: "check that the issuer is right, and ask its operator"
        case .issuerMismatch: "give the issuer exactly as in its metadata, slashes included"
        case .missing: "give the URL of the key set instead of the issuer"
        case .invalid: "ask the issuer's operator to correct the metadata"
        case .notSigned, .signatureInvalid, .signedMetadataMismatch:
            "ask the issuer's operator for the keys that sign its metadata, or to sign it again"
        }
    }
}

extension TransportError {
    /// A description of how to correct the failure, for developers and operators. It contains nothing that a server
    /// sent.
    public var remedy: String {
        switch self {
        case .urlInvalid: "give the whole URL, such as https://id.example.com/jwks"
        case .requestInvalid: "correct the header fields of the request"
        case .schemeNotAllowed: "use https"
        case .addressNotAllowed: "use https and a public address, or allow this one in the options of the transport"
        case .nameNotResolved: "check the spelling of the host name"
        case .connectFailed: "check that the server runs at this port"
        case .connectDeadlineExceeded, .deadlineExceeded: "raise the timeout, or check that the server answers"
        case .tls(let fault): fault.remedy
        case .bodyTooLarge, .headersTooLarge: "check that the URL is right, or raise the limit in the request"
        case .redirectNotAllowed: "give the URL that it redirects to"
        case .connectionLost, .cancelled: "retry"
        case .responseInvalid: "check that the server at this port speaks HTTP"
        case .closed: "create a new transport; one that was shut down sends nothing"
        case .backend: "check the memory and descriptors of this process"
        }
    }
}

extension TLSFault {
    /// A description of how to correct the failure, for developers and operators.
    public var remedy: String {
        switch self {
        case .untrusted: "give the transport the root certificates of the server's issuer"
        case .expired: "renew the server's certificate, or set this machine's clock"
        case .nameMismatch: "use the host name in the server's certificate"
        case .version: "have the server speak TLS 1.2 or 1.3"
        case .clientCertificate: "give the transport a client certificate that the server accepts"
        case .handshake: "check that the server at this port speaks TLS"
        }
    }
}
