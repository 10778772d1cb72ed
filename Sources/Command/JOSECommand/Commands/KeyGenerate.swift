import JOSE
import JOSESettings
import JOSESupport

extension Command {
    static let keyGenerate = Command(
        "key generate", operands: "[KIND]", maximumOperands: 1, summary: "generate a key",
        details: """
            KIND: RSA, P-256, P-384, P-521, secp256k1, Ed25519, Ed448, X25519, X448, ML-DSA-44, ML-DSA-65, ML-DSA-87 or
            oct; without it, the kind that --alg requires. --out writes the private key to a new file that only its
            owner can read; --private writes it to standard output.
            """,
        options: [
            Option<Int>.bits.spec, Options.newAlgorithm.spec, Options.newUse.spec, Options.newName.spec,
            Options.out.spec,
            Options.publicOut.spec, Options.isPrivate,
        ]
    ) { (arguments) throws(CommandFailure) in
        try KeyGeneration(arguments).run()
    }
}

extension Options {
    static let newAlgorithm = Option("alg", "NAME", "algorithm of the key") { $0 }
    static let newUse = Option("use", "sig|enc", "use of the key (that of the algorithm)") { text in
        text == "sig" ? KeyUse.signature : text == "enc" ? .encryption : nil
    }
    static let newName = Option("kid", "NAME", "kid of the key (its thumbprint)", text)
    static let publicOut = Option("public-out", "FILE", "new file for the public half", text)
}

extension Option where Value == Int {
    static let bits = Option("bits", "COUNT", "size of an RSA key (2048) or a symmetric key (256)") { Int($0) }
}

private struct KeyGeneration {
    private let arguments: Arguments
    private let kind: KeyKind
    private let algorithm: String?
    private let use: KeyUse?
    private let name: String?

    init(_ arguments: Arguments) throws(CommandFailure) {
        self.arguments = arguments
        let bits = try arguments.value(.bits)
        algorithm = try arguments.value(Options.newAlgorithm)
        let purpose = try algorithm.map { (name) throws(CommandFailure) in try Purpose(name, bits: bits) }
        use = try arguments.value(Options.newUse) ?? purpose?.use
        name = try arguments.value(Options.newName)
        guard let word = arguments.operands.first ?? purpose?.kind else {
            throw .usage("needs a KIND: " + Self.kinds.joined(separator: ", "))
        }
        let isSized = ["RSA", "OCT"].contains(word.uppercased())
        guard bits == nil || isSized else { throw .usage("--bits is for RSA and oct") }
        switch (word.uppercased(), Self.pairs.first { $0.name.uppercased() == word.uppercased() }) {
        case ("RSA", _): kind = .rsa(bits: bits ?? 2048)
        case ("OCT", _): kind = .octets(bits: bits ?? purpose?.octetBits ?? 256)
        case (_, let pair?): kind = pair.kind
        default:
            // Names of `kty` and of algorithms suggest the most common kind of theirs.
            let hint =
                Self.relatives[word.uppercased()].map { "; did you mean '\($0)'?" }
                ?? Suggestion.hint(for: word, among: Self.kinds)
            let kinds = "; expected one of " + Self.kinds.joined(separator: ", ")
            throw .usage("unknown key kind '\(word)'" + (hint.isEmpty ? kinds : hint))
        }
    }

    private static let relatives = [
        "EC": "P-256", "ECDSA": "P-256", "ES256": "P-256", "ES384": "P-384", "ES512": "P-521", "ES256K": "secp256k1",
        "OKP": "Ed25519", "EDDSA": "Ed25519", "AKP": "ML-DSA-65", "RS256": "RSA", "PS256": "RSA", "HMAC": "oct",
        "HS256": "oct", "AES": "oct",
    ]

    private static let pairs: [(name: String, kind: KeyKind)] = [
        ("P-256", .p256), ("P-384", .p384), ("P-521", .p521), ("secp256k1", .secp256k1), ("Ed25519", .ed25519),
        ("Ed448", .ed448), ("X25519", .x25519), ("X448", .x448), ("ML-DSA-44", .mlDSA44), ("ML-DSA-65", .mlDSA65),
        ("ML-DSA-87", .mlDSA87),
    ]
    private static let kinds = ["RSA"] + pairs.map(\.name) + ["oct"]

