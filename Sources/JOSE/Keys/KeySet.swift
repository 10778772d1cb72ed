/// The keys that a verifier or decrypter may use (RFC 7517, 5).
public struct KeySet: Sendable {
    /// What a set that is parsed may hold.
    public enum Contents: Sendable {
        case any
        /// For a set that others publish: one private or symmetric member refuses the whole set, for whoever sent it has
        /// lost that key.
        case publicOnly
    }

    private final class Storage: Sendable {
        let keys: [JWK]
        let unusable: [UnusableKey]

        init(_ keys: [JWK], _ unusable: [UnusableKey]) {
            self.keys = keys
            self.unusable = unusable
        }
    }
    private let storage: Storage

    /// In the set's order.
    public var keys: [JWK] { storage.keys }
    /// Those that were set aside, each with its reason.
    public var unusable: [UnusableKey] { storage.unusable }

    public static let empty = KeySet([])

    public init(_ keys: [JWK]) { self.init(keys, unusable: []) }
    public init(_ key: JWK) { self.init([key]) }
    public init(_ key: PublicKey) { self.init([.publicKey(key)]) }
    public init(_ key: PrivateKey) { self.init([.privateKey(key)]) }
    public init(_ key: SymmetricKey) { self.init([.symmetricKey(key)]) }

    init(_ keys: [JWK], unusable: [UnusableKey]) { storage = Storage(keys, unusable) }
}

/// A member of a set that is no key we can use. It is kept to say why, should a token ask for it.
public struct UnusableKey: Equatable, Sendable {
    /// Its place in the set's `keys`.
    public let index: Int
    /// Its `kid`, where that could be read.
    public let keyID: String?
    public let reason: JOSEError
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
