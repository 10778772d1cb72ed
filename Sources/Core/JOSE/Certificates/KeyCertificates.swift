internal import JOSESupport

/// The certificates of a key, and the thumbprints that a header of a token under this key may have. They are computed
/// when the key is created.
package final class KeyCertificates: Sendable {
    let chain: CertificateChain?
    let writesChain: Bool
    /// The members as they were read or are to be written; nil where they are not written.
    let x5t: String?
    let x5tS256: String?
    /// The base64url text that a header's `x5t` and `x5t#S256` must be; nil where only the other one is known.
    let sha1: [UInt8]?
    package let sha256: [UInt8]?

    init(_ chain: CertificateChain, members: CertificateMembers) {
        let sha1 = Base64URL.encode(chain.leaf.sha1Thumbprint.span)
        let sha256 = Base64URL.encode(chain.leaf.sha256Thumbprint.span)
        self.chain = chain
        writesChain = members.contains(.x5c)
        x5t = members.contains(.x5t) ? String(decoding: sha1, as: UTF8.self) : nil
        x5tS256 = members.contains(.x5tS256) ? String(decoding: sha256, as: UTF8.self) : nil
        (self.sha1, self.sha256) = (sha1, sha256)
    }

    /// Creates the certificates that a JWK has (RFC 7517, 4.7 to 4.9). Thumbprints must be those of the chain's first
    /// certificate, where there is a chain.
    private init(chain: CertificateChain?, x5t: Thumbprint?, x5tS256: Thumbprint?) throws(JOSEError) {
        if let chain {
            guard x5t.map({ $0.bytes == chain.leaf.sha1Thumbprint }) ?? true else {
                throw .member("x5t", .otherCertificate)
            }
            guard x5tS256.map({ $0.bytes == chain.leaf.sha256Thumbprint }) ?? true else {
                throw .member("x5t#S256", .otherCertificate)
            }
        }
        self.chain = chain
        writesChain = chain != nil
        (self.x5t, self.x5tS256) = (x5t?.text, x5tS256?.text)
        sha1 = chain.map { Base64URL.encode($0.leaf.sha1Thumbprint.span) } ?? x5t.map { Array($0.text.utf8) }
        sha256 = chain.map { Base64URL.encode($0.leaf.sha256Thumbprint.span) } ?? x5tS256.map { Array($0.text.utf8) }
    }

    /// Returns the certificates of a JWK, or nil where it has none of their members. A list without certificates counts
    /// as absent, and so does a value that cannot be a thumbprint: the key can be used without it.
    static func read(
        _ members: JWKMembers, in text: Span<UInt8>, limits: ParsingLimits
    ) throws(JOSEError) -> KeyCertificates? {
        let x5c = members.filledList("x5c", in: text)
        let x5t = members.value("x5t", in: text).flatMap { Thumbprint($0, in: text, count: 20, orHex: true) }
        let x5tS256 = members.value("x5t#S256", in: text).flatMap { Thumbprint($0, in: text, count: 32, orHex: false) }
        guard x5c != nil || x5t != nil || x5tS256 != nil else { return nil }
        var chain: CertificateChain?
        if let x5c {
            do throws(JOSEError) {
                chain = try CertificateChain(x5c: x5c, in: text, limits: limits)
            } catch .limitExceeded(let limit) {
                throw .limitExceeded(limit)
            } catch {
                throw error == .backend ? .backend : .member("x5c", .certificates)
            }
        }
        return try KeyCertificates(chain: chain, x5t: x5t, x5tS256: x5tS256)
    }

    /// Returns whether the first certificate's key is this one (RFC 7517, 4.7). A symmetric key has no certificate.
    func certifies(_ key: PublicKey?) -> Bool {
        guard let chain else { return true }
        guard let key, let certified = try? chain.publicKey() else { return false }
        return certified == key
    }

    /// Throws unless the first certificate's key is this one.
    func check(_ key: PublicKey?) throws(JOSEError) {
        guard certifies(key) else { throw .keyInvalid(.certificate) }
    }

    /// A thumbprint as a JWK has it, and its bytes.
    private struct Thumbprint {
        let text: String
        let bytes: [UInt8]

        /// Reads a thumbprint. `orHex` also accepts the encoding of the hexadecimal text instead of the bytes, which
        /// some issuers write. Returns nil for a value that cannot be a thumbprint.
        init?(_ value: JSONValue, in bytes: Span<UInt8>, count: Int, orHex: Bool) {
            guard let text = value.string(in: bytes), let decoded = Base64URL.decode(text.utf8.span) else { return nil }
            self.text = text
            if decoded.count == count {
                self.bytes = decoded
            } else {
                guard orHex, decoded.count == 2 * count, let plain = Self.unhex(decoded) else { return nil }
                self.bytes = plain
            }
        }

        private static func unhex(_ digits: [UInt8]) -> [UInt8]? {
            var bytes: [UInt8] = []
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard let high = digits[index].hexadecimalDigit, let low = digits[index + 1].hexadecimalDigit
                else { return nil }
                bytes.append(high << 4 | low)
            }
            return bytes
        }
    }

    /// Returns whether the thumbprints of a header are those of this certificate, or nil where the header has none that
    /// can be compared.
    func agrees(x5t: JSONValue?, x5tS256: JSONValue?, in bytes: Span<UInt8>) -> Bool? {
        var answer: Bool?
        if let x5tS256, let sha256 { answer = x5tS256.equals(sha256.span, in: bytes) }
        if let x5t, let sha1 {
            // A hexadecimal one may have been copied from the JWK.
            let isCopied = self.x5t.map { x5t.equals($0.utf8.span, in: bytes) } ?? false
            answer = (answer ?? true) && (isCopied || x5t.equals(sha1.span, in: bytes))
        }
        return answer
    }

    func write(to writer: inout JSONWriter) {
        if writesChain, let chain { chain.write(to: &writer) }
        if let x5t { writer.member("x5t", x5t) }
        if let x5tS256 { writer.member("x5t#S256", x5tS256) }
    }

    /// An upper bound on the bytes that `write` appends for a symmetric key, which has no chain.
    var thumbprintBytes: Int { (x5t?.utf8.count ?? 0) + (x5tS256?.utf8.count ?? 0) + 64 }
}

extension CertificateChain {
    func write(to writer: inout JSONWriter) {
        writer.name("x5c")
        writer.beginArray()
        for certificate in certificates { writer.string(certificate.base64) }
        writer.endArray()
    }
}
