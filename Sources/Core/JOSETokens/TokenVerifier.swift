public import JOSE
internal import JOSEBytes

/// Verifies tokens under one policy. Made once, immutable, shared freely; `verify` without `waiting` never waits and never
/// fetches.
public struct TokenVerifier: Sendable {
    enum Layers: Sendable {
        case signed(JWSVerifier)
        case encrypted(JWEDecrypter)
        case nested(JWEDecrypter, JWSVerifier)
    }
    let layers: Layers
    let checker: ClaimChecker
    let caching: TokenCaching?
    /// As it was given when this was made.
    public let policy: TokenPolicy

    /// Keys as a `KeySet`, or from a source that may change, such as a set that is fetched: each token is then judged by the keys that
    /// the source has at that moment. Of `verificationKeys` the public and symmetric ones verify, a private one by its public half; of `decryptionKeys`
    /// the private and symmetric ones decrypt. With `trust`, the key of a token that has `x5c` is that of its first
    /// certificate, verified at the time of the policy's clock unless `trust` has its own. With
    /// `cache`, a token that comes again is known. Throws `policyInvalid`.
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

    /// The claims, once every layer and every claim held; else the first thing that did not.
    public func verify(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken { try verify(token, within: nil) }

    /// `held`: the limiter in which the caller has a place already.
    func verify(_ token: Span<UInt8>, within held: DecryptionLimiter?) throws(TokenError) -> VerifiedToken {
        if caching != nil, let visit = visit(token) { return try verify(token, past: visit, within: held) }
        let opened = try layers.open(token, within: held)
        try check(opened)
        return opened
    }

    /// The claims of a token whose layers held.
    @inline(__always)
    func check(_ opened: VerifiedToken) throws(TokenError) {
        try checker.check(opened.claims, algorithm: opened.algorithm, outer: opened.encryptionHeader)
    }

    /// The same of bytes in an array.
    public func verify(_ token: [UInt8]) throws(TokenError) -> VerifiedToken { try verify(token.span) }
    /// The same of a text.
    public func verify(_ token: String) throws(TokenError) -> VerifiedToken { try verify(token.utf8.span) }

    /// The layers alone; what it gives goes nowhere before the claims are checked.
    func open(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken {
        try layers.open(token, within: nil)
    }

    /// The same, and which key opened it, where its source wants to hear of each use.
    func open(
        _ token: Span<UInt8>, within held: DecryptionLimiter?, usedKey: inout JWK?
    ) throws(TokenError) -> VerifiedToken {
        try layers.open(token, within: held, usedKey: &usedKey)
    }

    /// Which keys it has now; nil where a source has none.
    var generations: TokenGenerations? { layers.generations }
    /// Whether a token's own certificate may give the key.
    var hasTrust: Bool { layers.hasTrust }

    /// Where the keys of a layer come from, when they may change.
    func source(of layer: TokenLayer) -> (any KeySource)? { layers.source(of: layer) }

    /// A token that another has decrypted, by the same keys: this policy's own outer layer is asked for all the same.
    func verify(
        _ plaintext: Span<UInt8>, decryptedFrom token: Span<UInt8>
    ) throws(TokenError) -> VerifiedToken {
        let header = try layers.admit(token, plaintextCount: plaintext.count)
        let opened = try layers.opened(plaintext, within: header)
        try check(opened)
        return opened
    }

    /// What is left to do when a token has been decrypted, whoever did that.
    func opened(_ plaintext: Span<UInt8>, within header: JOSEHeader) throws(TokenError) -> VerifiedToken {
        try layers.opened(plaintext, within: header)
    }
}

/// Methods of the enumeration, which lends its layers: taken out of it they would be copied for each token.
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
        // What it says of five parts.
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
        _ decrypter: JWEDecrypter, _ token: Span<UInt8>, into plaintext: inout SecretBytes, within held: DecryptionLimiter?
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
    /// With the claims' clock, where it has none of its own.
    func by(_ clock: TokenClock) -> CertificateTrust {
        guard case .now = time else { return self }
        var trust = self
        trust.time = .custom { clock.now }
        return trust
    }
}
