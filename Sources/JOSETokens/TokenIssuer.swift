public import JOSE
internal import JOSEBytes

/// Issues tokens under one policy: the mirror of `TokenVerifier`. What it makes passes the verifier of the same policy, for
/// claims that would not are refused before anything is signed.
public struct TokenIssuer: Sendable {
    private enum Layers: Sendable {
        case signed(Signer)
        case encrypted(Encrypter)
        case nested(Signer, Encrypter)
    }
    private let layers: Layers
    private let limits: Limits
    private let checker: ClaimChecker
    /// Seconds from issue to `exp`, for claims that have none of their own.
    public let lifetime: Double
    /// As it was given when this was made.
    public let policy: TokenPolicy

    /// Keys: `.privateKey` or `.symmetricKey` to sign with, `.publicKey` or `.symmetricKey` to encrypt to; just those that
    /// the policy's form needs. Algorithms left out are the first of the policy that the key fits. `typ` and `cty` left out
    /// are what the policy asks for; where it does not ask, `typ` is `JWT`.
    public init(
        _ policy: TokenPolicy, signingKey: JWK? = nil, encryptionKey: JWK? = nil,
        algorithm: SignatureAlgorithm? = nil, keyManagement: KeyManagementAlgorithm? = nil,
        contentEncryption: ContentEncryption? = nil, lifetime: Double = 300,
        signatureHeader: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
    ) throws(TokenError) {
        guard lifetime > 0, lifetime <= NumericDate.bound else { throw .policyInvalid(.time) }
        self.policy = policy
        self.lifetime = lifetime
        checker = try ClaimChecker(policy.claims)
        switch (policy.form, signingKey, encryptionKey) {
        case (.signed(let signature), let signingKey?, nil):
            layers = .signed(try .init(signature, signingKey, algorithm, signatureHeader))
            limits = signature.limits
        case (.encrypted(let encryption), nil, let encryptionKey?):
            layers = .encrypted(
                try .init(encryption, encryptionKey, keyManagement, contentEncryption, encryptionHeader, type: "JWT"))
            limits = encryption.limits
        case (.nested(let outer, let inner), let signingKey?, let encryptionKey?):
            layers = .nested(
                try .init(inner, signingKey, algorithm, signatureHeader),
                try .init(outer, encryptionKey, keyManagement, contentEncryption, encryptionHeader, type: nil))
            limits = outer.limits
        default: throw .policyInvalid(.key)
        }
    }

    /// Adds, where the claims lack them, `iss`, `aud`, `sub`, `nonce`, `azp`, `at_hash` and `c_hash` as far as the policy
    /// names one value, `iat` (now) and `exp` (now and the lifetime). Throws what the policy's verifier would.
    public func issue(_ claims: ClaimSet = ClaimSet()) throws(TokenError) -> String {
        try issue(json: claims.json())
    }

    /// The same of a JSON object, as text; its own members are kept byte for byte.
    public func issue(json: [UInt8]) throws(TokenError) -> String {
        String(decoding: try issueBytes(json: json), as: UTF8.self)
    }

    /// The compact serialization as ASCII bytes.
    public func issueBytes(json: [UInt8]) throws(TokenError) -> [UInt8] {
        let payload = try completed(json)
        let claims = try Claims(payload: payload, limits: limits, layer: isSigned ? .signature : .encryption)
        try checker.check(claims, algorithm: algorithm, outer: encrypter?.sampleHeader)
        let token: [UInt8]
        switch layers {
        case .signed(let signer):
            token = try signed(signer, payload)
        case .encrypted(let encrypter):
            token = try encrypted(encrypter, payload)
        case .nested(let signer, let encrypter):
            token = try encrypted(encrypter, try signed(signer, payload))
        }
        guard token.count <= limits.tokenBytes else {
            throw .jose(.limitExceeded(.tokenBytes), layer: encrypter == nil ? .signature : .encryption)
        }
        return token
    }

    private var encrypter: Encrypter? {
        switch layers {
        case .signed: nil
        case .encrypted(let encrypter), .nested(_, let encrypter): encrypter
        }
    }

    private var algorithm: SignatureAlgorithm? {
        switch layers {
        case .encrypted: nil
        case .signed(let signer), .nested(let signer, _): signer.algorithm
        }
    }

    private var isSigned: Bool { algorithm != nil }

    private func signed(_ signer: Signer, _ payload: [UInt8]) throws(TokenError) -> [UInt8] {
        do throws(JOSEError) { return try signer.signBytes(payload.span) } catch {
            throw .jose(error, layer: .signature)
        }
    }

    private func encrypted(_ encrypter: Encrypter, _ plaintext: [UInt8]) throws(TokenError) -> [UInt8] {
        guard plaintext.count <= encrypterLimits.plaintextBytes else {
            throw .jose(.limitExceeded(.plaintextBytes), layer: .encryption)
        }
        do throws(JOSEError) {
            return try encrypter.encryptBytes(plaintext.span)
        } catch {
            throw .jose(error, layer: .encryption)
        }
    }

    private var encrypterLimits: Limits {
        switch policy.form {
        case .signed(let signature): signature.limits
        case .encrypted(let encryption), .nested(let encryption, _): encryption.limits
        }
    }
}

