package import JOSE
internal import JOSESupport

extension TokenVerifier {
    /// The verifiers of the layers.
    enum Layers: Sendable {
        case signed(JWSVerifier)
        case encrypted(JWEDecrypter)
        case nested(JWEDecrypter, JWSVerifier)
    }

    /// Whether a certificate in the header can supply the key.
    var hasTrust: Bool { layers.hasTrust }

    /// Returns the keys of a layer at this moment; nil where there are none. Of several issuers they are those of the
    /// first.
    package func keySet(of layer: TokenLayer) -> KeySet? { layers.keySet(of: layer) }

    /// Returns the source of a layer's keys, if they may change.
    func source(of layer: TokenLayer) -> (any KeySource)? { layers.source(of: layer) }
}

extension TokenVerifier.Layers {
    init(_ form: TokenPolicy.Form, _ keys: VerifierKeys, clock: WallClock) throws(TokenError) {
        let trust = keys.trust?.by(clock)
        switch form {
        case .signed(let signature):
            self = .signed(JWSVerifier(tokenKeys: keys.verification, policy: signature, trust: trust))
        case .encrypted(let encryption): self = .encrypted(keys.decrypter(encryption))
        case .nested(let outer, let inner):
            self = .nested(
                keys.decrypter(outer), JWSVerifier(tokenKeys: keys.verification, policy: inner, trust: trust))
        }
        guard keys.areExamined else { return }
        if let decrypter { try inLayer(.encryption, decrypter.checkConfiguration()) }
        if let verifier { try inLayer(.signature, verifier.checkConfiguration()) }
    }

    /// The decrypter of the encryption layer, if there is one.
    var decrypter: JWEDecrypter? {
        switch self {
        case .signed: nil
        case .encrypted(let decrypter), .nested(let decrypter, _): decrypter
        }
    }

    /// The verifier of the signature layer, if there is one.
    var verifier: JWSVerifier? {
        switch self {
        case .encrypted: nil
        case .signed(let verifier), .nested(_, let verifier): verifier
        }
    }
}

extension TokenVerifier.Layers {
    /// Verifies all layers at once.
    func verify(_ token: Span<UInt8>, _ process: inout TokenProcess) throws(TokenError) -> VerifiedToken {
        switch self {
        case .signed(let verifier):
            // Most tokens take this way: `inLayer` and its closure would be two more frames.
            let jws: VerifiedJWS
            do throws(JOSEError) { jws = try verifier.verify(token, with: process.signatureKeys) } catch {
                throw .jose(error, layer: .signature)
            }
            return try VerifiedToken(jws, verifier.shared.policy.limits)
        case .encrypted, .nested: return try verifyDecrypted(token, &process)
        }
    }

