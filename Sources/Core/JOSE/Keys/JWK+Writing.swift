internal import JOSECrypto
internal import JOSESupport

extension PublicKey {
    /// Returns the key as a JWK, with its `kid`, `alg`, `use`, `key_ops` and certificate members.
    public func jwk() -> String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        members.write(to: &writer, record.binding)
        writer.endObject()
    }
}

extension PrivateKey {
    /// Returns the key as a JWK with its private members, unencrypted. Protect the bytes, and wipe them after use.
    ///
    /// - Throws: `keyInvalid(.notExportable)` if the key is in a device.
    public func exportPrivateJWK() throws(JOSEError) -> [UInt8] {
        guard isExportable else { throw .keyInvalid(.notExportable) }
        var writer = JSONWriter()
        // The whole capacity is reserved at once, because an array that grows leaves copies in the heap.
        writer.bytes.reserveCapacity(reserve + publicKey.jwk().utf8.count)
        writer.beginObject()
        members.write(to: &writer, record.binding)
        do throws(CryptoError) {
            switch material {
            case .ed25519(let key): key.withSeed { writer.secret("d", $0) }
            case .x25519(let key): key.withScalar { writer.secret("d", $0) }
            case .asymmetric(let key):
                switch key.kind {
                case .raw(let kind):
                    let name = kind.isAlgorithmKeyPair ? "priv" : "d"
                    try writer.secret(name, of: key, .rawSecret, minimal: false)
                case .ec: try writer.secret("d", of: key, .ecD, minimal: false)
                case .rsa:
                    try writer.secret("d", of: key, .d, minimal: true)
                    try writer.secret("p", of: key, .p, minimal: true)
                    try writer.secret("q", of: key, .q, minimal: true)
                    try writer.secret("dp", of: key, .dp, minimal: true)
                    try writer.secret("dq", of: key, .dq, minimal: true)
                    try writer.secret("qi", of: key, .qi, minimal: true)
                }
            }
        } catch {
            wipe(&writer.bytes)
            throw .backend
        }
        writer.endObject()
        return writer.bytes
    }

    /// An upper bound on the length of the private members in base64url with their names.
    private var reserve: Int {
        if case .rsa(let bits) = kind { bits / 6 * 4 + 128 } else { 128 }
    }
}

extension SecretKey {
    /// Returns the key as a JWK, unencrypted. Protect the bytes, and wipe them after use.
    public func exportSecretJWK() -> [UInt8] {
        var writer = JSONWriter()
        let binding = record.binding
        let text =
            (binding.keyID ?? "").utf8.count + (binding.algorithm ?? "").utf8.count + (binding.issuer ?? "").utf8.count
            + (binding.certificates?.thumbprintBytes ?? 0)
        let names = binding.otherOperations.reduce(text) { $0 + $1.utf8.count }
        // A character that needs an escape takes six bytes.
        writer.bytes.reserveCapacity(512 + 6 * (names + (binding.use?.text.utf8.count ?? 0)) + material.count * 4 / 3)
        writer.beginObject()
        writer.member("kty", "oct")
        binding.write(to: &writer)
        material.withBytes { writer.secret("k", $0) }
        writer.endObject()
        return writer.bytes
    }
}

extension KeySet {
    /// Returns the set as a public JWK Set, with the public key of each private key and without symmetric keys.
    public func jwks() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("keys")
        writer.beginArray()
        for key in keys { key.publicKey?.write(to: &writer) }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension PublicMembers {
    /// Writes `kty`, then the binding, then the key parameters.
    fileprivate func write(to writer: inout JSONWriter, _ binding: KeyBinding) {
        var binding = binding
        // The kind of an AKP key is its `alg` (RFC 9964, 3).
        if case .raw(let kind, _) = self, kind.isAlgorithmKeyPair { binding.algorithm = kind.registeredName }
        writer.member("kty", keyType)
        binding.write(to: &writer)
        switch self {
        case .rsa(let n, let e):
            writer.member("n", base64URL: n.span)
            writer.member("e", base64URL: e.span)
        case .ec(let curve, let x, let y):
            writer.member("crv", curve.registeredName)
            writer.member("x", base64URL: x.span)
            writer.member("y", base64URL: y.span)
        case .ed25519(let x):
            writer.member("crv", "Ed25519")
            writer.member("x", base64URL: x.span)
        case .x25519(let x):
            writer.member("crv", "X25519")
            writer.member("x", base64URL: x.span)
        case .raw(let kind, let octets):
            if !kind.isAlgorithmKeyPair { writer.member("crv", kind.registeredName) }
            writer.member(kind.isAlgorithmKeyPair ? "pub" : "x", base64URL: octets.span)
        }
    }

    var keyType: String {
        switch self {
        case .rsa: "RSA"
        case .ec: "EC"
        case .ed25519, .x25519: "OKP"
        case .raw(let kind, _): kind.isAlgorithmKeyPair ? "AKP" : "OKP"
        }
    }
}

extension RawKeyKind {
    static let octetPairs: [Self] = allCases.filter { !$0.isAlgorithmKeyPair }
    static let algorithmKeyPairs: [Self] = allCases.filter(\.isAlgorithmKeyPair)

    var isAlgorithmKeyPair: Bool {
        switch self {
        case .ed448, .x448: false
        case .mlDSA44, .mlDSA65, .mlDSA87: true
        }
    }

    /// The name in `crv` (RFC 8037, 2) or `alg` (RFC 9964, 5).
    var registeredName: String {
        switch self {
        case .ed448: "Ed448"
        case .x448: "X448"
        case .mlDSA44: "ML-DSA-44"
        case .mlDSA65: "ML-DSA-65"
        case .mlDSA87: "ML-DSA-87"
        }
    }
}

extension Curve {
    /// The name in `crv` (RFC 7518, 6.2.1.1; RFC 8812, 3.1).
    var registeredName: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        case .secp256k1: "secp256k1"
        }
    }
}

extension KeyBinding {
    fileprivate func write(to writer: inout JSONWriter) {
        if let keyID { writer.member("kid", keyID) }
        if let use { writer.member("use", use.text) }
        if let operations {
            writer.name("key_ops")
            writer.beginArray()
            for (operation, name) in KeyOperations.named where operations.contains(operation) { writer.string(name) }
            if operations.contains(.other) { for name in otherOperations { writer.string(name) } }
            writer.endArray()
        }
        if let algorithm { writer.member("alg", algorithm) }
        if let issuer { writer.member("issuer", issuer) }
        certificates?.write(to: &writer)
    }
}

extension JSONWriter {
    /// Writes a secret member. The encoding takes constant time, and leaves no copy that is not wiped.
    fileprivate mutating func secret(_ name: String, _ octets: Span<UInt8>) {
        var text = SecretBase64URL.encode(octets)
        self.name(name)
        string(text.span)
        wipe(&text)
    }

    /// Writes a secret parameter of a key. With `minimal` it has the fewest octets, as RFC 7518 requires of RSA
    /// parameters.
    fileprivate mutating func secret(
        _ name: String, of key: AsymmetricKey, _ part: KeyPart, minimal: Bool
    ) throws(CryptoError) {
        var octets = try key.part(part)
        defer { wipe(&octets) }
        var zeros = 0
        if minimal { while zeros < octets.count - 1, octets[zeros] == 0 { zeros += 1 } }
        secret(name, octets.span.extracting(droppingFirst: zeros))
    }
}
