internal import CJOSEOpenSSL

/// PEM files of certificates and revocation data (RFC 7468). Keys are read by `KeyFile`.
package enum PEMFile {
    /// A label of blocks.
    package enum Label: Sendable {
        case certificate, revocationList, ocspResponse

        fileprivate var shim: cjose_pem_label {
            switch self {
            case .certificate: .certificate
            case .revocationList: .revocation_list
            case .ocspResponse: .ocsp_response
            }
        }
    }

    /// Returns the DER of each block, of at most `maximum` + 1 blocks.
    ///
    /// - Throws: `invalid` for a block that is broken or has another label.
    package static func blocks(
        _ pem: Span<UInt8>, labelled label: Label, maximum: Int
    ) throws(CryptoError) -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        var position = 0
        while blocks.count <= maximum {
            let block = try unsafe allocated { der, count in
                unsafe pem.withUnsafeBytes {
                    unsafe cjose_pem_next(
                        cjose_bytes(at: $0.baseAddress, count: $0.count), label.shim, &position, &der, &count)
                }
            }
            guard let block else { break }
            blocks.append(block)
        }
        return blocks
    }

    /// Returns a certificate as one block.
    package static func text(ofCertificate der: Span<UInt8>) throws(CryptoError) -> String {
        let text = try unsafe allocated { buffer, count in
            unsafe der.withUnsafeBytes {
                unsafe cjose_certificate_pem(cjose_bytes(at: $0.baseAddress, count: $0.count), &buffer, &count)
            }
        }
        return String(decoding: text ?? [], as: UTF8.self)
    }
}
