internal import JOSECrypto
internal import JOSESupport

/// A prepared key, in the process or outside of it, that may decrypt a token.
protocol DecryptingKey: ReadyKey where Allowed == AllowedEncryption {
    /// Returns whether a key that is used directly has the size of the CEK (RFC 7518, 4.5); true for every other
    /// algorithm.
    func takes(_ traits: KeyManagementTraits, _ content: ContentEncryption) -> Bool
    /// Returns the reason why the key does not fit an algorithm, or nil if it fits.
    func unsuitability(for algorithm: KeyManagementAlgorithm) -> KeyMismatch?
    /// The key for a decryption that awaits external keys.
    var access: DecryptionAccess { get }
    /// The key itself, or its public half; nil where neither is known.
    var knownKey: JWK? { get }
    var kind: KeyKind { get }
}

/// A decryption key prepared for a policy: the algorithms that it fits are determined once.
final class DecryptionKey: DecryptingKey {
    typealias Allowed = AllowedEncryption
    enum Engine: Sendable {
        case asymmetric(AsymmetricKey)
        case x25519(X25519PrivateKey)
        case octets(SecretKey, WrapKey?, GCMWrapKey?)
        case none
    }
    let jwk: JWK
    var access: DecryptionAccess { .local(self) }
    var knownKey: JWK? { jwk }
    let keyID: [UInt8]?
    var certificates: KeyCertificates? { jwk.binding.certificates }
    let kind: KeyKind
    let engine: Engine
    /// The algorithms that the key fits: bit `KeyManagementAlgorithm.Core.rawValue` of each.
    let fits: UInt32
    /// The content encryptions that the key fits with `dir`: bit `ContentCipher.rawValue` of each.
    private let fitsContent: UInt8
    private let prepared = SetOnce<PreparedKernel>()

    private final class PreparedKernel: Sendable {
        /// The kernels' key; nil where they do not support the key.
        let key: PrivateKernelKey?
        init(_ key: PrivateKernelKey?) { self.key = key }
    }

    /// The key for operations on several tokens at once; nil where libcrypto computes them.
    var kernelKey: PrivateKernelKey? {
        if let prepared = prepared.load() { return prepared.key }
        guard case .asymmetric(let key) = engine, case .rsa = key.kind else { return nil }
        return prepared.storeIfNil(PreparedKernel(PrivateKernelKey(key))).key
    }

    init(_ jwk: JWK, for algorithms: [KeyManagementAlgorithm]) {
        self.jwk = jwk
        keyID = jwk.keyIDBytes
        kind = jwk.kind
        var fits: UInt32 = 0
        for algorithm in algorithms where KeySelection.unsuitability(of: jwk, for: algorithm, .decrypt) == nil {
            fits |= 1 << UInt32(algorithm.core.rawValue)
        }
        self.fits = fits
        var fitsContent: UInt8 = 0
        for content in ContentEncryption.all
        where KeySelection.unsuitability(of: jwk, for: .dir, .decrypt, encryption: content) == nil {
            fitsContent |= 1 << content.core.rawValue
        }
        self.fitsContent = fitsContent
        switch jwk {
        case .publicKey: engine = .none
        case .privateKey(let key):
            switch key.material {
            case .asymmetric(let key): engine = .asymmetric(key)
            case .x25519(let key): engine = .x25519(key)
            case .ed25519: engine = .none
            }
        case .symmetricKey(let key): engine = .octets(key, try? key.wrapKey(), try? key.gcmWrapKey())
        }
    }

    func takes(_ traits: KeyManagementTraits, _ content: ContentEncryption) -> Bool {
        guard case .direct = traits.engine else { return true }
        return fitsContent & 1 << content.core.rawValue != 0
    }

    func unsuitability(for algorithm: KeyManagementAlgorithm) -> KeyMismatch? {
        KeySelection.unsuitability(of: jwk, for: algorithm, .decrypt)
    }

