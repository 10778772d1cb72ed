import JOSE
import JOSEKeySets
import JOSETokens

/// The issuers of a configuration, whose members are options of the command line.
extension GatewayConfigurationReader {
    /// Returns a path in the configuration, which is relative to the folder of the file.
    private func resolved(_ text: String) -> String {
        guard !text.hasPrefix("/"), !KeySetSource.isURL(text), !KeyReader.isURI(text),
            let slash = path.lastIndex(of: "/")
        else { return text }
        return path[...slash] + text
    }

    /// Returns the members of an object that are options of the command line, with the paths of files resolved.
    private mutating func options(
        _ value: ConfigurationValue, _ specs: [OptionSpec]
    ) throws(CommandFailure) -> [String: [String]] {
        var options: [String: [String]] = [:]
        for (name, member) in try value.members(allowing: specs.map(\.name)) {
            guard let spec = specs.first(where: { $0.name == name }) else { continue }
            options[name] = try member.option(spec)
            guard Self.fileOptions.contains(where: { $0.name == name }), let text = options[name]?.first else {
                continue
            }
            let file = resolved(text)
            options[name] = [file]
            if file == "-" { throw member.failure("must be a file, not standard input") }
            if !KeySetSource.isURL(file), !KeyReader.isURI(file) {
                configuration.files[file] = GatewayKeys.FileState(file)
            }
        }
        return options
    }

    /// Returns the result of `body`, whose error names the place of the value. Members have the names of the options, without the dashes
    /// that the texts for the command line have.
    private static func inWords<Value>(
        of value: ConfigurationValue, _ body: () throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(CommandFailure) { return try body() } catch {
            throw value.failure(error.textOfMembers)
        }
    }

    mutating func issuer(_ name: String, _ value: ConfigurationValue) throws(CommandFailure) -> Issuer {
        let arguments = Arguments(command: "serve", options: try options(value, Self.issuerOptions))
        var used: Set<String> = []
        let issuer = try Self.inWords(of: value) { () throws(CommandFailure) in try self.issuer(name, arguments, &used)
        }
        configuration.remotes.formUnion(used)
        return issuer
    }

    /// Returns the store of used proofs.
    mutating func replayStore(_ value: ConfigurationValue) throws(CommandFailure) -> any ReplayStore {
        #if Redis
            let (options, replays) = (try options(value, GatewayReplays.options), replays)
            return try Self.inWords(of: value) { () throws(CommandFailure) in try replays.shared(options) }
        #else
            throw value.failure("bulla was built without the package's trait Redis")
        #endif
    }

    private func issuer(
        _ name: String, _ arguments: Arguments, _ usedRemotes: inout Set<String>
    ) throws(CommandFailure) -> Issuer {
        let isEncrypted = arguments.has(Options.decryptKeys)
        let isNested = arguments.has(Options.nested)
        let isSigned = arguments.has(Options.algorithms) || arguments.has(Options.keys)
        let form: TokenForm = isNested ? .nested : isEncrypted && !isSigned ? .encrypted : .signed
        let policy = try PolicyArguments(arguments, form: form, isService: true)
        try policy.demandAll()
        let profile = try arguments.value(Options.profile)
        guard profile == nil || profile == .accessToken else {
            throw .usage("--profile: must be at+jwt, or be left out")
        }
        if profile != nil { try policy.refuseTrust() }
        let authorities = try arguments.value(Options.authorities)
        let remote = policy.source.map { source in
            let key = [
                source.place.kind, source.place.text, authorities ?? "", "\(source.timeout)",
                "\(arguments.has(Options.allowLoopbackHTTP))",
            ].joined(separator: "\n")
            usedRemotes.insert(key)
            return keys.shared(key, source.keys)
        }
        let algorithms = form.isSigned ? try policy.signaturePolicy().algorithms : []
        let keySource: any KeySource = if let remote { remote } else { try policy.verificationKeys() }
        // Keys of a file are read now, so that a file that cannot be read is an error of the configuration.
        _ = try policy.decryptionKeys()
        return Issuer(
            policy: policy, isAccessToken: profile != nil, source: GatewayKeys.Source(name: name, remote: remote),
            keys: keySource, gathers: algorithms.contains { $0.name.hasPrefix("RS") || $0.name.hasPrefix("PS") })
    }

    /// Returns the result of `body`, whose error is one of the configuration.
    static func checked<Value>(
        _ value: ConfigurationValue, _ body: () throws(TokenError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(TokenError) { return try body() } catch { throw value.failure("\(error)") }
    }

    func verifier(
        _ chosen: [Issuer], _ cache: TokenCache?, _ value: ConfigurationValue
    ) throws(CommandFailure) -> TokenVerifier {
        guard let first = chosen.first else { throw value.failure("must name at least one issuer") }
        guard chosen.count == 1 else {
            var trusted: [TrustedIssuer] = []
            for issuer in chosen { trusted.append(try issuer.trusted(value)) }
            return try Self.checked(value) { () throws(TokenError) in try TokenVerifier(issuers: trusted, cache: cache)
            }
        }
        let policy = first.policy
        let claims = try policy.claimPolicy(), decryption = try policy.decryptionKeys(), trust = try policy.trust()
        if first.isAccessToken {
            let profile = try policy.accessTokenProfile(claims)
            return try Self.checked(value) { () throws(TokenError) in
                try TokenVerifier(
                    profile, verificationKeys: first.keys, decryptionKeys: decryption, cache: cache)
            }
        }
        let layers = try policy.tokenPolicy(claims)
        return try Self.checked(value) { () throws(TokenError) in
            try TokenVerifier(
                layers, verificationKeys: first.keys, decryptionKeys: decryption, trust: trust, cache: cache)
        }
    }
}

extension GatewayConfigurationReader.Issuer {
    /// Returns the issuer for a verifier of several, which is chosen by `iss`.
    func trusted(_ value: ConfigurationValue) throws(CommandFailure) -> TrustedIssuer {
        guard let names = try policy.issuers(), names.count == 1, let name = names.first else {
            throw value.failure("of several issuers, each must have exactly one iss, by which it is chosen")
        }
        var claims = try policy.claimPolicy()
        claims.issuer = .exactly(name)
        let decryption: (any KeySource)? = policy.form.isEncrypted ? try policy.decryptionKeys() : nil
        let trust = try policy.trust()
        if isAccessToken {
            return TrustedIssuer(
                try policy.accessTokenProfile(claims), keys: keys, decryptionKeys: decryption, trust: trust)
        }
        return TrustedIssuer(try policy.tokenPolicy(claims), keys: keys, decryptionKeys: decryption, trust: trust)
    }
}

extension PolicyArguments {
    /// Returns the profile of JWT access tokens (RFC 9068) with these claims.
    func accessTokenProfile(_ claims: ClaimPolicy) throws(CommandFailure) -> AccessTokenProfile {
        var profile = AccessTokenProfile(issuer: .anyIssuerUnchecked, resource: .anyAudienceUnchecked, algorithms: [])
        profile.signature = try signaturePolicy()
        profile.encryption = form == .nested ? try encryptionPolicy(isOuter: true) : nil
        profile.claims = claims
        return profile
    }
}
