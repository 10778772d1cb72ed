internal import JOSESupport

/// An operation that a key is used for.
@nonexhaustive public enum KeyOperation: Sendable {
    /// Signing, which needs a private or symmetric key.
    case sign
    /// Verification, for which any key can be used; of a private key, only its public key is used.
    case verify
    /// Encryption, for which any key can be used; of a private key, only its public key is used.
    case encrypt
    /// Decryption, which needs a private or symmetric key.
    case decrypt
}

/// The keys of a set that fit a given algorithm and operation, and the reasons why others do not.
public struct KeyMatches: Sendable {
    /// A key that does not fit.
    public struct Rejection: Sendable, Equatable {
        /// The key in the set.
        public let key: JWK
        /// The first reason that was found why the key does not fit.
        public let reason: KeyMismatch
    }

    /// The keys that fit, in the set's order. A token for which more keys fit than ``ParsingLimits/candidateKeys``
    /// allows is rejected as ambiguous.
    public let fitting: [JWK]
    /// The keys that the requested `kid` selects, but that do not fit. Without a `kid`, these are all keys that do not
    /// fit.
    public let misfits: [Rejection]
    /// The unusable keys of the set that have the requested `kid` or none. Without a requested `kid`, these are all
    /// unusable keys.
    public let unusable: [UnusableKey]
}

extension KeySet {
    /// Returns the keys that may be used with a signature algorithm, according to their `kty`, `crv`, `alg`, `use`,
    /// `key_ops` and size (RFC 7517, 4; RFC 7518, 3.1).
    ///
    /// A `JWSVerifier` selects keys by `kid` with the same rule (RFC 7515, 4.1.4).
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - algorithm: The algorithm.
    ///   - keyID: The requested `kid`, compared byte by byte. If no key has it, the keys without a `kid` are
    ///     considered. If it is nil, all keys are.
    public func keys(
        for operation: KeyOperation, algorithm: SignatureAlgorithm, keyID: String? = nil
    ) -> KeyMatches {
        matches(keyID) { key in
            switch operation {
            case .sign, .verify: KeySelection.unsuitability(of: key, for: algorithm, operation)
            case .encrypt, .decrypt: .algorithm
            }
        }
    }

    /// Returns the keys that may be used with a key management algorithm, according to their `kty`, `crv`, `alg`,
    /// `use`, `key_ops` and size (RFC 7517, 4; RFC 7518, 4.1).
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - algorithm: The algorithm.
    ///   - contentEncryption: The content encryption algorithm, which determines the size of a key for `dir`.
    ///   - keyID: The requested `kid`, compared byte by byte. If no key has it, the keys without a `kid` are
    ///     considered. If it is nil, all keys are.
    public func keys(
        for operation: KeyOperation, algorithm: KeyManagementAlgorithm,
        contentEncryption: ContentEncryption? = nil, keyID: String? = nil
    ) -> KeyMatches {
        matches(keyID) { key in
            switch operation {
            case .sign, .verify: .algorithm
            case .encrypt, .decrypt:
                KeySelection.unsuitability(of: key, for: algorithm, operation, encryption: contentEncryption)
            }
        }
    }

    /// Returns the keys that the `alg`, `enc`, `kid`, `x5t` and `x5t#S256` of a header select: to decrypt the token if
    /// the header has `enc`, and to verify it otherwise.
    ///
    /// The sender chose the header: check its algorithm against a list of allowed ones before you use the keys.
    ///
    /// - Throws: `headerInvalid` if there is no `alg`, and `algorithmNotAllowed` if the library does
    ///   not know an algorithm.
    public func keys(for header: JOSEHeader) throws(JOSEError) -> KeyMatches {
        guard let name = header.algorithmName else { throw .headerInvalid(.algorithmMissing) }
        if header.value(.enc) == nil {
            guard let algorithm = SignatureAlgorithm(name: name) else { throw .algorithmNotAllowed(.signature) }
            return matches(header.keyID, header) { KeySelection.unsuitability(of: $0, for: algorithm, .verify) }
        }
        guard let algorithm = KeyManagementAlgorithm(registeredName: name) else {
            throw .algorithmNotAllowed(.keyManagement)
        }
        guard let content = header.contentEncryptionName.flatMap({ ContentEncryption(name: $0) }) else {
            throw .algorithmNotAllowed(.contentEncryption)
        }
        return matches(header.keyID, header) {
            KeySelection.unsuitability(of: $0, for: algorithm, .decrypt, encryption: content)
        }
    }

    /// Selects by the rule of `CandidateKeys`, whatever number of keys fits. `mismatch` returns the reason why a key
    /// does not fit.
    private func matches(
        _ keyID: String?, _ header: JOSEHeader? = nil, _ mismatch: (JWK) -> KeyMismatch?
    ) -> KeyMatches {
        let wanted = keyID.map { Array($0.utf8) }
        let listed = CandidateKeys(self, limit: 0) { ListedKey(jwk: $0, mismatch: mismatch($0)) }
        var fitting: [JWK] = []
        var misfits: [KeyMatches.Rejection] = []
        _ = listed.forEachSelected(hasName: wanted != nil, { bytesEqual($0, wanted ?? []) }, header) {
            index, isExcluded in
            let key = listed[index]
            if let reason = key.mismatch ?? (isExcluded ? .certificate : nil) {
                misfits.append(KeyMatches.Rejection(key: key.jwk, reason: reason))
            } else {
                fitting.append(key.jwk)
            }
        }
        let unusable = unusable.filter { key in
            wanted == nil || key.keyID == nil || key.keyID.map { Array($0.utf8) } == wanted
        }
        return KeyMatches(fitting: fitting, misfits: misfits, unusable: unusable)
    }
}

/// A key, and the reason why it does not fit; nil if it fits.
private struct ListedKey: SelectableKey {
    let jwk: JWK
    let mismatch: KeyMismatch?
    var keyID: [UInt8]? { jwk.keyIDBytes }
    var fits: UInt32 { mismatch == nil ? 1 : 0 }
    var certificates: KeyCertificates? { jwk.binding.certificates }
}

extension KeyMatches: Described {
    package var summary: String {
        "KeyMatches(\(fitting), \(misfits.count) do not fit, \(unusable.count) unusable)"
    }
}
