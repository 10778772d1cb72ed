internal import JOSECrypto
internal import JOSESupport

extension JWSVerifier {
    /// Returns the frequent mistake by which the signature of a compact JWS does not verify, for explanations; nil for
    /// any other cause. Nothing is accepted by it, and nothing is reported to the source of the keys.
    ///
    /// - Parameter jws: The compact serialization, which this verifier has rejected.
    package func mistake(in jws: Span<UInt8>) -> SignatureMistake? {
        guard let parts = try? CompactParts(jws, count: 3, limits: policy.limits),
            let (header, algorithm) = try? readHeader(jws.extracting(parts.range(0))), !header.payloadIsUnencoded,
            let compact = try? CompactJWS(jws, parts, policy.limits)
        else { return nil }
        let input = jws.extracting(compact.input)
        let signature = compact.bytes.span.extracting(compact.signature)
        if isCertified(header) {
            guard let path = try? certified?.path(header, algorithm, limits: policy.limits) else { return nil }
            return SignatureMistake(signature, algorithm, input, under: path.key)
        }
        var token = TokenKeys(keys)
        guard let snapshot = try? token.take(from: keys) else { return nil }
        for jwk in snapshot.set.keys where KeySelection.unsuitability(of: jwk, for: algorithm, .verify) == nil {
            let key = VerificationKey(jwk, for: [algorithm], isLasting: false)
            // A key that the header selects has failed already.
            if (try? key.verify(algorithm.core, input, signature: signature)) != nil {
                return .otherKey(keyID: jwk.keyID)
            }
        }
        guard let found = try? snapshot.keys.candidates(header, algorithm) else { return nil }
        let candidates = (0..<found.count).map { snapshot.keys[found[$0]] }
        // Among keys of several sizes those are meant whose signatures have this length.
        let count = signature.count
        let fitting = candidates.filter { $0.requiredCount(algorithm) == count }
        for key in fitting.isEmpty ? Array(candidates.prefix(1)) : fitting {
            if let mistake = SignatureMistake(signature, algorithm, input, under: key) { return mistake }
        }
        return nil
    }
}

extension SignatureMistake {
    /// Finds the mistake of a signature that a key does not verify; nil if it is none of the frequent ones.
    init?(
        _ signature: Span<UInt8>, _ algorithm: SignatureAlgorithm, _ input: Span<UInt8>, under key: VerificationKey
    ) {
        let traits = algorithm.core.traits
        let required = key.requiredCount(algorithm)
        if case .ec = traits.key, Self.isDER(signature) {
            self = .der(required: required)
            return
        }
        guard signature.count == required else {
            self = .length(
                found: signature.count, required: required, of: algorithm.relative(signatureBytes: signature.count))
            return
        }
        guard case .scheme(let scheme) = traits.engine, let rsa = key.asymmetric, let other = scheme.otherPadding else {
            return nil
        }
        if (try? rsa.verify(other, input, signature: signature)) != nil {
            self = scheme.isPSS ? .pkcs1InPlaceOfPSS : .pssInPlaceOfPKCS1
            return
        }
        guard scheme.isPSS, let hash = traits.hash?.byteCount, case .rsa(let bits) = rsa.kind else { return nil }
        // The lengths that libraries take by default: none, those of the hashes, and as long as the key allows.
        for salt in [0, 20, 28, 32, 48, 64, (bits + 6) / 8 - hash - 2] where salt != hash && salt >= 0 {
            if (try? rsa.verify(scheme, saltCount: salt, input, signature: signature)) != nil {
                self = .saltLength(found: salt, required: hash)
                return
            }
        }
        return nil
    }

    /// Whether the bytes have the shape of a DER sequence of this length that begins with an integer.
    private static func isDER(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 7, bytes[0] == 0x30 else { return false }
        let isLong = bytes[1] == 0x81
        let start = isLong ? 3 : 2
        return Int(bytes[start - 1]) == bytes.count - start && bytes[start] == 0x02
    }
}

extension SignatureAlgorithm {
    /// Returns the algorithm of the same kind, ECDSA, HMAC or ML-DSA, whose signatures have this number of bytes.
    fileprivate func relative(signatureBytes count: Int) -> SignatureAlgorithm? {
        Self.all.first { $0.core.traits.signatureBytes == count && $0.core.traits.key.isRelated(to: core.traits.key) }
    }
}

extension KeyFamily {
    fileprivate func isRelated(to other: KeyFamily) -> Bool {
        let modules: [KeyFamily] = [.mlDSA44, .mlDSA65, .mlDSA87]
        switch (self, other) {
        case (.ec, .ec), (.octets, .octets): return true
        default: return modules.contains(self) && modules.contains(other)
        }
    }
}

extension SignatureScheme {
    fileprivate var isPSS: Bool { [.ps256, .ps384, .ps512].contains(self) }

    /// The scheme of the same hash with the other padding of RSA; nil for schemes of other kinds of keys.
    fileprivate var otherPadding: SignatureScheme? {
        switch self {
        case .rs256: .ps256
        case .rs384: .ps384
        case .rs512: .ps512
        case .ps256: .rs256
        case .ps384: .rs384
        case .ps512: .rs512
        case .es256, .es384, .es512, .es256k, .ed448, .mlDSA44, .mlDSA65, .mlDSA87: nil
        }
    }
}

extension VerificationKey {
    /// The length in bytes of each signature that it verifies; 0 for a MAC key, and for a key that verifies none.
    var signatureCount: Int { asymmetric?.signatureCount ?? (ed25519 == nil ? 0 : 64) }

    /// Returns the length in bytes of the signatures that it verifies with an algorithm that it fits.
    fileprivate func requiredCount(_ algorithm: SignatureAlgorithm) -> Int {
        algorithm.core.traits.signatureBytes ?? signatureCount
    }
}
