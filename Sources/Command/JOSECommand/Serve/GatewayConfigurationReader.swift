import JOSE
import JOSEKeySets
import JOSESettings
import JOSESupport
import JOSETokens

/// Reads a configuration file. A member that is unknown or invalid is an error that names it.
struct GatewayConfigurationReader {
    let path: String
    let replays: GatewayReplays
    /// Whether the shared store of used proofs stays, although its files may have changed.
    let keepsReplays: Bool
    /// The limiters and threads of the configuration in use.
    private let workers: GatewayWorkers?
    var configuration = GatewayConfiguration()
    var issuerReader: IssuerReader
    private(set) var proofStore: any ReplayStore

    /// Reads a file.
    ///
    /// If an issuer is configured as before and its files cannot be read, its keys in use stay, and its source has the
    /// reason. A file that was removed since it was read is not such a fault: it withdraws its keys.
    ///
    /// - Parameters:
    ///   - keys: The remote key sets of the configurations before this one.
    ///   - replays: The proofs that were used before.
    ///   - previous: The configuration in use, or nil at the start.
    ///   - text: The text of the file, if it is not to be read again.
    ///   - keepsReplays: Whether the shared store of used proofs stays, although its files may have changed.
    static func read(
        _ path: String, keys: RemoteKeySets, replays: GatewayReplays, previous: GatewayConfiguration? = nil,
        text: [UInt8]? = nil, keepsReplays: Bool = false
    ) throws(CommandFailure) -> GatewayConfiguration {
        replays.discard()
        var reader = Self(
            path: path, keys: keys, replays: replays, previous: previous, keepsReplays: keepsReplays)
        reader.configuration.threads = min(Process.cores, 64)
        reader.configuration.concurrent = min(Process.cores, 64)
        reader.configuration.files[path] = FileState(path)
        if path == "-" { throw CommandFailure("the configuration must be a file, because it is read again on SIGHUP") }
        do throws(CommandFailure) {
            let text = if let text { text } else { try KeyReader.text(path, isRegular: true) }
            reader.configuration.text = text
            try reader.read(text)
            reader.configuration.files.merge(reader.issuerReader.files) { $1 }
        } catch {
            throw CommandFailure(error.message.hasPrefix("cannot read") ? error.message : "\(path): \(error.message)")
        }
        return reader.configuration
    }

    private init(
        path: String, keys: RemoteKeySets, replays: GatewayReplays, previous: GatewayConfiguration?, keepsReplays: Bool
    ) {
        self.keepsReplays = keepsReplays
        self.path = path
        self.replays = replays
        workers = previous?.workers
        issuerReader = IssuerReader(path, keys, previous: previous?.issuers ?? [:])
        proofStore = replays.memory
    }