    func run() throws(CommandFailure) -> ExitStatus {
        let path = try arguments.value(Options.out)
        guard path != nil || arguments.has(Options.isPrivate) else {
            throw .usage("needs --out FILE, or --private to write the private key to standard output")
        }
        let key = try CommandFailure.inWords(make)
        var text = try KeyWriter.privateJWK(key)
        defer { wipe(&text) }
        let publicPath = try arguments.value(Options.publicOut)
        let publicText = try publicPath.map { (_) throws(CommandFailure) in try KeyWriter.publicHalf(key).jwk() }
        try KeyWriter.write(text, to: path, isPrivate: true)
        if let publicText { try KeyWriter.write(Array(publicText.utf8), to: publicPath, isPrivate: false) }
        return .valid
    }

    private func make() throws(JOSEError) -> JWK {
        switch kind {
        case .octets(let bits):
            var key = try SecretKey.generate(bits: bits)
            // The thumbprint of a symmetric key would be a hash of the secret.
            key.keyID = name
            key.algorithm = algorithm
            key.use = use
            try check(.symmetricKey(key))
            return .symmetricKey(key)
        case .rsa, .p256, .p384, .p521, .secp256k1, .ed25519, .x25519, .ed448, .x448, .mlDSA44, .mlDSA65, .mlDSA87:
            var key = try PrivateKey.generate(kind)
            if let name { key.keyID = name } else { key.keyID = KeyLine.base64URL(try key.thumbprint()) }
            key.algorithm = algorithm ?? key.algorithm
            key.use = use
            try check(.privateKey(key))
            return .privateKey(key)
        }
    }

    /// Checks that the key's own algorithm accepts the key, so that no unusable key is written.
    private func check(_ key: JWK) throws(JOSEError) {
        guard let algorithm else { return }
        if let signature = SignatureAlgorithm(name: algorithm) {
            _ = try JWSSigner(key: key, algorithm: signature)
        } else if let management = KeyManagementAlgorithm(name: algorithm) {
            // The size of a key that is used directly is that of the content encryption, which is not known.
            if case .symmetricKey = key, management == .dir { return }
            _ = try JWEEncrypter(key: key, keyManagement: management, contentEncryption: .a128cbcHS256)
        } else if let content = ContentEncryption(name: algorithm), case .symmetricKey = key {
            _ = try JWEEncrypter(key: key, keyManagement: .dir, contentEncryption: content)
        }
    }
}

/// The kind, use and size of key that an algorithm requires.
private struct Purpose {
    let kind: String?
    let use: KeyUse
    let octetBits: Int?

    init(_ name: String, bits: Int?) throws(CommandFailure) {
        if let content = ContentEncryption(name: name) {
            (kind, use, octetBits) = ("oct", .encryption, content.keyBytes * 8)
            return
        }
        let isSignature = SignatureAlgorithm(name: name) != nil
        guard isSignature || KeyManagementAlgorithm(name: name) != nil else {
            let known = SignatureAlgorithm.all.map(\.name) + KeyManagementAlgorithm.all.map(\.name)
            throw .usage("unknown algorithm '\(name)'" + Suggestion.hint(for: name, among: known))
        }
        use = isSignature ? .signature : .encryption
        let row = Self.rows.first { name.hasPrefix($0.prefix) }
        kind = row?.kind
        octetBits = row?.bits
    }

    /// The key kinds by prefix of the algorithm's name. An algorithm that takes several kinds has no row.
    private static let rows: [(prefix: String, kind: String, bits: Int?)] = [
        ("HS256", "oct", 256), ("HS384", "oct", 384), ("HS512", "oct", 512), ("RS", "RSA", nil), ("PS", "RSA", nil),
        ("ES256K", "secp256k1", nil), ("ES256", "P-256", nil), ("ES384", "P-384", nil), ("ES512", "P-521", nil),
        ("ML-DSA-44", "ML-DSA-44", nil), ("ML-DSA-65", "ML-DSA-65", nil), ("ML-DSA-87", "ML-DSA-87", nil),
        ("Ed448", "Ed448", nil), ("Ed", "Ed25519", nil),
        ("A128KW", "oct", 128), ("A192KW", "oct", 192), ("A256KW", "oct", 256),
        ("A128GCMKW", "oct", 128), ("A192GCMKW", "oct", 192), ("A256GCMKW", "oct", 256),
        ("PBES2", "oct", 256),
    ]
}
