internal import JOSEBytes
internal import JOSECrypto

/// 32 bytes: SHA-256 over what kind of value it is, a zero byte, and the value. What the browser brings never reaches a store as it came.
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
}
