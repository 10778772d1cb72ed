internal import JOSE
internal import JOSESupport

/// The steps of issuing a token except the signature: completing and checking the claims before it, and encrypting
/// after it.
struct IssuingPlan: Sendable {
    let policy: TokenPolicy
    private(set) var lifetime: Duration
    private var lifetimeSeconds: Double
    let limits: ParsingLimits
    private let checker: ClaimChecker
    private var encrypter: JWEEncrypter?
    private let encryption: Encryption?
    private let standing: StandingClaims
    /// The signature algorithm; nil if the token has no signature.
    private var algorithm: SignatureAlgorithm?
    /// The longest time, in seconds, from issue to `exp` for which the key source promises that the signature can be
    /// verified.
    private var longestLifetime: Double?
    /// The `nbf` of the token, and the earliest time at which its claims are checked, in seconds since 1970; nil for
    /// the current time.
    private var validFrom: Double?

    /// The parameters of the encryption layer, with which the encrypter of other header parameters is created.
    private struct Encryption: Sendable {
        let policy: EncryptionPolicy
        let key: JWK
        let keyManagement: KeyManagementAlgorithm?
        let contentEncryption: ContentEncryption?
        /// The `typ` of the layer if the policy requires none.
        let type: String?

        func encrypter(_ header: HeaderParameters) throws(TokenError) -> JWEEncrypter {
            try JWEEncrypter(policy, key, keyManagement, contentEncryption, header, type: type)
        }
    }

    /// Creates a plan. `algorithm` is that of the signer, and nil exactly if the policy has no signature layer.
    init(
        _ policy: TokenPolicy, signedWith algorithm: SignatureAlgorithm?, encryptionKey: JWK?,
        _ keyManagement: KeyManagementAlgorithm?, _ contentEncryption: ContentEncryption?, _ header: HeaderParameters,
        lifetime: Duration
    ) throws(TokenError) {
        lifetimeSeconds = try Self.seconds(lifetime)
        self.policy = policy
        self.lifetime = lifetime
        self.algorithm = algorithm
        checker = try ClaimChecker(policy)
        standing = StandingClaims(policy.claims)
        switch (policy.form, algorithm, encryptionKey) {
        case (.signed(let signature), .some, nil):
            encryption = nil
            limits = signature.limits
        case (.encrypted(let encryption), nil, let key?):
            self.encryption = Encryption(
                policy: encryption, key: key, keyManagement: keyManagement, contentEncryption: contentEncryption,
                type: "JWT")
            limits = encryption.limits
        case (.nested(let outer, _), .some, let key?):
            encryption = Encryption(
                policy: outer, key: key, keyManagement: keyManagement, contentEncryption: contentEncryption, type: nil)
            limits = outer.limits
        default: throw .policyInvalid(.key)
        }
        encrypter = try encryption?.encrypter(header)
    }

    /// Returns the claims with those added that they lack, checked as by the policy's verifier.
    func payload(_ json: [UInt8]) throws(TokenError) -> [UInt8] { try checked(completed(json)) }

    /// Returns the JSON text of the claims with those added that they lack, checked as by the policy's verifier. They
    /// are written and parsed once.
    func payload(_ claims: ClaimsBuilder) throws(TokenError) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(claims.room + standing.room)
        writer.beginObject()
        claims.write(to: &writer)
        try complete(&writer) { claims.contains($0) }
        writer.endObject()
        return try checked(writer.bytes)
    }

    private func checked(_ payload: [UInt8]) throws(TokenError) -> [UInt8] {
        let claims = try Claims(payload: payload, limits: limits, layer: isSigned ? .signature : .encryption)
        try checker.check(claims, algorithm: algorithm, outer: encrypter?.sampleHeader, notBefore: validFrom)
        // An `exp` in milliseconds would make a token that never expires. `iat` and `nbf` in milliseconds are in the
        // future.
        if let expiration = claims.expiration, expiration.secondsSince1970 > NumericDate.latestIssued {
            throw .claim(.invalid("exp"))
        }
        if let longestLifetime { try check(claims, within: longestLifetime) }
        return payload
    }

    /// Returns the plan for the key that signs at this moment, whose algorithm may differ from that of an earlier key.
    func signed(with algorithm: SignatureAlgorithm, longestLifetime: Double?) -> IssuingPlan {
        var plan = self
        plan.algorithm = algorithm
        plan.longestLifetime = longestLifetime
        return plan
    }

    /// Returns the plan for a token with other properties.
    func applying(_ options: TokenOptions) throws(TokenError) -> IssuingPlan {
        var plan = self
        if let header = options.encryptionHeader {
            guard let encryption else { throw .policyInvalid(.key) }
            plan.encrypter = try encryption.encrypter(header)
        }
        if let lifetime = options.lifetime {
            plan.lifetimeSeconds = try Self.seconds(lifetime)
            plan.lifetime = lifetime
        }
        if let validFrom = options.validFrom {
            guard validFrom.isValid else { throw .policyInvalid(.validFrom) }
            plan.validFrom = validFrom.secondsSince1970.rounded(.down)
        }
        return plan
    }

    private static func seconds(_ lifetime: Duration) throws(TokenError) -> Double {
        let seconds = lifetime.inSeconds
        guard seconds > 0 else { throw .policyInvalid(.lifetimeNotPositive) }
        guard seconds <= NumericDate.latestIssued else { throw .policyInvalid(.duration) }
        return seconds
    }

    /// Throws if the token would be valid for longer than its signature can be verified.
    private func check(_ claims: Claims, within longest: Double) throws(TokenError) {
        guard let expiration = claims.expiration?.secondsSince1970,
            expiration <= (try checker.exactNow() + longest).rounded(.up)
        else { throw .policyInvalid(.lifetime) }
    }

    /// Returns the finished token: the given content, encrypted if the policy requires it.
    func token(_ content: [UInt8]) throws(TokenError) -> [UInt8] {
        let token = if let encrypter { try encrypted(encrypter, content) } else { content }
        guard token.count <= limits.tokenBytes else {
            throw .jose(.limitExceeded(.tokenBytes), layer: encrypter == nil ? .signature : .encryption)
        }
        return token
    }

    /// Returns the policy of the signature layer.
    static func signature(of policy: TokenPolicy) throws(TokenError) -> SignaturePolicy {
        guard let signature = policy.signature else { throw .policyInvalid(.key) }
        return signature
    }

    private var isSigned: Bool { algorithm != nil }

    private func encrypted(_ encrypter: JWEEncrypter, _ plaintext: [UInt8]) throws(TokenError) -> [UInt8] {
        guard plaintext.count <= limits.plaintextBytes else {
            throw .jose(.limitExceeded(.plaintextBytes), layer: .encryption)
        }
        return try inLayer(.encryption, encrypter.encryptBytes(plaintext.span))
    }
}

