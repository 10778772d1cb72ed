internal import JOSECrypto
internal import JOSESupport

/// A parsed header that the policy allows, with its keys: the common part of tokens with the same header bytes.
final class AllowedHeader: ReadHeader {
    let segment: [UInt8]
    let algorithm: SignatureAlgorithm
    /// The keys in the order in which they are tried; at least one.
    let keys: [VerificationKey]
    /// The header with each key.
    let signed: [SignedHeader]
    /// The first key and the header with it; mostly there is no other. They are read without a reference to the arrays.
    private let first: (key: VerificationKey, signed: SignedHeader)
    private let hasOneKey: Bool
    /// The verified path of the header's own `x5c`, where that is to be reported when it verified a token.
    let certified: CertifiedOrigin?
    /// The scheme for batches; nil where signatures are verified one by one.
    let scheme: BatchScheme?
    let hash: Hash
    /// The limits of the policy.
    let limits: ParsingLimits

    init(
        _ segment: Span<UInt8>, _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, _ keys: [VerificationKey],
        _ limits: ParsingLimits, certified: CertifiedOrigin? = nil
    ) {
        self.segment = segment.copy()
        self.algorithm = algorithm
        self.keys = keys
        self.limits = limits
        self.certified = certified
        signed = keys.map { SignedHeader(header, algorithm, $0.jwk) }
        first = (keys[0], signed[0])
        hasOneKey = keys.count == 1
        // Without a key for batches, signatures are verified one by one.
        scheme = keys.contains { $0.batchKey != nil } ? algorithm.core.batchScheme : nil
        hash = algorithm.core.traits.hash ?? .sha256
    }

    /// Verifies a signature at once under keys that never change, and returns the header with the key that succeeded.
    /// There is nothing to report: no such header has a verified path of its own. The result is no thrown error,
    /// because `Unmanaged` does not pass on a typed one.
    @inline(never)  // Inlined, it would count a reference to the key.
    func verifyUnderFixedKeys(_ input: Span<UInt8>, _ signature: Span<UInt8>) -> Result<SignedHeader, JOSEError> {
        do throws(JOSEError) {
            guard hasOneKey else { return .success(try verify(input, signature: signature, of: nil)) }
            try first.key.verify(algorithm.core, input, signature: signature)
            return .success(first.signed)
        } catch {
            return .failure(error)
        }
    }

    /// Verifies a signature at once, and returns the header with the key that succeeded. `snapshot` is the one that the
    /// keys are from; nil where nothing is to be reported.
    func verify(
        _ input: Span<UInt8>, signature: Span<UInt8>, of snapshot: KeySnapshot<VerificationKey>?
    ) throws(JOSEError) -> SignedHeader {
        let index = try SelectedKeys.allowed(self, of: snapshot).first(for: first.signed.header) {
            index throws(JOSEError) in
            try keys[index].verify(algorithm.core, input, signature: signature)
        }
        return signed[index]
    }
}

/// A header of a compact JWS that the policy allows, with the keys that it selects.
enum SelectedHeader {
    /// A header from the cache of the snapshot. The snapshot is nil where nothing is to be reported: for a set that
    /// never changes, and for a header with a verified `x5c` of its own.
    case known(AllowedHeader, KeySnapshot<VerificationKey>?)
    case new(JOSEHeader, SignatureAlgorithm, SelectedKeys)
}

/// The keys that a header selects, in the order in which they are tried; at least one.
enum SelectedKeys {
    /// Keys of the snapshot, by `kid`, certificate thumbprint and algorithm.
    case found(CandidateKeys<VerificationKey>.Found, of: KeySnapshot<VerificationKey>)
    /// The key of the token's own certificate, which is trusted for this token only.
    case own(VerifiedPath, of: CertifiedKeys)
    /// The keys of an allowed header, and the snapshot that they are from; nil where nothing is to be reported.
    case allowed(AllowedHeader, of: KeySnapshot<VerificationKey>?)

    var count: Int {
        switch self {
        case .found(let found, _): found.count
        case .own: 1
        case .allowed(let header, _): header.keys.count
        }
    }

    subscript(_ index: Int) -> VerificationKey {
        @inline(__always) get {
            switch self {
            case .found(let found, let snapshot): snapshot.keys[found[index]]
            case .own(let path, _): path.key
            case .allowed(let header, _): header.keys[index]
            }
        }
    }

    /// The snapshot that the keys are from; nil where nothing is to be reported.
    var snapshot: KeySnapshot<VerificationKey>? {
        switch self {
        case .found(_, let snapshot): snapshot
        case .own: nil
        case .allowed(_, let snapshot): snapshot
        }
    }

    /// Returns the index of the first key for which `verify` succeeds, and reports the outcome to the source of the
    /// keys. Where no key succeeds, the error of the last one is thrown. `header` is the one that selects the keys.
    @inline(__always)
    func first(
        for header: JOSEHeader, _ verify: (_ index: Int) throws(JOSEError) -> Void
    ) throws(JOSEError) -> Int {
        var index = 0
        var failure = JOSEError.signatureInvalid
        while index < count {
            do throws(JOSEError) {
                try verify(index)
                snapshot?.reportUse(of: self[index].jwk)
                switch self {
                case .found: break
                case .own(let path, let certified): certified.confirm(path)
                case .allowed(let header, _): header.certified?.confirm(header)
                }
                return index
            } catch {
                failure = error
                index += 1
            }
        }
        throw snapshot?.missed(header, failure) ?? failure
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
