public import JOSE
internal import JOSEBytes

/// Verifies encrypted tokens as `TokenVerifier` does, and decrypts them with keys outside the process, such as keys in
/// an HSM or a KMS.
///
/// Each call decrypts a token, verifies its signature and checks its claims under one policy. Calls throw `TokenError`,
/// and `CancellationError` if the task was cancelled. Use `TokenVerifier` for tokens that are not encrypted.
public struct ExternalKeyTokenVerifier: Sendable {
    /// The verifier for every step except decryption.
    private let verifier: TokenVerifier
    private let decrypter: ExternalKeyDecrypter
    /// The policy that the verifier was created with.
    public var policy: TokenPolicy { verifier.policy }

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - policy: The policy of the tokens, which must have an encryption layer.
    ///   - verificationKeys: The keys that verify signatures: a `KeySet`, or a source that changes, such as a remote
    ///     JWKS.
    ///   - decryptionKeys: Keys in this process that decrypt.
    ///   - external: Keys outside this process that decrypt, such as keys in an HSM or a KMS.
    ///   - trust: The trusted root certificates for tokens that have `x5c`; nil to ignore `x5c`.
    ///   - cache: The cache of verified tokens. A cached token is not sent to an external key again.
    /// - Throws: `policyInvalid`, which includes a policy without an encryption layer.
    public init(
        _ policy: TokenPolicy, verificationKeys: any KeySource = KeySet.empty, decryptionKeys: KeySet = .empty,
        external: [ExternalDecryptionKey], trust: CertificateTrust? = nil, cache: TokenCache? = nil
    ) throws(TokenError) {
        switch policy.form {
        case .signed: throw .policyInvalid(.key)
        case .encrypted(let encryption), .nested(let encryption, _):
            decrypter = ExternalKeyDecrypter(keys: decryptionKeys, external: external, policy: encryption)
        }
        verifier = try TokenVerifier(policy, verificationKeys: verificationKeys, trust: trust, cache: cache)
    }

    /// Verifies the token, given as bytes, and returns its claims.
    ///
    /// - Parameter token: The compact serialization, in ASCII.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled.
    public func verify(_ token: [UInt8]) async throws -> VerifiedToken {
        try await perform(token, timeout: nil)
    }

    /// Verifies the token, given as bytes, and waits until its verification key is fetched if the key source does not
    /// have it yet. The token is decrypted only once.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, in ASCII.
    ///   - limit: The longest time to wait for the refresh of the key source.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled.
    public func verify(_ token: [UInt8], timeout limit: Duration) async throws -> VerifiedToken {
        try await perform(token, timeout: limit)
    }

    private func perform(_ token: [UInt8], timeout limit: Duration?) async throws -> VerifiedToken {
        let visit = verifier.visit(token.span)
        if let visit, let known = try verifier.cached(token.span, visit) { return known }
        let opened = try await open(token, timeout: limit)
        try verifier.check(opened)
        // Rejections are not cached, because an external key may answer differently the next time.
        if let visit { verifier.keep(token.span, visit, opened, decryptionKey: nil, isHeld: true) }
        return opened
    }

    /// Verifies the token and returns its claims.
    ///
    /// - Parameter token: The compact serialization.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled.
    public func verify(_ token: String) async throws -> VerifiedToken { try await verify(Array(token.utf8)) }

    /// Verifies the token, given as bytes, and reports the outcome of each check.
    ///
    /// - Parameter token: The compact serialization, in ASCII.
    /// - Throws: `CancellationError` if the task was cancelled, and no other error.
    public func explain(_ token: [UInt8]) async throws -> VerificationReport {
        do {
            return verifier.explanation(.success(try await open(token, timeout: nil)))
        } catch let error as TokenError {
            return verifier.explanation(.failure(error))
        }
    }

    /// Verifies the token and reports the outcome of each check.
    ///
    /// - Parameter token: The compact serialization.
    /// - Throws: `CancellationError` if the task was cancelled, and no other error.
    public func explain(_ token: String) async throws -> VerificationReport { try await explain(Array(token.utf8)) }

    private func open(_ token: [UInt8], timeout limit: Duration?) async throws -> VerifiedToken {
        var plaintext = SecretBytes(capacity: 0)
        let header: JOSEHeader
        do {
            header = try await decrypter.open(token, into: &plaintext, timeout: limit)
        } catch let error as JOSEError {
            throw TokenError.jose(error, layer: .encryption)
        }
        do throws(TokenError) {
            return try plaintext.withBytes { bytes throws(TokenError) in try verifier.opened(bytes, within: header) }
        } catch {
            guard let limit, try await verifier.hasNewKeys(after: error, timeout: limit) else { throw error }
            return try plaintext.withBytes { bytes throws(TokenError) in try verifier.opened(bytes, within: header) }
        }
    }
}

/// Verifies the encrypted tokens of a profile as `ProfileVerifier` does, and decrypts them with keys outside the
/// process, such as keys in an HSM or a KMS.
public struct ExternalKeyProfileVerifier<Profile: TokenProfile>: Sendable {
    /// The profile that the verifier was created with.
    public let profile: Profile
    private let verifier: ExternalKeyTokenVerifier

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - profile: The profile of the tokens, which must have an encryption layer.
    ///   - verificationKeys: The keys that verify signatures: a `KeySet`, or a source that changes, such as a remote
    ///     JWKS.
    ///   - decryptionKeys: Keys in this process that decrypt.
    ///   - external: Keys outside this process that decrypt, such as keys in an HSM or a KMS.
    /// - Throws: `policyInvalid`, which includes a profile without an encryption layer.
    public init(
        _ profile: Profile, verificationKeys: any KeySource = KeySet.empty, decryptionKeys: KeySet = .empty,
        external: [ExternalDecryptionKey]
    ) throws(TokenError) {
        self.profile = profile
        verifier = try ExternalKeyTokenVerifier(
            profile.checkedPolicy(), verificationKeys: verificationKeys, decryptionKeys: decryptionKeys,
            external: external)
    }

    /// Verifies the token, given as bytes, and returns its claims. The layers, the policy, the profile's own checks and the
    /// replay store are checked in this order.
    ///
    /// - Parameter token: The compact serialization, in ASCII.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled.
    public func verify(_ token: [UInt8]) async throws -> VerifiedToken {
        let verified = try await verifier.verify(token)
        try profile.admit(verified, verifier.policy.claims)
        return verified
    }

    /// Verifies the token, given as bytes, and waits until its verification key is fetched if the key source does not
    /// have it yet. The layers, the policy, the profile's own checks and the replay store are checked in this order.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, in ASCII.
    ///   - limit: The longest time to wait for the refresh of the key source.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled.
    public func verify(_ token: [UInt8], timeout limit: Duration) async throws -> VerifiedToken {
        let verified = try await verifier.verify(token, timeout: limit)
        try profile.admit(verified, verifier.policy.claims)
        return verified
    }

    /// Verifies the token and returns its claims. The layers, the policy, the profile's own checks and the replay store
    /// are checked in this order.
    ///
    /// - Parameter token: The compact serialization.
    /// - Returns: The verified token, whose layers and claims are all valid.
    /// - Throws: `TokenError`, and `CancellationError` if the task was cancelled.
    public func verify(_ token: String) async throws -> VerifiedToken { try await verify(Array(token.utf8)) }
}
