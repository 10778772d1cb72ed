internal import JOSESupport
internal import Synchronization

/// A parsed header with the results of checking it against one policy.
protocol ReadHeader: AnyObject, Sendable {
    /// The header as it is in the token, in base64url.
    var segment: [UInt8] { get }
}

/// A cache of the first headers under which a verifier's keys verified a token, or a decrypter's decrypted one, with
/// the results of reading them: an issuer writes the same bytes into each of its tokens.
///
/// The bytes are compared, so that exactly the same header is found. Entries are never removed, so that any number of
/// threads can look without a lock. The cache of a verifier ends with its keys; that of a decrypter does not depend on
/// keys and stays.
struct KnownHeaders<Allowed: ReadHeader>: ~Copyable, Sendable {
    /// The largest number of headers. More would take longer to compare than they save.
    static var maximumCount: Int { 4 }

    /// The largest number of bytes of a header.
    private static var maximumBytes: Int { 1024 }

    /// The number of tokens before the first header is kept: for a key that sees one or two tokens the cache costs more
    /// than it saves.
    static var storingThreshold: Int { 2 }

    /// The first entry; each has the next one.
    private let first = SetOnce<KnownHeader<Allowed>>()
    /// The number of tokens whose header was not cached.
    private let met = Atomic<Int>(0)

    @inline(__always)
    borrowing func find(_ segment: Span<UInt8>) -> Allowed? {
        unsafe entry(of: segment).map { unsafe $0._withUnsafeGuaranteedRef { $0.allowed } }
    }

    /// Returns the entry of the header with the same bytes, which lives as long as this value does. No reference is
    /// counted to it: all threads share it, and a count that several of them change is what they would wait for.
    @inline(__always)
    borrowing func entry(of segment: Span<UInt8>) -> Unmanaged<KnownHeader<Allowed>>? {
        var known = unsafe first.unretained()
        while let one = unsafe known {
            if unsafe one._withUnsafeGuaranteedRef({ $0.isOf(segment) }) { return unsafe one }
            unsafe known = unsafe one._withUnsafeGuaranteedRef { unsafe $0.next.unretained() }
        }
        return nil
    }

    /// Adds the header of a token that has just been verified or decrypted, unless the cache is full, or still waits
    /// for its first tokens. `entry` is called for a header that is added only.
    @inline(__always)
    borrowing func keep(_ segment: Span<UInt8>, _ entry: () -> Allowed) {
        if hasRoom(for: segment) { add(entry()) }
    }

    /// Adds an entry for a token that has just been verified or decrypted, where `keep(_:_:)` would add one.
    borrowing func keep(_ allowed: Allowed) {
        let segment = allowed.segment
        keep(segment.span) { allowed }
    }

    private borrowing func hasRoom(for segment: Span<UInt8>) -> Bool {
        guard segment.count <= Self.maximumBytes,
            met.load(ordering: .relaxed) < Self.storingThreshold + Self.maximumCount,
            // Tokens of a batch are verified together, and the first of them has added the header of the others.
            find(segment) == nil
        else { return false }
        let before = met.add(1, ordering: .relaxed).oldValue
        return before >= Self.storingThreshold && before < Self.storingThreshold + Self.maximumCount
    }

    /// Adds a header. If two threads add the same one, both entries may be kept.
    private borrowing func add(_ allowed: Allowed) {
        let mine = KnownHeader(allowed)
        var last = first.storeIfNil(mine)
        for _ in 1..<Self.maximumCount where last !== mine { last = last.next.storeIfNil(mine) }
    }
}

final class KnownHeader<Allowed: ReadHeader>: Sendable {
    let allowed: Allowed
    let next = SetOnce<KnownHeader<Allowed>>()

    init(_ allowed: Allowed) { self.allowed = allowed }

    @inline(never)  // Inlined, it would count references to the entry and to the array.
    func isOf(_ segment: Span<UInt8>) -> Bool { bytesEqual(segment, allowed.segment.span) }
}

/// A parsed header of a JWE that the policy allows: the common part of a sender's tokens, where no member of it belongs
/// to one token only.
final class AllowedEncryption: ReadHeader {
    let segment: [UInt8]
    let header: JOSEHeader
    let algorithm: KeyManagementAlgorithm
    let content: ContentEncryption

    init(
        _ segment: Span<UInt8>, _ header: JOSEHeader, _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryption
    ) {
        self.segment = segment.copy()
        self.header = header
        self.algorithm = algorithm
        self.content = content
    }
}
