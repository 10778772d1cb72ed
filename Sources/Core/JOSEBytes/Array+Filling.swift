extension [UInt8] {
    /// An array of what `fill` writes into `capacity` bytes: `init(unsafeUninitializedCapacity:)` with an allocation that
    /// is compiled here. That one runs in the standard library and looks up the array's type each time, 300 instructions.
    @inline(__always)
    package init(filling capacity: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>, inout Int) -> Void) {
        self = []
        // Never without memory of its own: `append` writes the count also where it is 0, into the one empty array that all threads share.
        reserveCapacity(Swift.max(1, capacity))
        append(addingCapacity: capacity) { (output: inout OutputSpan<UInt8>) in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in unsafe fill(buffer, &count) }
        }
    }
}
