package import JOSE
package import JOSETokens

/// The layers that a token must have. The options decide this, never the token.
package enum TokenForm: Sendable {
    case signed, encrypted, nested

    /// Finds the layers by the options that only one of them has.
    package init(of arguments: Arguments) {
        let isEncrypted = arguments.has(Options.decryptKeys) || arguments.has(Options.keyManagement)
        let isSigned = [
            Options.keys.spec, Options.secretFile.spec, Options.issuerURL.spec, Options.algorithms.spec,
        ].contains { arguments.has($0) }
        self = arguments.has(Options.nested) ? .nested : isEncrypted && !isSigned ? .encrypted : .signed
    }

    package var isSigned: Bool { self != .encrypted }
    package var isEncrypted: Bool { self != .signed }
}

/// An option that a policy needs, and the option that waives it, if there is one.
package struct NeededOption {
    package let spec: OptionSpec
    var waiver: OptionSpec?
    /// A value for an example.
    package let example: String

    /// The option, and what waives it, as messages name them.
    package var text: String { "--\(spec.name)" + (waiver.map { " (or --\($0.name))" } ?? "") }
}

/// The description of an issuer: its keys and the policy of its tokens, by the options of a command or by the members
/// of a file that have their names.
package struct IssuerSettings: Sendable {
    package let arguments: Arguments
    package let form: TokenForm
    /// The remote JWKS for verification, or nil if the keys are in a file.
    package let source: KeySetSource?
    /// The limiter of the decryptions; nil for none.
    var limiter: DecryptionLimiter?
    private let isService: Bool

    package static let options: [OptionSpec] =
        [
            Options.keys.spec, Options.secretFile.spec, Options.trust.spec, Options.trustName.spec,
            Options.decryptKeys.spec, Options.nested, Options.algorithms.spec, Options.keyManagement.spec,
            Options.contentEncryption.spec, Options.issuer.spec, Options.anyIssuer, Options.audience.spec,
            Options.anyAudience, Options.trustedAudiences.spec, Options.type.spec, Options.contentType.spec,
            Options.now.spec, Options.leeway.spec, Options.allowNoExpiration, Options.maximumLifetime.spec,
            Options.minimumRemaining.spec, Options.maximumAge.spec, Options.maximumAuthenticationAge.spec,
            Options.values.spec, Options.required.spec, Options.forbidden.spec, Options.subject.spec,
            Options.nonce.spec, Options.authorizedParty.spec, Options.levels.spec, Options.critical.spec,
            Options.allowZip, Options.vectorizedPrivateKeys, Options.allowBroken, Options.bytes, Options.json,
            Options.allSignatures, Options.signedBy.spec, Options.issuerURL.spec, Options.keyCache.spec,
        ] + KeySetSource.options + Options.ofPassphrases + OptionNames.ofLimits.map(\.option.spec)

    /// The options that are members of an issuer in a configuration file.
    package static let members: [OptionSpec] =
        options.filter { spec in
            ![
                Options.bytes, Options.json, Options.allSignatures, Options.signedBy.spec, Options.now.spec,
                Options.nonce.spec, Options.passphraseDescriptor.spec, Options.keyCache.spec,
            ].contains { $0.name == spec.name }
        } + [Options.profile.spec]

    /// Creates the policy.
    ///
    /// - Parameter isService: Whether the keys are for a process that verifies tokens for as long as it runs, and reads
    ///   its files again.
    package init(_ arguments: Arguments, form: TokenForm, isService: Bool = false) throws(CommandFailure) {
        self.arguments = arguments
        self.form = form
        self.isService = isService
        for (one, other) in [
            (Options.issuer.spec, Options.anyIssuer), (Options.audience.spec, Options.anyAudience),
            (Options.trustedAudiences.spec, Options.anyAudience),
            (Options.maximumLifetime.spec, Options.allowNoExpiration),
            (Options.minimumRemaining.spec, Options.allowNoExpiration),
        ] where arguments.has(one) && arguments.has(other) {
            throw .usage("--\(one.name) and --\(other.name) contradict each other")
        }
        for option in [
            Options.decryptKeys.spec, Options.keyManagement.spec, Options.contentEncryption.spec, Options.allowZip,
            Options.vectorizedPrivateKeys, Options.allowBroken, Options.maximumIterations.spec,
        ] where !form.isEncrypted && arguments.has(option) {
            throw .usage("--\(option.name) is for encrypted tokens: add --nested, or use bulla decrypt")
        }
        if arguments.has(Options.trustName), !arguments.has(Options.trust) {
            throw .usage("--trust-name requires --trust")
        }
        if arguments.has(Options.contentType), form != .nested {
            throw .usage("--cty is for nested tokens: add --nested")
        }
        for option in [Options.keys.spec, Options.issuerURL.spec]
        where arguments.has(option) && arguments.has(Options.secretFile) {
            throw .usage("--\(option.name) and --secret-file cannot be combined")
        }
        for option in [
            Options.algorithms.spec, Options.keys.spec, Options.secretFile.spec, Options.issuerURL.spec,
            Options.trust.spec, Options.trustName.spec, Options.allSignatures, Options.signedBy.spec,
        ] where !form.isSigned && arguments.has(option) {
            throw .usage("--\(option.name) is for signed tokens: add --nested, or use bulla verify")
        }
        if form == .nested, arguments.has(Options.json) {
            throw .usage("--json is for one layer; nested tokens are compact (RFC 7519, 1)")
        }
        for option in [Options.allSignatures, Options.signedBy.spec]
        where arguments.has(option) && !arguments.has(Options.json) {
            throw .usage("--\(option.name) requires --json")
        }
        guard !arguments.has(Options.allSignatures) || !arguments.has(Options.signedBy) else {
            throw .usage("--all-signatures and --signed-by cannot be combined")
        }
        source = try Self.source(arguments, isService: isService)
        if arguments.has(Options.trustedAudiences), !arguments.has(Options.audience), !isOfBytes {
            throw .usage("--trusted-aud requires --aud")
        }
    }

    private static func source(_ arguments: Arguments, isService: Bool) throws(CommandFailure) -> KeySetSource? {
        let issuer = try arguments.value(Options.issuerURL)
        let url = try arguments.value(Options.keys).flatMap { KeySetSource.isURL($0) ? $0 : nil }
        if let issuer {
            guard !arguments.has(Options.keys) else {
                throw .usage(
                    "--issuer finds the keys by the issuer's metadata; with --keys the accepted issuer is --iss")
            }
            guard !arguments.has(Options.anyIssuer) else {
                throw .usage("--issuer and --any-issuer contradict each other")
            }
            return try KeySetSource(.issuer(issuer), arguments, isService: isService)
        }
        if let url { return try KeySetSource(.url(url), arguments, isService: isService) }
        for option in KeySetSource.options + [Options.keyCache.spec, Options.keyLag.spec] where arguments.has(option) {
            throw .usage("--\(option.name) requires a remote JWKS: --keys https://…, or --issuer")
        }
        return nil
    }

    /// Returns the accepted issuers, or nil if none is given.
    func issuers() throws(CommandFailure) -> [String]? {
        if let given = try arguments.list(Options.issuer) { return given }
        return try arguments.value(Options.issuerURL).map { [$0] }
    }

    /// Requires that each part of the policy is given or waived explicitly.
    package func demandAll() throws(CommandFailure) { try demand(lacking) }

    /// Requires that each part of the policy of the layers is given, and not that of the claims.
    package func demandLayers() throws(CommandFailure) { try demand(lacking.filter { $0.waiver == nil }) }

    private func demand(_ lacking: [NeededOption]) throws(CommandFailure) {
        guard !lacking.isEmpty else { return }
        let examples = lacking.map { "--\($0.spec.name) \($0.example)" }.joined(separator: " ")
        throw .usage("needs \(lacking.map(\.text).joined(separator: ", ")); for example: \(examples)")
    }

    /// The options of which each policy of this form needs a value or a waiver, and that have neither.
    package var lacking: [NeededOption] {
        var needed: [NeededOption] = []
        if !isOfBytes {
            if !arguments.has(Options.issuerURL) {
                needed.append(
                    NeededOption(
                        spec: Options.issuer.spec, waiver: Options.anyIssuer, example: "https://id.example.com"))
            }
            needed.append(NeededOption(spec: Options.audience.spec, waiver: Options.anyAudience, example: "shop"))
        }
        if form.isSigned {
            needed.append(NeededOption(spec: Options.algorithms.spec, example: "RS256"))
            if source == nil, !arguments.has(Options.trust), !arguments.has(Options.secretFile) {
                needed.append(NeededOption(spec: Options.keys.spec, example: "s1.pub.jwk"))
            }
        }
        if form.isEncrypted {
            if !arguments.has(Options.allowBroken) {
                needed.append(NeededOption(spec: Options.keyManagement.spec, example: "RSA-OAEP"))
            }
            needed.append(NeededOption(spec: Options.contentEncryption.spec, example: "A256GCM"))
            needed.append(NeededOption(spec: Options.decryptKeys.spec, example: "e1.jwk"))
        }
        return needed.filter { option in
            !arguments.has(option.spec) && !(option.waiver.map { arguments.has($0) } ?? false)
        }
    }

    /// Whether the payload is bytes and not claims: with `--bytes`, in the JSON serialization, and where it is
    /// detached.
    package var isOfBytes: Bool {
        !arguments.has(Options.profile)
            && [Options.bytes, Options.json, Options.detachedFile.spec].contains(where: arguments.has)
    }

    /// Returns the decrypter of the encryption layer.
    package func decrypter() throws(CommandFailure) -> JWEDecrypter {
        let keys = try decryptionKeys()
        let policy = try encryptionPolicy(isOuter: form == .nested)
        return try CommandFailure.inWords { () throws(JOSEError) in try JWEDecrypter(keys: keys, policy: policy) }
    }

    /// Returns the verifier of the signature layer.
    package func layerVerifier(_ requirement: SignatureRequirement? = nil) throws(CommandFailure) -> JWSVerifier {
        var policy = try signaturePolicy()
        if let requirement { policy.requirement = requirement }
        let keys = try verificationKeys()
        let trust = try trust()
        return try CommandFailure.inWords { () throws(JOSEError) in
            try JWSVerifier(keys: keys, policy: policy, trust: trust)
        }
    }

    /// Returns the verifier of the tokens.
    ///
    /// - Parameter examinesKeys: Whether keys that could accept no token are a usage error.
    package func verifier(examinesKeys: Bool = true) throws(CommandFailure) -> TokenVerifier {
        let policy = try tokenPolicy(try claimPolicy())
        let verification = try verificationKeys()
        let decryption = try decryptionKeys()
        let trust = try trust()
        return try CommandFailure.inWords { () throws(TokenError) in
            examinesKeys
                ? try TokenVerifier(policy, verificationKeys: verification, decryptionKeys: decryption, trust: trust)
                : try TokenVerifier(policy, unexaminedKeys: verification, decryptionKeys: decryption, trust: trust)
        }
    }
}

