internal import JOSEBytes

/// A prepared key, in the process or outside of it, that may decrypt a token.
protocol DecryptingKey: ReadyKey where Allowed == AllowedEncryption {
    /// Returns whether a key that is used directly has the size of the CEK (RFC 7518, 4.5); true for every other
    /// algorithm.
    func takes(_ traits: KeyManagementTraits, _ content: ContentEncryption) -> Bool
    /// Returns the reason why the key does not fit an algorithm, or nil if it fits.
    func unsuitability(for algorithm: KeyManagementAlgorithm) -> KeyMismatch?
}

/// The progress of a decryption through the keys that a header selects: the first one that decrypts the token ends it.
struct DecryptionAttempts<Key: DecryptingKey> {
    /// The header members of the algorithm.
    let members: WrapMembers
    private let found: CandidateKeys<Key>.Found
    private let keepsCiphertext: Bool
    private var index = 0
    /// The error where no key decrypts the token.
    private(set) var failure = JOSEError.decryptionFailed

    /// Begins with the first of the keys. With `keepsCiphertext`, no key decrypts in the ciphertext's memory, so that
    /// it is left for the next recipient.
    @inline(__always)
    init(_ found: CandidateKeys<Key>.Found, _ members: WrapMembers, keepsCiphertext: Bool) {
        self.found = found
        self.members = members
        self.keepsCiphertext = keepsCiphertext
    }

    /// The index of the key to try, or nil when none is left.
    @inline(__always)
    var next: Int? { index < found.count ? found[index] : nil }
    /// Whether the header selects one key only.
    var isSingle: Bool { found.count == 1 }
    private var isLast: Bool { index == found.count - 1 }

    /// Tries a key, and returns whether it decrypted the token. The last one decrypts in the memory of the ciphertext,
    /// those before it decrypt a copy.
    @inline(__always)
    mutating func run(
        _ plaintext: inout SecretBytes, _ open: (inout SecretBytes) throws(JOSEError) -> Bool
    ) throws(JOSEError) -> Bool {
        if isLast, !keepsCiphertext {
            if try open(&plaintext) { return true }
        } else {
            var copy = plaintext.withBytes { SecretBytes(copying: $0) }
            if try open(&copy) {
                plaintext = copy
                return true
            }
        }
        index += 1
        return false
    }

    /// Goes on with the next key after an error of this one, or throws the error if that ends the decryption.
    mutating func fail(_ error: JOSEError) throws(JOSEError) {
        switch error {
        // Another key may decrypt the token. If none does, this error takes precedence over `decryptionFailed`.
        case .externalKey: failure = error
        // The key is on another curve than `epk`; the next one may be on the same.
        case .headerInvalid(.ephemeralKey) where !isLast: break
        default: throw error
        }
        index += 1
    }
}
