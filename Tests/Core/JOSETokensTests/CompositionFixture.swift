import JOSE
import TestSupport
import Testing

@testable import JOSETokens

/// Verifiers of every configuration, and tokens that they accept and reject.
struct CompositionFixture {
    enum Replay: CaseIterable { case none, synchronous, awaited }
    enum Form: CaseIterable {
        case signed, nested, certified
        /// The content encryption keys are decrypted together where that is possible, with RSA-OAEP.
        case vectorized

        var isNested: Bool { self == .nested || self == .vectorized }
    }

    /// The parts of a configuration.
    struct Configuration: Sendable, CustomTestStringConvertible {
        let form: Form
        let isSeveral: Bool
        let hasProfile: Bool
        let replay: Replay
        let isCached: Bool
        let isExternal: Bool
        let isLimited: Bool

        /// Whether a token is accepted only by a call that waits.
        var needsWait: Bool { isExternal || replay == .awaited }

        var testDescription: String {
            [
                "\(form)", isSeveral ? "several issuers" : nil, hasProfile ? "profile" : nil,
                replay == .none ? nil : "\(replay) replay store", isCached ? "cache" : nil,
                isExternal ? "external keys" : nil, isLimited ? "limiter" : nil,
            ].compactMap(\.self).joined(separator: ", ")
        }

        static var all: [Configuration] {
            let both = [false, true]
            return Form.allCases.flatMap { form in
                both.flatMap { isSeveral in
                    rules(form).flatMap { rules in
                        both.flatMap { isCached in
                            keys(form).map { keys in
                                Configuration(
                                    form: form, isSeveral: isSeveral, hasProfile: rules.hasProfile,
                                    replay: rules.replay,
                                    isCached: isCached, isExternal: keys.isExternal, isLimited: keys.isLimited)
                            }
                        }
                    }
                }
            }
        }

        /// Vectorized keys differ from others before the profile is asked, so that fewer profiles are tried with them.
        private static func rules(_ form: Form) -> [(hasProfile: Bool, replay: Replay)] {
            form == .vectorized
                ? [(false, .none), (true, .synchronous)]
                : [(false, .none), (true, .none), (true, .synchronous), (true, .awaited)]
        }

        private static func keys(_ form: Form) -> [(isExternal: Bool, isLimited: Bool)] {
            switch form {
            case .signed, .certified: [(false, false)]
            case .nested: [(false, false), (true, false), (false, true), (true, true)]
            case .vectorized: [(false, false), (false, true)]
            }
        }
    }

    struct Token {
        let name: String
        let bytes: [UInt8]
        let isValid: Bool
    }

    private struct Profile: TokenProfile {
        let policy: TokenPolicy
        let replayStore: (any ReplayStore)?
        func check(_ token: VerifiedToken) throws(TokenError) {
            guard token.claims.subject != "forbidden" else { throw .claim(.invalid("sub")) }
        }
    }

    private static let issuer = "https://a.test"
    private static let other = "https://b.test"
    private let signing: PrivateKey
    private let second: PrivateKey
    private let ofOther: PrivateKey
    private let stranger: PrivateKey
    private let recipient: PrivateKey
    private let rsaRecipient: PrivateKey
    private let trust: CertificateTrust
    private let certified: (key: PrivateKey, chain: CertificateChain)
    private let untrusted: (key: PrivateKey, chain: CertificateChain)
    private let now: NumericDate

    init() throws {
        signing = try .stored(keyID: "r1")
        second = try .generate(.p256, keyID: "e1")
        ofOther = try .stored(keyID: "r1")
        stranger = try .stored(keyID: "r1")
        recipient = try .generate(.x25519, keyID: "m1")
        rsaRecipient = try .stored(keyID: "m1")
        let maker = try CertificateMaker()
        func chain() throws -> (root: Certificate, key: PrivateKey, chain: CertificateChain) {
            let root = try maker.issue("Root", extensions: CertificateMaker.Extensions.root, days: 3650)
            let leaf = try maker.issue("leaf", by: root, extensions: CertificateMaker.Extensions.leaf, days: 30)
            return (
                try Certificate(pem: root.pem), try PrivateKey(pem: leaf.keyPEM), try CertificateChain(pem: leaf.pem)
            )
        }
        let (mine, theirs) = (try chain(), try chain())
        trust = try CertificateTrust(roots: [mine.root])
        certified = (mine.key, mine.chain)
        untrusted = (theirs.key, theirs.chain)
        now = mine.chain.leaf.notBefore + .seconds(86_400)
    }

