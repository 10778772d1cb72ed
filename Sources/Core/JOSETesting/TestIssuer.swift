public import JOSE
internal import JOSECrypto
public import JOSETokens

/// An issuer and the recipient of its tokens, with new keys in memory, for tests of code that accepts tokens.
///
/// `verifier()` accepts the tokens of `issue(_:)`. `forged(claims:signatureHeader:encryptionHeader:)` and
/// `hostileTokens()` create tokens that it must reject.
public struct TestIssuer: Sendable {
    /// The layers of a token.
    public enum Form: CaseIterable, Sendable {
        /// A JWS, a JWE, or a JWS in a JWE.
        case signed, encrypted, nested
    }

    /// The layers of the tokens.
    public let form: Form
    /// The issuer, `iss`.
    public let issuer: String
    /// The audience, `aud`.
    public let audience: String
    /// The signature algorithm; unused in the form `encrypted`.
    public let signature: SignatureAlgorithm
    /// The key management algorithm; unused in the form `signed`.
    public let keyManagement: KeyManagementAlgorithm
    /// The content encryption algorithm; unused in the form `signed`.
    public let contentEncryption: ContentEncryption
    /// The clock of the issuer and of the verifiers that it creates. It stands still until the test moves it.
    public let clock: TestClock
    /// The policy of the tokens, with this issuer's clock.
    public let policy: TokenPolicy
    /// The private or symmetric signing key; unused in the form `encrypted`.
    public let signingKey: JWK
    /// The recipient's private or symmetric key; unused in the form `signed`.
    public let decryptionKey: JWK
    /// Claims that each token has beside those that every issuer adds.
    let additional: ClaimsBuilder
    /// Whether the policy is the caller's, so that it may accept what the policy of this type rejects.
    let hasOwnPolicy: Bool
    private let profile: ClockedProfile?
    /// Whether each token has a `jti` of its own.
    private let needsTokenID: Bool
    /// The time from `iat` to `exp` in seconds.
    private let lifetime: Int64
    private let tokens: TokenIssuer

