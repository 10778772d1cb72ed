public import JOSE
internal import JOSEBytes

/// Verifies tokens under one policy. Made once, immutable, shared freely; a call never waits and never fetches.
public struct TokenVerifier: Sendable {
    private enum Layers: Sendable {
        case signed(Verifier)
        case encrypted(Decrypter)
        case nested(Decrypter, Verifier)
    }
    private let layers: Layers
    private let limits: Limits
    let checker: ClaimChecker
    /// As it was given when this was made.
    public let policy: TokenPolicy

    /// Of `verificationKeys` the public and symmetric ones verify, a private one by its public half; of `decryptionKeys`
    /// the private and symmetric ones decrypt. With `trust`, the key of a token that has `x5c` is that of its first
    /// certificate, verified at the time of the policy's clock unless `trust` has its own. Throws `policyInvalid`.
    public init(
        _ policy: TokenPolicy, verificationKeys: KeySet = .empty, decryptionKeys: KeySet = .empty,
        trust: CertificateTrust? = nil
    ) throws(TokenError) {
        self.policy = policy
        let trust = trust?.by(policy.claims.clock)
        checker = try ClaimChecker(policy.claims)
        switch policy.form {
        case .signed(let signature):
            layers = .signed(Verifier(tokenKeys: verificationKeys, policy: signature, trust: trust))
            limits = signature.limits
        case .encrypted(let encryption):
            layers = .encrypted(Decrypter(keys: decryptionKeys, policy: encryption))
            limits = encryption.limits
        case .nested(let outer, let inner):
            layers = .nested(
                Decrypter(keys: decryptionKeys, policy: outer),
                Verifier(tokenKeys: verificationKeys, policy: inner, trust: trust))
            limits = inner.limits
        }
    }

    /// The claims, once every layer and every claim held; else the first thing that did not.
    public func verify(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken {
        let opened = try open(token)
        try checker.check(opened.claims, algorithm: opened.algorithm, outer: opened.encryptionHeader)
        return opened
    }

    /// The same of bytes in an array.
    public func verify(_ token: [UInt8]) throws(TokenError) -> VerifiedToken { try verify(token.span) }
    /// The same of a text.
    public func verify(_ token: String) throws(TokenError) -> VerifiedToken { try verify(token.utf8.span) }

    /// The layers alone; what it gives goes nowhere before the claims are checked.
    func open(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken {
        switch layers {
        case .signed(let verifier):
            return try signed(verifier, token, within: nil)
        case .encrypted(let decrypter), .nested(let decrypter, _):
            var plaintext = SecretBytes(capacity: 0)
            let header = try decrypted(decrypter, token, into: &plaintext)
            return try plaintext.withBytes { bytes throws(TokenError) in try opened(bytes, within: header) }
        }
    }

    /// What is left to do when a token has been decrypted, whoever did that.
    func opened(_ plaintext: Span<UInt8>, within header: Header) throws(TokenError) -> VerifiedToken {
        if case .nested(_, let verifier) = layers { return try signed(verifier, plaintext, within: header) }
        let claims = try Claims(payload: plaintext.copy(), limits: limits, layer: .encryption)
        return VerifiedToken(claims: claims, header: header, encryptionHeader: header, algorithm: nil, key: nil)
    }

    private func decrypted(
        _ decrypter: Decrypter, _ token: Span<UInt8>, into plaintext: inout SecretBytes
    ) throws(TokenError) -> Header {
        do throws(JOSEError) {
            return try decrypter.open(token, into: &plaintext)
        } catch {
            throw .jose(error, layer: .encryption)
        }
    }

    private func signed(
        _ verifier: Verifier, _ token: Span<UInt8>, within outer: Header?
    ) throws(TokenError) -> VerifiedToken {
        let header: Header
        let payload: [UInt8]
        let algorithm: SignatureAlgorithm
        let key: JWK
        do throws(JOSEError) {
            (header, payload, algorithm, key) = try verifier.open(token)
        } catch {
            throw .jose(error, layer: .signature)
        }
        let claims = try Claims(payload: payload, limits: limits, layer: .signature)
        return VerifiedToken(
            claims: claims, header: header, encryptionHeader: outer, algorithm: algorithm, key: key)
    }
}

/// A token that held. Only a `TokenVerifier` makes one.
public struct VerifiedToken: Sendable {
    /// All of them held what the policy asks.
    public let claims: Claims
    /// Of the signature layer; of the encryption layer in a token that has no other.
    public let header: Header
    /// Of the encryption layer, where there is one.
    public let encryptionHeader: Header?
    /// What it was signed with.
    public let algorithm: SignatureAlgorithm?
    /// The key that verified the signature.
    public let key: JWK?
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
