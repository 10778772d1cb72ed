internal import JOSEBytes

/// The keys that a header selects, in the order in which they are tried; at least one.
enum SelectedKeys {
    /// Keys of the snapshot, by `kid`, certificate thumbprint and algorithm.
    case found(CandidateKeys<VerificationKey>.Found, of: KeySnapshot<VerificationKey>)
    /// The key of the token's own certificate, which is trusted for this token only.
    case own(VerifiedPath, of: CertifiedKeys)
    /// The key that the caller has for this token only.
    case given(VerificationKey)

    var count: Int {
        switch self {
        case .found(let found, _): found.count
        case .own, .given: 1
        }
    }

    subscript(_ index: Int) -> VerificationKey {
        @inline(__always) get {
            switch self {
            case .found(let found, let snapshot): snapshot.keys[found[index]]
            case .own(let path, _): path.key
            case .given(let key): key
            }
        }
    }

    /// The snapshot that the keys are from; nil for a key of one token only.
    var snapshot: KeySnapshot<VerificationKey>? {
        switch self {
        case .found(_, let snapshot): snapshot
        case .own, .given: nil
        }
    }

    /// Verifies a signature with the first key that succeeds, and returns that.
    @inline(__always)
    func verify(
        _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, _ input: Span<UInt8>, signature: Span<UInt8>
    ) throws(JOSEError) -> JWK {
        try first(for: header) { index throws(JOSEError) in
            try self[index].verify(algorithm.core, input, signature: signature)
        }
    }

    /// Returns the first key for which `verify` succeeds, and reports the outcome to the source of the keys. `header` is
    /// the one that selects the keys.
    @inline(__always)
    func first(
        for header: JOSEHeader, _ verify: (_ index: Int) throws(JOSEError) -> Void
    ) throws(JOSEError) -> JWK {
        let index = try Self.first(of: count, from: snapshot, header: header, key: { self[$0] }, verify)
        if case .own(let path, let certified) = self { certified.confirm(path) }
        return self[index].jwk
    }

    /// Returns the index of the first of `count` keys for which `verify` succeeds, and reports the outcome to the source
    /// of the keys. Where no key succeeds, the error of the last one is thrown. Every signature that is verified at once
    /// goes through this loop.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot that the keys are from; nil for a key of one token only.
    ///   - header: The header that selects the keys.
    ///   - key: Returns the key with an index.
    @inline(__always)
    static func first(
        of count: Int, from snapshot: KeySnapshot<VerificationKey>?, header: @autoclosure () -> JOSEHeader,
        key: (_ index: Int) -> VerificationKey, _ verify: (_ index: Int) throws(JOSEError) -> Void
    ) throws(JOSEError) -> Int {
        var index = 0
        var failure = JOSEError.signatureInvalid
        while index < count {
            do throws(JOSEError) {
                try verify(index)
                snapshot?.reportUse(of: key(index).jwk)
                return index
            } catch {
                failure = error
                index += 1
            }
        }
        throw snapshot?.missed(header(), failure) ?? failure
    }

    /// Returns the header with its keys, which tokens with the same header bytes have in common.
    func allowed(
        _ segment: Span<UInt8>, _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, _ limits: ParsingLimits
    ) -> AllowedHeader {
        AllowedHeader(segment, header, algorithm, (0..<count).map { self[$0] }, limits)
    }
}

extension CandidateKeys<VerificationKey> {
    /// Returns the keys that a header with this algorithm selects.
    func candidates(_ header: JOSEHeader, _ algorithm: SignatureAlgorithm) throws(JOSEError) -> Found {
        let bit: UInt32 = 1 << UInt32(algorithm.core.rawValue)
        return try candidates(for: header, fit: bit) {
            KeySelection.unsuitability(of: $0.jwk, for: algorithm, .verify) ?? .kind
        }
    }
}