    func verifier(_ configuration: Configuration) throws -> TokenVerifier {
        let cache = configuration.isCached ? TokenCache() : nil
        let own = try rules(Self.issuer, configuration)
        let keys = KeySet([.publicKey(signing.publicKey), .publicKey(second.publicKey)])
        let trust = configuration.form == .certified ? trust : nil
        let isVectorized = configuration.form == .vectorized
        let remote: ExternalDecryptionKey =
            isVectorized
            ? .unwrapper(RemoteUnwrapper(.privateKey(rsaRecipient))) : .agreement(RemoteAgreement(recipient))
        let external = configuration.isExternal ? [remote] : []
        let held = KeySet(isVectorized ? rsaRecipient : recipient)
        let decryption = configuration.form.isNested && !configuration.isExternal ? held : .empty
        guard configuration.isSeveral else {
            if let profile = own.profile {
                return try TokenVerifier(
                    profile, verificationKeys: keys, decryptionKeys: decryption, externalKeys: external, trust: trust,
                    cache: cache)
            }
            return try TokenVerifier(
                own.policy, verificationKeys: keys, decryptionKeys: decryption, externalKeys: external, trust: trust,
                cache: cache)
        }
        let their = try rules(Self.other, configuration)
        func trusted(_ rules: (policy: TokenPolicy, profile: Profile?), _ keys: KeySet) -> TrustedIssuer {
            rules.profile.map { TrustedIssuer($0, keys: keys, trust: trust) }
                ?? TrustedIssuer(rules.policy, keys: keys, trust: trust)
        }
        return try TokenVerifier(
            issuers: [trusted(their, KeySet(ofOther.publicKey)), trusted(own, keys)], decryptionKeys: decryption,
            externalKeys: external, cache: cache)
    }

