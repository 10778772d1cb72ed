internal import JOSEBytes
internal import JOSECrypto

/// A header that is read, that the policy allows and whose keys are found: what tokens with the same header bytes have in
/// common.
final class AllowedHeader: Sendable {
    let header: Header
    let algorithm: SignatureAlgorithm
    /// In the order in which they are tried; at least one.
    let keys: [VerificationKey]
    /// Of the source that the keys are of, where they may change.
    let held: ReadyKeys<VerificationKey>.Held?
    /// Nil: verified one by one.
    let scheme: SignatureScheme?
    let hash: Hash

    init(
        _ header: Header, _ algorithm: SignatureAlgorithm, _ keys: [VerificationKey],
        _ held: ReadyKeys<VerificationKey>.Held?
    ) {
        self.header = header
        self.algorithm = algorithm
        self.keys = keys
        self.held = held
        // Where no key is for batches there is nothing to gather for.
        scheme = keys.contains { $0.lanes != nil } ? algorithm.core.laneScheme : nil
        hash = algorithm.core.traits.hash ?? .sha256
    }
}

/// The headers that a batch met last, so that what an issuer writes into each of its tokens is read once. One thread's; the
/// bytes are compared, so that nothing but the very same header is found.
package struct RecentHeaders: ~Copyable {
    private struct Row {
        /// Whose verifier allowed it.
        let owner: Int
        let segment: [UInt8]
        let allowed: AllowedHeader
    }
    /// More would take longer to look through than they save.
    private static let most = 8
    private static let mostBytes = 1024
    private var rows: [Row] = []
    private var next = 0

    private let keeps: Bool

    /// `keeps` false: for one token, after which there is no other.
    package init(keeps: Bool = true) { self.keeps = keeps }

    func find(_ segment: Span<UInt8>, owner: Int) -> AllowedHeader? {
        // By index: to take a row out is to count its references.
        for place in rows.indices where rows[place].owner == owner && bytesEqual(segment, rows[place].segment) {
            return rows[place].allowed
        }
        return nil
    }

    mutating func keep(_ allowed: AllowedHeader, of segment: Span<UInt8>, owner: Int) {
        guard keeps, segment.count <= Self.mostBytes else { return }
        let row = Row(owner: owner, segment: segment.copy(), allowed: allowed)
        guard rows.count == Self.most else { return rows.append(row) }
        rows[next] = row
        next = (next + 1) % Self.most
    }
}
