import JOSE
import JOSEBytes
import JOSEKeySets
import JOSETokens

/// Reads a configuration file. A member that is unknown or invalid is an error that names it.
struct GatewayConfigurationReader {
    private let path: String
    private let keys: GatewayKeys
    private let replays: InMemoryReplayStore
    private var configuration = GatewayConfiguration()
    private var issuers: [String: Issuer] = [:]
    private var cacheSize: (entries: Int, bytes: Int)?
    private var usedRemotes: Set<String> = []

    /// The policy of an issuer's tokens, in the words of the command line.
    fileprivate struct Issuer {
        let policy: PolicyArguments
        let isAccessToken: Bool
        let source: GatewayKeys.Source
        let keys: any KeySource
        let gathers: Bool
    }

    /// The options of the command line that are members of an issuer.
    static let issuerOptions: [OptionSpec] =
        PolicyArguments.options.filter { spec in
            ![
                Options.bytes, Options.json, Options.allSignatures, Options.signedBy.spec, Options.now.spec,
                Options.nonce.spec, Options.passphraseDescriptor.spec, Options.keyCache.spec,
            ].contains { $0.name == spec.name }
        } + [Options.profile.spec]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - keys: The remote key sets of the configurations before this one.
    ///   - replays: The proofs that were used before.
    static func read(
        _ path: String, keys: GatewayKeys, replays: InMemoryReplayStore
    ) throws(CommandFailure) -> GatewayConfiguration {
        var reader = Self(path: path, keys: keys, replays: replays)
        reader.configuration.threads = min(Process.cores, 64)
        reader.configuration.concurrent = min(Process.cores, 64)
        reader.configuration.files[path] = GatewayKeys.FileState(path)
        do throws(CommandFailure) {
            let text = try KeyReader.text(path)
            try reader.read(text)
        } catch {
            throw CommandFailure(error.message.hasPrefix("cannot read") ? error.message : "\(path): \(error.message)")
        }
        keys.keep(reader.usedRemotes)
        return reader.configuration
    }

    private init(path: String, keys: GatewayKeys, replays: InMemoryReplayStore) {
        self.path = path
        self.keys = keys
        self.replays = replays
    }

