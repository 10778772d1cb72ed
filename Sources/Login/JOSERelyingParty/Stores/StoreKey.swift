internal import JOSEBytes
internal import JOSECrypto

/// 32 bytes: SHA-256 over the name of the kind of value, a zero byte, and the value. What the browser brings never reaches a store in
/// the clear.
public struct StoreKey: Hashable, Sendable {
    /// For stores of others: 32 bytes that say nothing of the value.
    public let bytes: [UInt8]

    /// The kind is the caller's own word, without a zero byte: a `jti` can then never be taken for a `state`.
    public init(kind: String, value: [UInt8]) throws(StoreError) {
        var input = Array(kind.utf8)
        precondition(!input.contains(0))
        input.append(0)
        input += value
        defer { wipe(&input) }
        do throws(CryptoError) { bytes = try Hash.sha256.digest(input.span) } catch { throw .unavailable }
    }

    /// The bytes of the text, as they stand in UTF-8.
    public init(kind: String, value: String) throws(StoreError) { try self.init(kind: kind, value: Array(value.utf8)) }

    /// Creates the key of a value that is unique for one issuer alone, such as a `sub` or a `jti`. The length of the issuer comes first, so
    /// that no two pairs have one key.
    init(kind: String, issuer: String, value: String) throws(StoreError) {
        try self.init(kind: kind, value: "\(issuer.utf8.count):\(issuer)\(value)")
    }
}
