internal import JOSESupport

/// A secret that an external key returns: an unwrapped key, or the shared secret of a key agreement. It cannot be
/// copied, and its memory is wiped when the value is destroyed.
@safe public struct ExternalSecret: ~Copyable, Sendable {
    private let bytes: SecretBytes
    /// The number of bytes.
    package var count: Int { bytes.count }

    /// Creates a secret from an array, and wipes the array unless another variable shares its storage.
    public init(_ array: consuming [UInt8]) {
        var array = array
        bytes = SecretBytes(copying: array.span)
        unsafe array.withUnsafeMutableBytes { unsafe wipe($0) }
    }

    /// Creates a secret that is a copy of `bytes`. The original is not wiped.
    public init(copying bytes: borrowing some BorrowedBytes) {
        self.bytes = bytes.withBytes { SecretBytes(copying: $0) }
    }

    /// Creates a secret from the bytes that `fill` writes. Use it with C functions that write to memory, so that no
    /// array contains the secret.
    ///
    /// - Parameters:
    ///   - capacity: The largest number of bytes.
    ///   - fill: The closure that writes the bytes.
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
