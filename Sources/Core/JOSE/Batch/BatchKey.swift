internal import JOSECrypto

/// The form of a public key in which the kernels verify many signatures at once, besides that of libcrypto. That of RSA
/// is small and made for the first batch; that of P-256 is a table, made for keys that are used often; that of Ed25519
/// is the key itself, and a table for keys that are used often. It is freed with the key.
final class BatchKey: Sendable {
    enum Form: Sendable {
        case rsa(AsymmetricKey)
        case p256(HotKey)
        /// The second value is the key without a table.
        case ed25519(HotKey, KernelKey)
    }
    let form: Form
    private let made = SetOnce<Made>()

    final class Made: Sendable {
        /// The kernels' key; nil where they do not support the key.
        let kernelKey: KernelKey?
        init(_ kernelKey: KernelKey?) { self.kernelKey = kernelKey }
    }

    /// Creates the value, or nil for other kinds of keys.
    init?(_ key: AsymmetricKey, registry: HotKeyRegistry = .shared) {
        switch key.kind {
        case .rsa: form = .rsa(key)
        case .ec(.p256): form = .p256(HotKey(.p256(key), registry))
        case .ec, .raw: return nil
        }
    }

    /// Creates the value, or nil where libsodium verifies all signatures.
    init?(_ key: Ed25519PublicKey, registry: HotKeyRegistry = .shared) {
        guard let plain = KernelKey(key, hasTable: false) else { return nil }
        form = .ed25519(HotKey(.ed25519(key), registry), plain)
    }

    /// The key that counts its verifications; nil for RSA.
    var hot: HotKey? {
        switch form {
        case .rsa: nil
        case .p256(let hot), .ed25519(let hot, _): hot
        }
    }

    /// Whether several signatures take about as long as one.
    var gainsFromOthers: Bool {
        switch form {
        case .rsa, .ed25519: true
        // The table is as fast for one signature.
        case .p256: false
        }
    }

    /// Returns the kernels' key for this many tokens, or nil where libcrypto verifies them.
    ///
    /// - Parameter isBatch: Whether others are verified with them, as in ``HotKey/table(uses:isBatch:)``.
    func forBatch(uses: Int = 1, isBatch: Bool = true) -> KernelKey? {
        switch form {
        case .p256(let hot): return hot.table(uses: uses, isBatch: isBatch)
        case .ed25519(let hot, let plain): return hot.table(uses: uses, isBatch: isBatch) ?? plain
        case .rsa(let key):
            if let made = made.load() { return made.kernelKey }
            return made.storeIfNil(Made(KernelKey.isAvailable ? KernelKey(key) : nil)).kernelKey
        }
    }
}
