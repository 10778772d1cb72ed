internal import JOSEBytes
internal import JOSECrypto

/// The key of a stored value: the SHA-256 digest of the name of the kind of value, a zero byte, and the value. A value that a
/// browser sends thus never reaches a store in plaintext.
public struct StoreKey: Hashable, Sendable {
    /// The 32 bytes of the key, from which the value cannot be recovered. Implementations of ``LoginStore`` use them.
    public let bytes: [UInt8]

    /// Creates the key of a value.
    ///
    /// - Parameters:
    ///   - kind: The name of the kind of value, chosen by the caller, without a zero byte. Values of different kinds never have
    ///     the same key.
    ///   - value: The value.
    /// - Throws: ``StoreError/unavailable`` if the digest cannot be computed.
    public init(kind: String, value: [UInt8]) throws(StoreError) {
        var input = Array(kind.utf8)
        precondition(!input.contains(0))
        input.append(0)
        input += value
        defer { wipe(&input) }
        do throws(CryptoError) { bytes = try Hash.sha256.digest(input.span) } catch { throw .unavailable }
    }

    /// Creates the key of a value, given as a string whose UTF-8 bytes are used.
    ///
    /// - Parameters:
    ///   - kind: The name of the kind of value, chosen by the caller, without a zero byte.
    ///   - value: The value.
    /// - Throws: ``StoreError/unavailable`` if the digest cannot be computed.
    public init(kind: String, value: String) throws(StoreError) { try self.init(kind: kind, value: Array(value.utf8)) }

    /// Creates the key of a value that is unique for one issuer only, such as a `sub` or a `jti`. The length of the issuer comes
    /// first, so that no two pairs have the same key.
    init(kind: String, issuer: String, value: String) throws(StoreError) {
        try self.init(kind: kind, value: "\(issuer.utf8.count):\(issuer)\(value)")
    }
}
