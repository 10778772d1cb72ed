internal import JOSECrypto

/// What a public key has besides libcrypto's form of it: the one by which many signatures are verified at once. RSA's is small
/// and made when the first batch wants it; that of P-256 is a table that has to be earned. Gone with the key.
final class BatchKey: Sendable {
    enum Form: Sendable {
        case rsa
        case p256(HotKey)
    }
    let key: AsymmetricKey
    let form: Form
    private let made = SetOnce<Made>()

    final class Made: Sendable {
        /// Nil where the kernels do not cover the key.
        let lanes: KernelKey?
        init(_ lanes: KernelKey?) { self.lanes = lanes }
    }

    /// Nil for keys of other kinds.
    init?(_ key: AsymmetricKey, registry: HotKeyRegistry = .shared) {
        switch key.kind {
        case .rsa: form = .rsa
        case .ec(.p256): form = .p256(HotKey(key, registry))
        case .ec, .raw: return nil
        }
        self.key = key
    }

    /// For one more token of a batch, or so many. Nil: libcrypto verifies them.
    func forBatch(uses: Int = 1) -> KernelKey? {
        switch form {
        case .p256(let hot): return hot.lanes(uses: uses)
        case .rsa:
            if let made = made.load() { return made.lanes }
            return made.storeIfNil(Made(KernelKey.isAvailable ? KernelKey(key) : nil)).lanes
        }
    }
}
