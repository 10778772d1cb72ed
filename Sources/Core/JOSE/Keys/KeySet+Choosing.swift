internal import JOSEBytes

/// What a key is to be used for.
@nonexhaustive public enum KeyOperation: Sendable {
    /// Signing needs a private key, or a symmetric one.
    case sign
    /// Verifying takes any key: of a private one the public half.
    case verify
    /// Encrypting takes any key: of a private one the public half.
    case encrypt
    /// Decrypting needs a private key, or a symmetric one.
    case decrypt
}

/// Which keys of a set would do, and why each of the others would not.
public struct KeyMatches: Sendable {
    /// A key that is not to be used.
    public struct Rejection: Sendable, Equatable {
        /// The key, as the set has it.
        public let key: JWK
        /// The first thing that speaks against it.
        public let reason: KeyMismatch
    }

    /// Those that fit, in the set's order. More than four are refused as ambiguous where a token is judged.
    public let fitting: [JWK]
    /// Those of the name asked for that do not fit.
    public let misfits: [Rejection]
    /// Those of the name asked for that were set aside when the set was read.
    public let unusable: [UnusableKey]
}

extension KeySet {
    /// The keys for an algorithm by every rule of `kty`, `crv`, `alg`, `use`, `key_ops` and size (RFC 7517, 4; RFC 7518, 3.1).
    /// `keyID`: those of this name, byte by byte; where there is none, those that have no name; nil: all. It is the rule that
    /// a `JWSVerifier` goes by (RFC 7515, 4.1.4).
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

    /// The same for key management. `contentEncryption` settles the size of a key for `dir`.
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

    /// The keys that a header's `alg`, `enc`, `kid`, `x5t` and `x5t#S256` pick: to verify where it is that of a signature, to
    /// decrypt where it has `enc`. Throws `headerInvalid(.algorithmMissing)`, and `algorithmNotAllowed` for a name that
    /// is not known here. A header is what its sender says: an allow-list comes first.
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
    /// As `CandidateKeys` has it: those that the header's thumbprints name, or else those that know of no certificate.
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
