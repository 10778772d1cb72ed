internal import CJOSEAuthority
internal import JOSESupport

/// A certificate authority with a new key, which never leaves the process.
@safe package final class TestAuthority: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer

    package struct Failure: Error, CustomStringConvertible {
        package var description: String { "a certificate could not be made" }
    }

    package struct Issued: Sendable {
        /// The certificate and its key, both in PEM.
        package let certificate: [UInt8]
        package let key: [UInt8]

        package init(certificate: [UInt8], key: [UInt8]) {
            self.certificate = certificate
            self.key = key
        }

        /// The certificate in DER (RFC 7468, 2).
        package var der: [UInt8] {
            let lines = certificate.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "-") }
            return Base64.decode(Array(lines.joined())) ?? []
        }
    }

    /// Creates the authority. It is valid for seven days, so that nobody relies on it for longer.
    package init() throws(Failure) {
        guard let handle = unsafe cjose_authority_new("Bulla sandbox CA", 7) else { throw Failure() }
        unsafe self.handle = handle
    }

    deinit { unsafe cjose_authority_free(handle) }

    package func pem() throws(Failure) -> [UInt8] {
        try unsafe Self.bytes { unsafe cjose_authority_pem(handle, &$0) }
    }

    /// Issues a certificate for a server of these names.
    package func issue(_ names: [String]) throws(Failure) -> Issued { try issue(names, isClient: false) }
    /// Issues a certificate for a client of that name.
    package func issueClient(_ name: String) throws(Failure) -> Issued { try issue([name], isClient: true) }

    private func issue(_ names: [String], isClient: Bool) throws(Failure) -> Issued {
        var certificate = unsafe cjose_authority_bytes()
        var key = unsafe cjose_authority_bytes()
        let isMade = unsafe Self.withTexts(names) { texts in
            unsafe cjose_authority_issue(handle, texts, names.count, isClient ? 1 : 0, 7, &certificate, &key) == 1
        }
        guard isMade else { throw Failure() }
        return unsafe Issued(certificate: Self.taken(certificate), key: Self.taken(key))
    }

    /// Issues a certificate for the public half of a key in PEM, and returns it in DER.
    package func certify(_ name: String, keyPEM: [UInt8]) throws(Failure) -> [UInt8] {
        try unsafe Self.bytes { unsafe cjose_authority_certify(handle, name, keyPEM, keyPEM.count, 7, &$0) }
    }

    /// Creates a self-signed certificate for a key in PEM, and returns it in DER.
    package static func selfCertify(_ name: String, keyPEM: [UInt8]) throws(Failure) -> [UInt8] {
        try unsafe bytes { unsafe cjose_authority_self_certify(name, keyPEM, keyPEM.count, 7, &$0) }
    }

    /// Returns an OCSP response that a certificate of this authority is good, in DER.
    package func status(of certificate: [UInt8]) throws(Failure) -> [UInt8] {
        try unsafe Self.bytes { unsafe cjose_authority_ocsp(handle, certificate, certificate.count, &$0) }
    }

    /// Returns the bytes that a call makes, which returns 1 for success.
    @unsafe private static func bytes(
        _ make: (inout cjose_authority_bytes) -> Int32
    ) throws(Failure) -> [UInt8] {
        var bytes = unsafe cjose_authority_bytes()
        guard unsafe make(&bytes) == 1 else { throw Failure() }
        return unsafe taken(bytes)
    }

    @unsafe private static func taken(_ bytes: cjose_authority_bytes) -> [UInt8] {
        let copy = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes.start, count: bytes.count))
        unsafe cjose_authority_bytes_free(bytes)
        return copy
    }

    @unsafe private static func withTexts<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>>) -> Result
    ) -> Result {
        var all: [CChar] = []
        var starts: [Int] = []
        for text in texts {
            starts.append(all.count)
            all += text.utf8.map { CChar(bitPattern: $0) } + [0]
        }
        return unsafe all.withUnsafeBufferPointer { all in
            // No text is empty: each ends with NUL.
            let pointers = unsafe starts.map { unsafe all.baseAddress! + $0 }
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
        }
    }
}
