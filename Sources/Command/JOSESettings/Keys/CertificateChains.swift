import JOSE

/// Combines the certificates of a file with its keys.
enum CertificateChains {
    static let members: CertificateMembers = [.x5c, .x5tS256]

    /// Adds certificates to keys. A certificate chain becomes one key, together with the private key in the file if it
    /// belongs to the chain; certificates that form no chain, such as roots, become one key each.
    static func join(_ pem: [UInt8], to keys: [JWK]) throws(JOSEError) -> [JWK] {
        guard let chain = try? CertificateChain(pem: pem.span) else {
            var all = keys
            for certificate in try Certificate.parseAll(pem: pem.span) {
                all.append(.publicKey(try certificate.publicKey(members: members)))
            }
            return all
        }
        if case .privateKey(var key)? = keys.first, keys.count == 1,
            (try? key.setCertificates(chain, members: members)) != nil
        {
            return [.privateKey(key)]
        }
        return keys + [.publicKey(try chain.publicKey(members: members))]
    }
}

enum PKCS12 {
    /// Returns whether the file is PKCS#12: a sequence that begins with version 3 (RFC 7292, 4). No key and no
    /// certificate begins so.
    static func isOne(_ file: [UInt8]) -> Bool {
        guard file.count > 8, file[0] == 0x30 else { return false }
        let start = file[1] < 0x80 ? 2 : 2 + Int(file[1] & 0x7F)
        return file.dropFirst(start).starts(with: [0x02, 0x01, 0x03, 0x30])
    }
}
