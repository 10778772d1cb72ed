public import JOSE

/// The reason why a key source has no key set, or could not be created.
///
/// The error is retryable if the fetch may succeed later without a change of configuration: the server, the network or
/// the time limit was at fault. A rejected key set, rejected metadata and a source that was shut down are not.
@nonexhaustive public enum KeySetError: CodedError, Equatable {
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
@nonexhaustive public enum KeySetRejection: CodedReason, Equatable {
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

extension KeySetError: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .urlInvalid:
            row(
                "url_invalid",
                "the URL of the key set is not an absolute https URL; http is for loopback addresses, where the options allow it",
                remedy: "give the whole URL, such as https://id.example.com/jwks")
        case .optionInvalid(let option):
            row(
                "option_invalid", "invalid value for option \(option)",
                remedy: "correct the option where the key source is made")
        case .transport(let error): row("no response: ", of: error)
        case .status(let status):
            row(
                "unexpected_status", "the response has the HTTP status \(status)", remedy: Self.remedy(of: status),
                retryable: Self.isRetryable(status))
        case .refused(let rejection): row("the key set was rejected: ", of: rejection)
        case .discovery(let fault): row(of: fault)
        case .issuerRepeated:
            row("issuer_repeated", "an issuer is configured more than once", remedy: "configure each issuer once")
        case .deadlineExceeded:
            row(
                "deadline_exceeded", "no keys were fetched within the timeout",
                remedy: "raise the timeout, or check that the server answers", retryable: true)
        case .closed:
            row(
                "key_source_closed", "the key source was shut down",
                remedy: "create a new key source; one that was shut down fetches nothing")
        }
    }

    private static func isRetryable(_ status: Int) -> Bool {
        [408, 425, 429].contains(status) || (500...599).contains(status) && status != 501
    }

    private static func remedy(of status: Int) -> String {
        switch status {
        case 401, 403: "a key set is public: ask its operator"
        case 404: "check that the URL is that of the key set"
        case _ where isRetryable(status): "retry later"
        default: "check the URL, and the server's log"
        }
    }
}

extension KeySetRejection: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .empty: row("response_empty", "the body is empty", remedy: "check that the URL is that of the key set")
        case .contentType:
            row(
                "content_type_mismatch", "the Content-Type is not that of a key set",
                remedy: "check that the URL is that of the key set")
        case .malformed(let fault):
            row(
                "key_set_malformed", "\(JOSEError.malformed(fault))",
                remedy: "check that the URL is that of the key set")
        case .tooLarge:
            row(
                "key_set_too_large", "the body exceeds a size limit",
                remedy: "have the issuer publish fewer keys, or raise the limit in the options")
        case .notKeySet:
            row("not_key_set", "the body is not a JWK Set", remedy: "check that the URL is that of the key set")
        case .privateKey:
            row(
                "private_key_published", "the key set contains a private or symmetric key",
                remedy: "that key is compromised: its owner must replace it, and publish public keys only")
        case .noUsableKeys:
            row(
                "no_usable_keys", "no key in the key set is usable",
                remedy: "have the issuer publish a key of a supported kind")
        case .duplicateKeyID:
            row(
                "duplicate_key_id", "several keys have the same kid",
                remedy: "have the issuer give each key its own kid, or accept such sets in the options")
        case .replacedKey:
            row(
                "key_replaced", "a known kid now identifies a different key",
                remedy: "have the issuer publish the new key under a new kid, or accept such sets in the options")
        case .tooOld:
            row(
                "snapshot_too_old", "the snapshot is older than the outage limit allows", remedy: "fetch the keys again"
            )
        }
    }
}
