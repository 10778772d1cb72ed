internal import JOSEBytes
internal import JOSECrypto

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
    @inline(never)  // Inlined, it would count a reference to the key.
    func verify(_ input: Span<UInt8>, signature: Span<UInt8>) throws(JOSEError) -> SignedHeader {
        try verify(input, signature: signature, of: nil)
    }

    /// Verifies a signature at once, and returns the header with the key that succeeded. `snapshot` is the one that the
    /// keys are from; nil for a key that is the token's own.
    @inline(__always)
    func verify(
        _ input: Span<UInt8>, signature: Span<UInt8>, of snapshot: KeySnapshot<VerificationKey>?
    ) throws(JOSEError) -> SignedHeader {
        let index =
            hasOneKey
            ? try SelectedKeys.first(of: 1, from: snapshot, header: first.signed.header, key: { _ in first.key }) {
                _ throws(JOSEError) in
                try first.key.verify(algorithm.core, input, signature: signature)
            }
            : try SelectedKeys.first(
                of: keys.count, from: snapshot, header: first.signed.header, key: { keys[$0] }
            ) { index throws(JOSEError) in
                try keys[index].verify(algorithm.core, input, signature: signature)
            }
        certified?.confirm(self)
        return index == 0 ? first.signed : signed[index]
    }
}
