internal import JOSEBytes
package import JOSECrypto

/// How a public key is written to PEM or DER.
@nonexhaustive public enum PublicKeyForm: Hashable, Sendable {
    /// SubjectPublicKeyInfo (RFC 5280, 4.1.2.7): any kind of key.
    case spki
    /// RSAPublicKey (RFC 8017, A.1.1): RSA alone.
    case pkcs1
}

/// How a private key is written to PEM or DER.
@nonexhaustive public enum PrivateKeyForm: Hashable, Sendable {
    /// PrivateKeyInfo (RFC 5208), in clear: any kind of key.
    case pkcs8
    /// RSAPrivateKey (RFC 8017, A.1.2): RSA alone.
    case pkcs1
    /// ECPrivateKey (RFC 5915): EC alone.
    case sec1
}

extension JWK {
    /// Reads the one PEM block that the text must be: SPKI, PKCS#8 (encrypted ones with their passphrase), PKCS#1 or SEC1.
    /// The file's form says whether the key is public or private. OpenSSL does not wipe all that it uses for PEM and DER of a
    /// private key; a JWK leaves nothing behind.
    public init(pem text: Span<UInt8>, passphrase: [UInt8]? = nil, checks: KeyChecks = []) throws(JOSEError) {
        try self.init(file: text, passphrase, isPEM: true)
        try pass(checks)
    }

    /// The same of DER.
    public init(der bytes: Span<UInt8>, passphrase: [UInt8]? = nil, checks: KeyChecks = []) throws(JOSEError) {
        try self.init(file: bytes, passphrase, isPEM: false)
        try pass(checks)
    }

    private init(file bytes: Span<UInt8>, _ passphrase: [UInt8]?, isPEM: Bool) throws(JOSEError) {
        guard isPEM || (bytes.count > 0 && bytes[0] == 0x30) else { throw .malformed(ParseFailure(.key, .der)) }
        let parsed: KeyFile.Parsed
        do throws(CryptoError) {
            if let passphrase {
                let passphrase = passphrase.span
                parsed =
                    try isPEM
                    ? KeyFile.importPEM(bytes, passphrase: passphrase)
                    : KeyFile.importDER(bytes, passphrase: passphrase)
            } else {
                parsed =
                    try isPEM
                    ? KeyFile.importPEM(bytes, passphrase: nil) : KeyFile.importDER(bytes, passphrase: nil)
            }
        } catch .invalid {
            throw .malformed(ParseFailure(.key, isPEM ? .pem : .der))
        } catch {
            throw JOSEError(importing: error)
        }
        try self.init(parsed)
    }

    package init(_ parsed: KeyFile.Parsed) throws(JOSEError) {
        switch parsed {
        case .asymmetric(let key) where key.isPrivate: self = .privateKey(try PrivateKey(.asymmetric(key)))
        case .asymmetric(let key): self = .publicKey(try PublicKey(.asymmetric(key)))
        case .ed25519Public(let key): self = .publicKey(try PublicKey(.ed25519(key)))
        case .ed25519Private(let key): self = .privateKey(try PrivateKey(.ed25519(key)))
        case .x25519Public(let key): self = .publicKey(try PublicKey(.x25519(key)))
        case .x25519Private(let key): self = .privateKey(try PrivateKey(.x25519(key)))
        }
    }
}

extension PublicKey {
    /// Reads SPKI or PKCS#1. The key of a private file is refused: read that as a `PrivateKey` and take its public half.
    public init(pem text: Span<UInt8>) throws(JOSEError) { self = try Self.half(JWK(pem: text)) }
    /// The same of a text.
    public init(pem text: String) throws(JOSEError) { try self.init(pem: text.utf8.span) }
    /// The same of DER.
    public init(der bytes: Span<UInt8>) throws(JOSEError) { self = try Self.half(JWK(der: bytes)) }
    /// The same of bytes in an array.
    public init(der bytes: [UInt8]) throws(JOSEError) { try self.init(der: bytes.span) }

    private static func half(_ key: JWK) throws(JOSEError) -> PublicKey {
        guard case .publicKey(let key) = key else { throw .keyInvalid(.wrongHalf) }
        return key
    }

    /// The key without its name and binding. Throws where the form does not exist for its kind.
    public func pem(_ form: PublicKeyForm = .spki) throws(JOSEError) -> String {
        String(decoding: try export(form, pem: true), as: UTF8.self)
    }

    /// The same as DER.
    public func der(_ form: PublicKeyForm = .spki) throws(JOSEError) -> [UInt8] { try export(form, pem: false) }

    private func export(_ form: PublicKeyForm, pem: Bool) throws(JOSEError) -> [UInt8] {
        let wanted: KeyFile.Form
        switch (form, kind) {
        case (.spki, _): wanted = .spki
        case (.pkcs1, .rsa): wanted = .pkcs1Public
        case (.pkcs1, _): throw .keyInvalid(.form)
        }
        let key: KeyFile.Parsed =
            switch material {
            case .asymmetric(let key): .asymmetric(key)
            case .ed25519(let key): .ed25519Public(key)
            case .x25519(let key): .x25519Public(key)
            }
        do throws(CryptoError) { return try KeyFile.export(key, wanted, pem: pem) } catch { throw .backend }
    }
}

extension PrivateKey {
    /// Reads PKCS#8 (encrypted by PBES2 too, then with its passphrase), PKCS#1 or SEC1. A public key is refused.
    public init(pem text: Span<UInt8>, passphrase: [UInt8]? = nil) throws(JOSEError) {
        self = try Self.half(JWK(pem: text, passphrase: passphrase))
    }
    /// The same of a text. `String` does not wipe what it held.
    public init(pem text: String, passphrase: [UInt8]? = nil) throws(JOSEError) {
        try self.init(pem: text.utf8.span, passphrase: passphrase)
    }
    /// The same of DER.
    public init(der bytes: Span<UInt8>, passphrase: [UInt8]? = nil) throws(JOSEError) {
        self = try Self.half(JWK(der: bytes, passphrase: passphrase))
    }
    /// The same of bytes in an array, which stays the caller's to wipe.
    public init(der bytes: [UInt8], passphrase: [UInt8]? = nil) throws(JOSEError) {
        try self.init(der: bytes.span, passphrase: passphrase)
    }

    private static func half(_ key: JWK) throws(JOSEError) -> PrivateKey {
        guard case .privateKey(let key) = key else { throw .keyInvalid(.wrongHalf) }
        return key
    }

    /// The private key in clear, without its name and binding, as PEM text. The bytes are the caller's to guard and to wipe.
    /// Throws where the form does not exist for its kind.
    public func exportPrivatePEM(_ form: PrivateKeyForm = .pkcs8) throws(JOSEError) -> [UInt8] {
        try export(form, pem: true)
    }

    /// The same as DER.
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
        let key: KeyFile.Parsed =
            switch material {
            case .asymmetric(let key): .asymmetric(key)
            case .ed25519(let key): .ed25519Private(key)
            case .x25519(let key): .x25519Private(key)
            }
        do throws(CryptoError) { return try KeyFile.export(key, wanted, pem: pem) } catch { throw .backend }
    }
}
