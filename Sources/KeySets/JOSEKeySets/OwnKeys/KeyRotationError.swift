public import JOSE

/// Why a step of a rotation is refused. Nothing changed then.
@nonexhaustive public enum KeyRotationError: Error, Equatable, Sendable {
    /// The key has no `kid`, by which others tell it from the next.
    case keyIDMissing
    /// The `kid` is that of a key that is there.
    case keyIDTaken
    /// The same key is there under another `kid`.
    case keyTaken
    /// The key cannot do what keys here are for.
    case keyUnsuitable(KeyMismatch)
    /// No key here has that `kid`.
    case keyUnknown
    /// Others may still hold a set without the key, or tokens that need it. The step may be taken at this time, in seconds
    /// since 1970, or be forced.
    case tooEarly(Double)
    /// A signing key that signs at present goes by force alone.
    case isSigning
    /// A decryption key that others are told to encrypt to goes by force alone.
    case isPublished
    /// The key is past the stage for which the step is.
    case alreadyDone
    /// The decryption key was used so lately that senders must have it; it may go at this time if it is not used again.
    case inUse(until: Double)
    /// The rules contradict each other or their bounds.
    case rulesInvalid
    /// The clock or the caller gave no time within 2^52 seconds of 1970.
    case timeInvalid
    /// The state is not one that `exportState` of the same type wrote.
    case stateInvalid
    /// The state has a key for which no private one was given.
    case privateKeyMissing(keyID: String)
    /// A private key was given that is not the one that the state has under its `kid`.
    case privateKeyOther(keyID: String)
}

extension KeyRotationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keyIDMissing: "the key has no kid"
        case .keyIDTaken: "another key has that kid"
        case .keyTaken: "the key is there already, under another kid"
        case .keyUnsuitable(let reason): "\(JOSEError.keyUnsuitable(reason))"
        case .keyUnknown: "no key has that kid"
        case .tooEarly(let time): "too early: from \(time) seconds since 1970 on, or by force"
        case .isSigning: "the key signs at present: let another one sign first, or use force"
        case .isPublished: "others are told to encrypt to the key: publish another one first, or use force"
        case .alreadyDone: "the key is past that"
        case .inUse(let time): "the key still opens tokens: not before \(time) seconds since 1970, or by force"
        case .rulesInvalid: "the rules are not within their bounds"
        case .timeInvalid: "the clock or the caller gave no time"
        case .stateInvalid: "not a state of such a rotation"
        case .privateKeyMissing(let keyID): "the private key of \(KeyName(keyID)) was not given"
        case .privateKeyOther(let keyID): "the private key given for \(KeyName(keyID)) is another one"
        }
    }
}
