internal import CJOSEBytes

/// Overwrites an array that contained a secret. The array must be uniquely referenced: a shared one would be copied
/// first.
package func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { unsafe cjose_wipe($0.baseAddress, $0.count) }
}
