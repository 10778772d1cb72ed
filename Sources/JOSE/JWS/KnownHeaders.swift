internal import JOSEBytes
internal import Synchronization

/// The first headers under which the keys of one verifier verified a token, with what came of reading them: an issuer writes the
/// same bytes into each of its tokens. The bytes are compared, so that nothing but the very same header is found. Nothing is ever
/// taken out: any number of threads look without a lock. Gone with the keys.
struct KnownHeaders: ~Copyable, Sendable {
    private let first = AtomicLazyReference<AllowedHeader>()
    private let second = AtomicLazyReference<AllowedHeader>()
    private let third = AtomicLazyReference<AllowedHeader>()
    private let fourth = AtomicLazyReference<AllowedHeader>()
    /// That of a key that sees one token is not worth keeping.
    private let hasVerified = Atomic<Bool>(false)

    borrowing func find(_ segment: Span<UInt8>) -> AllowedHeader? {
        guard let known = first.load() else { return nil }
        if bytesEqual(segment, known.segment) { return known }
        guard let known = second.load() else { return nil }
        if bytesEqual(segment, known.segment) { return known }
        guard let known = third.load() else { return nil }
        if bytesEqual(segment, known.segment) { return known }
        guard let known = fourth.load() else { return nil }
        return bytesEqual(segment, known.segment) ? known : nil
    }

    /// Whether one more is worth making, for a token that has just been verified.
    borrowing func wants(_ segment: Span<UInt8>) -> Bool {
        guard hasVerified.load(ordering: .relaxed) else {
            hasVerified.store(true, ordering: .relaxed)
            return false
        }
        return segment.count <= RecentHeaders.mostBytes && fourth.load() == nil
    }

    /// Of two threads that bring the same one, both may be kept.
    borrowing func keep(_ allowed: AllowedHeader) {
        if first.storeIfNil(allowed) === allowed || second.storeIfNil(allowed) === allowed { return }
        if third.storeIfNil(allowed) === allowed { return }
        _ = fourth.storeIfNil(allowed)
    }
}