    /// Fills `cek`, or returns false where the encrypted key is invalid. Throws for faults that the header alone shows.
    func unwrap(
        _ traits: KeyManagementTraits, _ members: WrapMembers, _ content: ContentCipher, header: JOSEHeader,
        encryptedKey: Span<UInt8>, into cek: UnsafeMutableRawBufferPointer
    ) throws(JOSEError) -> Bool {
        switch (engine, traits.engine) {
        case (.asymmetric(let key), .oaep(let hash)):
            // Random bytes are filled in first, so that the next steps are the same whether the decryption replaces
            // them.
            let filled = try Self.succeeds { () throws(CryptoError) in try unsafe Random.fill(cek) }
            _ = try Self.succeeds { () throws(CryptoError) in
                try unsafe key.oaepDecrypt(hash, encryptedKey, into: cek)
            }
            return filled
        case (.asymmetric(let key), .rsa15):
            // Random bytes are filled in first, and nothing reveals whether the decryption replaces them.
            return try Self.succeeds { () throws(CryptoError) in
                try unsafe Random.fill(cek)
                try unsafe key.rsa15Decrypt(encryptedKey, orKeep: cek)
            }
        case (.octets(_, let wrap?, _), .wrap):
            return try Self.succeeds { () throws(CryptoError) in
                try unsafe wrap.unwrap(encryptedKey, into: cek)
            }
        case (.octets(_, _, let wrap?), .gcmWrap):
            guard case .gcm(let iv, let tag) = members else { throw .headerInvalid(.keyWrap) }
            return try Self.succeeds { () throws(CryptoError) in
                try unsafe wrap.unwrap(encryptedKey, iv: iv.span, tag: tag.span, into: cek)
            }
        // The key fits the algorithm: it is absent only where the library failed to prepare it.
        case (.octets(_, nil, _), .wrap), (.octets(_, _, nil), .gcmWrap): throw .backend
        case (.octets(let key, _, _), .password):
            guard case .password(let salt, let iterations) = members else { throw .headerInvalid(.password) }
            return try Self.succeeds { () throws(CryptoError) in
                try key.withDerivedKey(traits, salt: salt, iterations: iterations) { kek throws(CryptoError) in
                    try unsafe WrapKey.unwrapOnce(kek: kek, wrapped: encryptedKey, into: cek)
                }
            }
        case (.octets(let key, _, _), .direct):
            return key.material.withBytes { unsafe fill(cek, with: $0) }
        case (_, .agreement(let wrapBytes)):
            return try unsafe agree(traits, content, wrapBytes, header, encryptedKey, into: cek)
        default: throw .keyUnsuitable(.kind)
        }
    }

    /// Derives the CEK by key agreement (RFC 7518, 4.6). A point that is not on the key's curve is the header's fault,
    /// reported before anything is derived (T19); a low-order point of X25519 or X448 is a failed decryption (RFC 7748,
    /// 6.1 and 6.2; T20).
    private func agree(
        _ traits: KeyManagementTraits, _ content: ContentCipher, _ wrapBytes: Int?, _ header: JOSEHeader,
        _ encryptedKey: Span<UInt8>, into cek: UnsafeMutableRawBufferPointer
    ) throws(JOSEError) -> Bool {
        let point = try EphemeralKey.point(header, on: kind)
        return try unsafe withSecretScratch(kind.agreementBytes) { z throws(JOSEError) in
            let isValid = try Self.succeeds { () throws(CryptoError) in
                switch engine {
                case .asymmetric(let key): try unsafe key.agree(point: point.span, into: z)
                case .x25519(let key): try unsafe key.agree(point: point.span, into: z)
                case .octets, .none: throw .keyInvalid
                }
            }
            guard isValid else {
                throw [.x25519, .x448].contains(kind) ? .decryptionFailed : .headerInvalid(.ephemeralKey)
            }
            let agreed = unsafe UnsafeRawBufferPointer(z).bindMemory(to: UInt8.self).span
            return try unsafe Self.derive(z: agreed, traits, content, wrapBytes, header, encryptedKey, into: cek)
        }
    }

    /// Derives the content encryption key from the agreed secret (RFC 7518, 4.6.2).
    static func derive(
        z: Span<UInt8>, _ traits: KeyManagementTraits, _ content: ContentCipher, _ wrapBytes: Int?,
        _ header: JOSEHeader,
        _ encryptedKey: Span<UInt8>, into cek: UnsafeMutableRawBufferPointer
    ) throws(JOSEError) -> Bool {
        let partyU = try header.agreementInfo(.apu)
        let partyV = try header.agreementInfo(.apv)
        return try succeeds { () throws(CryptoError) in
            _ = try unsafe AgreementInfo.derive(
                z: z, traits, content, wrapBytes: wrapBytes, partyU: partyU, partyV: partyV, into: cek
            ) { kek throws(CryptoError) in
                try unsafe WrapKey.unwrapOnce(kek: kek, wrapped: encryptedKey, into: cek)
            }
        }
    }