    private mutating func read(_ text: [UInt8]) throws(CommandFailure) {
        let file = try ConfigurationValue.members(
            ofFile: text,
            allowing: [
                "listen", "gateway", "request", "issuers", "policies", "headers", "header-bytes", "limits", "limiter",
                "cache", "replay", "log", "proxy-buffer-size", "case-sensitive",
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
        let distinguishesCase = try file["case-sensitive"]?.bool() ?? false
        if let value = file["header-bytes"] { configuration.headerBytes = try value.count(0...65_536) }
        if let value = file["request"] { try request(value) }
        if let value = file["limits"] { try limits(value) }
        if let value = file["limiter"] { try limiter(value) }
        configuration.workers = workers ?? GatewayWorkers(concurrent: configuration.concurrent)
        issuerReader.limiter = configuration.workers.decryptions
        if let value = file["cache"] {
            let members = try value.members(allowing: ["entries", "bytes"])
            configuration.cache = TokenCache(
                entries: try members["entries"]?.count(1...10_000_000) ?? 10_000,
                bytes: try members["bytes"]?.count(1024...(1 << 34)) ?? 32 << 20)
        }
        if let value = file["replay"] {
            proofStore = try replayStore(value)
            configuration.sharesReplays = true
        }
        guard let issuers = file["issuers"] else {
            throw CommandFailure(#"issuers: missing; give at least one, such as {"main": {"iss": …, "keys": …}}"#)
        }
        for (name, value) in try issuers.members(allowing: nil) {
            configuration.issuers[name] = try issuerReader.issuer(name, value)
        }
        guard let policies = file["policies"] else {
            throw CommandFailure(#"policies: missing; give at least one, such as [{"path": "/", "issuers": ["main"]}]"#)
        }
        try readPolicies(policies, file["headers"], distinguishesCase: distinguishesCase)
        let buffer = try file["proxy-buffer-size"]?.count(1024...1_048_576) ?? 4096
        let bytes = configuration.replyBytes
        guard configuration.mode != .nginx || configuration.shorten(to: buffer), configuration.replyBytes == bytes
        else {
            throw CommandFailure(
                "header-bytes: the head of a response has up to \(bytes) bytes, with the names of headers and the challenges, and "
                    + "nginx reads at most \(buffer): lower header-bytes, or raise nginx's proxy_buffer_size and give it as "
                    + "proxy-buffer-size")
        }
    }

    /// Returns the store of used proofs.
    private mutating func replayStore(_ value: ConfigurationValue) throws(CommandFailure) -> any ReplayStore {
        #if Redis
            let options = try issuerReader.options(value, GatewayReplays.options)
            let (replays, keepsReplays) = (replays, keepsReplays)
            return try value.inWords { () throws(CommandFailure) in
                try replays.shared(options, keepsUsed: keepsReplays)
            }
        #else
            throw value.failure("bulla was built without the package's trait Redis")
        #endif
    }

    private mutating func request(_ value: ConfigurationValue) throws(CommandFailure) {
        let members = try value.members(allowing: ["path-header", "method-header", "target-header"])
        func name(_ member: String) throws(CommandFailure) -> String? {
            guard let value = members[member] else { return nil }
            return try Self.fieldName(value)
        }
        configuration.fields.path = try name("path-header") ?? configuration.fields.path
        configuration.fields.method = try name("method-header") ?? configuration.fields.method
        configuration.fields.target = try name("target-header") ?? configuration.fields.target
    }

    private static func fieldName(_ value: ConfigurationValue) throws(CommandFailure) -> String {
        let name = try value.string()
        guard HeaderValue.isName(name) else { throw value.failure("'\(name)' is not a name of a header field") }
        return name
    }

    private mutating func limits(_ value: ConfigurationValue) throws(CommandFailure) {
        let members = try value.members(allowing: [
            "threads", "connections", "head-bytes", "timeout", "request-timeout", "drain", "wait", "retry-after",
            "key-tables",
        ])
        if let value = members["threads"] { configuration.threads = try value.count(1...64) }
        if let value = members["connections"] { configuration.connections = try value.count(1...65_536) }
        if let value = members["head-bytes"] { configuration.headBytes = try value.count(4096...1_048_576) }
        if let value = members["timeout"] { configuration.timeout = try value.count(1...3600) }
        if let value = members["request-timeout"] { configuration.requestTimeout = try value.count(1...3600) }
        if let value = members["drain"] { configuration.drain = try value.seconds(0...300) }
        if let value = members["wait"] { configuration.wait = try value.seconds(0...10) }
        if let value = members["key-tables"] { configuration.keyTables = try value.count(0...65_536) }
        if let value = members["retry-after"] { configuration.retryAfter = try value.count(1...3600) }
    }

    private mutating func limiter(_ value: ConfigurationValue) throws(CommandFailure) {
        let members = try value.members(allowing: ["concurrent", "queued", "timeout", "client-header"])
        if let value = members["concurrent"] { configuration.concurrent = try value.count(1...64) }
        if let value = members["queued"] { configuration.queued = try value.count(1...65_536) }
        if let value = members["timeout"] { configuration.queueTimeout = try value.seconds(0.001...10) }
        configuration.fields.client = try members["client-header"].map { (value) throws(CommandFailure) in
            try Self.fieldName(value)
        }
    }
}
