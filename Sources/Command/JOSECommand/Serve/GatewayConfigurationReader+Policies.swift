import JOSE
import JOSESettings
import JOSETokens

extension GatewayConfigurationReader {
    mutating func readPolicies(_ value: ConfigurationValue, _ common: ConfigurationValue?) throws(CommandFailure) {
        let all = try value.list()
        guard !all.isEmpty else { throw value.failure("must have at least one policy") }
        var parsed: [(value: ConfigurationValue, members: [String: ConfigurationValue], fields: [(String, String)])] =
            []
        let shared = try common.map { (value) throws(CommandFailure) in try fields(value) } ?? []
        var names: [String] = []
        for value in all {
            let members = try value.members(allowing: GatewayPolicySettings.names)
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
        let policies = try parsed.map { (value, members, fields) throws(CommandFailure) in
            let claims = names.map { name in fields.first { $0.0.lowercased() == name.lowercased() }?.1 }
            return try policy(value, members, claims)
        }
        for (index, policy) in policies.enumerated() {
            guard let other = policies[..<index].first(where: { $0.normal == policy.normal }) else {
                continue
            }
            guard other.prefix != policy.prefix else { throw all[index].failure("duplicate path '\(policy.name)'") }
            throw all[index].failure(
                "a service may read '\(policy.name)' and '\(other.name)' as one path; leave out one of them, or give "
                    + "\"case-sensitive\": true if they differ in case alone and every service distinguishes it")
        }
        configuration.router = GatewayRouter(
            policies, distinguishesCase: configuration.settings.distinguishesCase)
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
        var settings = GatewayPolicySettings()
        try settings.read(members)
        guard let path = settings.path else { throw value.failure("needs path, such as \"/\"") }
        let prefix = GatewayPath(
            Array(path.utf8), distinguishesCase: configuration.settings.distinguishesCase)
        guard let prefix, prefix.literal == Array(path.utf8), !prefix.literal.contains(UInt8(ascii: "%")),
            prefix.isWhole, !prefix.isAmbiguous
        else {
            throw (members["path"] ?? value).failure(
                "must begin with / and have no query, % escape or semicolon, and no segment that a service may read as empty, "
                    + "as dots or as several")
        }
        if settings.isPublic {
            for name in ["issuers", "scope", "cookie", "dpop"] where members[name] != nil {
                throw value.failure("\(name) and public contradict each other; leave out one of them")
            }
            return GatewayPolicy(
                name: path, normal: prefix.normal, claims: claims.map { _ in nil }, realm: settings.realm)
        }
        guard let issuersValue = members["issuers"], let names = settings.issuers else {
            throw value.failure("needs issuers, or \"public\": true for a path that needs no token")
        }
        let chosen = try names.map { (name) throws(CommandFailure) in
            guard let issuer = configuration.issuers[name] else {
                throw issuersValue.failure(
                    "no issuer is named '\(name)'"
                        + Suggestion.hint(for: name, among: configuration.issuers.keys.sorted()))
            }
            return issuer
        }
        let proofs = try members["dpop"].map { (value) throws(CommandFailure) in try self.proofs(value, settings) }
        return GatewayPolicy(
            name: path, normal: prefix.normal,
            verifier: try ConfiguredIssuer.verifier(chosen, issuersValue, cache: configuration.cache), issuers: chosen,
            scopes: settings.scopes, cookie: settings.cookie, proofs: proofs, claims: claims, realm: settings.realm)
    }

    private func proofs(
        _ value: ConfigurationValue, _ settings: GatewayPolicySettings
    ) throws(CommandFailure) -> GatewayProofs {
        // A gateway that sends the path in a field of its own need not replace the fields of the method and the target.
        let (ours, usual) = (configuration.settings, GatewaySettings())
        guard
            ours.pathField == usual.pathField
                || ours.methodField != usual.methodField && ours.targetField != usual.targetField
        else {
            throw value.failure("needs request.method-header and request.target-header beside request.path-header")
        }
        guard let names = settings.proofAlgorithms, let origin = settings.origin else {
            throw value.failure("needs alg, such as [\"ES256\"], and origin, such as \"https://api.example.com\"")
        }
        let algorithms = try AlgorithmNames.signature(names)
        let store = proofStore
        let verifier = try value.checked { () throws(TokenError) in
            try DPoPVerifier(algorithms: algorithms, replayStore: store) { $0.maximumAge = settings.maximumProofAge }
        }
        return GatewayProofs(
            verifier: verifier, awaitsStore: !(store is any SynchronousReplayStore),
            isRequired: settings.requiresProof, algorithms: names, origin: origin)
    }
}