    /// Creates an issuer with new keys and a policy of its own.
    ///
    /// - Parameters:
    ///   - form: The layers of the tokens.
    ///   - issuer: The issuer, `iss`.
    ///   - audience: The audience, `aud`.
    ///   - signature: The signature algorithm.
    ///   - keyManagement: The key management algorithm.
    ///   - contentEncryption: The content encryption algorithm.
    ///   - clock: The clock of the issuer and of the verifiers that it creates. By default it stands at a time in 2023,
    ///     so that a verifier with the system's clock rejects the tokens as expired.
    ///   - adjust: A closure that changes the requirements for the claims.
    /// - Throws: `policyInvalid` for an invalid policy, and `jose` errors for algorithms that cannot be used.
    public init(
        _ form: Form = .signed, issuer: String = "https://issuer.test", audience: String = "audience.test",
        signature: SignatureAlgorithm = .es256, keyManagement: KeyManagementAlgorithm = .ecdhES,
        contentEncryption: ContentEncryption = .a256gcm, clock: TestClock = TestClock(),
        adjusting adjust: (inout ClaimPolicy) -> Void = { _ in }
    ) throws(TokenError) {
        var claims = ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(audience))
        adjust(&claims)
        let inner = SignaturePolicy(algorithms: [signature])
        let outer = EncryptionPolicy(keyManagement: [keyManagement], contentEncryption: [contentEncryption])
        let policy: TokenPolicy =
            switch form {
            case .signed: .signed(inner, claims: claims)
            case .encrypted: .encrypted(outer, claims: claims)
            case .nested: .nested(outer: outer, inner: inner, claims: claims)
            }
        try self.init(
            policy, nil, ClaimsBuilder(), clock, issuer: issuer, audience: audience, signature, keyManagement,
            contentEncryption, hasOwnPolicy: false)
    }

    /// Creates an issuer of tokens that meet the policy of the code under test, with new keys for its first algorithms.
    ///
    /// - Parameters:
    ///   - policy: The policy. Its clock is replaced by `clock`.
    ///   - claims: Claims that each token has beside `iss`, `aud`, `sub`, `iat` and `exp`, such as those that the
    ///     policy requires. A claim of one of these names takes the place of the usual one.
    ///   - clock: The clock of the issuer and of the verifiers that it creates. By default it stands at a time in 2023,
    ///     so that a verifier with the system's clock rejects the tokens as expired.
    /// - Throws: `policyInvalid` for an invalid policy, and `jose` errors for algorithms that cannot be used.
    public init(
        _ policy: TokenPolicy, claims: ClaimsBuilder = ClaimsBuilder(), clock: TestClock = TestClock()
    ) throws(TokenError) {
        try self.init(policy, nil, claims, clock)
    }

    /// Creates an issuer of tokens that meet the profile of the code under test, with new keys for its first
    /// algorithms. The verifiers make the profile's own checks and use its replay store. The clock of the profile's
    /// policy is replaced by `clock`; a clock that the profile itself reads is not. The other parameters are those of
    /// the initializer that takes a policy.
    public init(
        _ profile: some TokenProfile, claims: ClaimsBuilder = ClaimsBuilder(), clock: TestClock = TestClock()
    ) throws(TokenError) {
        try self.init(profile.policy, profile, claims, clock)
    }

    private init(
        _ policy: TokenPolicy, _ profile: (any TokenProfile)?, _ claims: ClaimsBuilder, _ clock: TestClock
    ) throws(TokenError) {
        let signature = policy.signature?.algorithms.first
        let encryption = policy.encryption
        if policy.signature != nil, signature == nil {
            throw .jose(.configurationInvalid(.noAlgorithms), layer: .signature)
        }
        if let encryption, encryption.keyManagement.isEmpty || encryption.contentEncryption.isEmpty {
            throw .jose(.configurationInvalid(.noAlgorithms), layer: .encryption)
        }
        let issuer = policy.claims.issuer.listed?.first ?? "https://issuer.test"
        let audience = policy.claims.audience.listed?.first ?? "audience.test"
        // A token issuer adds these by itself where the policy accepts only one.
        var claims = claims
        if claims["aud"] == nil, policy.claims.audience != .exactly(audience) { claims["aud"] = .string(audience) }
        if claims["iss"] == nil, policy.claims.issuer != .exactly(issuer) { claims["iss"] = .string(issuer) }
        try self.init(
            policy, profile, claims, clock, issuer: claims["iss"]?.text ?? issuer,
            audience: claims["aud"]?.text ?? audience, signature ?? .es256,
            encryption?.keyManagement.first ?? .ecdhES, encryption?.contentEncryption.first ?? .a256gcm,
            hasOwnPolicy: true)
    }

    private init(
        _ policy: TokenPolicy, _ profile: (any TokenProfile)?, _ additional: ClaimsBuilder, _ clock: TestClock,
        issuer: String, audience: String, _ signature: SignatureAlgorithm, _ keyManagement: KeyManagementAlgorithm,
        _ contentEncryption: ContentEncryption, hasOwnPolicy: Bool
    ) throws(TokenError) {
        let policy = policy.withClock(clock.wallClock)
        self.policy = policy
        self.profile = profile.map { ClockedProfile(base: $0, policy: policy) }
        self.additional = additional
        self.clock = clock
        self.issuer = issuer
        self.audience = audience
        self.signature = signature
        self.keyManagement = keyManagement
        self.contentEncryption = contentEncryption
        self.hasOwnPolicy = hasOwnPolicy
        signingKey = try inLayer(.signature, Self.key(for: signature))
        decryptionKey = try inLayer(.encryption, Self.key(for: keyManagement, contentEncryption))
        needsTokenID =
            hasOwnPolicy && additional["jti"] == nil
            && (profile?.replayStore != nil || policy.claims.required.contains("jti"))
        lifetime = policy.claims.sampleLifetime
        let time = Duration.seconds(lifetime)
        switch policy.form {
        case .signed:
            form = .signed
            tokens = try TokenIssuer(policy, signingKey: signingKey, lifetime: time)
        case .encrypted:
            form = .encrypted
            tokens = try TokenIssuer(policy, encryptionKey: Self.shown(decryptionKey), lifetime: time)
        case .nested:
            form = .nested
            tokens = try TokenIssuer(
                policy, signingKey: signingKey, encryptionKey: Self.shown(decryptionKey), lifetime: time)
        }
    }

    /// The keys that the issuer publishes: its public key, or the shared key if the algorithm is a MAC.
    public var verificationKeys: KeySet { form == .encrypted ? .empty : KeySet(Self.shown(signingKey)) }
    /// The recipient's decryption keys, which are private or symmetric.
    public var decryptionKeys: KeySet { form == .signed ? .empty : KeySet(decryptionKey) }

    /// Creates a verifier that accepts the tokens of `issue(_:)`, with the same clock, and with the profile if there is
    /// one.
    ///
    /// - Throws: `policyInvalid` for an invalid policy.
    public func verifier() throws(TokenError) -> TokenVerifier { try verifier(profile) }

    /// Creates a verifier that marks no token as used.
    func unmarkedVerifier() throws(TokenError) -> TokenVerifier {
        var unmarked = profile
        unmarked?.usesReplayStore = false
        return try verifier(unmarked)
    }

    private func verifier(_ profile: ClockedProfile?) throws(TokenError) -> TokenVerifier {
        if let profile {
            return try TokenVerifier(profile, verificationKeys: verificationKeys, decryptionKeys: decryptionKeys)
        }
        return try TokenVerifier(policy, verificationKeys: verificationKeys, decryptionKeys: decryptionKeys)
    }

    /// Issues a token, and adds `iss`, `aud`, `iat`, `exp` and the issuer's additional claims if they are absent, and a
    /// new `jti` if the policy or the profile's replay store needs one.
    ///
    /// - Parameter claims: The claims, which take the place of additional ones with the same name.
    /// - Returns: The compact serialization.
    /// - Throws: The error with which a verifier of the policy would reject these claims.
    public func issue(_ claims: ClaimsBuilder = ClaimsBuilder()) throws(TokenError) -> String {
        var claims = claims.adding(additional)
        if needsTokenID, claims["jti"] == nil { claims["jti"] = .string(Self.tokenID()) }
        return try tokens.issue(claims)
    }

    /// Issues a token with claims whose values are variables of the test.
    ///
    /// - Parameter claims: The claims, which take the place of additional ones with the same name.
    /// - Returns: The compact serialization.
    /// - Throws: The error with which a verifier of the policy would reject these claims.
    @_disfavoredOverload
    public func issue(_ claims: KeyValuePairs<String, any ClaimValueConvertible>) throws(TokenError) -> String {
        try issue(ClaimsBuilder(claims))
    }

    /// Issues a token with the members of a JSON object as claims, and adds `iat` and `exp` if they are absent, and
    /// `iss` and `aud` if they are absent and the policy accepts exactly one. Additional claims are not added.
    public func issue(json: some ByteSource) throws(TokenError) -> String { try tokens.issue(json: json) }

    /// Returns the JSON text of valid claims.
    ///
    /// - Parameter more: Further members, with a comma before the first, which are inserted before the end.
    public func claims(adding more: String = "") -> String {
        "{" + members().map { "\"\($0)\":\($1)" }.joined(separator: ",") + more + "}"
    }

    /// Returns the names and JSON texts of valid claims.
    ///
    /// - Parameter name: The name of a claim to leave out.
    func members(without name: String? = nil) -> [(name: String, text: String)] {
        let now = Int64(exactly: clock.now.secondsSince1970.rounded()) ?? 0
        let usual = [
            ("iss", "\"\(issuer)\""), ("aud", "\"\(audience)\""), ("sub", "\"somebody\""), ("iat", "\(now)"),
            ("exp", "\(now + lifetime)"),
        ]
        let unique = needsTokenID ? [("jti", "\"\(Self.tokenID())\"")] : []
        return (usual.filter { additional[$0.0] == nil } + additional.members + unique).filter { $0.0 != name }
    }

    /// Returns the JSON text of a valid header of the signature layer.
    ///
    /// - Parameter more: Further members, with a comma before the first, which are inserted before the end.
    public func signatureHeader(adding more: String = "") -> String {
        let type = Self.member("typ", policy.signature?.type ?? .any, usual: "JWT")
        return #"{"alg":"\#(signature.name)","kid":"\#(signingKey.keyID ?? "")"\#(type)\#(more)}"#
    }

    /// Returns the JSON text of a valid header of the encryption layer. Values that are new in each token are
    /// placeholders, which `Forge` replaces.
    ///
    /// - Parameter more: Further members, with a comma before the first, which are inserted before the end.
    public func encryptionHeader(adding more: String = "") -> String {
        let names = #""alg":"\#(keyManagement.name)","enc":"\#(contentEncryption.name)""#
        let fresh = Forge.freshMembers(keyManagement)
        let type = Self.member("typ", policy.encryption?.type ?? .any, usual: form == .nested ? nil : "JWT")
        let content = Self.member(
            "cty", policy.encryption?.contentType ?? .any, usual: form == .nested ? "JWT" : nil)
        return #"{\#(names),"kid":"\#(decryptionKey.keyID ?? "")"\#(type)\#(content)\#(fresh)\#(more)}"#
    }

    /// Returns a member of a header that a rule accepts, with a comma before it; `usual` is its value if the rule
    /// accepts any.
    private static func member(_ name: String, _ rule: TypeRule, usual: String?) -> String {
        rule.value(otherwise: usual).map { #","\#(name)":"\#($0)""# } ?? ""
    }

    /// Creates a token of the issuer's form with the given claims and headers, which may be any text, and with a valid
    /// signature and encryption.
    ///
    /// - Parameters:
    ///   - claims: The text of the claims; nil for valid claims.
    ///   - signatureHeader: The text of the header of the signature layer; nil for a valid one.
    ///   - encryptionHeader: The text of the header of the encryption layer; nil for a valid one.
    public func forged(
        claims: String? = nil, signatureHeader: String? = nil, encryptionHeader: String? = nil
    ) throws(JOSEError) -> String {
        try forged(
            claims: Array((claims ?? self.claims()).utf8),
            signatureHeader: Array((signatureHeader ?? self.signatureHeader()).utf8),
            encryptionHeader: Array((encryptionHeader ?? self.encryptionHeader()).utf8))
    }

    /// Creates a token of the issuer's form with the given claims and headers, which may be any bytes, and with a valid
    /// signature and encryption.
    public func forged(
        claims: [UInt8], signatureHeader: [UInt8], encryptionHeader: [UInt8]
    ) throws(JOSEError) -> String {
        guard form != .encrypted else { return try encrypted(claims, header: encryptionHeader) }
        return try outer(
            Forge.signed(header: signatureHeader, payload: claims, with: signingKey, signature),
            header: encryptionHeader)
    }

    /// Returns the given text as a token of the issuer's form: encrypted if the form is nested, and unchanged
    /// otherwise.
    ///
    /// - Parameters:
    ///   - inner: The text in place of the signature layer.
    ///   - header: The header of the encryption layer; nil for a valid one.
    public func outer(_ inner: String, header: [UInt8]? = nil) throws(JOSEError) -> String {
        guard form == .nested else { return inner }
        return try encrypted(Array(inner.utf8), header: header ?? Array(encryptionHeader().utf8))
    }

    private func encrypted(_ plaintext: [UInt8], header: [UInt8]) throws(JOSEError) -> String {
        try Forge.encrypted(
            header: header, plaintext: plaintext, with: decryptionKey, keyManagement, contentEncryption)
    }

    private static func tokenID() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    private static func shown(_ key: JWK) -> JWK { key.publicKey.map { .publicKey($0) } ?? key }
}
