internal import JOSECrypto

/// The form of a public key in which the kernels verify many signatures at once, besides that of libcrypto. That of RSA
/// is small and made for the first batch; that of P-256 is a table, made for keys that are used often. It is freed with
/// the key.
final class BatchKey: Sendable {
    enum Form: Sendable {
        case rsa
        case p256(HotKey)
    }
    let key: AsymmetricKey
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
        case .rsa: form = .rsa
        case .ec(.p256): form = .p256(HotKey(key, registry))
        case .ec, .raw: return nil
        }
        self.key = key
    }

    /// Returns the kernels' key for this many tokens of a batch, or nil where libcrypto verifies them.
    func forBatch(uses: Int = 1) -> KernelKey? {
        switch form {
        case .p256(let hot): return hot.table(uses: uses)
        case .rsa:
            if let made = made.load() { return made.kernelKey }
            return made.storeIfNil(Made(KernelKey.isAvailable ? KernelKey(key) : nil)).kernelKey
        }
    }
}