    /// Returns whether the step succeeded: false for invalid data. Only a failure of the library is thrown.
    private static func succeeds(_ step: () throws(CryptoError) -> Void) throws(JOSEError) -> Bool {
        do throws(CryptoError) {
            try step()
            return true
        } catch {
            if case .backend = error { throw .backend }
            return false
        }
    }
}

extension JOSEHeader {
    /// Returns `apu` or `apv`, decoded; empty where it is absent.
    fileprivate func agreementInfo(_ name: HeaderName) throws(JOSEError) -> [UInt8] {
        guard let value = value(name) else { return [] }
        guard let text = value.stringBytes(in: bytes.span), let decoded = Base64URL.decode(text.span) else {
            throw .headerInvalid(.agreementInfo)
        }
        return decoded
    }
}

extension SecretKey {
    /// Calls `body` with the key that wraps, which is derived from this password (RFC 7518, 4.8.1.1).
    func withDerivedKey<R>(
        _ traits: KeyManagementTraits, salt: [UInt8], iterations: Int,
        _ body: (Span<UInt8>) throws(CryptoError) -> R
    ) throws(CryptoError) -> R {
        guard case .password(let hash, let wrapBytes) = traits.engine else { throw .keyInvalid }
        let input = WrapMembers.saltInput(traits, salt)
        return try unsafe withSecretScratch(wrapBytes) { kek throws(CryptoError) in
            try material.withBytes { password throws(CryptoError) in
                try unsafe PBKDF2.derive(hash, password: password, salt: input.span, iterations: iterations, into: kek)
            }
            return try body(unsafe UnsafeRawBufferPointer(kek).bindMemory(to: UInt8.self).span)
        }
    }
}

extension KeyKind {
    /// The length of the agreed secret in bytes.
    var agreementBytes: Int { EphemeralKey.shape(self)?.size ?? 0 }
}

/// The progress of a decryption through the keys that a header selects: the first one that decrypts the token ends it.
struct DecryptionAttempts<Key: DecryptingKey> {
    /// The snapshot that the keys are from.
    let snapshot: KeySnapshot<Key>
    /// The header members of the algorithm.
    let members: WrapMembers
    private let found: CandidateKeys<Key>.Found
    private let keepsCiphertext: Bool
    private var index = 0
    /// The error where no key decrypts the token.
    private(set) var failure = JOSEError.decryptionFailed

    /// Begins with the first of the keys. With `keepsCiphertext`, no key decrypts in the ciphertext's memory, so that
    /// it is left for the next recipient.
    @inline(__always)
    init(
        _ found: CandidateKeys<Key>.Found, of snapshot: KeySnapshot<Key>, _ members: WrapMembers, keepsCiphertext: Bool
    ) {
        self.found = found
        self.snapshot = snapshot
        self.members = members
        self.keepsCiphertext = keepsCiphertext
    }

    /// The key to try, or nil when none is left.
    @inline(__always)
    var next: Key? { index < found.count ? snapshot.keys[found[index]] : nil }
    /// The key, if the header selects one only.
    var onlyKey: Key? { found.count == 1 ? next : nil }
    private var isLast: Bool { index == found.count - 1 }

    /// Tries a key, and returns whether it decrypted the token. The last one decrypts in the memory of the ciphertext,
    /// those before it decrypt a copy.
    @inline(__always)
    mutating func run(
        _ plaintext: inout SecretBytes, _ decrypt: (inout SecretBytes) throws(JOSEError) -> Bool
    ) throws(JOSEError) -> Bool {
        if isLast, !keepsCiphertext {
            if try decrypt(&plaintext) { return true }
        } else {
            var copy = plaintext.withBytes { SecretBytes(copying: $0) }
            if try decrypt(&copy) {
                plaintext = copy
                return true
            }
        }
        index += 1
        return false
    }

    /// Goes on with the next key after an error of this one, or throws the error if that ends the decryption.
    mutating func fail(_ error: JOSEError) throws(JOSEError) {
        switch error {
        // Another key may decrypt the token. If none does, this error takes precedence over `decryptionFailed`.
        case .externalKey: failure = error
        // The key is on another curve than `epk`; the next one may be on the same.
        case .headerInvalid(.ephemeralKey) where !isLast: break
        default: throw error
        }
        index += 1
    }
}
