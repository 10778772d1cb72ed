internal import CJOSEBytes

extension SecretBytes {
    /// Returns the bytes in use as an array that is not wiped, for what is handed to the caller.
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
