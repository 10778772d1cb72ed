/// The keys that a verifier or decrypter may use (RFC 7517, 5).
public struct KeySet: Sendable {
    /// What a set that is parsed may hold.
    public enum Contents: Sendable {
        /// Public, private and symmetric keys: for a set of one's own.
        case any
        /// For a set that others publish: one private or symmetric member refuses the whole set, for whoever sent it has
        /// lost that key.
        case publicOnly
    }

    private final class Storage: Sendable {
        let keys: [JWK]
        let unusable: [UnusableKey]
        let isLasting: Bool

        init(_ keys: [JWK], _ unusable: [UnusableKey], isLasting: Bool = true) {
            self.keys = keys
            self.unusable = unusable
            self.isLasting = isLasting
        }
    }
    private let storage: Storage

    /// In the set's order.
    public var keys: [JWK] { storage.keys }
    /// Those that were set aside, each with its reason.
    public var unusable: [UnusableKey] { storage.unusable }

    /// For a verifier or decrypter that has nothing to do with the other kind of key.
    public static let empty = KeySet([])

    /// In the order in which they are tried where several fit.
    public init(_ keys: [JWK]) { self.init(keys, unusable: []) }
    /// Of one key.
    public init(_ key: JWK) { self.init([key]) }
    /// Of one key that verifies.
    public init(_ key: PublicKey) { self.init([.publicKey(key)]) }
    /// Of one key that decrypts, or verifies by its public half.
    public init(_ key: PrivateKey) { self.init([.privateKey(key)]) }
    /// Of one shared key.
    public init(_ key: SecretKey) { self.init([.symmetricKey(key)]) }

    /// Of a key that a token brings: it verifies that one, and nothing is kept for more.
    package init(ofOneToken key: PublicKey) { storage = Storage([.publicKey(key)], [], isLasting: false) }

    /// Whether the keys will see more tokens than one.
    var isLasting: Bool { storage.isLasting }

    package init(_ keys: [JWK], unusable: [UnusableKey]) { storage = Storage(keys, unusable) }

    /// Whether both are one value, and not only alike.
    package func isSame(as other: KeySet) -> Bool { storage === other.storage }
}

/// A member of a set that is no key we can use. It is kept to say why, should a token ask for it.
public struct UnusableKey: Equatable, Sendable {
    /// Its place in the set's `keys`.
    public let index: Int
    /// Its `kid`, where that could be read.
    public let keyID: String?
    /// `keyInvalid` or `keyUnsuitable`, as if the key had been read by itself.
    public let reason: JOSEError

    package init(index: Int, keyID: String?, reason: JOSEError) {
        (self.index, self.keyID, self.reason) = (index, keyID, reason)
    }
}

extension KeySet: CustomStringConvertible {
    public var description: String {
        unusable.isEmpty ? "KeySet(\(keys))" : "KeySet(\(keys), \(unusable.count) unusable)"
    }
}

extension UnusableKey: CustomStringConvertible {
    public var description: String {
        guard let keyID else { return "key \(index): \(reason)" }
        return "key \(index), kid \"\(KeyDescription.escaped(keyID))\": \(reason)"
    }
}
