internal import JOSE
internal import JOSEBytes

/// All of issuing that is not the signature, whoever makes that: the claims before it, the encryption after it.
struct IssuingPlan: Sendable {
    let policy: TokenPolicy
    let lifetime: Double
    private let limits: Limits
    private let checker: ClaimChecker
    private let encrypter: Encrypter?
    /// Nil: the token has no signature.
    private var algorithm: SignatureAlgorithm?
    /// Seconds from issue to `exp` beyond which nobody promises that the signature can be verified.
    private var longestLifetime: Double?

    /// `algorithm`: that of the signer, which must be there just where the policy's form has a signature.
    init(
        _ policy: TokenPolicy, signedWith algorithm: SignatureAlgorithm?, encryptionKey: JWK?,
        _ keyManagement: KeyManagementAlgorithm?, _ contentEncryption: ContentEncryption?, _ header: HeaderParameters,
        lifetime: Double
    ) throws(TokenError) {
        guard lifetime > 0, lifetime <= NumericDate.bound else { throw .policyInvalid(.time) }
        self.policy = policy
        self.lifetime = lifetime
        self.algorithm = algorithm
        checker = try ClaimChecker(policy.claims)
        switch (policy.form, algorithm, encryptionKey) {
        case (.signed(let signature), .some, nil):
            encrypter = nil
            limits = signature.limits
        case (.encrypted(let encryption), nil, let key?):
            encrypter = try .init(encryption, key, keyManagement, contentEncryption, header, type: "JWT")
            limits = encryption.limits
        case (.nested(let outer, _), .some, let key?):
            encrypter = try .init(outer, key, keyManagement, contentEncryption, header, type: nil)
            limits = outer.limits
        default: throw .policyInvalid(.key)
        }
    }

    /// The claims with what they lack, checked as the policy's verifier would.
    func payload(_ json: [UInt8]) throws(TokenError) -> [UInt8] {
        let payload = try completed(json)
        let claims = try Claims(payload: payload, limits: limits, layer: isSigned ? .signature : .encryption)
        try checker.check(claims, algorithm: algorithm, outer: encrypter?.sampleHeader)
        if let longestLifetime { try check(claims, within: longestLifetime) }
        return payload
    }

    /// For keys that come and go: those that sign later may be of another algorithm.
    func signed(with algorithm: SignatureAlgorithm, longestLifetime: Double?) -> IssuingPlan {
        var plan = self
        plan.algorithm = algorithm
        plan.longestLifetime = longestLifetime
        return plan
    }

    /// A token must not outlive the key that it is verified by.
    private func check(_ claims: Claims, within longest: Double) throws(TokenError) {
        guard let expiration = claims.expiration, expiration <= (try checker.now() + longest).rounded(.up) else {
            throw .policyInvalid(.lifetime)
        }
    }

    /// The token around the inner one, or around the claims where there is no inner one.
    func token(_ content: [UInt8]) throws(TokenError) -> [UInt8] {
        let token = if let encrypter { try encrypted(encrypter, content) } else { content }
        guard token.count <= limits.tokenBytes else {
            throw .jose(.limitExceeded(.tokenBytes), layer: encrypter == nil ? .signature : .encryption)
        }
        return token
    }

    /// Of the layer that is signed.
    static func signature(of policy: TokenPolicy) throws(TokenError) -> SignaturePolicy {
        switch policy.form {
        case .signed(let signature), .nested(_, let signature): signature
        case .encrypted: throw .policyInvalid(.key)
        }
    }

    private var isSigned: Bool { algorithm != nil }

    private func encrypted(_ encrypter: Encrypter, _ plaintext: [UInt8]) throws(TokenError) -> [UInt8] {
        guard plaintext.count <= limits.plaintextBytes else {
            throw .jose(.limitExceeded(.plaintextBytes), layer: .encryption)
        }
        do throws(JOSEError) {
            return try encrypter.encryptBytes(plaintext.span)
        } catch {
            throw .jose(error, layer: .encryption)
        }
    }
}

extension IssuingPlan {
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
