import JOSE
import JOSETokens

/// Makes tokens of payloads: of claims that are completed and checked, or of bytes that are taken as they are.
enum TokenMaker: Sendable {
    case claims(TokenIssuer)
    case bytes(Signer?, Encrypter?)

    func make(_ payload: [UInt8]) throws(TokenError) -> [UInt8] {
        switch self {
        case .claims(let issuer): return try issuer.issueBytes(json: payload)
        case .bytes(let signer, let encrypter):
            var bytes = payload
            if let signer {
                do throws(JOSEError) { bytes = try signer.signBytes(bytes.span) } catch {
                    throw .jose(error, layer: .signature)
                }
            }
            if let encrypter {
                do throws(JOSEError) { bytes = try encrypter.encryptBytes(bytes.span) } catch {
                    throw .jose(error, layer: .encryption)
                }
            }
            return bytes
        }
    }

    init(_ arguments: Arguments, form: TokenForm) throws(CommandFailure) {
        let choice = try Choice(arguments, form)
        do throws(TokenError) {
            if Options.ofClaims.contains(where: arguments.has) {
                self = .claims(try choice.issuer(arguments))
            } else {
                self = try choice.bytes()
            }
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// Keys, algorithms and headers.
    fileprivate struct Choice {
        var signing: (key: JWK, algorithm: SignatureAlgorithm)?
        var encryption: (key: JWK, algorithm: KeyManagementAlgorithm, content: ContentEncryption)?
        var signatureHeader = HeaderParameters()
        var encryptionHeader = HeaderParameters()
        let lifetime: Double?
        let claims: ClaimPolicy

        init(_ arguments: Arguments, _ form: TokenForm) throws(CommandFailure) {
            let reader = KeyReader(arguments)
            guard let path = try arguments.value(Options.key) else { throw .usage("needs --key") }
            let key = try reader.key(
                path, keyID: arguments.value(Options.keyID), use: form.isSigned ? .signature : .encryption)
            if form.isSigned {
                signing = (key, try Self.signature(arguments.value(Options.signWith), key))
            }
            if form.isEncrypted {
                var recipient = key
                if form == .nested {
                    guard let path = try arguments.value(Options.encryptKey) else {
                        throw .usage("needs --encrypt-key")
                    }
                    recipient = try reader.key(path, keyID: arguments.value(Options.encryptKeyID), use: .encryption)
                }
                let algorithm = try Self.keyManagement(arguments.value(Options.encryptWith), recipient)
                let content = try AlgorithmNames.contentEncryption([
                    arguments.value(Options.encipherWith) ?? Self.contentOf(recipient) ?? "A128CBC-HS256"
                ])
                encryption = (recipient, algorithm, content[0])
            }
            let type = try arguments.value(Options.setType)
            if form.isSigned { signatureHeader.type = type } else { encryptionHeader.type = type }
            switch form {
            case .signed: signatureHeader.contentType = try arguments.value(Options.setContentType)
            case .encrypted: encryptionHeader.contentType = try arguments.value(Options.setContentType)
            // RFC 7519, 5.2.
            case .nested: encryptionHeader.contentType = "JWT"
            }
            if form.isEncrypted { encryptionHeader.compresses = try arguments.wantsCompression(Options.zip) }
            lifetime = try arguments.value(Options.lifetime)
            var claims = ClaimPolicy(
                issuer: try arguments.value(Options.setIssuer).map { .exactly($0) } ?? .anyIssuerUnchecked,
                audience: try arguments.value(Options.setAudience).map { .exactly($0) } ?? .anyAudienceUnchecked)
            claims.subject = try arguments.value(Options.setSubject)
            if let now = try arguments.value(Options.setNow) { claims.clock = .fixed(now) }
            self.claims = claims
        }

        func issuer(_ arguments: Arguments) throws(TokenError) -> TokenIssuer {
            let inner = signing.map { SignaturePolicy(algorithms: [$0.algorithm]) }
            var outer = encryption.map {
                EncryptionPolicy(keyManagement: [$0.algorithm], contentEncryption: [$0.content])
            }
            outer?.allowsCompression = encryptionHeader.compresses
            let policy: TokenPolicy
            switch (inner, outer) {
            case (let inner?, let outer?): policy = .nested(outer: outer, inner: inner, claims: claims)
            case (let inner?, nil): policy = .signed(inner, claims: claims)
            case (nil, let outer?): policy = .encrypted(outer, claims: claims)
            case (nil, nil): throw .policyInvalid(.key)
            }
            return try TokenIssuer(
                policy, signingKey: signing?.key, encryptionKey: encryption?.key, lifetime: lifetime ?? 300,
                signatureHeader: signatureHeader, encryptionHeader: encryptionHeader)
        }

        func bytes() throws(TokenError) -> TokenMaker {
            var signer: Signer?
            var encrypter: Encrypter?
            do throws(JOSEError) {
                if let (key, algorithm) = signing { signer = try Self.signer(key, algorithm, signatureHeader) }
            } catch {
                throw .jose(error, layer: .signature)
            }
            do throws(JOSEError) {
                if let (key, algorithm, content) = encryption {
                    encrypter = try Self.encrypter(key, algorithm, content, encryptionHeader)
                }
            } catch {
                throw .jose(error, layer: .encryption)
            }
            return .bytes(signer, encrypter)
        }
    }
}

extension TokenMaker.Choice {
    fileprivate static func signer(
        _ key: JWK, _ algorithm: SignatureAlgorithm, _ header: HeaderParameters
    ) throws(JOSEError) -> Signer {
        switch key {
        case .privateKey(let key): return try Signer(key: key, algorithm: algorithm, header: header)
        case .symmetricKey(let key): return try Signer(key: key, algorithm: algorithm, header: header)
        case .publicKey: throw .keyInvalid(.wrongHalf)
        }
    }

    fileprivate static func encrypter(
        _ key: JWK, _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryption, _ header: HeaderParameters
    ) throws(JOSEError) -> Encrypter {
        if case .symmetricKey(let key) = key {
            return try Encrypter(key: key, keyManagement: algorithm, contentEncryption: content, header: header)
        }
        guard let key = key.publicKey else { throw .keyInvalid(.wrongHalf) }
        return try Encrypter(key: key, keyManagement: algorithm, contentEncryption: content, header: header)
    }

    fileprivate static func signature(_ name: String?, _ key: JWK) throws(CommandFailure) -> SignatureAlgorithm {
        if let name { return try AlgorithmNames.signature([name])[0] }
        if let named = key.algorithm.flatMap(SignatureAlgorithm.init(name:)) { return named }
        switch key.kind {
        case .p256: return .es256
        case .p384: return .es384
        case .p521: return .es512
        case .secp256k1: return .es256k
        case .ed25519, .ed448: return .edDSA
        default: throw .usage("needs --alg: the key names no signature algorithm, and fits several or none")
        }
    }

    fileprivate static func keyManagement(_ name: String?, _ key: JWK) throws(CommandFailure) -> KeyManagementAlgorithm
    {
        if let name { return try AlgorithmNames.keyManagement([name])[0] }
        if let named = key.algorithm.flatMap(KeyManagementAlgorithm.init(name:)) { return named }
        if contentOf(key) != nil { return .dir }
        throw .usage("needs --key-alg: the key names no key management algorithm")
    }

    /// A key whose `alg` is a content encryption is used directly.
    fileprivate static func contentOf(_ key: JWK) -> String? {
        key.algorithm.flatMap(ContentEncryption.init(name:))?.name
    }
}
