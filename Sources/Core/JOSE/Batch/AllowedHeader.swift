internal import JOSEBytes
internal import JOSECrypto

/// A header that is read, that the policy allows and whose keys are found: what tokens with the same header bytes have in
/// common.
final class AllowedHeader: ReadHeader {
    let segment: [UInt8]
    let algorithm: SignatureAlgorithm
    /// In the order in which they are tried; at least one.
    let keys: [VerificationKey]
    /// Of each key.
    let signed: [SignedHeader]
    /// Where the keys are of a source that may change: what they are to be asked of again.
    let origin: KeyOrigin?
    /// Nil: verified one by one.
    let scheme: SignatureScheme?
    let hash: Hash
    /// The policy's.
    let limits: ParsingLimits

    init(
        _ segment: Span<UInt8>, _ header: JOSEHeader, _ algorithm: SignatureAlgorithm, _ keys: [VerificationKey],
        _ limits: ParsingLimits, _ origin: KeyOrigin? = nil
    ) {
        self.segment = segment.copy()
        self.algorithm = algorithm
        self.keys = keys
        self.origin = origin
        self.limits = limits
        signed = keys.map { SignedHeader(header, algorithm, $0.jwk) }
        // Where no key is for batches there is nothing to gather for.
        scheme = keys.contains { $0.lanes != nil } ? algorithm.core.batchScheme : nil
        hash = algorithm.core.traits.hash ?? .sha256
    }

    /// Which of the keys verifies the signature; throws what the last of them said.
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

    /// The same with the key that did; its source hears of it.
    func verifyingHeader(_ input: Span<UInt8>, signature: Span<UInt8>) throws(JOSEError) -> SignedHeader {
        let place: Int
        do throws(JOSEError) { place = try verifyingPlace(input, signature: signature) } catch {
            throw origin?.missed(signed[0].header, error) ?? error
        }
        origin?.report(signed[place].key)
        return signed[place]
    }
}

/// Keys that a source gave, and which it was.
struct KeyOrigin: Sendable {
    let keys: ReadyKeys<VerificationKey>
    let held: ReadyKeys<VerificationKey>.Held

    /// The source hears that a key verified a token.
    func report(_ key: JWK) { keys.source?.reportUse(of: key) }

    /// After `failure`: what is thrown in its place.
    func missed(_ header: JOSEHeader, _ failure: JOSEError) -> JOSEError {
        guard let source = keys.source else { return failure }
        return keys.miss(source, header, held, failure)
    }

    /// Whether the source gives the same keys still.
    func isCurrent() throws(JOSEError) -> Bool {
        guard let source = keys.source else { return true }
        return try keys.current(source) === held
    }
}

/// The headers that a batch met last, so that what an issuer writes into each of its tokens is read once. One thread's; the
/// bytes are compared, so that nothing but the very same header is found.
package struct RecentHeaders: ~Copyable {
    private struct Row {
        /// Whose verifier allowed it.
        let owner: Int
        let allowed: AllowedHeader
    }
    /// More would take longer to look through than they save.
    private static let most = 8
    static let mostBytes = 1024
    private var rows: [Row] = []
    private var next = 0

    private let keeps: Bool

    /// `keeps` false: for one token, after which there is no other.
    package init(keeps: Bool = true) { self.keeps = keeps }

    func find(_ segment: Span<UInt8>, owner: Int) -> AllowedHeader? {
        // By index: to take a row out is to count its references.
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
