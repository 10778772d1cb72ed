internal import CJOSEOpenSSL

/// The key and the certificates of a PKCS #12 file.
package struct PKCS12File {
    package let key: KeyFile.Parsed
    /// The certificates in DER, from the key's own towards a root; may be empty.
    package let certificates: [[UInt8]]

    /// The reason why a file was rejected.
    package enum Fault: Error, Sendable {
        case malformed, passphrase, encryption, rounds, noKey, severalKeys, certificate, tooMany, backend
        case key(CryptoError)
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - maximumCertificates: the largest number of certificates.
    ///   - rounds: the largest number of iterations of all key derivations together.
    package init(_ der: Span<UInt8>, passphrase: Span<UInt8>, maximumCertificates: Int, rounds: Int) throws(Fault) {
        var made: OpaquePointer?
        var keyStatus = cjose_status.ok
        let fault = unsafe der.withUnsafeBytes { der in
            unsafe passphrase.withUnsafeBytes { word in
                unsafe cjose_pkcs12_parse(
                    cjose_bytes(at: der.baseAddress, count: der.count),
                    cjose_bytes(at: word.baseAddress, count: word.count), maximumCertificates, Int64(rounds), &made,
                    &keyStatus)
            }
        }
        try Self.check(fault, keyStatus)
        guard let file = unsafe made, let handle = unsafe cjose_pkcs12_take_key(file) else { throw .backend }
        defer { unsafe cjose_pkcs12_free(file) }
        do throws(CryptoError) {
            key = try unsafe KeyFile.Parsed(owning: handle)
        } catch {
            throw .key(error)
        }
        var certificates: [[UInt8]] = []
        for index in 0..<(unsafe cjose_pkcs12_count(file)) {
            guard let der = try? unsafe allocated({ unsafe cjose_pkcs12_chain_get(file, index, &$0, &$1) })
            else { throw .backend }
            certificates.append(der)
        }
        self.certificates = certificates
    }

    private static func check(_ fault: cjose_pkcs12_fault, _ key: cjose_status) throws(Fault) {
        switch fault {
        case .ok: return
        case .malformed: throw .malformed
        case .passphrase: throw .passphrase
        case .encryption: throw .encryption
        case .rounds: throw .rounds
        case .no_key: throw .noKey
        case .several_keys: throw .severalKeys
        case .certificate: throw .certificate
        case .too_many: throw .tooMany
        case .backend: throw .backend
        case .key:
            do throws(CryptoError) {
                try JOSECrypto.check(key)
            } catch {
                throw .key(error)
            }
            throw .backend
        }
    }
}
