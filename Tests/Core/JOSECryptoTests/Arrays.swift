import JOSECrypto

// Overloads that take arrays: a span may not be borrowed within `#expect`.

extension AsymmetricKey {
    func verify(_ scheme: SignatureScheme, _ input: [UInt8], signature: [UInt8]) throws(CryptoError) {
        try verify(scheme, input.span, signature: signature.span)
    }
    func sign(_ scheme: SignatureScheme, _ input: [UInt8]) throws(CryptoError) -> [UInt8] {
        try sign(scheme, input.span)
    }
    func oaepEncrypt(_ hash: Hash, _ plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        try oaepEncrypt(hash, plaintext.span)
    }
}

extension Ed25519PublicKey {
    init(_ raw: [UInt8]) throws(CryptoError) { try self.init(raw.span) }
    func verify(_ input: [UInt8], signature: [UInt8]) throws(CryptoError) {
        try verify(input.span, signature: signature.span)
    }
}

extension Ed25519PrivateKey {
    convenience init(seed: [UInt8]) throws(CryptoError) { try self.init(seed: seed.span) }
    func sign(_ input: [UInt8]) throws(CryptoError) -> [UInt8] { try sign(input.span) }
}

extension X25519PublicKey {
    init(_ raw: [UInt8]) throws(CryptoError) { try self.init(raw.span) }
}

extension X25519PrivateKey {
    convenience init(scalar: [UInt8]) throws(CryptoError) { try self.init(scalar: scalar.span) }
}

extension GuardedBytes {
    convenience init(copying bytes: [UInt8]) throws(CryptoError) { try self.init(copying: bytes.span) }
    var array: [UInt8] { withBytes { bytes in bytes.indices.map { bytes[$0] } } }
}

extension MACKey {
    convenience init(_ hash: Hash, _ key: [UInt8]) throws(CryptoError) {
        try self.init(hash, GuardedBytes(copying: key))
    }
    func sign(_ input: [UInt8]) throws(CryptoError) -> [UInt8] { try sign(input.span) }
    func verify(_ input: [UInt8], tag: [UInt8]) throws(CryptoError) { try verify(input.span, tag: tag.span) }
}

extension WrapKey {
    convenience init(_ key: [UInt8]) throws(CryptoError) { try self.init(GuardedBytes(copying: key)) }
    func wrap(_ cek: [UInt8]) throws(CryptoError) -> [UInt8] { try wrap(cek.span) }
}

extension ContentCipher {
    func seal(
        cek: [UInt8], iv: [UInt8], aad: [UInt8], plaintext: [UInt8]
    ) throws(CryptoError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        try seal(cek: cek.span, iv: iv.span, aad: aad.span, plaintext: plaintext.span)
    }
}

extension Hash {
    func digest(_ input: [UInt8]) throws(CryptoError) -> [UInt8] { try digest(input.span) }
}

extension KeyFile {
    static func importPEM(_ pem: String, passphrase: String? = nil) throws(CryptoError) -> Parsed {
        let text = Array(pem.utf8)
        guard let passphrase else { return try importPEM(text.span) }
        let word = Array(passphrase.utf8)
        return try importPEM(text.span, passphrase: word.span)
    }
    static func importDER(_ der: [UInt8]) throws(CryptoError) -> Parsed { try importDER(der.span) }
}

extension SecretBase64URL {
    static func decode(_ text: [UInt8]) -> GuardedBytes? { decode(text.span) }
}
