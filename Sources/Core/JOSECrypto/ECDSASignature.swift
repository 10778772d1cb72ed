internal import CJOSEOpenSSL

/// The two forms of an ECDSA signature.
package enum ECDSASignature {
    /// Returns a DER signature as `r || s`; nil for everything but the one encoding of numbers that fit the curve's
    /// field.
    package static func joined(der: Span<UInt8>, _ curve: Curve) -> [UInt8]? {
        try? unsafe written(2 * curve.fieldBytes) { out, _ in
            unsafe der.withUnsafeBytes {
                unsafe cjose_ecdsa_joined($0.baseAddress, $0.count, curve.fieldBytes, out)
            }
        }
    }
}
