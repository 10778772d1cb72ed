internal import JOSEBytes

/// An operation that a key is used for.
@nonexhaustive public enum KeyOperation: Sendable {
    /// Signing, which needs a private or symmetric key.
    case sign
    /// Verification, which takes any key; of a private key the public half is used.
    case verify
    /// Encryption, which takes any key; of a private key the public half is used.
    case encrypt
    /// Decryption, which needs a private or symmetric key.
    case decrypt
}

/// The keys of a set that fit, and the reason why each of the others does not.
public struct KeyMatches: Sendable {
    /// A key that must not be used.
    public struct Rejection: Sendable, Equatable {
        /// The key in the set.
        public let key: JWK
        /// The first reason against it.
        public let reason: KeyMismatch
    }

    /// The keys that fit, in the set's order. A token for which more than four keys fit is rejected as ambiguous.
    public let fitting: [JWK]
    /// The keys with the wanted `kid` that do not fit.
    public let misfits: [Rejection]
    /// The keys with the wanted `kid`, or without one, that could not be used when the set was read.
    public let unusable: [UnusableKey]
}

extension KeySet {
    /// Returns the keys for a signature algorithm, by the rules on `kty`, `crv`, `alg`, `use`, `key_ops` and size (RFC 7517, 4;
    /// RFC 7518, 3.1).
    ///
    /// A `JWSVerifier` applies the same rule to `kid` (RFC 7515, 4.1.4).
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - algorithm: The algorithm.
    ///   - keyID: The `kid`, compared byte by byte. Where no key has it, keys without a `kid` are considered; with nil, all keys.
    public func keys(
        for operation: KeyOperation, algorithm: SignatureAlgorithm, keyID: String? = nil
    ) -> KeyMatches {
        choice(keyID) { key in
            switch operation {
            case .sign, .verify: KeySelection.unsuitability(of: key, for: algorithm, operation)
            case .encrypt, .decrypt: .algorithm
            }
        }
    }

    /// Returns the keys for a key management algorithm, by the rules on `kty`, `crv`, `alg`, `use`, `key_ops` and size (RFC 7517,
    /// 4; RFC 7518, 4.1).
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - algorithm: The algorithm.
    ///   - contentEncryption: The content encryption algorithm, which determines the size of a key for `dir`.
    ///   - keyID: The `kid`, compared byte by byte. Where no key has it, keys without a `kid` are considered; with nil, all keys.
    public func keys(
        for operation: KeyOperation, algorithm: KeyManagementAlgorithm,
        contentEncryption: ContentEncryption? = nil, keyID: String? = nil
    ) -> KeyMatches {
        choice(keyID) { key in
            switch operation {
            case .sign, .verify: .algorithm
            case .encrypt, .decrypt:
                KeySelection.unsuitability(of: key, for: algorithm, operation, encryption: contentEncryption)
            }
        }
    }

    /// Returns the keys that a header's `alg`, `enc`, `kid`, `x5t` and `x5t#S256` select: to decrypt where it has `enc`, to
    /// verify otherwise.
    ///
    /// The sender chose the header, so that its algorithm must be checked against an allow-list first.
    ///
    /// - Throws: `headerInvalid(.algorithmMissing)`, and `algorithmNotAllowed` for a name that the library does not know.
    public func keys(for header: JOSEHeader) throws(JOSEError) -> KeyMatches {
        guard let name = header.algorithmName else { throw .headerInvalid(.algorithmMissing) }
        let choice: KeyMatches
        if header.value(.enc) == nil {
            guard let algorithm = SignatureAlgorithm(name: name) else { throw .algorithmNotAllowed(.signature) }
            choice = keys(for: .verify, algorithm: algorithm, keyID: header.keyID)
        } else {
            guard let algorithm = KeyManagementAlgorithm(registeredName: name) else {
                throw .algorithmNotAllowed(.keyManagement)
            }
            guard let content = header.contentEncryptionName.flatMap({ ContentEncryption(name: $0) }) else {
                throw .algorithmNotAllowed(.contentEncryption)
            }
            choice = keys(for: .decrypt, algorithm: algorithm, contentEncryption: content, keyID: header.keyID)
        }
        return choice.narrowed(by: header, certificates: keys.map(\.binding.certificates))
    }

    private func choice(_ keyID: String?, _ misfit: (JWK) -> KeyMismatch?) -> KeyMatches {
        let wanted = keyID.map { Array($0.utf8) }
        let isNamed = wanted != nil && keys.contains { $0.keyIDBytes == wanted }
        var fitting: [JWK] = []
        var misfits: [KeyMatches.Rejection] = []
        for key in keys {
            if wanted != nil, key.keyIDBytes != (isNamed ? wanted : nil) { continue }
            if let reason = misfit(key) {
                misfits.append(KeyMatches.Rejection(key: key, reason: reason))
            } else {
                fitting.append(key)
            }
        }
        let aside = unusable.filter { key in
            wanted == nil || key.keyID == nil || key.keyID.map { Array($0.utf8) } == wanted
        }
        return KeyMatches(fitting: fitting, misfits: misfits, unusable: aside)
    }
}

extension KeyMatches {
    /// Returns the matches by the rule of `CandidateKeys`: the keys that the header's thumbprints name, or else those without a
    /// certificate.
    fileprivate func narrowed(by header: JOSEHeader, certificates: [KeyCertificates?]) -> KeyMatches {
        let x5t = header.value(.x5t)
        let x5tS256 = header.value(.x5tS256)
        guard x5t != nil || x5tS256 != nil else { return self }
        func answer(_ certificates: KeyCertificates?) -> Bool? {
            certificates?.agrees(x5t: x5t, x5tS256: x5tS256, in: header.bytes.span)
        }
        let isNamed = certificates.contains { answer($0) == true }
        func isExcluded(_ key: JWK) -> Bool {
            let answer = answer(key.binding.certificates)
            return isNamed ? answer != true : answer == false
        }
        let excluded = fitting.filter(isExcluded).map { Rejection(key: $0, reason: .certificate) }
        return KeyMatches(
            fitting: fitting.filter { !isExcluded($0) }, misfits: misfits + excluded, unusable: unusable)
    }
}

extension KeyMatches: CustomStringConvertible {
    public var description: String {
        "KeyMatches(\(fitting), \(misfits.count) do not fit, \(unusable.count) unusable)"
    }
}
