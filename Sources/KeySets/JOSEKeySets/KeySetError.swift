public import JOSE

/// Why a set of keys could not be had.
@nonexhaustive public enum KeySetError: Error, Equatable, Sendable {
    /// Not https or http, without a host, or with a fragment or letters that no URL has.
    case urlInvalid
    /// An option that does not hold.
    case optionsInvalid(KeySetOption)
    /// No answer came. Retryable where the `TransportError` is.
    case transport(TransportError)
    /// An answer of another status than 200, or 304 to a question that did not allow for it. Retryable for 408,
    /// 425, 429 and 5xx but 501.
    case status(Int)
    /// An answer came whose content is not to be used. What was held stays.
    case refused(KeySetRejection)
    /// The issuer's metadata, which says where its keys are, cannot be used. What was held stays.
    case discovery(DiscoveryFault)
    /// An issuer is configured twice.
    case issuerRepeated
    /// The caller's own time ran out; a fetch may still be under way. Retryable.
    case deadlineExceeded
    /// The source was shut down.
    case closed
}

/// Why a set that came is not used.
@nonexhaustive public enum KeySetRejection: Equatable, Sendable {
    /// No body at all.
    case empty
    /// Neither `application/json` nor `application/jwk-set+json`.
    case contentType
    /// Not one strict JSON object: a page of HTML, a text that was cut, a byte order mark, a name that stands twice.
    case malformed(ParseFailure)
    /// Larger than is read.
    case tooLarge
    /// JSON, and no object with an array `keys`.
    case notKeySet
    /// A private or symmetric key is in it. Its issuer has lost that key, and maybe more.
    case privateKey
    /// No key that can be used, and so far only this answer says so: a second one, a cooldown later, is believed.
    case noUsableKeys
    /// Several keys of one kind under one name, and the options refuse that.
    case duplicateKeyID
    /// Another key under a known name, and the options refuse that.
    case replacedKey
    /// Kept from an earlier life of the process, and older than the bound on outages.
    case tooOld
}

extension KeySetError: CustomStringConvertible {
    /// One line for a person; holds nothing that a server sent.
    public var description: String {
        switch self {
        case .urlInvalid: "the URL of the key set is not one of https"
        case .optionsInvalid(let option): "the option \(option) does not hold"
        case .transport(let error): "no answer: \(error)"
        case .status(let status): "the answer has the status \(status)"
        case .refused(let refusal): "the answer is refused: \(refusal)"
        case .discovery(let fault): fault.description
        case .issuerRepeated: "an issuer is configured twice"
        case .deadlineExceeded: "no keys came in time"
        case .closed: "the source was shut down"
        }
    }
}

extension KeySetRejection: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "it has no body"
        case .contentType: "its Content-Type is not that of a key set"
        case .malformed(let fault): JOSEError.malformed(fault).description
        case .tooLarge: "it is too large"
        case .notKeySet: "it is no key set"
        case .privateKey: "it holds a private or symmetric key"
        case .noUsableKeys: "it has no key that can be used"
        case .duplicateKeyID: "several keys have the same kid"
        case .tooOld: "it was kept for too long"
        case .replacedKey: "it has another key under a known kid"
        }
    }
}
