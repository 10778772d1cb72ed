import JOSE
import TestSupport
import Testing

@testable import JOSETokens

/// A configuration beside the policy of a form: one column of the matrix.
enum MatrixSetting: CaseIterable, Sendable {
    case plain
    case cache
    /// Each token is asked for twice.
    case cacheAskedTwice
    case severalIssuers
    /// A profile with a check of its own, without and with a replay store.
    case profile, replayAtOnce, replayAwaited
    case observer
    /// A limiter with a free slot for each token.
    case limiter
    /// Content encryption keys are decrypted for several tokens at a time.
    case vectorizedKeys
    /// Keys outside the process beside one in it, of one issuer and shared by several.
    case externalKeys, externalKeysOfSeveral
    /// Keys that a refresh brings, which nobody has before a token waits for it.
    case arrivingSignatureKeys, arrivingDecryptionKeys
    /// Several issuers, a cache, a profile with an awaited replay store, an observer, a limiter and vectorized keys.
    case together

    /// Whether the setting has a meaning for tokens of a form.
    func applies(to form: MatrixForm) -> Bool {
        switch self {
        case .limiter, .vectorizedKeys, .externalKeys, .externalKeysOfSeveral, .arrivingDecryptionKeys:
            form.isEncrypted
        // The keys of certificates are in the tokens.
        case .arrivingSignatureKeys: form == .signed || form == .nested
        default: true
        }
    }

    /// Whether the observer is told. Without one, a verifier of one policy takes its shortest path.
    var isObserved: Bool {
        switch self {
        case .plain, .cache, .limiter, .vectorizedKeys: false
        default: true
        }
    }

    var isCached: Bool { [.cache, .cacheAskedTwice, .together].contains(self) }
    var hasSeveralIssuers: Bool { [.severalIssuers, .externalKeysOfSeveral, .together].contains(self) }
    var hasProfile: Bool { [.profile, .replayAtOnce, .replayAwaited, .together].contains(self) }
    var awaitsReplays: Bool { self == .replayAwaited || self == .together }
    var isExternal: Bool { self == .externalKeys || self == .externalKeysOfSeveral }
    var isLimited: Bool { self == .limiter || self == .together }
    var isVectorized: Bool { self == .vectorizedKeys || self == .together }

    /// The first step that needs a key which arrives later; nil where all keys are there.
    var arrivesAt: MatrixStage? {
        switch self {
        case .arrivingSignatureKeys: .signatureKey
        case .arrivingDecryptionKeys: .decryptionKey
        default: nil
        }
    }

    var circumstances: Set<MatrixCircumstance> {
        var all: Set<MatrixCircumstance> = []
        if hasSeveralIssuers { all.insert(.severalIssuers) }
        if hasProfile { all.insert(.profile) }
        if self == .replayAtOnce || awaitsReplays { all.insert(.replayStore) }
        return all
    }
}

/// A verifier of the matrix, and what a test reads beside its answers.
struct MatrixParty: Sendable {
    let verifier: TokenVerifier
    let limiter: DecryptionLimiter?
}

/// The profile of the matrix, which rejects one subject.
private struct MatrixProfile: TokenProfile {
    let policy: TokenPolicy
    let replayStore: (any ReplayStore)?

    func check(_ token: VerifiedToken) throws(TokenError) {
        guard token.claims.subject != MatrixPolicy.barred else { throw .claim(.invalid("sub")) }
    }
}

/// Makes verifiers of the table's policies.
struct MatrixVerifiers: Sendable {
    let matrix: TokenMatrix
    let form: MatrixForm
    let setting: MatrixSetting
    let recorder: MatrixRecorder

    /// Returns a verifier that has seen no token.
    func party() throws -> MatrixParty {
        let limiter = setting.isLimited ? DecryptionLimiter(maxConcurrent: 1_000, maxQueued: 1_000) : nil
        let observer: (any VerificationObserver)? = setting.isObserved ? recorder : nil
        let cache = setting.isCached ? TokenCache() : nil
        let trust = try form == .certified ? CertificateTrust(roots: [Certificate(pem: matrix.keys.root)]) : nil
        let (verification, decryption, external) = (verificationKeys, decryptionKeys, externalKeys)
        let own = rules(MatrixPolicy.issuer, limiter)
        let verifier: TokenVerifier
        if setting.hasSeveralIssuers {
            let other = rules(MatrixPolicy.otherIssuer, limiter)
            let otherKeys = KeySet(matrix.keys.ofOtherIssuer.publicKey)
            verifier = try TokenVerifier(
                issuers: [trusted(other, otherKeys, trust), trusted(own, verification, trust)],
                decryptionKeys: decryption, externalKeys: external, cache: cache, observer: observer)
        } else if let profile = own.profile {
            verifier = try TokenVerifier(
                profile, verificationKeys: verification, decryptionKeys: decryption, externalKeys: external,
                trust: trust, cache: cache, observer: observer)
        } else {
            verifier = try TokenVerifier(
                own.policy, verificationKeys: verification, decryptionKeys: decryption, externalKeys: external,
                trust: trust, cache: cache, observer: observer)
        }
        return MatrixParty(verifier: verifier, limiter: limiter)
    }

