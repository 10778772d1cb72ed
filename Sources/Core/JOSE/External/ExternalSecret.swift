internal import JOSEBytes

/// A secret that came from outside the process: an unwrapped key, an agreed secret. One owner holds it, and its memory is wiped
/// when that lets go.
@safe public struct ExternalSecret: ~Copyable, Sendable {
    private let bytes: SecretBytes
    /// How many bytes it has.
    public var count: Int { bytes.count }

    /// Takes over an array; it is wiped here unless someone else still holds it.
    public init(_ array: consuming [UInt8]) {
        var array = array
        bytes = SecretBytes(copying: array.span)
        unsafe array.withUnsafeMutableBytes { unsafe wipe($0) }
    }

    /// A copy; what was copied is the caller's to wipe.
    public init(copying span: Span<UInt8>) { bytes = SecretBytes(copying: span) }

    /// What `fill` writes, at most `capacity` bytes: for C that writes into memory, so that no array holds the secret.
    public init<E: Error>(
        capacity: Int, initializingWith fill: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        var bytes = SecretBytes(capacity: capacity)
        let count = unsafe try bytes.withMutableBytes { memory throws(E) in
            var output = unsafe OutputSpan<UInt8>(
                buffer: memory.bindMemory(to: UInt8.self), initializedCount: 0)
            try fill(&output)
            return unsafe output.finalize(for: memory.bindMemory(to: UInt8.self))
        }
        bytes.setCount(count)
        self.bytes = bytes
    }

    func withBytes<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try bytes.withBytes(body)
    }
}
