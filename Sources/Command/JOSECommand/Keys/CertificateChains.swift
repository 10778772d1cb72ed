import JOSE

/// Combines the certificates of a file with its keys.
enum CertificateChains {
    static let members: CertificateMembers = [.x5c, .x5tS256]

    /// Adds certificates to keys. A certificate chain becomes one key, together with the private key in the file if it belongs to
    /// the chain; certificates that form no chain, such as roots, become one key each.
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
    /// Returns whether the file is PKCS#12: a sequence that begins with version 3 (RFC 7292, 4). No key and no certificate begins
    /// so.
    static func isOne(_ file: [UInt8]) -> Bool {
        guard file.count > 8, file[0] == 0x30 else { return false }
        let start = file[1] < 0x80 ? 2 : 2 + Int(file[1] & 0x7F)
        return file.dropFirst(start).starts(with: [0x02, 0x01, 0x03, 0x30])
    }
}

/// Formats seconds since 1970 as a date (ISO 8601), without Foundation.
enum CalendarDate {
    static func text(_ seconds: Int64) -> String {
        let day = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
        // Years are counted from March, so that a leap day is the last day of a year.
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * ofYear + 2) / 153
        let ofMonth = ofYear - (153 * month + 2) / 5 + 1
        let civil = month < 10 ? month + 3 : month - 9
        let year = yearOfEra + era * 400 + (civil <= 2 ? 1 : 0)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(civil))-\(two(ofMonth))"
    }
}
