internal import JOSECrypto
internal import JOSESupport

/// A key as a decryption uses it, in the process or outside of it.
enum DecryptionAccess: Sendable {
    case local(DecryptionKey)
    /// A key outside the process that unwraps content encryption keys.
    case unwrapper(any ExternalUnwrapper)
    case agreement(any ExternalAgreement)

    /// The key, if it is in the process.
    var local: DecryptionKey? {
        if case .local(let key) = self { key } else { nil }
    }
}

/// A key in the process or outside of it, prepared for a policy: the algorithms that it fits are determined once.
final class AnyDecryptionKey: DecryptingKey {
    typealias Allowed = AllowedEncryption
    let access: DecryptionAccess
    /// The key itself, or its public half; nil where neither is known.
    let knownKey: JWK?
    let kind: KeyKind
    let keyID: [UInt8]?
    let fits: UInt32
    private let binding: KeyBinding
    var certificates: KeyCertificates? { binding.certificates }

    init(_ key: DecryptionKey) {
        access = .local(key)
        knownKey = key.jwk
        kind = key.kind
        keyID = key.keyID
        fits = key.fits
        binding = key.jwk.binding
    }

    init(_ key: ExternalDecryptionKey, for algorithms: [KeyManagementAlgorithm]) {
        switch key {
        case .agreement(let agreement):
            access = .agreement(agreement)
            (knownKey, kind, binding) = Self.known(agreement.publicKey)
        case .unwrapper(let unwrapper):
            access = .unwrapper(unwrapper)
            switch unwrapper.key {
            case .rsa(let key): (knownKey, kind, binding) = Self.known(key)
            case .aes(let bits, let keyID, let algorithm):
                var bound = KeyBinding()
                bound.keyID = keyID
                bound.algorithm = algorithm?.name
                (knownKey, kind, binding) = (nil, .octets(bits: bits), bound)
            }
        }
        keyID = binding.keyIDBytes
        var fits: UInt32 = 0
        for algorithm in algorithms
        where Self.unsuitability(access, kind, binding, for: algorithm) == nil {
            fits |= 1 << UInt32(algorithm.core.rawValue)
        }
        self.fits = fits
    }

    private static func known(_ key: PublicKey) -> (JWK?, KeyKind, KeyBinding) {
        (.publicKey(key), key.kind, key.record.binding)
    }

    func takes(_ traits: KeyManagementTraits, _ content: ContentEncryption) -> Bool {
        access.local?.takes(traits, content) ?? true
    }

    func unsuitability(for algorithm: KeyManagementAlgorithm) -> KeyMismatch? {
        Self.unsuitability(access, kind, binding, for: algorithm)
    }

    private static func unsuitability(
        _ access: DecryptionAccess, _ kind: KeyKind, _ binding: KeyBinding, for algorithm: KeyManagementAlgorithm
    ) -> KeyMismatch? {
        let operation: KeyOperation
        switch (access, algorithm.core.traits.engine) {
        case (.local(let key), _): return KeySelection.unsuitability(of: key.jwk, for: algorithm, .decrypt)
        // The public half names the counterparts of the operations of the private one.
        case (.unwrapper, .oaep), (.agreement, .agreement): operation = .encrypt
        case (.unwrapper, .wrap), (.unwrapper, .gcmWrap): operation = .decrypt
        case (.unwrapper, _), (.agreement, _): return .kind
        }
        return KeySelection.unsuitability(kind, binding, for: algorithm, operation)
    }
}
