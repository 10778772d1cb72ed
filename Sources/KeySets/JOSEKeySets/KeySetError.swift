public import JOSE

/// The reason why a key source has no key set, or could not be created.
@nonexhaustive public enum KeySetError: Error, Equatable, Sendable {
    /// The URL is not an absolute https URL with a host (or, where the options allow it, an http URL of a loopback
    /// address), or it contains a fragment or characters that are not allowed in a URL.
    case urlInvalid
    /// An option has an invalid value.
    case optionInvalid(String)
    /// No response was received. The error is retryable if the ``TransportError`` is.
    case transport(TransportError)
    /// The response has a status other than 200, or the status 304 although the request was not conditional. The error
    /// is retryable for 408, 425, 429 and for 5xx except 501.
    case status(Int)
    /// The content of the response was rejected. The keys that were fetched before stay in use.
    case refused(KeySetRejection)
    /// The issuer's metadata, which names the URL of the keys, cannot be used. The keys that were fetched before stay
    /// in use.
    case discovery(DiscoveryFault)
    /// An issuer is configured more than once.
    case issuerRepeated
    /// The caller's timeout expired. A fetch may still be in progress. The error is retryable.
    case deadlineExceeded
    /// The key source was shut down.
    case closed
}

/// The reason why a fetched key set was rejected.
@nonexhaustive public enum KeySetRejection: Equatable, Sendable {
    /// The response has no body.
    case empty
    /// The content type is neither `application/json` nor `application/jwk-set+json`.
    case contentType
    /// The body is not exactly one valid JSON object. For example, it is HTML, it is truncated, it begins with a byte
    /// order mark, or an object in it has a duplicate member.
    case malformed(ParseFailure)
    /// The body or a part of it exceeds a size limit.
    case tooLarge
    /// The body is JSON, but not an object with an array `keys`.
    case notKeySet
    /// The key set contains a private or symmetric key. That key is compromised, and so may be other keys of the
    /// issuer.
    case privateKey
    /// The key set contains no usable key. It is accepted when a second response, at least one cooldown later, has no
    /// usable key either.
    case noUsableKeys
    /// Several keys of one type have the same `kid`, and the options reject such a key set.
    case duplicateKeyID
    /// A `kid` identifies a different key than in the previous key set, and the options reject such a key set.
    case replacedKey
    /// The key set was saved by an earlier process and is older than `KeySetOptions.outageLimit` allows.
    case tooOld
}

extension KeySetError: CustomStringConvertible {
    /// A one-line description. It contains nothing that a server sent.
    public var description: String {
        switch self {
        case .urlInvalid:
            "the URL of the key set is not an absolute https URL; http is for loopback addresses, where the options allow it"
        case .optionInvalid(let option): "invalid value for option \(option)"
        case .transport(let error): "no response: \(error)"
        case .status(let status): "the response has the HTTP status \(status)"
        case .refused(let rejection): "the key set was rejected: \(rejection)"
        case .discovery(let fault): fault.description
        case .issuerRepeated: "an issuer is configured more than once"
        case .deadlineExceeded: "no keys were fetched within the timeout"
        case .closed: "the key source was shut down"
        }
    }
}

extension KeySetRejection: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "the body is empty"
        case .contentType: "the Content-Type is not that of a key set"
        case .malformed(let fault): JOSEError.malformed(fault).description
        case .tooLarge: "the body exceeds a size limit"
        case .notKeySet: "the body is not a JWK Set"
        case .privateKey: "the key set contains a private or symmetric key"
        case .noUsableKeys: "no key in the key set is usable"
        case .duplicateKeyID: "several keys have the same kid"
        case .tooOld: "the snapshot is older than the outage limit allows"
        case .replacedKey: "a known kid now identifies a different key"
        }
    }
}
