/// A set of keys for a verifier or decrypter (RFC 7517, 5).
public struct KeySet: Sendable {
    /// The kinds of keys that a parsed set may contain.
    public enum Contents: Sendable {
        /// Public, private and symmetric keys, for your own key set.
        case any
        /// Public keys only, for a set that another party publishes. A private or symmetric key in it is compromised,
        /// and the whole set is rejected.
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

    /// The keys, in the set's order.
    public var keys: [JWK] { storage.keys }
    /// The keys that cannot be used, each with the reason.
    public var unusable: [UnusableKey] { storage.unusable }

    /// The empty set.
    public static let empty = KeySet([])

    /// Creates a set of keys. If several of them fit a token, they are tried in this order.
    public init(_ keys: [JWK]) { self.init(keys, unusable: []) }
    /// Creates a set of one key.
    public init(_ key: JWK) { self.init([key]) }
    /// Creates a set of one key, whose type names its kind. A private key can decrypt, and can verify with its public
    /// key.
    public init(_ key: some JWKConvertible) { self.init([key.asJWK]) }

    package init(_ keys: [JWK], unusable: [UnusableKey]) { storage = Storage(keys, unusable) }

    /// Returns whether both values share one storage. Equal key sets that were created separately do not.
    package func isSame(as other: KeySet) -> Bool { storage === other.storage }
}

/// An element of a JWK Set that cannot be used as a key. It is kept so that a token that names it is rejected with the
/// reason.
public struct UnusableKey: Equatable, Sendable {
    /// The index in the `keys` array of the JWK Set.
    public let index: Int
    /// The `kid`, or nil if there is none or it could not be read.
    public let keyID: String?
    /// The error with which the key would be rejected as a single JWK.
    public let reason: JOSEError

    package init(index: Int, keyID: String?, reason: JOSEError) {
        (self.index, self.keyID, self.reason) = (index, keyID, reason)
    }
}

extension KeySet: Described {
    package var summary: String {
        unusable.isEmpty ? "KeySet(\(keys))" : "KeySet(\(keys), \(unusable.count) unusable)"
    }
}

extension UnusableKey: Described {
    package var summary: String { "\(name): \(reason)" }

    /// The index and, where it can be read, the `kid`.
    package var name: String {
        "key \(index)" + (keyID.map { ", kid \"\(KeyDescription.escaped($0))\"" } ?? "")
    }
}
