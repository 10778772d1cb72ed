internal import JOSECrypto

/// The rules for whether a key fits an algorithm: its kind and size, and its binding (RFC 7517, 4.2 to 4.4; RFC 8725,
/// 3.1). They are applied when a verifier, signer, encrypter or decrypter is created, so that they need not be fast.
package enum KeySelection {
    /// Returns the reason why a key does not fit a signature algorithm, or nil if it fits.
    package static func unsuitability(
        of key: JWK, for algorithm: SignatureAlgorithm, _ operation: KeyOperation
    ) -> KeyMismatch? {
        let traits = algorithm.core.traits
        if let reason = misfit(key.kind, traits.key) { return reason }
        if operation == .sign, case .publicKey = key { return .publicKey }
        let binding = key.binding
        guard allows(binding.bound, algorithm.core, key.kind) else { return .algorithm }
        let use = binding.use ?? .signature
        guard operation == .sign ? use == .signature : use.allowsVerification else { return .use }
        guard permits(binding, operation == .sign ? .sign : .verify) else { return .operations }
        if case .octets(let bits) = key.kind, bits < traits.minimumBits { return .secretTooShort }
        return nil
    }

    /// Returns the reason why a key does not fit a key management algorithm, or nil if it fits. With `dir`, the size is
    /// checked if `encryption` is given.
    package static func unsuitability(
        of key: JWK, for algorithm: KeyManagementAlgorithm, _ operation: KeyOperation,
        encryption: ContentEncryption? = nil
    ) -> KeyMismatch? {
        if operation == .decrypt, case .publicKey = key {
            return misfit(key.kind, algorithm.core.traits.key) ?? .publicKey
        }
        return unsuitability(key.kind, key.binding, for: algorithm, operation, encryption: encryption)
    }

    /// Returns the reason why a key of this kind and binding does not fit a key management algorithm, or nil if it
    /// fits.
    static func unsuitability(
        _ kind: KeyKind, _ binding: KeyBinding, for algorithm: KeyManagementAlgorithm, _ operation: KeyOperation,
        encryption: ContentEncryption? = nil
    ) -> KeyMismatch? {
        let traits = algorithm.core.traits
        if operation == .encrypt, !traits.encrypts { return .algorithm }
        if let reason = misfit(kind, traits.key) { return reason }
        guard allows(binding.bound, algorithm.core, encryption) else { return .algorithm }
        guard binding.use ?? .encryption == .encryption else { return .use }
        guard permits(binding, operations(traits.engine, operation == .encrypt)) else { return .operations }
        guard case .octets(let bits) = kind else { return nil }
        switch traits.engine {
        case .wrap(let keyBytes), .gcmWrap(let keyBytes): return bits == keyBytes * 8 ? nil : .size
        case .direct:
            guard let encryption else { return nil }
            return bits == encryption.keyBytes * 8 ? nil : .size
        case .oaep, .rsa15, .agreement, .password: return nil
        }
    }

    private static func misfit(_ kind: KeyKind, _ family: KeyFamily) -> KeyMismatch? {
        switch (family, kind) {
        case (.octets, .octets), (.rsa, .rsa), (.ed25519, .ed25519), (.ed448, .ed448): nil
        case (.edwards, .ed25519), (.edwards, .ed448): nil
        case (.mlDSA44, .mlDSA44), (.mlDSA65, .mlDSA65), (.mlDSA87, .mlDSA87): nil
        case (.ec(.p256), .p256), (.ec(.p384), .p384), (.ec(.p521), .p521), (.ec(.secp256k1), .secp256k1): nil
        case (.agreement, .p256), (.agreement, .p384), (.agreement, .p521), (.agreement, .x25519), (.agreement, .x448):
            nil
        case (.ec, .p256), (.ec, .p384), (.ec, .p521), (.ec, .secp256k1): .curve
        case (.agreement, .ed25519), (.agreement, .ed448), (.agreement, .secp256k1): .curve
        case (.ed25519, .ed448), (.ed25519, .x25519), (.ed25519, .x448): .curve
        case (.ed448, .ed25519), (.ed448, .x25519), (.ed448, .x448): .curve
        case (.edwards, .x25519), (.edwards, .x448): .curve
        default: .kind
        }
    }

    /// Returns whether the key's `alg` allows the algorithm. `EdDSA` with a key of the curve, and the name of the
    /// curve, are two names of one algorithm (RFC 9864, 2.2); the name of the other curve does not allow it.
    private static func allows(
        _ bound: BoundAlgorithm, _ wanted: SignatureAlgorithm.Core, _ kind: KeyKind
    ) -> Bool {
        switch bound {
        case .none: true
        case .signature(let core):
            core == wanted || (core.isEdwards && wanted.isEdwards && misfit(kind, core.traits.key) == nil)
        case .keyManagement, .contentEncryption, .foreign: false
        }
    }

    /// Returns whether the key's `alg` allows the algorithm. A key for `dir` may name the content encryption instead
    /// (RFC 7520, 5.6.1).
    private static func allows(
        _ bound: BoundAlgorithm, _ wanted: KeyManagementAlgorithm.Core, _ encryption: ContentEncryption?
    ) -> Bool {
        switch bound {
        case .none: true
        case .keyManagement(let core): core == wanted
        case .contentEncryption(let cipher): wanted == .dir && (encryption == nil || encryption?.core == cipher)
        case .signature, .foreign: false
        }
    }

    /// Returns whether the key's `key_ops` include one of `any`.
    private static func permits(_ binding: KeyBinding, _ any: KeyOperations) -> Bool {
        guard let operations = binding.operations else { return true }
        return !operations.isDisjoint(with: any)
    }

    /// Returns the operations of which one is required. The registry has no operation for encrypting a CEK with RSA
    /// alone: both of its pairs are in use for that.
    private static func operations(_ engine: KeyManagementTraits.Engine, _ encrypts: Bool) -> KeyOperations {
        switch engine {
        case .oaep, .rsa15: encrypts ? [.encrypt, .wrapKey] : [.decrypt, .unwrapKey]
        case .wrap, .gcmWrap: encrypts ? .wrapKey : .unwrapKey
        case .direct: encrypts ? .encrypt : .decrypt
        case .password: encrypts ? [.deriveKey, .deriveBits, .wrapKey] : [.deriveKey, .deriveBits, .unwrapKey]
        case .agreement: [.deriveKey, .deriveBits]
        }
    }
}

extension SignatureAlgorithm.Core {
    fileprivate var isEdwards: Bool {
        switch traits.key {
        case .ed25519, .ed448, .edwards: true
        case .octets, .rsa, .ec, .agreement, .mlDSA44, .mlDSA65, .mlDSA87: false
        }
    }
}
