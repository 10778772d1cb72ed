package import JOSECrypto
internal import JOSESupport

/// The structure of a public key in PEM or DER.
@nonexhaustive public enum PublicKeyForm: Hashable, Sendable {
    /// SubjectPublicKeyInfo (RFC 5280, 4.1.2.7), for every kind of key.
    case spki
    /// RSAPublicKey (RFC 8017, A.1.1), for RSA only.
    case pkcs1
}

/// The structure of a private key in PEM or DER.
@nonexhaustive public enum PrivateKeyForm: Hashable, Sendable {
    /// PrivateKeyInfo (RFC 5208), unencrypted, for every kind of key.
    case pkcs8
    /// RSAPrivateKey (RFC 8017, A.1.2), for RSA only.
    case pkcs1
    /// ECPrivateKey (RFC 5915), for EC only.
    case sec1
}

extension JWK {
    /// Reads a public or private key from a PEM text with exactly one block: SPKI, PKCS #8, PKCS #1 or SEC 1. The block
    /// may be on one line, be indented, or have the two characters `\n` in place of line ends, as in an environment
    /// variable.
    ///
    /// OpenSSL does not wipe all memory in which it reads a private key from PEM or DER. Reading a JWK leaves no
    /// copies.
    ///
    /// - Parameters:
    ///   - text: The PEM text. The memory of a string cannot be wiped.
    ///   - passphrase: The passphrase of an encrypted PKCS #8 key, in UTF-8.
    ///   - checks: Further checks of the key.
    /// - Throws: `malformed` if the text is not exactly one such block; `keyInvalid` if the key is invalid or its kind
    ///   is not supported, and `keyInvalid(.passphrase)` if the passphrase is missing or wrong; `keyUnsuitable` if an
    ///   RSA key is too small.
    public init(
        pem text: borrowing some BorrowedBytes, passphrase: [UInt8]? = nil, checks: KeyChecks = []
    ) throws(JOSEError) {
        self = try text.withBytes { text throws(JOSEError) in try JWK(file: text, passphrase, isPEM: true) }
        try pass(checks)
    }

    /// Reads a public or private key from DER: SPKI, PKCS #8, PKCS #1 or SEC 1. The parameters and errors are those of
    /// the initializer for PEM.
    public init(
        der bytes: borrowing some BorrowedBytes, passphrase: [UInt8]? = nil, checks: KeyChecks = []
    ) throws(JOSEError) {
        self = try bytes.withBytes { bytes throws(JOSEError) in try JWK(file: bytes, passphrase, isPEM: false) }
        try pass(checks)
    }

    private init(file bytes: Span<UInt8>, _ passphrase: [UInt8]?, isPEM: Bool) throws(JOSEError) {
        guard isPEM || (bytes.count > 0 && bytes[0] == 0x30) else { throw .malformed(ParseFailure(.key, .der)) }
        let parsed: KeyFile.Parsed
        do throws(CryptoError) {
            parsed = try Self.imported(bytes, passphrase, isPEM: isPEM)
        } catch .invalid {
            guard isPEM else { throw .malformed(ParseFailure(.key, .der)) }
            parsed = try Self.imported(pemWithoutLines: bytes, passphrase)
        } catch {
            guard isPEM, error == .unsupported, PEMText.fault(of: bytes) == .openSSH else {
                throw JOSEError(importing: error)
            }
            throw .malformed(ParseFailure(.key, .openSSH))
        }
        try self.init(parsed)
    }

    private static func imported(
        _ bytes: Span<UInt8>, _ passphrase: [UInt8]?, isPEM: Bool
    ) throws(CryptoError) -> KeyFile.Parsed {
        guard let passphrase else {
            return try isPEM
                ? KeyFile.importPEM(bytes, passphrase: nil) : KeyFile.importDER(bytes, passphrase: nil)
        }
        let word = passphrase.span
        return try isPEM
            ? KeyFile.importPEM(bytes, passphrase: word) : KeyFile.importDER(bytes, passphrase: word)
    }

    /// Imports PEM whose line ends were lost or changed on the way, where it has one reading only.
    private static func imported(
        pemWithoutLines text: Span<UInt8>, _ passphrase: [UInt8]?
    ) throws(JOSEError) -> KeyFile.Parsed {
        guard var lines = PEMText.normalized(text) else { throw .malformed(ParseFailure(.key, pem: text)) }
        defer { wipe(&lines) }
        do throws(CryptoError) {
            return try imported(lines.span, passphrase, isPEM: true)
        } catch .invalid {
            throw .malformed(ParseFailure(.key, pem: text))
        } catch {
            throw JOSEError(importing: error)
        }
    }

