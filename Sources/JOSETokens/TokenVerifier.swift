public import JOSE
internal import JOSEBytes

/// Verifies tokens under one policy. Made once, immutable, shared freely; `verify` without `waiting` never waits and never
/// fetches.
public struct TokenVerifier: Sendable {
    enum Layers: Sendable {
        case signed(Verifier)
        case encrypted(Decrypter)
        case nested(Decrypter, Verifier)
    }
    let layers: Layers
    let checker: ClaimChecker
    /// As it was given when this was made.
    public let policy: TokenPolicy

    /// Keys as a `KeySet`, or from a source that may change, such as a set that is fetched: each token is then judged by the keys that
    /// the source has at that moment. Of `verificationKeys` the public and symmetric ones verify, a private one by its public half; of `decryptionKeys`
    /// the private and symmetric ones decrypt. With `trust`, the key of a token that has `x5c` is that of its first
    /// certificate, verified at the time of the policy's clock unless `trust` has its own. Throws `policyInvalid`.
    public init(
        _ policy: TokenPolicy, verificationKeys: any KeySource = KeySet.empty,
        decryptionKeys: any KeySource = KeySet.empty, trust: CertificateTrust? = nil
    ) throws(TokenError) {
        self.policy = policy
        let trust = trust?.by(policy.claims.clock)
        checker = try ClaimChecker(policy.claims)
        switch policy.form {
        case .signed(let signature):
            layers = .signed(Verifier(tokenKeys: verificationKeys, policy: signature, trust: trust))
        case .encrypted(let encryption):
            layers = .encrypted(Decrypter(keys: decryptionKeys, policy: encryption))
        case .nested(let outer, let inner):
            layers = .nested(
                Decrypter(keys: decryptionKeys, policy: outer),
                Verifier(tokenKeys: verificationKeys, policy: inner, trust: trust))
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

    /// The same, in a server that verifies by keys of a source. A token whose key is there never waits. One whose key is not waits
    /// for the refresh that it asked for, no longer than `limit`, and is tried once more. Throws `TokenError`, and
    /// `CancellationError` where the task was cancelled while it waited; the refresh goes on for the others.
    public func verify(_ token: [UInt8], waiting limit: Duration) async throws -> VerifiedToken {
        do throws(TokenError) {
            return try verify(token)
        } catch {
            guard try await hasNewKeys(after: error, within: limit) else { throw error }
            return try verify(token)
        }
    }

    /// The same of a text.
    public func verify(_ token: String, waiting limit: Duration) async throws -> VerifiedToken {
        try await verify(Array(token.utf8), waiting: limit)
    }

    /// Whether a refresh ended that this failure may have waited for.
    func hasNewKeys(after failure: TokenError, within limit: Duration) async throws -> Bool {
        guard case .jose(let error, let layer) = failure, let source = layers.source(of: layer) else { return false }
        switch error {
        case .keyNotFound, .keysUnavailable, .keyUnsuitable, .signatureInvalid, .keyInvalid:
            return try await source.refreshUnderWay(within: limit)
        default: return false
        }
    }

    /// The layers alone; what it gives goes nowhere before the claims are checked.
    func open(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken { try layers.open(token) }

    /// A token that another has decrypted, by the same keys: this policy's own outer layer is asked for all the same.
    func verify(
        _ plaintext: Span<UInt8>, decryptedFrom token: Span<UInt8>
    ) throws(TokenError) -> VerifiedToken {
        let header = try layers.admit(token, plaintextCount: plaintext.count)
        let opened = try layers.opened(plaintext, within: header)
        try checker.check(opened.claims, algorithm: opened.algorithm, outer: opened.encryptionHeader)
        return opened
    }

    /// What is left to do when a token has been decrypted, whoever did that.
    func opened(_ plaintext: Span<UInt8>, within header: Header) throws(TokenError) -> VerifiedToken {
        try layers.opened(plaintext, within: header)
    }
}

/// Methods of the enumeration, which lends its layers: taken out of it they would be copied for each token.
extension TokenVerifier.Layers {
    func open(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken {
        switch self {
        case .signed(let verifier):
            return try Self.signed(verifier, token, within: nil)
        case .encrypted(let decrypter), .nested(let decrypter, _):
            var plaintext = SecretBytes(capacity: 0)
            let header = try Self.decrypted(decrypter, token, into: &plaintext)
            return try plaintext.withBytes { bytes throws(TokenError) in try opened(bytes, within: header) }
        }
    }

    func opened(
        _ plaintext: Span<UInt8>, within header: Header
    ) throws(TokenError) -> VerifiedToken {
        switch self {
        case .signed(let verifier), .nested(_, let verifier):
            return try Self.signed(verifier, plaintext, within: header)
        case .encrypted(let decrypter):
            let claims = try Claims(payload: plaintext.copy(), limits: decrypter.policy.limits, layer: .encryption)
            return VerifiedToken(claims: claims, header: header, encryptionHeader: header, algorithm: nil, key: nil)
        }
    }

    func admit(_ token: Span<UInt8>, plaintextCount: Int) throws(TokenError) -> Header {
        switch self {
        // What it says of five parts.
        case .signed: throw .jose(.malformed(Malformation(.token, .parts)), layer: .signature)
        case .encrypted(let decrypter), .nested(let decrypter, _):
            do throws(JOSEError) {
                return try decrypter.admit(token, plaintextCount: plaintextCount)
            } catch {
                throw .jose(error, layer: .encryption)
            }
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
        _ decrypter: Decrypter, _ token: Span<UInt8>, into plaintext: inout SecretBytes
    ) throws(TokenError) -> Header {
        do throws(JOSEError) {
            return try decrypter.open(token, into: &plaintext)
        } catch {
            throw .jose(error, layer: .encryption)
        }
    }

    private static func signed(
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
        let claims = try Claims(payload: payload, limits: verifier.policy.limits, layer: .signature)
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
