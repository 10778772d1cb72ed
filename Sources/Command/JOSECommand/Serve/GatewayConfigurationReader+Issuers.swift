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
                configuration.files[file] = FileState(file)
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

    /// Reads an issuer. If it is configured as in the configuration in use, only its files may be at fault: its keys then stay, so that
    /// the keys of the other issuers are read nevertheless.
    mutating func issuer(_ name: String, _ value: ConfigurationValue) throws(CommandFailure) -> GatewayIssuer {
        let options = try options(value, Self.issuerOptions)
        let before = previous?.issuers[name].flatMap { $0.options == options ? $0 : nil }
        // At the start a file that is missing is an error, which may be one of its name.
        let withdrawn = before == nil ? [] : missing(options)
        do throws(CommandFailure) {
            let issuer = try Self.inWords(of: value) { () throws(CommandFailure) in
                try self.issuer(name, options, withdrawn)
            }
            // Keys that fit no algorithm are a fault of this issuer's file, and not of the policies that name it.
            if before != nil { _ = try verifier([issuer], value) }
            return issuer
        } catch {
            guard var kept = before else { throw error }
            kept.source.fault = error.message
            return kept
        }
    }

    /// Returns the options whose files were removed.
    private func missing(_ options: [String: [String]]) -> Set<String> {
        let names = [
            Options.keys.spec, Options.secretFile.spec, Options.decryptKeys.spec, Options.trust.spec,
            Options.authorities.spec,
        ].map(\.name)
        return Set(
            names.filter { name in
                options[name]?.first.flatMap { configuration.files[$0] }?.isMissing ?? false
            })
    }

    /// Returns the store of used proofs.
    mutating func replayStore(_ value: ConfigurationValue) throws(CommandFailure) -> any ReplayStore {
        #if Redis
            let (options, replays, keepsReplays) = (try options(value, GatewayReplays.options), replays, keepsReplays)
            return try Self.inWords(of: value) { () throws(CommandFailure) in
                try replays.shared(options, keepsUsed: keepsReplays)
            }
        #else
            throw value.failure("bulla was built without the package's trait Redis")
        #endif
    }

    private func issuer(
        _ name: String, _ options: [String: [String]], _ withdrawn: Set<String>
    ) throws(CommandFailure) -> GatewayIssuer {
        // Without its roots a key server is not asked: those of the system do not take their place.
        let isUnreachable = withdrawn.contains(Options.authorities.spec.name)
        let arguments = Arguments(
            command: "serve", options: options.filter { $0.key != Options.authorities.spec.name || !isUnreachable })
        let isEncrypted = arguments.has(Options.decryptKeys)
        let isNested = arguments.has(Options.nested)
        let isSigned = [Options.algorithms.spec, Options.keys.spec, Options.secretFile.spec].contains {
            arguments.has($0)
        }
        let form: TokenForm = isNested ? .nested : isEncrypted && !isSigned ? .encrypted : .signed
        let policy = try PolicyArguments(arguments, form: form, isService: true)
        try policy.demandAll()
        let profile = try arguments.value(Options.profile)
        guard profile == nil || profile == .accessToken else {
            throw .usage("--profile: must be at+jwt, or be left out")
        }
        if profile != nil { try policy.refuseTrust() }
        let algorithms = form.isSigned ? try policy.signaturePolicy().algorithms : []
        var source = GatewayKeys.Source(name: name)
        var remoteName: GatewayKeys.RemoteName?
        // Keys of a file are read now, so that a file that cannot be read is an error of the configuration.
        let trust = withdrawn.contains(Options.trust.spec.name) ? nil : try policy.trust()
        let decryption = withdrawn.contains(Options.decryptKeys.spec.name) ? .empty : try policy.decryptionKeys()
        let verification: any KeySource
        if let remote = policy.source, !isUnreachable {
            let own = GatewayKeys.RemoteName(
                kind: remote.place.kind, place: remote.place.text, timeout: remote.timeout,
                allowsLoopbackHTTP: arguments.has(Options.allowLoopbackHTTP),
                keyLimit: try arguments.value(Options.mostKeys), roots: remote.roots)
            let set = keys.shared(own, remote.keys)
            (source.remote, remoteName, verification) = (set, own, set)
        } else {
            let isWithdrawn = [Options.keys.spec, Options.secretFile.spec].contains { withdrawn.contains($0.name) }
            let isRead = policy.source == nil && !isWithdrawn
            let set = isRead ? try policy.fileKeys() : .empty
            source.hasFileKeys = !form.isSigned || trust != nil || !set.keys.isEmpty
            verification = source.hasFileKeys ? set : NoKeys()
        }
        let lacksDecryption = form.isEncrypted && decryption.keys.isEmpty
        if lacksDecryption { source.hasFileKeys = false }
        return GatewayIssuer(
            options: options, policy: policy, isAccessToken: profile != nil, source: source, remoteName: remoteName,
            keys: verification, decryption: lacksDecryption ? NoKeys() : decryption, trust: trust,
            gathers: algorithms.contains { $0.name.hasPrefix("RS") || $0.name.hasPrefix("PS") })
    }

    /// Returns the result of `body`, whose error is one of the configuration.
    static func checked<Value>(
        _ value: ConfigurationValue, _ body: () throws(TokenError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(TokenError) { return try body() } catch { throw value.failure("\(error)") }
    }

    func verifier(_ chosen: [GatewayIssuer], _ value: ConfigurationValue) throws(CommandFailure) -> TokenVerifier {
        guard let first = chosen.first else { throw value.failure("must name at least one issuer") }
        let cache = configuration.cache
        guard chosen.count == 1 else {
            var trusted: [TrustedIssuer] = []
            for issuer in chosen { trusted.append(try issuer.trusted(value)) }
            return try Self.checked(value) { () throws(TokenError) in try TokenVerifier(issuers: trusted, cache: cache)
            }
        }
        let policy = first.policy
        let claims = try policy.claimPolicy(), decryption = first.decryption
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
                layers, verificationKeys: first.keys, decryptionKeys: decryption, trust: first.trust, cache: cache)
        }
    }
}
