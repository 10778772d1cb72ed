internal import CJOSEBytes

/// Bytes with one owner, which are wiped at its end.
///
/// The memory is ordinary heap, for secrets that live as long as one token. Long-lived secrets are in guarded memory.
@safe package struct SecretBytes: ~Copyable, Sendable {
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    /// The address of an empty value, which all share and nobody writes to: C requires an address.
    private nonisolated(unsafe) static let nothing = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
    package let capacity: Int
    package private(set) var count: Int

    /// Creates a value of `capacity` bytes with a count of 0. The memory is undefined until it is written.
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

    /// The whole capacity is wiped and not only the bytes in use: a longer value before was a secret too.
    deinit {
        guard capacity > 0 else { return }
        unsafe cjose_wipe(base, capacity)
        unsafe base.deallocate()
    }

    /// Empties the value, and keeps its memory where that is large enough.
    package mutating func reset(capacity wanted: Int) {
        if wanted <= capacity { count = 0 } else { self = SecretBytes(capacity: wanted) }
    }

    /// Sets the number of bytes that were written. Only those may be read.
    package mutating func setCount(_ newCount: Int) {
        precondition(newCount >= 0 && newCount <= capacity)
        count = newCount
    }

    package func withBytes<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let buffer = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
        return try body(unsafe buffer.span)
    }

    /// Calls `body` with the whole capacity, whatever `count` is, for C to write into.
    package mutating func withMutableBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        unsafe try body(UnsafeMutableRawBufferPointer(start: base, count: capacity))
    }
}
