extension [UInt8] {
    /// Creates an array of the bytes that `fill` writes into `capacity` bytes: `init(unsafeUninitializedCapacity:)`
    /// with an allocation that is compiled here. The one of the standard library looks up the array's type each time,
    /// which takes 300 instructions.
    @inline(__always)
    package init(filling capacity: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>, inout Int) -> Void) {
        self = []
        // At least one byte is reserved: `append` writes the count also where it is 0, into the one empty array that
        // all threads share.
        reserveCapacity(Swift.max(1, capacity))
        append(addingCapacity: capacity) { (output: inout OutputSpan<UInt8>) in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in unsafe fill(buffer, &count) }
        }
    }
}

extension Span<UInt8> {
    /// Returns an array of the same bytes.
    package func copy() -> [UInt8] { unsafe withUnsafeBufferPointer { unsafe [UInt8]($0) } }
}
