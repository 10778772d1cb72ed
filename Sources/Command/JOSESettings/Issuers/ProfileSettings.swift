import JOSE
import JOSESupport
package import JOSETokens

/// The kinds of token that have a specification of their own, which `--profile` names.
package enum ProfileName: String, CaseIterable, Sendable {
    case idToken = "id-token"
    case accessToken = "at+jwt"
    case logout
    case dpop
    case sdJWT = "sd-jwt"
}

/// The profile that `--profile` chooses: the policy of the options, with the checks of the token's own specification.
package struct ProfileSettings {
    package typealias Check = @Sendable (Span<UInt8>) throws(TokenError) -> [UInt8]

    private let arguments: Arguments
    private let policy: IssuerSettings
    private let profile: ProfileName

    /// The options that only some profiles have.
    private static let own: [(spec: OptionSpec, of: [ProfileName])] = [
        (Options.scopes.spec, [.accessToken]), (Options.accessToken.spec, [.idToken, .dpop]),
        (Options.code.spec, [.idToken]), (Options.frontChannel, [.idToken]), (Options.method.spec, [.dpop]),
        (Options.url.spec, [.dpop]), (Options.confirmedBy.spec, [.dpop]), (Options.bindingAudience.spec, [.sdJWT]),
        (Options.bindingNonce.spec, [.sdJWT]), (Options.bindingAlgorithms.spec, [.sdJWT]),
    ]
    package static let options = [Options.profile.spec] + own.map(\.spec)
    /// The options of SD-JWTs, which tell that a token is one.
    package static let ofDisclosures = own.filter { $0.of == [.sdJWT] }.map(\.spec)

    /// Creates the profile, or returns nil without `--profile`.
    package init?(_ arguments: Arguments, _ policy: IssuerSettings) throws(CommandFailure) {
        guard let profile = try arguments.value(Options.profile) else {
            try Self.checkOptions(arguments, of: nil)
            return nil
        }
        try self.init(arguments, policy, as: profile)
    }

    /// Creates the profile for a command that chooses it without `--profile`.
    package init(_ arguments: Arguments, _ policy: IssuerSettings, as profile: ProfileName) throws(CommandFailure) {
        try Self.checkOptions(arguments, of: profile)
        self.profile = profile
        self.arguments = arguments
        self.policy = policy
        for spec in [Options.bytes, Options.detachedFile.spec] where arguments.has(spec) {
            throw .usage("--\(spec.name) is for bytes, and --profile for claims")
        }
        guard profile == .sdJWT || !arguments.has(Options.json) else {
            throw .usage("--json is for --profile sd-jwt; tokens of other profiles are compact")
        }
        guard policy.form == .signed || (policy.form == .nested && profile != .dpop && profile != .sdJWT) else {
            throw .usage("--profile \(profile.rawValue) is for signed tokens")
        }
    }

    /// Rejects the options that belong to other profiles than the one that was chosen.
    private static func checkOptions(_ arguments: Arguments, of profile: ProfileName?) throws(CommandFailure) {
        for (spec, profiles) in own where arguments.has(spec) && !profiles.contains(where: { $0 == profile }) {
            throw .usage("--\(spec.name) requires --profile \(profiles.map(\.rawValue).joined(separator: " or "))")
        }
    }

    /// Requires the options that the profile needs. A DPoP proof contains its key, and has neither issuer nor audience.
    package func demandAll() throws(CommandFailure) {
        guard profile == .dpop else { return try policy.demandAll() }
        guard arguments.has(Options.algorithms), arguments.has(Options.method), arguments.has(Options.url) else {
            throw .usage("--profile dpop needs --alg, --method and --url")
        }
        for option in [
            Options.keys.spec, Options.secretFile.spec, Options.issuerURL.spec, Options.issuer.spec,
            Options.audience.spec,
        ] where arguments.has(option) {
            throw .usage("--\(option.name) is not for a DPoP proof, which contains its key")
        }
        guard !arguments.has(Options.maximumLifetime) else {
            throw .usage("--max-lifetime is not for a DPoP proof, which has no exp: give --max-age")
        }
    }

    package func check() throws(CommandFailure) -> Check {
        if let verifier = try tokenVerifier() {
            return { (token) throws(TokenError) in try verifier.verify(token).claims.payload }
        }
        return try profile == .dpop ? proof() : presentation()
    }

    /// Returns the verifier of the tokens of the profile; nil for DPoP proofs and SD-JWTs, which have verifiers of
    /// their own.
    package func tokenVerifier() throws(CommandFailure) -> TokenVerifier? {
        switch profile {
        case .idToken:
            var profile = IDTokenProfile(
                issuer: try onlyIssuer(), clientID: try only(Options.audience),
                nonce: try arguments.value(Options.nonce), algorithms: [])
            (profile.signature, profile.encryption) = (try policy.signaturePolicy(), try encryption())
            profile.claims = try policy.claimPolicy()
            profile.isFromFrontChannel = arguments.has(Options.frontChannel)
            profile.accessToken = try text(Options.accessToken)
            profile.code = try text(Options.code)
            return try verifier(profile)
        case .accessToken:
            var profile = try policy.accessTokenProfile(try policy.claimPolicy())
            profile.scopes = try arguments.list(Options.scopes) ?? []
            return try verifier(profile)
        case .logout:
            var profile = LogoutTokenProfile(
                issuer: try onlyIssuer(), clientID: try only(Options.audience), algorithms: [],
                replayStore: nil)
            (profile.signature, profile.encryption) = (try policy.signaturePolicy(), try encryption())
            profile.claims = try policy.claimPolicy()
            if let maximum = profile.claims.maximumLifetime { profile.maximumLifetime = maximum }
            return try verifier(profile)
        case .dpop, .sdJWT: return nil
        }
    }

    private func verifier(_ profile: some TokenProfile) throws(CommandFailure) -> TokenVerifier {
        try policy.refuseTrust()
        let verification = try policy.verificationKeys(), decryption = try policy.decryptionKeys()
        return try CommandFailure.inWords { () throws(TokenError) in
            try TokenVerifier(profile, verificationKeys: verification, decryptionKeys: decryption)
        }
    }

    private func proof() throws(CommandFailure) -> Check {
        try policy.refuseTrust()
        guard let method = try arguments.value(Options.method), let url = try arguments.value(Options.url) else {
            throw .usage("--profile dpop needs --method and --url")
        }
        var request = DPoPRequest(method: method, url: url)
        let token = try text(Options.accessToken)
        let thumbprint = try arguments.value(Options.confirmedBy)
        if let token, let thumbprint {
            request = DPoPRequest(
                method: method, url: url, accessToken: token,
                confirmation: KeyConfirmation(keyThumbprint: thumbprint))
        } else if token != nil || thumbprint != nil {
            throw .usage("--access-token-file and --jkt require each other: the token, and the key that it is bound to")
        }
        let nonce = try arguments.value(Options.nonce)
        request.nonces = nonce.map { [$0] }
        let asked = request, claims = try policy.claimPolicy(), hasLeeway = arguments.has(Options.leeway)
        let signature = try policy.signaturePolicy()
        let verifier = try CommandFailure.inWords { () throws(TokenError) in
            try DPoPVerifier(algorithms: signature.algorithms, replayStore: nil) { profile in
                let leeway = profile.claims.leeway
                profile.signature.type = signature.type
                profile.claims = claims
                if !hasLeeway { profile.claims.leeway = leeway }
                // A proof needs no `exp`; the request has the nonce, and the profile the age.
                profile.claims.requiresExpiration = false
                profile.claims.nonce = nil
                profile.claims.maximumAge = nil
                if let maximum = claims.maximumAge { profile.maximumAge = maximum }
            }
        }
        return { (token) throws(TokenError) in try verifier.verify(token, for: asked).token.claims.payload }
    }

    private func presentation() throws(CommandFailure) -> Check {
        let keys = try policy.verificationKeys(), trust = try policy.trust()
        let signature = try policy.signaturePolicy(), claims = try policy.claimPolicy()
        let isJSON = arguments.has(Options.json)
        let verifier = try CommandFailure.inWords { () throws(TokenError) in
            try SDJWTVerifier(signature, claims: claims, verificationKeys: keys, trust: trust)
        }
        let binding = try binding()
        return { (token) throws(TokenError) in
            isJSON
                ? try verifier.verify(json: token, keyBinding: binding).claims.payload
                : try verifier.verify(token, keyBinding: binding).claims.payload
        }
    }

    /// Returns the policy of the key binding, or nil if the presentation must have none.
    private func binding() throws(CommandFailure) -> KeyBindingPolicy? {
        let audience = try arguments.value(Options.bindingAudience), nonce = try arguments.value(Options.bindingNonce)
        let names = try arguments.list(Options.bindingAlgorithms)
        guard let audience, let nonce, let names else {
            guard audience == nil, nonce == nil, names == nil else {
                throw .usage(
                    "--kb-aud, --kb-nonce and --kb-alg require each other: they are the policy of the key binding")
            }
            return nil
        }
        return KeyBindingPolicy(algorithms: try AlgorithmNames.signature(names), audience: audience, nonce: nonce)
    }

    private func encryption() throws(CommandFailure) -> EncryptionPolicy? {
        policy.form == .nested ? try policy.encryptionPolicy(isOuter: true) : nil
    }

    /// Returns the only element of a list of which this profile takes one element.
    private func only(_ option: Option<[String]>) throws(CommandFailure) -> String {
        guard let values = try arguments.list(option), values.count == 1 else {
            throw .usage("--profile \(profile.rawValue) needs one --\(option.spec.name)")
        }
        return values[0]
    }

    private func onlyIssuer() throws(CommandFailure) -> String {
        if !arguments.has(Options.issuer), let issuer = try arguments.value(Options.issuerURL) { return issuer }
        return try only(Options.issuer)
    }

    /// Returns the text of a file, without line feeds at its end.
    private func text(_ option: Option<String>) throws(CommandFailure) -> String? {
        guard let path = try arguments.value(option) else { return nil }
        var bytes = try Descriptor.contents(of: path, maximumBytes: 65_536)
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Options {
    package static let profile = Option(
        "profile", ProfileName.allCases.map(\.rawValue).joined(separator: "|"),
        "also check what the specification of this kind of token requires"
    ) { ProfileName(rawValue: $0) }
    package static let scopes = Option("scope", "WORD,…", "at+jwt: required scopes", repeats: true, list)
    package static let accessToken = Option(
        "access-token-file", "FILE", "file with the access token of at_hash (id-token) or ath (dpop)", text)
    package static let code = Option("code-file", "FILE", "id-token: file with the authorization code of c_hash", text)
    package static let frontChannel = OptionSpec(
        "front-channel", nil, "id-token: the token came through the front channel")
    package static let method = Option("method", "METHOD", "dpop: method of the request", text)
    package static let url = Option("url", "URL", "dpop: URL of the request, as the client used it", text)
    package static let confirmedBy = Option(
        "jkt", "THUMBPRINT", "dpop: thumbprint in the access token's cnf (jkt)"
    ) { text in
        Base64URL.decode(text.utf8.span).flatMap { $0.count == 32 ? $0 : nil }
    }
    package static let bindingAudience = Option("kb-aud", "AUDIENCE", "sd-jwt: required aud of the key binding", text)
    package static let bindingNonce = Option("kb-nonce", "NONCE", "sd-jwt: required nonce of the key binding", text)
    package static let bindingAlgorithms = Option(
        "kb-alg", "NAME,…", "sd-jwt: accepted algorithms of the key binding", repeats: true, list)
}