    private mutating func read(_ text: [UInt8]) throws(CommandFailure) {
        let file = try ConfigurationValue.members(
            ofFile: text,
            allowing: [
                "listen", "gateway", "request", "issuers", "policies", "headers", "header-bytes", "limits", "limiter",
                "cache", "log",
            ])
        if let value = file["listen"] {
            for (index, text) in try value.strings().enumerated() {
                guard let address = GatewayAddress(text) else {
                    throw CommandFailure(
                        "listen[\(index)]: must be unix:/PATH, 127.0.0.1:PORT or [::1]:PORT, not '\(text)'")
                }
                configuration.listen.append(address)
            }
        }
        if let value = file["gateway"] { configuration.mode = try value.one(of: GatewayConfiguration.Mode.self) }
        if let value = file["log"] { configuration.logged = try value.one(of: GatewayConfiguration.Logged.self) }
        if let value = file["header-bytes"] { configuration.headerBytes = try value.count(0...65_536) }
        if let value = file["request"] { try request(value) }
        if let value = file["limits"] { try limits(value) }
        if let value = file["limiter"] { try limiter(value) }
        if let value = file["cache"] {
            let members = try value.members(allowing: ["entries", "bytes"])
            cacheSize = (
                try members["entries"]?.count(1...10_000_000) ?? 10_000,
                try members["bytes"]?.count(1024...(1 << 34)) ?? 32 << 20
            )
        }
        guard let issuers = file["issuers"] else {
            throw CommandFailure(#"issuers: missing; give at least one, such as {"main": {"iss": …, "keys": …}}"#)
        }
        for (name, value) in try issuers.members(allowing: nil) { self.issuers[name] = try issuer(name, value) }
        guard let policies = file["policies"] else {
            throw CommandFailure(#"policies: missing; give at least one, such as [{"path": "/", "issuers": ["main"]}]"#)
        }
        try readPolicies(policies, file["headers"])
    }

    private mutating func request(_ value: ConfigurationValue) throws(CommandFailure) {
        let members = try value.members(allowing: ["path-header", "method-header", "target-header"])
        func name(_ member: String) throws(CommandFailure) -> String? {
            guard let value = members[member] else { return nil }
            let name = try value.string()
            guard HeaderValue.isName(name) else { throw value.failure("'\(name)' is not a name of a header field") }
            return name
        }
        configuration.fields.path = try name("path-header") ?? configuration.fields.path
        configuration.fields.method = try name("method-header") ?? configuration.fields.method
        configuration.fields.target = try name("target-header") ?? configuration.fields.target
    }

    private mutating func limits(_ value: ConfigurationValue) throws(CommandFailure) {
        let members = try value.members(allowing: [
            "threads", "connections", "head-bytes", "timeout", "drain", "wait", "retry-after",
        ])
        if let value = members["threads"] { configuration.threads = try value.count(1...64) }
        if let value = members["connections"] { configuration.connections = try value.count(1...65_536) }
        if let value = members["head-bytes"] { configuration.headBytes = try value.count(4096...1_048_576) }
        if let value = members["timeout"] { configuration.timeout = try value.count(1...3600) }
        if let value = members["drain"] { configuration.drain = try value.seconds(0...300) }
        if let value = members["wait"] { configuration.wait = try value.seconds(0...10) }
        if let value = members["retry-after"] { configuration.retryAfter = try value.count(1...3600) }
    }

    private mutating func limiter(_ value: ConfigurationValue) throws(CommandFailure) {
        let members = try value.members(allowing: ["concurrent", "queued", "timeout"])
        if let value = members["concurrent"] { configuration.concurrent = try value.count(1...64) }
        if let value = members["queued"] { configuration.queued = try value.count(1...65_536) }
        if let value = members["timeout"] { configuration.queueTimeout = try value.seconds(0.001...10) }
    }
}

extension GatewayConfigurationReader {
    /// Returns a path in the configuration, which is relative to the folder of the file.
    private func resolved(_ text: String) -> String {
        guard !text.hasPrefix("/"), !KeySetSource.isURL(text), !KeyReader.isURI(text),
            let slash = path.lastIndex(of: "/")
        else { return text }
        return path[...slash] + text
    }

    private mutating func issuer(_ name: String, _ value: ConfigurationValue) throws(CommandFailure) -> Issuer {
        let names = Self.issuerOptions.map(\.name)
        var options: [String: [String]] = [:]
        for (name, member) in try value.members(allowing: names) {
            guard let spec = Self.issuerOptions.first(where: { $0.name == name }) else { continue }
            options[name] = try member.option(spec)
            let isFile = [
                Options.keys.spec.name, Options.decryptKeys.spec.name, Options.trust.spec.name,
                Options.passphraseFile.spec.name, Options.authorities.spec.name,
            ].contains(name)
            guard isFile, let text = options[name]?.first else { continue }
            let file = resolved(text)
            options[name] = [file]
            if file == "-" { throw member.failure("must be a file, not standard input") }
            if !KeySetSource.isURL(file), !KeyReader.isURI(file) {
                configuration.files[file] = GatewayKeys.FileState(file)
            }
        }
        do throws(CommandFailure) {
            return try issuer(name, Arguments(command: "serve", options: options))
        } catch {
            // The members have the names of the options, without the dashes that the texts for the command line have.
            throw value.failure(error.message.split(separator: "--", omittingEmptySubsequences: false).joined())
        }
    }

    private mutating func issuer(_ name: String, _ arguments: Arguments) throws(CommandFailure) -> Issuer {
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

    private mutating func readPolicies(
        _ value: ConfigurationValue, _ common: ConfigurationValue?
    ) throws(CommandFailure) {
        let all = try value.list()
        guard !all.isEmpty else { throw value.failure("must have at least one policy") }
        var parsed: [(value: ConfigurationValue, members: [String: ConfigurationValue], fields: [(String, String)])] =
            []
        let shared = try common.map { (value) throws(CommandFailure) in try fields(value) } ?? []
        var names: [String] = []
        for value in all {
            let members = try value.members(allowing: [
                "path", "issuers", "public", "scope", "realm", "cookie", "dpop", "headers",
            ])
            let own = try members["headers"].map { (value) throws(CommandFailure) in try fields(value) } ?? []
            // A field of the policy replaces the field of this name that all policies have.
            let kept = shared.filter { field in !own.contains { $0.0.lowercased() == field.0.lowercased() } }
            parsed.append((value, members, kept + own))
            for (name, _) in kept + own where !names.contains(where: { $0.lowercased() == name.lowercased() }) {
                names.append(name)
            }
        }
        configuration.nameCount = names.count
        configuration.names = names.flatMap { Array($0.utf8) + [0] }
        for (value, members, fields) in parsed {
            let claims = names.map { name in fields.first { $0.0.lowercased() == name.lowercased() }?.1 }
            configuration.policies.append(try policy(value, members, claims))
        }
        for (index, policy) in configuration.policies.enumerated()
        where configuration.policies[..<index].contains(where: { $0.prefix == policy.prefix }) {
            throw all[index].failure("duplicate path '\(policy.name)'")
        }
        configuration.policies.sort { $0.prefix.count > $1.prefix.count }
    }

    private func fields(_ value: ConfigurationValue) throws(CommandFailure) -> [(String, String)] {
        let members = try value.members(allowing: nil)
        var fields: [(String, String)] = []
        for name in try value.names() {
            guard let member = members[name] else { continue }
            guard HeaderValue.isName(name), name.lowercased() != "connection", !name.lowercased().hasPrefix("content-"),
                name.lowercased() != "transfer-encoding", name.lowercased() != "date"
            else {
                throw member.failure("cannot be sent as a header field of this name; choose one such as X-Auth-Subject")
            }
            guard !fields.contains(where: { $0.0.lowercased() == name.lowercased() }) else {
                throw member.failure("duplicate header field")
            }
            fields.append((name, try member.string()))
        }
        return fields
    }

    private func policy(
        _ value: ConfigurationValue, _ members: [String: ConfigurationValue], _ claims: [String?]
    ) throws(CommandFailure) -> GatewayPolicy {
        guard let pathValue = members["path"] else { throw value.failure("needs path, such as \"/\"") }
        let path = try pathValue.string()
        guard GatewayPath.checked(Array(path.utf8)) == Array(path.utf8) else {
            throw pathValue.failure(
                "must begin with / and have no query, dot segment, empty segment, % escape or semicolon")
        }
        let realm = try members["realm"]?.string() ?? "bulla"
        guard realm.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) else {
            throw (members["realm"] ?? value).failure("must be printable ASCII without quotation marks and backslashes")
        }
        let scopes = try members["scope"]?.strings() ?? []
        guard scopes.allSatisfy({ $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C } }) else {
            throw (members["scope"] ?? value).failure("must be words of printable ASCII (RFC 6749, 3.3)")
        }
        let isPublic = try members["public"]?.bool() ?? false
        if isPublic {
            for name in ["issuers", "scope", "cookie", "dpop"] where members[name] != nil {
                throw value.failure("\(name) and public contradict each other; leave out one of them")
            }
            return GatewayPolicy(
                name: path, verifier: nil, sources: [], isEncrypted: false, gathers: false, scopes: [], cookie: nil,
                proofs: nil, cache: nil, claims: claims.map { _ in nil }, realm: realm)
        }
        guard let issuersValue = members["issuers"] else {
            throw value.failure("needs issuers, or \"public\": true for a path that needs no token")
        }
        var chosen: [Issuer] = []
        for name in try issuersValue.strings() {
            guard let issuer = issuers[name] else {
                throw issuersValue.failure(
                    "no issuer is named '\(name)'" + Suggestion.hint(for: name, among: issuers.keys.sorted()))
            }
            chosen.append(issuer)
        }
        let cache = cacheSize.map { TokenCache(entries: $0.entries, bytes: $0.bytes) }
        let proofs = try members["dpop"].map { (value) throws(CommandFailure) in
            // A gateway that sends the path in a field of its own need not replace the fields of the method and the target.
            let (ours, usual) = (configuration.fields, GatewayConfiguration.Fields())
            guard ours.path == usual.path || ours.method != usual.method && ours.target != usual.target else {
                throw value.failure("needs request.method-header and request.target-header beside request.path-header")
            }
            return try self.proofs(value)
        }
        return GatewayPolicy(
            name: path, verifier: try verifier(chosen, cache, issuersValue), sources: chosen.map(\.source),
            isEncrypted: chosen.contains { $0.policy.form.isEncrypted }, gathers: chosen.contains { $0.gathers },
            scopes: scopes, cookie: try members["cookie"]?.string(), proofs: proofs, cache: cache, claims: claims,
            realm: realm)
    }

    private func proofs(_ value: ConfigurationValue) throws(CommandFailure) -> GatewayProofs {
        let members = try value.members(allowing: ["alg", "origin", "required", "max-age"])
        guard let alg = members["alg"], let originValue = members["origin"] else {
            throw value.failure("needs alg, such as [\"ES256\"], and origin, such as \"https://api.example.com\"")
        }
        let names = try alg.strings()
        let algorithms: [SignatureAlgorithm]
        do throws(CommandFailure) { algorithms = try AlgorithmNames.signature(names) } catch {
            throw alg.failure(error.message)
        }
        let origin = try originValue.string()
        guard KeySetSource.isURL(origin), !origin.hasSuffix("/") else {
            throw originValue.failure("must be a scheme and an authority, such as https://api.example.com")
        }
        let age = try members["max-age"]?.seconds(1...3600) ?? .seconds(60)
        let isRequired = try members["required"]?.bool() ?? true
        let store = replays
        let verifier = try Self.checked(value) { () throws(TokenError) in
            try DPoPVerifier(algorithms: algorithms, replayStore: store) { $0.maximumAge = age }
        }
        return GatewayProofs(verifier: verifier, isRequired: isRequired, algorithms: names, origin: origin)
    }

    /// Returns the result of `body`, whose error is one of the configuration.
    private static func checked<Value>(
        _ value: ConfigurationValue, _ body: () throws(TokenError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(TokenError) { return try body() } catch { throw value.failure("\(error)") }
    }

    private func verifier(
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
    fileprivate func trusted(_ value: ConfigurationValue) throws(CommandFailure) -> TrustedIssuer {
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
