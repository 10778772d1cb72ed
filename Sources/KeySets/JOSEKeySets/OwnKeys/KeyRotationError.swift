public import JOSE

/// The reason why a step of a key rotation was rejected. A rejected step changes nothing.
@nonexhaustive public enum KeyRotationError: CodedError, Equatable {
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

extension KeyRotationError: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .keyIDMissing: row("key_id_missing", "the key has no kid", remedy: "give the key a kid")
        case .keyIDTaken: row("key_id_taken", "another key has that kid", remedy: "give each key its own kid")
        case .keyTaken: row("key_taken", "the key is already present under another kid", remedy: "generate another key")
        case .keyUnsuitable(let reason): row("key_unsuitable", "the key does not fit: ", reason)
        case .keyUnknown: row("key_id_unknown", "no key has that kid", remedy: "give the kid of a key of the rotation")
        case .tooEarly(let time):
            row(
                "step_too_early",
                "too early: the step is safe only from \(time) on (seconds since 1970); some steps can be forced earlier",
                remedy: "repeat the step at the time in the error, or force it")
        case .isSigning:
            row(
                "key_signing", "the key signs at present: let another key sign first, or use force",
                remedy: "let another key sign first, or use force")
        case .isPublished:
            row(
                "key_published", "the key is published for encryption: publish another key first, or use force",
                remedy: "publish another key first, or use force")
        case .alreadyDone:
            row(
                "step_already_done", "the key has already passed the stage in which the step is possible",
                remedy: "nothing to do: the state is unchanged")
        case .inUse(let time):
            row(
                "key_in_use",
                "the key still decrypts tokens: if not used again, remove it at \(time) (seconds since 1970), or use force",
                remedy: "remove the key at the time in the error, or use force")
        case .rulesInvalid:
            row(
                "rotation_rules_invalid", "the rules contradict each other or exceed their bounds",
                remedy: "correct the rules")
        case .timeInvalid:
            row(
                "time_out_of_range", "the clock or the caller gave an invalid time",
                remedy: "correct the clock, or the time that was given")
        case .stateInvalid:
            row(
                "rotation_state_invalid", "the state was not exported by a rotation of this type",
                remedy: "give the state that exportState of a rotation of this type returned")
        case .privateKeyMissing(let keyID):
            row(
                "private_key_missing", "the private key of \(KeyName(keyID)) was not given",
                remedy: "give the private key of that kid")
        case .privateKeyOther(let keyID):
            row(
                "private_key_mismatch", "the private key given for \(KeyName(keyID)) does not belong to its public key",
                remedy: "give the private key that belongs to the public key of the state")
        }
    }
}
