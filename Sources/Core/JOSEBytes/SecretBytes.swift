internal import CJOSEBytes

/// Bytes that one owner holds, and that are wiped when the owner lets go.
///
/// The memory is ordinary heap: for what lives as long as one token. Long-lived secrets lie in guarded memory.
@safe package struct SecretBytes: ~Copyable, Sendable {
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    /// Where there is room for nothing: a place that all share, that nobody writes to, and that C takes for one.
    private nonisolated(unsafe) static let nothing = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
    package let capacity: Int
    package private(set) var count: Int

    /// Nothing is in it yet: `count` is 0, and the memory holds what the heap left there until it is written.
    package init(capacity: Int) {
        precondition(capacity >= 0)
        unsafe base = capacity == 0 ? Self.nothing : .allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
        count = 0
    }

    package init(copying source: Span<UInt8>) {
        self.init(capacity: source.count)
        unsafe source.withUnsafeBytes { from in
            if let start = from.baseAddress { unsafe base.copyMemory(from: start, byteCount: from.count) }
        }
        count = source.count
    }

    /// The whole capacity is wiped, not the part in use: what was longer before is a secret too.
    deinit {
        guard capacity > 0 else { return }
        unsafe cjose_wipe(base, capacity)
        unsafe base.deallocate()
    }

    /// As if made anew, in the memory that is here already where that is large enough.
    package mutating func reset(capacity wanted: Int) {
        if wanted <= capacity { count = 0 } else { self = SecretBytes(capacity: wanted) }
    }

    /// Says how many bytes were written; only those may be read.
    package mutating func setCount(_ newCount: Int) {
        precondition(newCount >= 0 && newCount <= capacity)
        count = newCount
    }

    package func withBytes<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let buffer = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
        return try body(unsafe buffer.span)
    }

    /// The whole capacity, whatever `count` is: the place for C to write into.
    package mutating func withMutableBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        unsafe try body(UnsafeMutableRawBufferPointer(start: base, count: capacity))
    }
}