extension IssuingPlan {
    /// Returns the JSON object with the claims that it lacks inserted before its end.
    private func completed(_ json: [UInt8]) throws(TokenError) -> [UInt8] {
        let claims = try Claims(payload: json, limits: limits, layer: isSigned ? .signature : .encryption)
        var added = JSONWriter()
        added.bytes.reserveCapacity(json.count + standing.room)
        let end = claims.isEmpty ? nil : json.lastIndex(of: UInt8(ascii: "}"))
        let text = json.span
        if let end { added.raw(text.extracting(0..<end)) } else { added.beginObject() }
        let before = added.bytes.count
        try complete(&added) { claims.contains($0) }
        guard added.bytes.count > before else { return json }
        added.endObject()
        return added.bytes
    }

    /// Writes the claims that the policy names, `iat` and `exp`, unless `has` returns true for the name.
    @inline(__always)  // Inlining removes the closure.
    private func complete(_ writer: inout JSONWriter, _ has: (String) -> Bool) throws(TokenError) {
        for index in standing.members.indices where !has(standing.members[index].name) {
            let text = standing.members[index].text
            writer.raw(text.span)
        }
        if standing.hasHashes {
            for (name, value) in [("at_hash", policy.claims.accessToken), ("c_hash", policy.claims.code)] {
                if let hash = try hash(of: value), !has(name) { writer.member(name, hash) }
            }
        }
        let now = try checker.exactNow()
        // Times are whole seconds, rounded so that the token is valid at once and for its whole lifetime.
        if !has("iat") { writer.member("iat", Int64(now.rounded(.down))) }
        if let validFrom, !has("nbf") { writer.member("nbf", Int64(validFrom)) }
        // Both numbers are within 2^53, so that their sum fits.
        if !has("exp") { writer.member("exp", Int64((max(now, validFrom ?? now) + lifetimeSeconds).rounded(.up))) }
    }

    private func hash(of value: String?) throws(TokenError) -> String? {
        guard let value, let algorithm else { return nil }
        return try inLayer(.signature, algorithm.tokenHash(of: value))
    }
}

extension JWEEncrypter {
    fileprivate init(
        _ policy: EncryptionPolicy, _ key: JWK, _ keyManagement: KeyManagementAlgorithm?,
        _ contentEncryption: ContentEncryption?, _ header: HeaderParameters, type: String?
    ) throws(TokenError) {
        do throws(JOSEError) {
            let header = try header.completed(policy.type, policy.contentType, otherwise: type)
            guard let fallback = policy.keyManagement.first, let firstContent = policy.contentEncryption.first
            else { throw .configurationInvalid(.noAlgorithms) }
            guard keyManagement.map(policy.keyManagement.contains) ?? true
            else { throw .algorithmNotAllowed(.keyManagement) }
            guard contentEncryption.map(policy.contentEncryption.contains) ?? true
            else { throw .algorithmNotAllowed(.contentEncryption) }
            guard policy.allowsCompression || !header.compresses else { throw .headerInvalid(.compression) }
            let algorithm =
                keyManagement ?? policy.keyManagement.first {
                    KeySelection.unsuitability(of: key, for: $0, .encrypt) == nil
                } ?? fallback
            let content = contentEncryption ?? firstContent
            try self.init(key: key, keyManagement: algorithm, contentEncryption: content, header: header)
        } catch {
            throw .jose(error, layer: .encryption)
        }
    }
}
