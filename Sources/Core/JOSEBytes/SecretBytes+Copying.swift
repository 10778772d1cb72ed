internal import CJOSEBytes

extension SecretBytes {
    /// The bytes in use as an array, which nobody wipes: for what is the caller's from here on.
    package func copy() -> [UInt8] {
        withBytes { bytes in
            unsafe [UInt8](filling: bytes.count) { out, written in
                unsafe bytes.withUnsafeBytes { unsafe UnsafeMutableRawBufferPointer(out).copyMemory(from: $0) }
                written = bytes.count
            }
        }
    }
}

/// Overwrites memory in a way that the compiler keeps.
package func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    unsafe cjose_wipe(memory.baseAddress, memory.count)
}
