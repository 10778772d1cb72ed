internal import JOSECrypto
internal import JOSESupport

extension JWKConvertible {
    /// Returns the JWK thumbprint (RFC 7638). It depends on the key parameters only, not on `kid` and other members,
    /// and that of a private key is that of its public key (RFC 7638, 3.2.1).
    ///
    /// The thumbprint of a symmetric key is a hash of the secret: keep it secret too if the key could be guessed (RFC
    /// 7638, 7).
    ///
    /// - Parameter hash: The hash function. SHA-256 is the usual choice.
    public func thumbprint(_ hash: HashAlgorithm = .sha256) throws(JOSEError) -> [UInt8] {
        switch asJWK {
        case .publicKey(let key): try key.members.thumbprint(hash)
        case .privateKey(let key): try key.members.thumbprint(hash)
        case .symmetricKey(let key): try key.secretThumbprint(hash)
        }
    }

    /// Returns the JWK thumbprint as a URI (RFC 9278).
    ///
    /// - Parameter hash: The hash function. SHA-256 is the usual choice.
    public func thumbprintURI(_ hash: HashAlgorithm = .sha256) throws(JOSEError) -> String {
        hash.uri(try thumbprint(hash))
    }
}

extension SecretKey {
    fileprivate func secretThumbprint(_ hash: HashAlgorithm) throws(JOSEError) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(32 + Base64URL.encodedCount(material.count))
        text.append(contentsOf: #"{"k":""#.utf8)
        var octets = material.withBytes { SecretBase64URL.encode($0) }
        text.append(contentsOf: octets)
        wipe(&octets)
        text.append(contentsOf: #"","kty":"oct"}"#.utf8)
        defer { wipe(&text) }
        return try hash.digest(text.span)
    }
}

extension PublicMembers {
    /// Returns the hash of the required members in the order of their names, without white space (RFC 7638, 3.3; for
    /// AKP RFC 9964, 6).
    fileprivate func thumbprint(_ hash: HashAlgorithm) throws(JOSEError) -> [UInt8] {
        var writer = JSONWriter()
        // An EC key of 256 bits takes 126 bytes.
        writer.bytes.reserveCapacity(128)
        writer.beginObject()
        func octetPair(_ curve: String, _ x: [UInt8]) {
            writer.member("crv", curve)
            writer.member("kty", keyType)
            writer.member("x", base64URL: x.span)
        }
        switch self {
        case .rsa(let n, let e):
            writer.member("e", base64URL: e.span)
            writer.member("kty", keyType)
            writer.member("n", base64URL: n.span)
        case .ec(let curve, let x, let y):
            writer.member("crv", curve.registeredName)
            writer.member("kty", keyType)
            writer.member("x", base64URL: x.span)
            writer.member("y", base64URL: y.span)
        case .ed25519(let x): octetPair("Ed25519", x)
        case .x25519(let x): octetPair("X25519", x)
        case .raw(let kind, let octets) where kind.isAlgorithmKeyPair:
            writer.member("alg", kind.registeredName)
            writer.member("kty", keyType)
            writer.member("pub", base64URL: octets.span)
        case .raw(let kind, let x): octetPair(kind.registeredName, x)
        }
        writer.endObject()
        return try hash.digest(writer.bytes.span)
    }
}

extension HashAlgorithm {
    fileprivate func digest(_ bytes: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        try calling(hash.digest(bytes))
    }

    /// Returns the URI of a thumbprint (RFC 9278, 4).
    package func uri(_ thumbprint: [UInt8]) -> String {
        let value = String(decoding: Base64URL.encode(thumbprint.span), as: UTF8.self)
        return "urn:ietf:params:oauth:jwk-thumbprint:\(rawValue):\(value)"
    }
}
