internal import JOSEBytes
internal import Synchronization

/// A header that was read, and all that came of it for one policy.
protocol ReadHeader: AnyObject, Sendable {
    /// As it stands in the token.
    var segment: [UInt8] { get }
}

/// The first headers under which the keys of one verifier verified a token, or those of one decrypter opened it, with what came of
/// reading them: an issuer writes the same bytes into each of its tokens. The bytes are compared, so that nothing but the very same
/// header is found. Nothing is ever taken out: any number of threads look without a lock. A verifier's are gone with their keys; a
/// decrypter's say nothing of keys, and stay with it.
struct KnownHeaders<Allowed: ReadHeader>: ~Copyable, Sendable {
    /// More would take longer to look through than they save.
    static var most: Int { 4 }

    /// Tokens before that: what a key that sees one or two gains is less than it costs.
    static var patience: Int { 2 }

    /// Each has the next one.
    private let first = SetOnce<KnownHeader<Allowed>>()
    /// Tokens of headers that were not known.
    private let met = Atomic<Int>(0)

    @inline(__always)
    borrowing func find(_ segment: Span<UInt8>) -> Allowed? {
        var known = first.load()
        while let one = known {
            if bytesEqual(segment, one.allowed.segment) { return one.allowed }
            known = one.next.load()
        }
        return nil
    }

    /// Whether one more is worth making, for a token that has just been verified or opened.
    borrowing func wants(_ segment: Span<UInt8>) -> Bool {
        guard segment.count <= RecentHeaders.mostBytes,
            met.load(ordering: .relaxed) < Self.patience + Self.most
        else { return false }
        let before = met.add(1, ordering: .relaxed).oldValue
        return before >= Self.patience && before < Self.patience + Self.most
    }

    /// Of two threads that bring the same one, both may be kept.
    borrowing func keep(_ allowed: Allowed) {
        let mine = KnownHeader(allowed)
        var last = first.storeIfNil(mine)
        for _ in 1..<Self.most where last !== mine { last = last.next.storeIfNil(mine) }
    }
}

final class KnownHeader<Allowed: ReadHeader>: Sendable {
    let allowed: Allowed
    let next = SetOnce<KnownHeader<Allowed>>()

    init(_ allowed: Allowed) { self.allowed = allowed }
}