extension TokenIssuer {
    /// The object with what it lacks put before its end.
    private func completed(_ json: [UInt8]) throws(TokenError) -> [UInt8] {
        let claims = try Claims(payload: json, limits: limits, layer: isSigned ? .signature : .encryption)
        var added = JSONWriter()
        added.beginObject()
        var isEmpty = true
        func add(_ name: String, _ write: (inout JSONWriter) -> Void) {
            guard !claims.contains(name) else { return }
            isEmpty = false
            added.name(name)
            write(&added)
        }
        let claimPolicy = policy.claims
        if case .exactly(let issuer) = claimPolicy.issuer { add("iss") { $0.string(issuer) } }
        if case .exactly(let audience) = claimPolicy.audience { add("aud") { $0.string(audience) } }
        for (name, value) in [
            ("sub", claimPolicy.subject), ("nonce", claimPolicy.nonce), ("azp", claimPolicy.authorizedParty),
            ("at_hash", try hash(of: claimPolicy.accessToken)), ("c_hash", try hash(of: claimPolicy.code)),
        ] {
            if let value { add(name) { $0.string(value) } }
        }
        let now = try checker.now()
        // Whole seconds, rounded towards being valid at once and for the whole lifetime.
        add("iat") { $0.integer(Int64(now.rounded(.down))) }
        // Both are within 2^53, so their sum fits.
        add("exp") { $0.integer(Int64((now + lifetime).rounded(.up))) }
        guard !isEmpty else { return json }
        added.endObject()
        let end = json.lastIndex(of: UInt8(ascii: "}")) ?? json.count
        let head = claims.isEmpty ? [UInt8(ascii: "{")] : json[..<end] + [UInt8(ascii: ",")]
        return head + added.bytes.dropFirst()
    }

    private func hash(of value: String?) throws(TokenError) -> String? {
        guard let value, let algorithm else { return nil }
        do throws(JOSEError) {
            return try algorithm.tokenHash(of: value)
        } catch {
            throw .jose(error, layer: .signature)
        }
    }
}

extension Signer {
    fileprivate init(
        _ policy: SignaturePolicy, _ key: JWK, _ algorithm: SignatureAlgorithm?, _ header: HeaderParameters
    ) throws(TokenError) {
        var header = header
        header.type = header.type ?? policy.type.value(otherwise: "JWT")
        header.contentType = header.contentType ?? policy.contentType.value(otherwise: nil)
        do throws(JOSEError) {
            let algorithm = try Self.choose(policy.algorithms, algorithm, for: key)
            switch key {
            case .privateKey(let key): try self.init(key: key, algorithm: algorithm, header: header)
            case .symmetricKey(let key): try self.init(key: key, algorithm: algorithm, header: header)
            case .publicKey: throw .keyInvalid(.wrongHalf)
            }
            // RFC 7797, 7: a JWT has its payload encoded.
            guard !payloadIsUnencoded else { throw .headerInvalid(.b64) }
        } catch {
            throw .jose(error, layer: .signature)
        }
    }

    private static func choose(
        _ allowed: [SignatureAlgorithm], _ wanted: SignatureAlgorithm?, for key: JWK
    ) throws(JOSEError) -> SignatureAlgorithm {
        if let wanted {
            guard allowed.contains(wanted) else { throw .algorithmNotAllowed(.signature) }
            return wanted
        }
        guard let first = allowed.first else { throw .algorithmNotAllowed(.signature) }
        return allowed.first { KeySelection.unsuitability(of: key, for: $0, .sign) == nil } ?? first
    }
}

extension Encrypter {
    fileprivate init(
        _ policy: EncryptionPolicy, _ key: JWK, _ keyManagement: KeyManagementAlgorithm?,
        _ contentEncryption: ContentEncryption?, _ header: HeaderParameters, type: String?
    ) throws(TokenError) {
        var header = header
        header.type = header.type ?? policy.type.value(otherwise: type)
        header.contentType = header.contentType ?? policy.contentType.value(otherwise: nil)
        do throws(JOSEError) {
            guard let fallback = policy.keyManagement.first, keyManagement.map(policy.keyManagement.contains) ?? true
            else { throw .algorithmNotAllowed(.keyManagement) }
            guard let firstContent = policy.contentEncryption.first,
                contentEncryption.map(policy.contentEncryption.contains) ?? true
            else { throw .algorithmNotAllowed(.contentEncryption) }
            guard policy.allowsCompression || !header.compresses else { throw .headerInvalid(.compression) }
            let algorithm =
                keyManagement ?? policy.keyManagement.first {
                    KeySelection.unsuitability(of: key, for: $0, .encrypt) == nil
                } ?? fallback
            let content = contentEncryption ?? firstContent
            switch key {
            case .publicKey(let key):
                try self.init(key: key, keyManagement: algorithm, contentEncryption: content, header: header)
            case .privateKey(let key):
                try self.init(key: key.publicKey, keyManagement: algorithm, contentEncryption: content, header: header)
            case .symmetricKey(let key):
                try self.init(key: key, keyManagement: algorithm, contentEncryption: content, header: header)
            }
        } catch {
            throw .jose(error, layer: .encryption)
        }
    }
}

extension TypeRule {
    /// What a header that is to pass says.
    fileprivate func value(otherwise fallback: String?) -> String? {
        switch self {
        case .any: fallback
        case .absent: nil
        case .exactly(let type), .absentOr(let type): type
        }
    }
}
