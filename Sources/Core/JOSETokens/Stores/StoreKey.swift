internal import JOSECrypto
internal import JOSESupport

/// The key of an entry in a ``LoginStore``: the SHA-256 digest of a kind, a zero byte and an identifier, such as a
/// `state`. An identifier that a browser sends thus never reaches the store in plaintext.
public struct StoreKey: Hashable, Sendable {
    /// The 32 bytes of the digest, for types that conform to ``LoginStore``.
    public let bytes: [UInt8]

    /// Creates the key of an entry from an identifier.
    ///
    /// - Parameters:
    ///   - kind: The kind of the entry: any string without a zero byte. Equal identifiers of different kinds have
    ///     different keys.
    ///   - value: The identifier of the entry, such as a `state` or a `jti`.
    /// - Throws: ``StoreError/unavailable`` if the digest cannot be computed.
    public init(kind: String, value: borrowing some BorrowedBytes) throws(StoreError) {
        var input = Array(kind.utf8)
        precondition(!input.contains(0))
        input.append(0)
        value.withBytes { value in
            // An array that grew would leave parts of the value behind, which are not wiped.
            input.reserveCapacity(input.count + value.count)
            unsafe value.withUnsafeBufferPointer { unsafe input.append(contentsOf: $0) }
        }
        defer { wipe(&input) }
        do throws(CryptoError) { bytes = try Hash.sha256.digest(input.span) } catch { throw .unavailable }
    }

    /// Creates the key of a value that is unique for one issuer only, such as a `sub` or a `jti`. The length of the
    /// issuer comes first, so that no two pairs have the same key.
    package init(kind: String, issuer: String, value: String) throws(StoreError) {
        try self.init(kind: kind, value: "\(issuer.utf8.count):\(issuer)\(value)")
    }
}
