internal import JOSE
internal import JOSECrypto
internal import JOSESupport

/// The parts of which a token of the table is made. A token with one fault is made of a copy with one change.
struct MatrixRecipe {
    var claims: MatrixClaims
    /// The signature layer; nil for a token that is only encrypted.
    var signing: Signing?
    /// The encryption layer; nil for a token that is only signed.
    var sealing: Sealing?

    /// Makes the token.
    func token() throws -> String {
        let inner = try signing.map { try $0.token(claims.bytes) }
        guard let sealing else { return inner ?? "" }
        return try sealing.token(inner ?? String(decoding: claims.bytes, as: UTF8.self))
    }
}

/// The claims of a token, in the order in which they are written.
struct MatrixClaims {
    private var members: [(name: String, json: String)]
    /// The payload, where it is not the claims.
    var text: String?

    init(tokenID: String) {
        members = [
            ("iss", "\"\(MatrixPolicy.issuer)\""), ("aud", "\"\(MatrixPolicy.audience)\""), ("sub", "\"u\""),
            ("role", "\"\(MatrixPolicy.role)\""), ("jti", "\"\(tokenID)\""), ("iat", "1700000000"),
            ("exp", "4000000000"),
        ]
    }

    /// The JSON of a claim. A new one is added at the end, and nil removes one.
    subscript(_ name: String) -> String? {
        get { members.first { $0.name == name }?.json }
        set {
            guard let place = members.firstIndex(where: { $0.name == name }) else {
                if let newValue { members.append((name, newValue)) }
                return
            }
            if let newValue { members[place].json = newValue } else { members.remove(at: place) }
        }
    }

    var json: String { "{" + members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}" }
    var bytes: [UInt8] { Array((text ?? json).utf8) }
}

/// The signature layer of a token.
struct Signing {
    var key: JWK
    var algorithm: SignatureAlgorithm
    var header = HeaderParameters(type: MatrixPolicy.type)
    /// Whether `kid` is left out.
    var isNameless = false
    /// The header's JSON text in place of that of `header`. It is signed as it is, with RS256.
    var json: String?

    init(_ key: JWK, _ algorithm: SignatureAlgorithm) {
        self.key = key
        self.algorithm = algorithm
    }

    fileprivate func token(_ payload: [UInt8]) throws -> String {
        switch key {
        case .privateKey(var key):
            if let json { return try Self.token(json, payload, key) }
            if isNameless { key.keyID = nil }
            return try JWSSigner(key: key, algorithm: algorithm, header: header).sign(payload)
        case .symmetricKey(let key): return try JWSSigner(key: key, algorithm: algorithm, header: header).sign(payload)
        case .publicKey: throw JOSEError.keyUnsuitable(.publicKey)
        }
    }

    private static func token(_ header: String, _ payload: [UInt8], _ key: PrivateKey) throws -> String {
        guard case .asymmetric(let material) = key.material else { throw JOSEError.keyUnsuitable(.kind) }
        let input = base64URL(header.utf8) + "." + base64URL(payload)
        return input + "." + base64URL(try material.sign(.rs256, input.utf8.span))
    }
}

/// The encryption layer of a token.
struct Sealing {
    var key: JWK
    var keyManagement: KeyManagementAlgorithm
    var contentEncryption: ContentEncryption
    var header = HeaderParameters()
    var isNameless = false
    /// The issuer that the header repeats.
    var issuer: String?
    /// The header's JSON text in place of that of `header`. The content is encrypted under it with `dir` and A256GCM.
    var json: String?
    /// Returns the content for the inner token.
    var content: @Sendable (String) -> String = { $0 }

    init(_ key: JWK, _ keyManagement: KeyManagementAlgorithm, _ contentEncryption: ContentEncryption) {
        self.key = key
        self.keyManagement = keyManagement
        self.contentEncryption = contentEncryption
    }

    fileprivate func token(_ inner: String) throws -> String {
        let content = content(inner)
        var header = header
        if let issuer { header.set("iss", json: Array("\"\(issuer)\"".utf8)) }
        switch key {
        case .privateKey(var key):
            if isNameless { key.keyID = nil }
            return try JWEEncrypter(
                key: key.publicKey, keyManagement: keyManagement, contentEncryption: contentEncryption, header: header
            ).encrypt(content)
        case .symmetricKey(let key):
            if let json { return try Self.token(json, content, key) }
            return try JWEEncrypter(
                key: key, keyManagement: keyManagement, contentEncryption: contentEncryption, header: header
            ).encrypt(content)
        case .publicKey: throw JOSEError.keyUnsuitable(.publicKey)
        }
    }

    private static func token(_ header: String, _ content: String, _ key: SecretKey) throws -> String {
        let head = base64URL(header.utf8)
        let iv = [UInt8](0..<12)
        let sealed = try key.material.withBytes { bytes in
            try ContentCipher.a256gcm.seal(
                cek: bytes, iv: iv.span, aad: head.utf8.span, plaintext: content.utf8.span)
        }
        return [head, "", base64URL(iv), base64URL(sealed.ciphertext), base64URL(sealed.tag)].joined(separator: ".")
    }
}

/// The parts of a compact token, one of which is changed.
struct CompactText {
    var parts: [String]

    init(_ token: String) {
        parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    var text: String { parts.joined(separator: ".") }

    /// Changes one character in the middle of a part.
    mutating func change(_ index: Int) {
        var characters = Array(parts[index].utf8)
        let place = characters.count / 2
        characters[place] = characters[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        parts[index] = String(decoding: characters, as: UTF8.self)
    }

    /// Cuts the last three bytes off those that a part encodes.
    mutating func cut(_ index: Int) {
        parts[index] = base64URL((bytes(base64URL: parts[index]) ?? []).dropLast(3))
    }

    /// Replaces text in the bytes that a part encodes.
    mutating func replace(_ old: String, with new: String, in index: Int) {
        let decoded = String(decoding: bytes(base64URL: parts[index]) ?? [], as: UTF8.self)
        parts[index] = base64URL(decoded.replacing(old, with: new).utf8)
    }

    /// Replaces the header by this JSON text.
    mutating func setHeader(_ json: String) { parts[0] = base64URL(json.utf8) }
}
