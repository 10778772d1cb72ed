import JOSE
import JOSESettings
import JOSETokens

/// The keys, algorithms and headers that the options of `sign`, `encrypt` and `nest` choose.
struct MakerChoice {
    struct Signature {
        let key: JWK
        let algorithm: SignatureAlgorithm
    }
    struct Recipient {
        let key: JWK
        let algorithm: KeyManagementAlgorithm
    }
    /// The keys that sign, and their algorithms; more than one only in the general JSON serialization.
    private(set) var signatures: [Signature] = []
    private(set) var recipients: [Recipient] = []
    private(set) var content = ContentEncryption.a128cbcHS256
    private(set) var signatureHeader = HeaderParameters()
    private(set) var encryptionHeader = HeaderParameters()
    let json: JSONForm?
    let lifetime: Duration
    let claims: ClaimPolicy

    init(_ arguments: Arguments, _ form: TokenForm) throws(CommandFailure) {
        json = try arguments.value(Options.jsonForm)
        lifetime = try arguments.value(Options.lifetime) ?? .seconds(300)
        var claims = ClaimPolicy(
            issuer: try arguments.value(Options.setIssuer).map { .exactly($0) } ?? .anyIssuerUnchecked,
            audience: try arguments.value(Options.setAudience).map { .exactly($0) } ?? .anyAudienceUnchecked)
        claims.subject = try arguments.value(Options.setSubject)
        if let now = try arguments.value(Options.setNow) { claims.clock = .fixed(now) }
        self.claims = claims
        let keys = try Self.keys(arguments, form)
        switch form {
        case .signed: signatures = try Self.signatures(arguments, keys)
        case .encrypted: recipients = try Self.recipients(arguments, keys)
        case .nested:
            signatures = try Self.signatures(arguments, keys)
            guard let path = try arguments.value(Options.encryptKey) else { throw .usage("needs --encrypt-key") }
            let recipient = try KeyReader(arguments).key(
                path, keyID: arguments.value(Options.encryptKeyID), use: .encryption)
            recipients = try Self.recipients(arguments, [recipient])
        }
        guard keys.count == 1 || json == .general else {
            throw .usage("several keys require the general JSON serialization: --json general")
        }
        if let first = recipients.first {
            let name = try arguments.value(Options.encipherWith) ?? first.key.contentEncryptionName
            if let name { content = try AlgorithmNames.contentEncryption([name])[0] }
        }
        let type = try arguments.value(Options.setType)
        if form.isSigned { signatureHeader.type = type } else { encryptionHeader.type = type }
        switch form {
        case .signed: signatureHeader.contentType = try arguments.value(Options.setContentType)
        case .encrypted: encryptionHeader.contentType = try arguments.value(Options.setContentType)
        // A nested JWT has this `cty` (RFC 7519, 5.2).
        case .nested: encryptionHeader.contentType = "JWT"
        }
        if form.isEncrypted { encryptionHeader.compresses = try arguments.wantsCompression(Options.zip) }
        signatureHeader.payloadIsUnencoded = arguments.has(Options.unencoded)
        if arguments.has(Options.ownChain) {
            guard signatures.count == 1, let chain = signatures[0].key.certificates else {
                throw .usage(
                    "--x5c requires one key with certificates: PKCS#12, PEM with certificates, or a JWK with x5c")
            }
            signatureHeader.set(certificates: chain)
        }
        if let iterations = try arguments.value(Options.iterations) {
            guard recipients.contains(where: \.algorithm.takesPassword) else {
                throw .usage("--p2c is for PBES2 only")
            }
            encryptionHeader.passwordIterations = iterations
        }
    }

    /// Returns the header of one recipient.
    ///
    /// - Parameter isWhole: Whether the members that all recipients share are in it too; otherwise only those of its
    ///   algorithm.
    func header(of recipient: Recipient, isWhole: Bool) -> HeaderParameters {
        var header = isWhole ? encryptionHeader : HeaderParameters()
        header.passwordIterations = recipient.algorithm.takesPassword ? encryptionHeader.passwordIterations : nil
        return header
    }

    private static func keys(_ arguments: Arguments, _ form: TokenForm) throws(CommandFailure) -> [JWK] {
        guard let paths = try arguments.list(Options.makerKeys) else { throw .usage("needs --key") }
        let names = try arguments.each(Options.makerKeyIDs, paths.count)
        let reader = KeyReader(arguments)
        return try zip(paths, names).map { (path, name) throws(CommandFailure) in
            try reader.key(path, keyID: name, use: form.isSigned ? .signature : .encryption)
        }
    }

    private static func signatures(_ arguments: Arguments, _ keys: [JWK]) throws(CommandFailure) -> [Signature] {
        let names = try arguments.each(Options.signWith, keys.count)
        return try zip(keys, names).map { (key, name) throws(CommandFailure) in
            Signature(key: key, algorithm: try signature(name, key))
        }
    }

    private static func recipients(_ arguments: Arguments, _ keys: [JWK]) throws(CommandFailure) -> [Recipient] {
        let names = try arguments.each(Options.encryptWith, keys.count)
        return try zip(keys, names).map { (key, name) throws(CommandFailure) in
            Recipient(key: key, algorithm: try keyManagement(name, key))
        }
    }

    private static func signature(_ name: String?, _ key: JWK) throws(CommandFailure) -> SignatureAlgorithm {
        if let name { return try AlgorithmNames.signature([name])[0] }
        if let named = key.algorithm.flatMap(SignatureAlgorithm.init(name:)) { return named }
        switch key.kind {
        case .p256: return .es256
        case .p384: return .es384
        case .p521: return .es512
        case .secp256k1: return .es256k
        case .ed25519, .ed448: return .edDSA
        case .mlDSA44: return .mlDSA44
        case .mlDSA65: return .mlDSA65
        case .mlDSA87: return .mlDSA87
        default:
            throw .usage(
                "needs --alg: the key names no signature algorithm, and fits several or none; for example --alg RS256 for RSA"
            )
        }
    }

    private static func keyManagement(_ name: String?, _ key: JWK) throws(CommandFailure) -> KeyManagementAlgorithm {
        if let name { return try AlgorithmNames.keyManagement([name])[0] }
        if let named = key.algorithm.flatMap(KeyManagementAlgorithm.init(name:)) { return named }
        if key.contentEncryptionName != nil { return .dir }
        throw .usage(
            "needs --key-alg: the key names no key management algorithm; for example --key-alg RSA-OAEP for RSA,"
                + " --key-alg ECDH-ES+A128KW for P-256")
    }
}

extension JWK {
    /// The content encryption in the key's `alg`: such a key is used directly (`dir`).
    fileprivate var contentEncryptionName: String? { algorithm.flatMap(ContentEncryption.init(name:))?.name }
}

extension KeyManagementAlgorithm {
    var takesPassword: Bool { name.hasPrefix("PBES2-") }
}

extension Arguments {
    /// Returns the values of an option that is given once for all keys or once for each, in their order.
    fileprivate func each(_ option: Option<[String]>, _ count: Int) throws(CommandFailure) -> [String?] {
        guard let values = try list(option) else { return Array(repeating: nil, count: count) }
        if values.count == 1 { return Array(repeating: values[0], count: count) }
        guard values.count == count else {
            throw .usage("--\(option.spec.name) is given \(values.count) times, and --key \(count)")
        }
        return values
    }
}
