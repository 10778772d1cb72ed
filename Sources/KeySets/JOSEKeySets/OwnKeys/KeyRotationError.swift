public import JOSE

/// The reason why a step of a key rotation was rejected. A rejected step changes nothing.
@nonexhaustive public enum KeyRotationError: Error, Equatable, Sendable {
    /// The key has no `kid`. Every key of a rotation needs one.
    case keyIDMissing
    /// Another key has the same `kid`.
    case keyIDTaken
    /// The rotation already contains this key, under another `kid`.
    case keyTaken
    /// The key cannot be used for the purpose of the rotation.
    case keyUnsuitable(KeyMismatch)
    /// No key has that `kid`.
    case keyUnknown
    /// The step is too early: others may still have a cached document without the key, or tokens that need it. The step
    /// is safe from the given time on, or with `force`.
    case tooEarly(NumericDate)
    /// The key signs at present, and can be removed only with `force`.
    case isSigning
    /// The decryption key is published, so that others encrypt to it, and can be removed only with `force`.
    case isPublished
    /// The key is already past the stage in which the step is possible.
    case alreadyDone
    /// The decryption key was used recently, so that some senders still encrypt to it. It can be removed at the given
    /// time if it is not used again.
    case inUse(until: NumericDate)
    /// The rules contradict each other or exceed their bounds.
    case rulesInvalid
    /// The clock or the caller gave a time that is not finite or not within 2^52 seconds of 1970.
    case timeInvalid
    /// The state was not written by `exportState` of the same type.
    case stateInvalid
    /// No private key was given for a key of the state.
    case privateKeyMissing(keyID: String)
    /// The private key given for a `kid` does not belong to the public key of the state.
    case privateKeyOther(keyID: String)
}

extension KeyRotationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keyIDMissing: "the key has no kid"
        case .keyIDTaken: "another key has that kid"
        case .keyTaken: "the key is already present under another kid"
        case .keyUnsuitable(let reason): "\(JOSEError.keyUnsuitable(reason))"
        case .keyUnknown: "no key has that kid"
        case .tooEarly(let time):
            "too early: the step is safe only from \(time) on (seconds since 1970); some steps can be forced earlier"
        case .isSigning: "the key signs at present: let another key sign first, or use force"
        case .isPublished: "the key is published for encryption: publish another key first, or use force"
        case .alreadyDone: "the key has already passed the stage in which the step is possible"
        case .inUse(let time):
            "the key still decrypts tokens: if not used again, remove it at \(time) (seconds since 1970), or use force"
        case .rulesInvalid: "the rules contradict each other or exceed their bounds"
        case .timeInvalid: "the clock or the caller gave an invalid time"
        case .stateInvalid: "the state was not exported by a rotation of this type"
        case .privateKeyMissing(let keyID): "the private key of \(KeyName(keyID)) was not given"
        case .privateKeyOther(let keyID):
            "the private key given for \(KeyName(keyID)) does not belong to its public key"
        }
    }
}
