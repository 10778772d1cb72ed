internal import JOSE
internal import JOSEBytes

extension TokenVerifier {
    /// The verifiers of the layers.
    enum Layers: Sendable {
        case signed(JWSVerifier)
        case encrypted(JWEDecrypter)
        case nested(JWEDecrypter, JWSVerifier)
    }

    /// The generations of the current keys; nil if a source has no keys.
    var generations: TokenGenerations? {
        guard let external = additions?.external else { return layers.generations }
        return external.generation.flatMap { encryption in
            layers.generations.map { TokenGenerations(encryption: encryption, signature: $0.signature) }
        }
    }
    /// Whether a certificate in the header can supply the key.
    var hasTrust: Bool { layers.hasTrust }

    /// Returns the source of a layer's keys, if they may change.
    func source(of layer: TokenLayer) -> (any KeySource)? {
        if layer == .encryption, let external = additions?.external { return external.source }
        return layers.source(of: layer)
    }
}

extension TokenVerifier.Layers {
    init(_ form: TokenPolicy.Form, _ keys: VerifierKeys, clock: WallClock) {
        let trust = keys.trust?.by(clock)
        // Where keys outside the process decrypt too, their decrypter has those of the process as well.
        let decryption: any KeySource = keys.external.isEmpty ? keys.decryption : KeySet.empty
        switch form {
        case .signed(let signature):
            self = .signed(JWSVerifier(tokenKeys: keys.verification, policy: signature, trust: trust))
        case .encrypted(let encryption):
            self = .encrypted(JWEDecrypter(keys: decryption, policy: encryption))
        case .nested(let outer, let inner):
            self = .nested(
                JWEDecrypter(keys: decryption, policy: outer),
                JWSVerifier(tokenKeys: keys.verification, policy: inner, trust: trust))
        }
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
