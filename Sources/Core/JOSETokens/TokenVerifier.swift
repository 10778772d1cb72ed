public import JOSE
internal import JOSEBytes

/// Verifies tokens under a policy.
///
/// A verifier is created once, is immutable and can be shared between tasks. The methods without a timeout never wait,
/// neither for a key to be fetched nor for the decryption limiter.
public struct TokenVerifier: Sendable {
    enum Layers: Sendable {
        case signed(JWSVerifier)
        case encrypted(JWEDecrypter)
        case nested(JWEDecrypter, JWSVerifier)
    }
    let layers: Layers
    let checker: ClaimChecker
    let caching: TokenCaching?
    /// The policy that the verifier was created with.
    public let policy: TokenPolicy

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - policy: The policy of the tokens.
    ///   - verificationKeys: The keys that verify signatures: a `KeySet`, or a source that changes, such as a remote JWKS. Each
    ///     token is verified with the keys that the source has at that moment. Public and symmetric keys are used, and the public
    ///     half of private ones.
    ///   - decryptionKeys: The keys that decrypt, a `KeySet` or a source that changes. Private and symmetric keys are used.
    ///   - trust: The trusted root certificates; nil to ignore `x5c`. With them, a token that has `x5c` is verified
    ///     with the key of its first certificate, whose chain is validated at the time of the policy's clock unless the
    ///     trust has its own clock.
    ///   - cache: The cache of verified tokens; nil for none.
    /// - Throws: `policyInvalid`.
    public init(
        _ policy: TokenPolicy, verificationKeys: any KeySource = KeySet.empty,
        decryptionKeys: any KeySource = KeySet.empty, trust: CertificateTrust? = nil, cache: TokenCache? = nil
    ) throws(TokenError) {
        self.policy = policy
        caching = cache.map { TokenCaching($0) }
        let trust = trust?.by(policy.claims.clock)
        checker = try ClaimChecker(policy.claims)
        switch policy.form {
        case .signed(let signature):
            layers = .signed(JWSVerifier(tokenKeys: verificationKeys, policy: signature, trust: trust))
        case .encrypted(let encryption):
            layers = .encrypted(JWEDecrypter(keys: decryptionKeys, policy: encryption))
        case .nested(let outer, let inner):
            layers = .nested(
                JWEDecrypter(keys: decryptionKeys, policy: outer),
                JWSVerifier(tokenKeys: verificationKeys, policy: inner, trust: trust))
        }
    }

