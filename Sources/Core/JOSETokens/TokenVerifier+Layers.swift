package import JOSE
internal import JOSEBytes

extension TokenVerifier {
    /// The verifiers of the layers.
    enum Layers: Sendable {
        case signed(JWSVerifier)
        case encrypted(JWEDecrypter)
        case nested(JWEDecrypter, JWSVerifier)
    }

    /// Returns the current keys with their generations; nil if a source has no keys.
    func takeKeys() -> TakenKeys? {
        guard var keys = layers.takeKeys() else { return nil }
        if let external = additions?.external {
            guard let generation = external.generation else { return nil }
            keys.generations = TokenGenerations(encryption: generation, signature: keys.generations.signature)
        }
        return keys
    }
    /// Whether a certificate in the header can supply the key.
    var hasTrust: Bool { layers.hasTrust }

    /// Returns the keys of a layer at this moment; nil where there are none. Of several issuers they are those of the first.
    package func keySet(of layer: TokenLayer) -> KeySet? { layers.keySet(of: layer) }

    /// Returns the source of a layer's keys, if they may change.
    func source(of layer: TokenLayer) -> (any KeySource)? {
        if layer == .encryption, let external = additions?.external { return external.source }
        return layers.source(of: layer)
    }
}

/// The keys of all layers for one token, which were taken from their sources before the token is read.
struct TakenKeys: Sendable {
    let encryption: TakenDecryptionKeys?
    let signature: TakenVerificationKeys?
    /// The generations by which the outcome is stored. That of keys outside the process takes the place of those inside.
    var generations: TokenGenerations

    init(_ encryption: TakenDecryptionKeys?, _ signature: TakenVerificationKeys?) {
        self.encryption = encryption
        self.signature = signature
        generations = TokenGenerations(
            encryption: encryption?.generation ?? .none, signature: signature?.generation ?? .none)
    }
}

extension TokenVerifier.Layers {
    init(_ form: TokenPolicy.Form, _ keys: VerifierKeys, clock: WallClock) throws(TokenError) {
        let trust = keys.trust?.by(clock)
        // Where keys outside the process decrypt too, their decrypter has those of the process as well.
        let decryption: any KeySource = keys.external.isEmpty ? keys.decryption : KeySet.empty
        switch form {
        case .signed(let signature):
            self = .signed(JWSVerifier(tokenKeys: keys.verification, policy: signature, trust: trust))
        case .encrypted(let encryption):
            self = .encrypted(JWEDecrypter(unexaminedKeys: decryption, policy: encryption))
        case .nested(let outer, let inner):
            self = .nested(
                JWEDecrypter(unexaminedKeys: decryption, policy: outer),
                JWSVerifier(tokenKeys: keys.verification, policy: inner, trust: trust))
        }
        guard keys.areExamined else { return }
        do throws(JOSEError) {
            if keys.external.isEmpty { try decrypter?.checkConfiguration() }
        } catch {
            throw .jose(error, layer: .encryption)
        }
        do throws(JOSEError) { try verifier?.checkConfiguration() } catch { throw .jose(error, layer: .signature) }
    }

    private var decrypter: JWEDecrypter? {
        switch self {
        case .signed: nil
        case .encrypted(let decrypter), .nested(let decrypter, _): decrypter
        }
    }

    private var verifier: JWSVerifier? {
        switch self {
        case .encrypted: nil
        case .signed(let verifier), .nested(_, let verifier): verifier
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
        _ token: Span<UInt8>, within held: DecryptionLimiter?, usedKey: inout JWK?, with keys: TakenKeys? = nil
    ) throws(TokenError) -> VerifiedToken {
        switch self {
        case .signed(let verifier):
            return try Self.signed(verifier, token, within: nil, with: keys?.signature)
        case .encrypted(let decrypter), .nested(let decrypter, _):
            var plaintext = SecretBytes(capacity: 0)
            let (header, key) = try Self.decrypted(
                decrypter, token, into: &plaintext, within: held, with: keys?.encryption)
            if decrypter.isFollowing { usedKey = key }
            return try plaintext.withBytes { bytes throws(TokenError) in
                try opened(bytes, within: header, with: keys?.signature)
            }
        }
    }

    func opened(
        _ plaintext: Span<UInt8>, within header: JOSEHeader, with keys: TakenVerificationKeys? = nil
    ) throws(TokenError) -> VerifiedToken {
        switch self {
        case .signed(let verifier), .nested(_, let verifier):
            return try Self.signed(verifier, plaintext, within: header, with: keys)
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

    fileprivate func takeKeys() -> TakenKeys? {
        switch self {
        case .signed(let verifier):
            return verifier.takeKeys().map { TakenKeys(nil, $0) }
        case .encrypted(let decrypter):
            return decrypter.takeKeys().map { TakenKeys($0, nil) }
        case .nested(let decrypter, let verifier):
            guard let outer = decrypter.takeKeys(), let inner = verifier.takeKeys() else { return nil }
            return TakenKeys(outer, inner)
        }
    }

    fileprivate func keySet(of layer: TokenLayer) -> KeySet? {
        switch layer {
        case .encryption: decrypter?.keySet
        case .signature: verifier?.keySet
        case .keyBinding: nil
        }
    }

    fileprivate var hasTrust: Bool {
        switch self {
        case .signed(let verifier), .nested(_, let verifier): verifier.hasTrust
        case .encrypted: false
        }
    }

    func source(of layer: TokenLayer) -> (any KeySource)? {
        switch (self, layer) {
        case (.signed(let verifier), .signature), (.nested(_, let verifier), .signature): verifier.source
        case (.encrypted(let decrypter), .encryption), (.nested(let decrypter, _), .encryption): decrypter.source
        default: nil
        }
    }

    static func decrypted(
        _ decrypter: JWEDecrypter, _ token: Span<UInt8>, into plaintext: inout SecretBytes,
        within held: DecryptionLimiter?, with keys: TakenDecryptionKeys? = nil
    ) throws(TokenError) -> (header: JOSEHeader, key: JWK) {
        do throws(JOSEError) {
            return try decrypter.open(token, into: &plaintext, within: held, with: keys)
        } catch {
            throw .jose(error, layer: .encryption)
        }
    }

    private static func signed(
        _ verifier: JWSVerifier, _ token: Span<UInt8>, within outer: JOSEHeader?,
        with keys: TakenVerificationKeys?
    ) throws(TokenError) -> VerifiedToken {
        let jws: OpenedJWS
        do throws(JOSEError) { jws = try verifier.open(token, with: keys) } catch {
            throw .jose(error, layer: .signature)
        }
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
