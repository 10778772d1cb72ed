public import JOSE
internal import JOSEBytes

/// Verifies tokens as `TokenVerifier` does, decrypted by keys outside the process: decryption, signature and claims under the one
/// policy, in one call. A token without encryption needs none of this.
///
/// Its calls throw `TokenError`, and `CancellationError` where the task was cancelled.
public struct ExternalKeyTokenVerifier: Sendable {
    /// Every step but the decryption.
    private let verifier: TokenVerifier
    private let decrypter: ExternalKeyDecrypter
    /// As it was given when this was made.
    public var policy: TokenPolicy { verifier.policy }

    /// Keys as `TokenVerifier` and `ExternalKeyDecrypter` take them. With `cache`, a token that held before is not sent to an external key
    /// again. Throws `policyInvalid`, also for a policy without encryption.
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

    /// The claims, once every layer and every claim held; else the first thing that did not.
    public func verify(_ token: [UInt8]) async throws -> VerifiedToken {
        try await perform(token, timeout: nil)
    }

    /// The same, and a token whose verification key is not there yet waits for the refresh of the source that it asked for, no
    /// longer than `limit`, as `TokenVerifier` has it; it is decrypted once.
    public func verify(_ token: [UInt8], timeout limit: Duration) async throws -> VerifiedToken {
        try await perform(token, timeout: limit)
    }

    private func perform(_ token: [UInt8], timeout limit: Duration?) async throws -> VerifiedToken {
        let visit = verifier.visit(token.span)
        if let visit, let known = try verifier.cached(token.span, visit) { return known }
        let opened = try await open(token, timeout: limit)
        try verifier.check(opened)
        // Refusals are not kept: an external key may answer otherwise the next time.
        if let visit { verifier.keep(token.span, visit, opened, decryptionKey: nil, isHeld: true) }
        return opened
    }

    /// The same of a text.
    public func verify(_ token: String) async throws -> VerifiedToken { try await verify(Array(token.utf8)) }

    /// Verifies and says what became of each check. Throws `CancellationError` alone.
    public func explain(_ token: [UInt8]) async throws -> VerificationReport {
        do {
            return verifier.explanation(.success(try await open(token, timeout: nil)))
        } catch let error as TokenError {
            return verifier.explanation(.failure(error))
        }
    }

    /// The same of a text.
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

/// Verifies the tokens of one profile as `ProfileVerifier` does, decrypted by keys outside the process.
public struct ExternalKeyProfileVerifier<Profile: TokenProfile>: Sendable {
    /// As it was given when this was made.
    public let profile: Profile
    private let verifier: ExternalKeyTokenVerifier

    /// Throws `policyInvalid`, also for a profile that was made without encryption.
    public init(
        _ profile: Profile, verificationKeys: any KeySource = KeySet.empty, decryptionKeys: KeySet = .empty,
        external: [ExternalDecryptionKey]
    ) throws(TokenError) {
        self.profile = profile
        verifier = try ExternalKeyTokenVerifier(
            profile.checkedPolicy(), verificationKeys: verificationKeys, decryptionKeys: decryptionKeys,
            external: external)
    }

    /// The token, once its layers, the policy, the profile's own checks and the replay store held, in this order.
    public func verify(_ token: [UInt8]) async throws -> VerifiedToken {
        let verified = try await verifier.verify(token)
        try profile.admit(verified, verifier.policy.claims)
        return verified
    }

    /// The same, waiting for the verification key as `ExternalKeyTokenVerifier` does.
    public func verify(_ token: [UInt8], timeout limit: Duration) async throws -> VerifiedToken {
        let verified = try await verifier.verify(token, timeout: limit)
        try profile.admit(verified, verifier.policy.claims)
        return verified
    }

    /// The same of a text.
    public func verify(_ token: String) async throws -> VerifiedToken { try await verify(Array(token.utf8)) }
}