    /// Verifies the token, given as a span of ASCII bytes, and returns its claims.
    ///
    /// - Parameter token: The compact serialization, in ASCII.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: The error of the first check that failed.
    public func verify(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken { try verify(token, within: nil) }

    /// Verifies the token. `held` is the limiter in which the caller already has a slot.
    func verify(_ token: Span<UInt8>, within held: DecryptionLimiter?) throws(TokenError) -> VerifiedToken {
        if caching != nil, let visit = visit(token) { return try verify(token, past: visit, within: held) }
        let opened = try layers.open(token, within: held)
        try check(opened)
        return opened
    }

    /// Checks the claims of a token whose layers were verified.
    @inline(__always)
    func check(_ opened: VerifiedToken) throws(TokenError) {
        try checker.check(opened.claims, algorithm: opened.algorithm, outer: opened.encryptionHeader)
    }

    /// Verifies the token, given as bytes, and returns its claims.
    ///
    /// - Parameter token: The compact serialization, in ASCII.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: The error of the first check that failed.
    public func verify(_ token: [UInt8]) throws(TokenError) -> VerifiedToken { try verify(token.span) }
    /// Verifies the token and returns its claims.
    ///
    /// - Parameter token: The compact serialization.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: The error of the first check that failed.
    public func verify(_ token: String) throws(TokenError) -> VerifiedToken { try verify(token.utf8.span) }

    /// Verifies the layers alone. The result must not be released before its claims are checked.
    func open(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken {
        try layers.open(token, within: nil)
    }

    /// Verifies the layers alone, and returns in `usedKey` the decryption key if its source counts uses.
    func open(
        _ token: Span<UInt8>, within held: DecryptionLimiter?, usedKey: inout JWK?
    ) throws(TokenError) -> VerifiedToken {
        try layers.open(token, within: held, usedKey: &usedKey)
    }

    /// The generations of the current keys; nil if a source has no keys.
    var generations: TokenGenerations? { layers.generations }
    /// Whether a certificate in the header can supply the key.
    var hasTrust: Bool { layers.hasTrust }

    /// Returns the source of a layer's keys, if they may change.
    func source(of layer: TokenLayer) -> (any KeySource)? { layers.source(of: layer) }

    /// Verifies a token that was already decrypted with the same keys. The outer header is checked against this policy as well.
    func verify(
        _ plaintext: Span<UInt8>, decryptedFrom token: Span<UInt8>
    ) throws(TokenError) -> VerifiedToken {
        let header = try layers.admit(token, plaintextCount: plaintext.count)
        let opened = try layers.opened(plaintext, within: header)
        try check(opened)
        return opened
    }

    /// Verifies what a decrypted token contains.
    func opened(_ plaintext: Span<UInt8>, within header: JOSEHeader) throws(TokenError) -> VerifiedToken {
        try layers.opened(plaintext, within: header)
    }
}

/// These methods are on the enumeration, which passes its layers without copying them; verifiers taken out of it would be copied
/// for each token.
extension TokenVerifier.Layers {
    func open(_ token: Span<UInt8>, within held: DecryptionLimiter?) throws(TokenError) -> VerifiedToken {
        var key: JWK?
        return try open(token, within: held, usedKey: &key)
    }

    func open(
        _ token: Span<UInt8>, within held: DecryptionLimiter?, usedKey: inout JWK?
    ) throws(TokenError) -> VerifiedToken {
        switch self {
        case .signed(let verifier):
            return try Self.signed(verifier, token, within: nil)
        case .encrypted(let decrypter), .nested(let decrypter, _):
            var plaintext = SecretBytes(capacity: 0)
            let (header, key) = try Self.decrypted(decrypter, token, into: &plaintext, within: held)
            if decrypter.isFollowing { usedKey = key }
            return try plaintext.withBytes { bytes throws(TokenError) in try opened(bytes, within: header) }
        }
    }

    func opened(
        _ plaintext: Span<UInt8>, within header: JOSEHeader
    ) throws(TokenError) -> VerifiedToken {
        switch self {
        case .signed(let verifier), .nested(_, let verifier):
            return try Self.signed(verifier, plaintext, within: header)
        case .encrypted(let decrypter):
            let claims = try Claims(payload: plaintext.copy(), limits: decrypter.policy.limits, layer: .encryption)
            return VerifiedToken(claims: claims, layers: .encrypted(OuterHeader(header)))
        }
    }

    func admit(_ token: Span<UInt8>, plaintextCount: Int) throws(TokenError) -> JOSEHeader {
        switch self {
        // This is the error for a token of five parts.
        case .signed: throw .jose(.malformed(ParseFailure(.token, .parts)), layer: .signature)
        case .encrypted(let decrypter), .nested(let decrypter, _):
            do throws(JOSEError) {
                return try decrypter.admit(token, plaintextCount: plaintextCount)
            } catch {
                throw .jose(error, layer: .encryption)
            }
        }
    }

    fileprivate var generations: TokenGenerations? {
        switch self {
        case .signed(let verifier):
            verifier.generation.map { TokenGenerations(encryption: .none, signature: $0) }
        case .encrypted(let decrypter):
            decrypter.generation.map { TokenGenerations(encryption: $0, signature: .none) }
        case .nested(let decrypter, let verifier):
            decrypter.generation.flatMap { outer in
                verifier.generation.map { TokenGenerations(encryption: outer, signature: $0) }
            }
        }
    }

    fileprivate var hasTrust: Bool {
        switch self {
        case .signed(let verifier), .nested(_, let verifier): verifier.hasTrust
        case .encrypted: false
        }
    }

    fileprivate func source(of layer: TokenLayer) -> (any KeySource)? {
        switch (self, layer) {
        case (.signed(let verifier), .signature), (.nested(_, let verifier), .signature): verifier.source
        case (.encrypted(let decrypter), .encryption), (.nested(let decrypter, _), .encryption): decrypter.source
        default: nil
        }
    }

    static func decrypted(
        _ decrypter: JWEDecrypter, _ token: Span<UInt8>, into plaintext: inout SecretBytes,
        within held: DecryptionLimiter?
    ) throws(TokenError) -> (header: JOSEHeader, key: JWK) {
        do throws(JOSEError) {
            return try decrypter.open(token, into: &plaintext, within: held)
        } catch {
            throw .jose(error, layer: .encryption)
        }
    }

    private static func signed(
        _ verifier: JWSVerifier, _ token: Span<UInt8>, within outer: JOSEHeader?
    ) throws(TokenError) -> VerifiedToken {
        let jws: OpenedJWS
        do throws(JOSEError) { jws = try verifier.open(token) } catch { throw .jose(error, layer: .signature) }
        let claims = try Claims(payload: jws.payload, limits: verifier.policy.limits, layer: .signature)
        return VerifiedToken(claims: claims, jws.signed, within: outer.map { OuterHeader($0) })
    }
}

extension CertificateTrust {
    /// Returns the same trust with the given clock, unless it has a clock of its own.
    func by(_ clock: WallClock) -> CertificateTrust {
        guard self.clock == nil else { return self }
        var trust = self
        trust.clock = clock
        return trust
    }
}