extension IssuerSettings {
    /// Returns the policy of the form's layers, with these claims.
    func tokenPolicy(_ claims: ClaimPolicy) throws(CommandFailure) -> TokenPolicy {
        switch form {
        case .signed: .signed(try signaturePolicy(), claims: claims)
        case .encrypted: .encrypted(try encryptionPolicy(isOuter: false), claims: claims)
        case .nested:
            .nested(outer: try encryptionPolicy(isOuter: true), inner: try signaturePolicy(), claims: claims)
        }
    }

    /// Returns the profile of JWT access tokens (RFC 9068) with these claims.
    func accessTokenProfile(_ claims: ClaimPolicy) throws(CommandFailure) -> AccessTokenProfile {
        var profile = AccessTokenProfile(issuer: .anyIssuerUnchecked, resource: .anyAudienceUnchecked, algorithms: [])
        profile.signature = try signaturePolicy()
        profile.encryption = form == .nested ? try encryptionPolicy(isOuter: true) : nil
        profile.claims = claims
        return profile
    }

    func verificationKeys() throws(CommandFailure) -> any KeySource {
        if let source { return try source.ready() }
        return try fileKeys()
    }

    /// Returns the verification keys of the file; none if there is no such option.
    func fileKeys() throws(CommandFailure) -> KeySet {
        if form.isSigned, let path = try arguments.value(Options.secretFile) {
            return KeySet(try SecretText.key(path, isRegular: isService))
        }
        guard form.isSigned, let path = try arguments.value(Options.keys) else { return .empty }
        do throws(CommandFailure) { return try KeyReader(arguments, isService: isService).keySet(path) } catch {
            let names = try arguments.list(Options.algorithms) ?? []
            guard names.contains(where: { $0.hasPrefix("HS") }), !error.message.hasPrefix("cannot read") else {
                throw error
            }
            throw CommandFailure(error.message + "; give an HMAC secret that is text with --secret-file")
        }
    }

