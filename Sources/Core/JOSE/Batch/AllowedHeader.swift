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
    /// The source of the keys, where they may change.
    let origin: KeyOrigin?
    /// The verified path of the header's own `x5c`, where that is to be reported when it verified a token.
    let certified: CertifiedOrigin?
    /// The scheme for batches; nil where signatures are verified one by one.
    let scheme: SignatureScheme?
    let hash: Hash
    /// The limits of the policy.
    let limits: ParsingLimits

    init(
        _ segment: Span<UInt8>, _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, _ keys: [VerificationKey],
        _ limits: ParsingLimits, _ origin: KeyOrigin? = nil, certified: CertifiedOrigin? = nil
    ) {
        self.segment = segment.copy()
        self.algorithm = algorithm
        self.keys = keys
        self.origin = origin
        self.certified = certified
        self.limits = limits
        signed = keys.map { SignedHeader(header, algorithm, $0.jwk) }
        // Without a key for batches, signatures are verified one by one.
        scheme = keys.contains { $0.batchKey != nil } ? algorithm.core.batchScheme : nil
        hash = algorithm.core.traits.hash ?? .sha256
    }

    /// Returns the index of the key that verifies the signature. Throws the error of the last key.
    func verifyingPlace(_ input: Span<UInt8>, signature: Span<UInt8>) throws(JOSEError) -> Int {
        var failure = JOSEError.signatureInvalid
        for place in keys.indices {
            do throws(JOSEError) {
                try keys[place].verify(algorithm.core, input, signature: signature)
                return place
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Returns the header with the key that verifies the signature, and reports the key's use to its source.
    func verifyingHeader(_ input: Span<UInt8>, signature: Span<UInt8>) throws(JOSEError) -> SignedHeader {
        let place: Int
        do throws(JOSEError) { place = try verifyingPlace(input, signature: signature) } catch {
            throw origin?.missed(signed[0].header, error) ?? error
        }
        origin?.report(signed[place].key)
        certified?.confirm(self)
        return signed[place]
    }
}

/// Keys, and the source that returned them.
struct KeyOrigin: Sendable {
    let keys: ReadyKeys<VerificationKey>
    let held: ReadyKeys<VerificationKey>.Held

    /// Reports to the source that a key verified a token.
    func report(_ key: JWK) { keys.source?.reportUse(of: key) }

    /// Returns the error to throw in place of `failure`.
    func missed(_ header: JOSEHeader, _ failure: JOSEError) -> JOSEError {
        guard let source = keys.source else { return failure }
        return keys.miss(source, header, held, failure)
    }

    /// Returns whether the source still returns the same keys.
    func isCurrent() throws(JOSEError) -> Bool {
        guard let source = keys.source else { return true }
        return try keys.current(source) === held
    }
}

/// The headers that a batch met last, so that those that an issuer writes into each of its tokens are read once. It is
/// used by one thread. The bytes are compared, so that exactly the same header is found.
package struct RecentHeaders: ~Copyable {
    private struct Row {
        /// The number of the verifier that allowed the header.
        let owner: Int
        let allowed: AllowedHeader
    }
    /// The largest number of headers. More would take longer to compare than they save.
    private static let most = 8
    static let mostBytes = 1024
    private var rows: [Row] = []
    private var next = 0

    private let keeps: Bool

    /// Creates an empty list. `keeps` is false for one token, after which there is no other.
    package init(keeps: Bool = true) { self.keeps = keeps }

    func find(_ segment: Span<UInt8>, owner: Int) -> AllowedHeader? {
        // By index, because copying a row counts its references.
        for place in rows.indices
        where rows[place].owner == owner && bytesEqual(segment, rows[place].allowed.segment) {
            return rows[place].allowed
        }
        return nil
    }

    mutating func keep(_ allowed: AllowedHeader, owner: Int) {
        guard keeps, allowed.segment.count <= Self.mostBytes else { return }
        let row = Row(owner: owner, allowed: allowed)
        guard rows.count == Self.most else { return rows.append(row) }
        rows[next] = row
        next = (next + 1) % Self.most
    }
}