    /// Returns a verifier of the layers alone.
    func layers() throws -> LayersVerifier {
        try LayersVerifier(
            policy(MatrixPolicy.issuer, nil).form, contentType: .any, verificationKeys: verificationKeys,
            decryptionKeys: decryptionKeys)
    }

    private func trusted(
        _ rules: (policy: TokenPolicy, profile: MatrixProfile?), _ keys: any KeySource, _ trust: CertificateTrust?
    ) -> TrustedIssuer {
        rules.profile.map { TrustedIssuer($0, keys: keys, trust: trust) }
            ?? TrustedIssuer(rules.policy, keys: keys, trust: trust)
    }

    private func rules(
        _ issuer: String, _ limiter: DecryptionLimiter?
    ) -> (policy: TokenPolicy, profile: MatrixProfile?) {
        let policy = policy(issuer, limiter)
        guard setting.hasProfile else { return (policy, nil) }
        let store: (any ReplayStore)? =
            setting.awaitsReplays
            ? AwaitedReplayStore() : setting == .replayAtOnce ? InMemoryReplayStore() : nil
        return (policy, MatrixProfile(policy: policy, replayStore: store))
    }

    private func policy(_ issuer: String, _ limiter: DecryptionLimiter?) -> TokenPolicy {
        var claims = ClaimPolicy(issuer: issuer, audience: MatrixPolicy.audience)
        claims.maximumLifetime = .seconds(MatrixPolicy.maximumLifetime)
        claims.acceptedValues = ["role": [MatrixPolicy.role]]
        claims.required = MatrixPolicy.required.map { ClaimName($0) }
        claims.forbidden = [ClaimName(MatrixPolicy.forbidden)]
        var limits = ParsingLimits.standard
        limits.tokenBytes = MatrixPolicy.tokenBytes
        limits.plaintextBytes = MatrixPolicy.plaintextBytes
        limits.signatureBytes = MatrixPolicy.signatureBytes
        var inner = SignaturePolicy(algorithms: MatrixPolicy.signatures.compactMap { SignatureAlgorithm(name: $0) })
        inner.type = .exactly(MatrixPolicy.type)
        inner.understoodCritical = [MatrixPolicy.critical]
        inner.limits = limits
        var outer = EncryptionPolicy(
            keyManagement: MatrixPolicy.keyManagement.compactMap { KeyManagementAlgorithm(name: $0) },
            contentEncryption: MatrixPolicy.contentEncryption.compactMap { ContentEncryption(name: $0) })
        outer.understoodCritical = [MatrixPolicy.critical]
        outer.limits = limits
        outer.limiter = limiter
        if setting.isVectorized { outer.privateKeyOperations = .vectorized }
        switch form {
        case .signed, .certified: return .signed(inner, claims: claims)
        case .nested: return .nested(outer: outer, inner: inner, claims: claims)
        case .encrypted:
            outer.type = .exactly(MatrixPolicy.type)
            return .encrypted(outer, claims: claims)
        }
    }

    private var verificationKeys: any KeySource {
        guard form.isSigned else { return KeySet.empty }
        let keys = KeySet(matrix.keys.verification)
        return setting == .arrivingSignatureKeys ? Self.arriving(keys) : keys
    }

    private var decryptionKeys: any KeySource {
        guard form.isEncrypted else { return KeySet.empty }
        guard !setting.isExternal else { return KeySet(matrix.keys.direct) }
        let keys = KeySet(matrix.keys.decryption)
        return setting == .arrivingDecryptionKeys ? Self.arriving(keys) : keys
    }

    /// The keys that an external one may be, in a stand-in for the service that has them.
    private var externalKeys: [ExternalDecryptionKey] {
        guard setting.isExternal else { return [] }
        let keys = matrix.keys
        return [
            .unwrapper(RemoteUnwrapper(.privateKey(keys.rsaRecipient))),
            .unwrapper(RemoteUnwrapper(.symmetricKey(keys.wrapping))),
        ] + keys.p256Recipients.map { .agreement(RemoteAgreement($0)) }
    }

    /// Returns a source without keys, to which a refresh brings these.
    private static func arriving(_ keys: KeySet) -> ChangingKeys {
        let source = ChangingKeys(.failure(.keysUnavailable(.notFetched)))
        source.onRefresh { [weak source] in
            source?.set(keys)
            return true
        }
        return source
    }
}