    /// Rejects `--trust`, for profiles whose keys come from `--keys` only.
    func refuseTrust() throws(CommandFailure) {
        guard !arguments.has(Options.trust) else {
            throw .usage("--trust cannot be combined with --profile, except sd-jwt")
        }
    }

    func trust() throws(CommandFailure) -> CertificateTrust? {
        guard form.isSigned, let path = try arguments.value(Options.trust) else { return nil }
        let text = try KeyReader.text(path, isRegular: isService)
        let name = try arguments.value(Options.trustName)
        return try KeyReader.named(path) { () throws(JOSEError) in
            try CertificateTrust(roots: Certificate.parseAll(pem: text.span), name: name.map { .dns($0) } ?? .any)
        }
    }

    func decryptionKeys() throws(CommandFailure) -> KeySet {
        guard form.isEncrypted, let path = try arguments.value(Options.decryptKeys) else { return .empty }
        return try KeyReader(arguments, isService: isService).keySet(path)
    }

    package func signaturePolicy() throws(CommandFailure) -> SignaturePolicy {
        var policy = SignaturePolicy(
            algorithms: try AlgorithmNames.signature(arguments.list(Options.algorithms) ?? []))
        if let type = try arguments.value(Options.type) { policy.type = .exactly(type) }
        policy.understoodCritical = try arguments.list(Options.critical) ?? []
        if arguments.has(Options.allSignatures) { policy.requirement = .all }
        if let names = try arguments.list(Options.signedBy) { policy.requirement = .keys(names.map { .keyID($0) }) }
        policy.limits = try limits()
        return policy
    }