    private func rules(
        _ issuer: String, _ configuration: Configuration
    ) throws -> (policy: TokenPolicy, profile: Profile?) {
        var claims = ClaimPolicy(issuer: .exactly(issuer), audience: "shop")
        claims.clock = .fixed(now)
        claims.maximumLifetime = .seconds(3600)
        let inner = SignaturePolicy(algorithms: [.rs256, .es256])
        let isVectorized = configuration.form == .vectorized
        var outer = EncryptionPolicy(
            keyManagement: [isVectorized ? .rsaOAEP256 : .ecdhES], contentEncryption: [.a128gcm])
        if isVectorized { outer.privateKeyOperations = .vectorized }
        if configuration.isLimited {
            outer.limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 1_000, timeout: .ample)
        }
        let policy: TokenPolicy =
            configuration.form.isNested
            ? .nested(outer: outer, inner: inner, claims: claims) : .signed(inner, claims: claims)
        guard configuration.hasProfile else { return (policy, nil) }
        let store: (any ReplayStore)? =
            switch configuration.replay {
            case .none: nil
            case .synchronous: InMemoryReplayStore()
            case .awaited: AwaitedReplayStore()
            }
        return (policy, Profile(policy: policy, replayStore: store))
    }

    private func payload(_ id: String, issuer: String = issuer, subject: String = "u", expires: Double = 600) -> String
    {
        let end = Int(now.secondsSince1970 + expires)
        return #"{"iss":"\#(issuer)","aud":"shop","sub":"\#(subject)","jti":"\#(id)","exp":\#(end)}"#
    }

    func tokens(_ configuration: Configuration) throws -> [Token] {
        func signed(_ payload: String, _ key: PrivateKey? = nil, _ algorithm: SignatureAlgorithm = .rs256) throws
            -> String
        {
            if configuration.form == .certified, key == nil || key?.keyID == second.keyID {
                var header = HeaderParameters()
                header.set(certificates: certified.chain)
                return try JWSSigner(key: certified.key, algorithm: .es256, header: header).sign(payload)
            }
            return try JWSSigner(key: key ?? signing, algorithm: algorithm).sign(payload)
        }
        func sealed(_ token: String, names issuer: String? = nil) throws -> String {
            guard configuration.form.isNested else { return token }
            let isVectorized = configuration.form == .vectorized
            var header = HeaderParameters(contentType: "JWT")
            if let issuer { header.set("iss", json: Array("\"\(issuer)\"".utf8)) }
            return try JWEEncrypter(
                key: (isVectorized ? rsaRecipient : recipient).publicKey,
                keyManagement: isVectorized ? .rsaOAEP256 : .ecdhES, contentEncryption: .a128gcm, header: header
            ).encrypt(token)
        }
        var tokens: [Token] = []
        func add(_ name: String, _ text: String, _ isValid: Bool = false) {
            tokens.append(Token(name: name, bytes: Array(text.utf8), isValid: isValid))
        }
        let first = try sealed(signed(payload("1")))
        add("RS256", first, true)
        for number in 2..<7 { add("RS256, \(number)", try sealed(signed(payload("\(number)"))), true) }
        add("ES256", try sealed(signed(payload("7"), second, .es256)), true)
        add("iss outside", try sealed(signed(payload("8")), names: Self.issuer), true)
        add("the first token again", first, configuration.replay == .none)
        add(
            "sub that the profile forbids", try sealed(signed(payload("9", subject: "forbidden"))),
            !configuration.hasProfile)
        add("another issuer", try sealed(signed(payload("10", issuer: Self.other), ofOther)), configuration.isSeveral)
        add("another issuer's key", try sealed(signed(payload("11"), ofOther)))
        add("an unknown issuer", try sealed(signed(payload("12", issuer: "https://c.test"))))
        add("a stranger's key", try sealed(signed(payload("13"), stranger)))
        add("expired", try sealed(signed(payload("14", expires: -600))))
        add("a lifetime that is too long", try sealed(signed(payload("15", expires: 7200))))
        add("cut", String(first.dropLast(4)))
        add("two parts", "a.b")
        add("empty", "")
        var header = HeaderParameters()
        header.set(certificates: untrusted.chain)
        add(
            "an untrusted certificate",
            try sealed(JWSSigner(key: untrusted.key, algorithm: .es256, header: header).sign(payload("16"))))
        if configuration.form.isNested { add("signed only", try signed(payload("17"))) }
        return tokens
    }

    /// A way to verify tokens, beside one call after the other that waits.
    enum Way: CaseIterable {
        case plain, batch, batchOnThreads, batchWaiting, sequence, sequenceWaiting, coalescing, coalescingWaiting,
            coalescingTogether

        /// Whether the way waits for keys, the limiter, external keys and the replay store.
        var waits: Bool {
            switch self {
            case .plain, .batch, .coalescing: false
            // External keys and replay stores are awaited without a timeout too.
            case .batchOnThreads, .batchWaiting, .sequence, .sequenceWaiting, .coalescingWaiting,
                .coalescingTogether:
                true
            }
        }

        func answers(_ verifier: TokenVerifier, _ tokens: [[UInt8]]) async throws -> [Seen] {
            // One thread, so that the limiter has a free slot for each token.
            let alone = BatchVerifier(verifier, workers: 1)
            let limit = Duration.ample
            switch self {
            case .plain:
                return tokens.map { token in Seen { () throws(TokenError) in try verifier.verify(token) } }
            case .batch: return alone.verifySynchronously(tokens).map(Seen.init)
            case .batchOnThreads: return try await alone.verify(tokens).map(Seen.init)
            case .batchWaiting: return try await BatchVerifier(verifier).verify(tokens, timeout: limit).map(Seen.init)
            case .sequence: return try await Self.all(alone.results(of: Listed(tokens)))
            case .sequenceWaiting:
                return try await Self.all(BatchVerifier(verifier).results(of: Listed(tokens), timeout: limit))
            case .coalescing:
                let coalescing = CoalescingVerifier(verifier)
                var answers: [Seen] = []
                for token in tokens { answers.append(try await Seen.awaited { try await coalescing.verify(token) }) }
                return answers
            case .coalescingWaiting:
                let coalescing = CoalescingVerifier(verifier)
                var answers: [Seen] = []
                for token in tokens {
                    answers.append(try await Seen.awaited { try await coalescing.verify(token, timeout: limit) })
                }
                return answers
            case .coalescingTogether:
                let coalescing = CoalescingVerifier(verifier, isMeasured: false)
                var answers: [Seen] = []
                for wave in Self.waves(tokens) {
                    answers += try await withThrowingTaskGroup(of: (Int, Seen).self) { group in
                        for (place, token) in wave.enumerated() {
                            group.addTask {
                                (place, try await Seen.awaited { try await coalescing.verify(token, timeout: limit) })
                            }
                        }
                        var seen: [Int: Seen] = [:]
                        for try await (place, answer) in group { seen[place] = answer }
                        return wave.indices.compactMap { seen[$0] }
                    }
                }
                return answers
            }
        }

        /// Runs of tokens in which none occurs twice, so that replay stores answer as they do one call after the other.
        private static func waves(_ tokens: [[UInt8]]) -> [[[UInt8]]] {
            var waves: [[[UInt8]]] = []
            for token in tokens {
                if let last = waves.last, !last.contains(token) {
                    waves[waves.count - 1].append(token)
                } else {
                    waves.append([token])
                }
            }
            return waves
        }

        private static func all(
            _ results: some AsyncSequence<Result<VerifiedToken, TokenError>, any Error>
        ) async throws -> [Seen] {
            var answers: [Seen] = []
            for try await result in results { answers.append(Seen(result)) }
            return answers
        }
    }
}
