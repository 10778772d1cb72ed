/// What is asked of a key's numbers beyond what makes them a key. Nothing, unless the caller says so: such a key works as
/// its standard says, and whether to go on with it is a decision about its holder.
public struct KeyChecks: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The published fingerprint of the generator behind ROCA (CVE-2017-15361), whose RSA keys of 2048 bits can be factored
    /// by whoever pays for it. It tells about who made the key, not about the key: a key of smart cards and TPMs of 2012 to
    /// 2017 that were never replaced. Of other keys one in 2^167 has it. `KeyFault.roca` where it is found; other kinds of
    /// keys pass. Reading a key takes a few microseconds more.
    public static let roca = KeyChecks(rawValue: 1)
}

extension JWK {
    /// Throws the `keyInvalid` of the first of `checks` that the key fails: what reading it with them would throw, for a key
    /// that came another way.
    public func pass(_ checks: KeyChecks) throws(JOSEError) {
        guard checks.contains(.roca), case .rsa(let n, _)? = publicKey?.members else { return }
        guard !WeakModulus.isROCA(n) else { throw .keyInvalid(.roca) }
    }
}