    @inline(never)  // Inlined, it would make `verify` slower for tokens that are signed alone.
    private func verifyDecrypted(
        _ token: Span<UInt8>, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken {
        var plaintext = SecretBytes(capacity: 0)
        let outer = try decrypt(token, into: &plaintext, &process)
        return try verifyContent(plaintext, within: outer, with: process.signatureKeys)
    }

    /// Verifies the content of an encryption layer at once. `keys` are those of the signature, if they were taken from
    /// their source already.
    func verifyContent(
        _ plaintext: borrowing SecretBytes, within outer: consuming JOSEHeader, with keys: TakenVerificationKeys? = nil
    ) throws(TokenError) -> VerifiedToken {
        var token = try plaintext.withBytes { bytes throws(TokenError) in
            switch self {
            case .signed(let verifier), .nested(_, let verifier):
                let jws = try inLayer(.signature, verifier.verify(bytes, with: keys))
                return try VerifiedToken(jws, verifier.shared.policy.limits)
            case .encrypted(let decrypter): return try Self.unsigned(bytes, decrypter.shared.policy.limits)
            }
        }
        token.outer = OuterHeader(outer)
        return token
    }

    /// Takes the steps of `verify` up to the first that may be done together with those of other tokens.
    ///
    /// - Parameter scratch: The buffer into which the token is decrypted.
    /// - Returns: The token; nil if the decryption or the signature waits.
    func begin(
        _ token: Span<UInt8>, _ scratch: inout SecretBytes, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        guard decrypts else { return try beginContent(token, &process) }
        if vectorizes {
            process.decryption = try decrypting { decrypter throws(JOSEError) in
                try decrypter.job(token, with: process.decryptionKeys)
            }
            return nil
        }
        let outer = try decrypt(token, into: &scratch, &process)
        return try beginContent(scratch, within: outer, &process)
    }

    /// Takes the steps of `begin` after the attempt to decrypt the content encryption key.
    func resume(
        _ job: DecryptionJob, _ outcome: UnwrappingOutcome, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        let outer = try decrypting { decrypter throws(JOSEError) in
            let (header, key) = try decrypter.decrypt(job, outcome, within: process.entered)
            if decrypter.isFollowing { process.decryptionKey = key }
            return header
        }
        return try beginContent(job.plaintext, within: outer, &process)
    }

    /// Takes the steps of `verifyContent` up to the signature. Returns the token; nil if the signature waits.
    func beginContent(
        _ plaintext: borrowing SecretBytes, within outer: consuming JOSEHeader, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        process.outer = OuterHeader(outer)
        return try plaintext.withBytes { bytes throws(TokenError) in try beginContent(bytes, &process) }
    }

    private func beginContent(
        _ content: Span<UInt8>, _ process: inout TokenProcess
    ) throws(TokenError) -> VerifiedToken? {
        switch self {
        case .signed(let verifier), .nested(_, let verifier):
            let jws = try inLayer(
                .signature, verifier.begin(content, with: process.signatureKeys, &process.signature))
            return try jws.map { jws throws(TokenError) in
                try VerifiedToken(jws, verifier.shared.policy.limits, within: process.outer)
            }
        case .encrypted(let decrypter):
            return try Self.unsigned(content, decrypter.shared.policy.limits, within: process.outer)
        }
    }

    /// Checks everything that the policy requires of the header of a token that another decrypter has decrypted, and
    /// returns the header.
    func checkedHeader(of token: Span<UInt8>, plaintextCount: Int) throws(TokenError) -> JOSEHeader {
        try decrypting { decrypter throws(JOSEError) in
            try decrypter.checkedHeader(of: token, plaintextCount: plaintextCount)
        }
    }

    /// Decrypts the encryption layer at once, and returns its header.
    func decrypt(
        _ token: Span<UInt8>, into plaintext: inout SecretBytes, _ process: inout TokenProcess
    ) throws(TokenError) -> JOSEHeader {
        try decrypting { decrypter throws(JOSEError) in
            let (header, key) = try decrypter.decrypt(
                token, into: &plaintext, within: process.entered, with: process.decryptionKeys)
            if decrypter.isFollowing { process.decryptionKey = key }
            return header
        }
    }

    /// Takes a step of the encryption layer.
    @inline(__always)
    private func decrypting<Value>(
        _ step: (JWEDecrypter) throws(JOSEError) -> Value
    ) throws(TokenError) -> Value {
        switch self {
        case .encrypted(let decrypter), .nested(let decrypter, _): try inLayer(.encryption, step(decrypter))
        // This is the error for a token of five parts.
        case .signed: throw .jose(.malformed(ParseFailure(.token, .parts)), layer: .signature)
        }
    }

    /// Reads the claims of a token without a signature.
    private static func unsigned(
        _ content: Span<UInt8>, _ limits: ParsingLimits, within outer: OuterHeader? = nil
    ) throws(TokenError) -> VerifiedToken {
        VerifiedToken(claims: try Claims(payload: content.copy(), limits: limits, layer: .encryption), within: outer)
    }

    /// Whether there is an encryption layer.
    var decrypts: Bool {
        switch self {
        case .signed: false
        case .encrypted, .nested: true
        }
    }

    /// Whether the content encryption keys of several tokens are decrypted together.
    var vectorizes: Bool {
        switch self {
        case .signed: false
        case .encrypted(let decrypter), .nested(let decrypter, _): decrypter.isVectorized
        }
    }

    /// Returns the current keys of the layers; nil if a source has no keys.
    func takeKeys() -> (encryption: TakenDecryptionKeys?, signature: TakenVerificationKeys?)? {
        switch self {
        case .signed(let verifier):
            guard let keys = verifier.takeKeys() else { return nil }
            return (encryption: nil, signature: keys)
        case .encrypted(let decrypter):
            guard let keys = decrypter.takeKeys() else { return nil }
            return (encryption: keys, signature: nil)
        case .nested(let decrypter, let verifier):
            guard let outer = decrypter.takeKeys(), let inner = verifier.takeKeys() else { return nil }
            return (encryption: outer, signature: inner)
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