    package init(_ parsed: KeyFile.Parsed) throws(JOSEError) {
        switch parsed {
        case .publicKey(let material): self = .publicKey(try PublicKey(material))
        case .privateKey(let material): self = .privateKey(try PrivateKey(material))
        }
    }
}

extension PublicKey {
    /// Reads a public key from a PEM text with exactly one block, SPKI or PKCS #1.
    ///
    /// - Throws: `keyInvalid` if the text contains a private key, for which `PrivateKey` is the type; `malformed` for
    ///   other text.
    public init(pem text: borrowing some BorrowedBytes) throws(JOSEError) { try self.init(of: JWK(pem: text)) }
    /// Reads a public key from DER of SPKI or PKCS #1.
    ///
    /// - Throws: `keyInvalid` if the bytes contain a private key, for which `PrivateKey` is the type; `malformed` for
    ///   other bytes.
    public init(der bytes: borrowing some BorrowedBytes) throws(JOSEError) { try self.init(of: JWK(der: bytes)) }

    /// Returns the key as PEM, without its `kid`, `alg`, `use` and `key_ops`.
    ///
    /// - Parameter form: The structure to write.
    /// - Throws: `keyInvalid` if the form does not exist for this kind of key.
    public func pem(_ form: PublicKeyForm = .spki) throws(JOSEError) -> String {
        String(decoding: try export(form, pem: true), as: UTF8.self)
    }

    /// Returns the key as DER, without its `kid`, `alg`, `use` and `key_ops`.
    ///
    /// - Parameter form: The structure to write.
    /// - Throws: `keyInvalid` if the form does not exist for this kind of key.
    public func der(_ form: PublicKeyForm = .spki) throws(JOSEError) -> [UInt8] { try export(form, pem: false) }

    private func export(_ form: PublicKeyForm, pem: Bool) throws(JOSEError) -> [UInt8] {
        let wanted: KeyFile.Form
        switch (form, kind) {
        case (.spki, _): wanted = .spki
        case (.pkcs1, .rsa): wanted = .pkcs1Public
        case (.pkcs1, _): throw .keyInvalid(.form)
        }
        return try calling(KeyFile.export(.publicKey(material), wanted, pem: pem))
    }
}

extension PrivateKey {
    /// Reads a private key from a PEM text with exactly one block, PKCS #8, PKCS #1 or SEC 1.
    ///
    /// - Parameters:
    ///   - text: The PEM text. The memory of a string cannot be wiped.
    ///   - passphrase: The passphrase of an encrypted PKCS #8 key, in UTF-8.
    /// - Throws: `keyInvalid` for a public key, `keyInvalid(.passphrase)` for a missing or wrong passphrase, and
    ///   `malformed` for other text.
    public init(pem text: borrowing some BorrowedBytes, passphrase: [UInt8]? = nil) throws(JOSEError) {
        try self.init(of: JWK(pem: text, passphrase: passphrase))
    }
    /// Reads a private key from DER of PKCS #8, PKCS #1 or SEC 1. The parameters and errors are those of the
    /// initializer for PEM.
    public init(der bytes: borrowing some BorrowedBytes, passphrase: [UInt8]? = nil) throws(JOSEError) {
        try self.init(of: JWK(der: bytes, passphrase: passphrase))
    }

    /// Returns the private key as PEM, unencrypted, without its `kid`, `alg`, `use` and `key_ops`. Protect the bytes,
    /// and wipe them after use.
    ///
    /// - Parameter form: The structure to write.
    /// - Throws: `keyInvalid` if the form does not exist for this kind of key, and `keyInvalid(.notExportable)`
    ///   if the key is in a device.
    public func exportPrivatePEM(_ form: PrivateKeyForm = .pkcs8) throws(JOSEError) -> [UInt8] {
        try export(form, pem: true)
    }

    /// Returns the private key as DER, as `exportPrivatePEM(_:)` returns it as PEM. Protect the bytes, and wipe them
    /// after use.
    public func exportPrivateDER(_ form: PrivateKeyForm = .pkcs8) throws(JOSEError) -> [UInt8] {
        try export(form, pem: false)
    }

    private func export(_ form: PrivateKeyForm, pem: Bool) throws(JOSEError) -> [UInt8] {
        guard isExportable else { throw .keyInvalid(.notExportable) }
        let wanted: KeyFile.Form
        switch (form, kind) {
        case (.pkcs8, _): wanted = .pkcs8
        case (.pkcs1, .rsa): wanted = .pkcs1Private
        case (.sec1, .p256), (.sec1, .p384), (.sec1, .p521), (.sec1, .secp256k1): wanted = .sec1
        case (.pkcs1, _), (.sec1, _): throw .keyInvalid(.form)
        }
        return try calling(KeyFile.export(.privateKey(material), wanted, pem: pem))
    }
}