    var hasVectorizedPrivateKeys: Bool { arguments.has(Options.vectorizedPrivateKeys) }

    func encryptionPolicy(isOuter: Bool) throws(CommandFailure) -> EncryptionPolicy {
        var policy = EncryptionPolicy(
            keyManagement: try AlgorithmNames.keyManagement(arguments.list(Options.keyManagement) ?? []),
            contentEncryption: try AlgorithmNames.contentEncryption(arguments.list(Options.contentEncryption) ?? []))
        if arguments.has(Options.allowBroken) { policy.keyManagement.append(.rsa1_5BrokenDecryptionOnly) }
        if !isOuter, let type = try arguments.value(Options.type) { policy.type = .exactly(type) }
        if isOuter, let type = try arguments.value(Options.contentType) { policy.contentType = .required(type) }
        policy.understoodCritical = try arguments.list(Options.critical) ?? []
        policy.allowsCompression = try arguments.wantsCompression(Options.allowZip)
        if hasVectorizedPrivateKeys { policy.privateKeyOperations = .vectorized }
        policy.limiter = limiter
        policy.limits = try limits()
        return policy
    }

    package func limits() throws(CommandFailure) -> ParsingLimits {
        var limits = ParsingLimits.standard
        for (_, option, set) in OptionNames.ofLimits {
            if let maximum = try arguments.value(option) { set(&limits, maximum) }
        }
        return limits
    }

    func claimPolicy() throws(CommandFailure) -> ClaimPolicy {
        let issuers = try issuers()
        let audiences = try arguments.list(Options.audience)
        var policy = ClaimPolicy(
            issuer: issuers.map { .oneOf($0) } ?? .anyIssuerUnchecked,
            audience: audiences.map { .oneOf($0) } ?? .anyAudienceUnchecked)
        if let now = try arguments.value(Options.now) { policy.clock = .fixed(now) }
        if let leeway = try arguments.value(Options.leeway) { policy.leeway = leeway }
        policy.requiresExpiration = !arguments.has(Options.allowNoExpiration)
        policy.maximumLifetime = try arguments.value(Options.maximumLifetime)
        policy.minimumRemainingLifetime = try arguments.value(Options.minimumRemaining)
        policy.maximumAge = try arguments.value(Options.maximumAge)
        policy.maximumAuthenticationAge = try arguments.value(Options.maximumAuthenticationAge)
        policy.trustedAudiences = try arguments.list(Options.trustedAudiences)
        for one in try arguments.list(Options.values) ?? [] {
            policy.acceptedValues[ClaimName(one.name), default: []].append(one.value)
        }
        policy.required = try (arguments.list(Options.required) ?? []).map { ClaimName($0) }
        policy.forbidden = try (arguments.list(Options.forbidden) ?? []).map { ClaimName($0) }
        policy.subject = try arguments.value(Options.subject)
        policy.nonce = try arguments.value(Options.nonce)
        policy.authorizedParty = try arguments.value(Options.authorizedParty)
        policy.acceptedACR = try arguments.list(Options.levels)
        return policy
    }

    /// Rejects options for claims, where the payload is bytes.
    package func refuseClaimOptions() throws(CommandFailure) {
        for option in [
            Options.issuer.spec, Options.audience.spec, Options.trustedAudiences.spec, Options.values.spec,
            Options.now.spec, Options.leeway.spec, Options.maximumLifetime.spec, Options.minimumRemaining.spec,
            Options.maximumAge.spec, Options.maximumAuthenticationAge.spec, Options.required.spec,
            Options.forbidden.spec, Options.subject.spec, Options.nonce.spec, Options.authorizedParty.spec,
            Options.levels.spec, Options.allowNoExpiration,
        ] where arguments.has(option) {
            throw .usage("--\(option.name) is for claims; the payload is bytes with --bytes, --json or --detached")
        }
    }
}

extension TypeRule {
    /// Returns the rule for the outer `cty` of nested tokens. With `any` it may be absent or of any value. Claims that
    /// were encrypted without a signature are rejected all the same, because the content must be a signed token.
    package static func required(_ type: String) -> TypeRule { type == "any" ? .otherThan([]) : .exactly(type) }
}

extension Arguments {
    /// Returns whether `option` is given.
    ///
    /// - Throws: A usage error if the command was built without compression.
    package func wantsCompression(_ option: OptionSpec) throws(CommandFailure) -> Bool {
        guard has(option) else { return false }
        guard EncryptionPolicy.compressionIsBuilt else {
            throw .usage("--\(option.name): bulla was built without the package's trait Zip")
        }
        return true
    }
}
