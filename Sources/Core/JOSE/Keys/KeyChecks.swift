/// Optional checks of a key's parameters, in addition to those that every key must pass. None is made by default,
/// because a key that fails one still conforms to its standard: it is the caller who decides whether to accept it.
public struct KeyChecks: OptionSet, Hashable, Sendable {
    /// The bits of the set, which have no meaning outside this type.
    public let rawValue: Int

    /// Creates a set of checks from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The check for the ROCA fingerprint (CVE-2017-15361), which RSA keys of a vulnerable generator have. Such keys of
    /// 2048 bits can be factored at considerable cost.
    ///
    /// The generator was used in smart cards and TPMs from 2012 to 2017. One in 2^167 other keys has the fingerprint by
    /// chance. A key with the fingerprint is rejected with `KeyFault.roca`; keys other than RSA pass. The check takes a
    /// few microseconds per key.
    public static let roca = KeyChecks(rawValue: 1)
}

extension JWK {
    /// Applies optional checks to this key. A key that was read without them can be checked later in this way.
    ///
    /// - Parameter checks: The checks to apply.
    /// - Throws: `keyInvalid` with the reason of the first check that the key fails.
    public func pass(_ checks: KeyChecks) throws(JOSEError) {
        guard checks.contains(.roca), case .rsa(let n, _)? = publicKey?.members else { return }
        guard !WeakModulus.isROCA(n) else { throw .keyInvalid(.roca) }
    }
}
