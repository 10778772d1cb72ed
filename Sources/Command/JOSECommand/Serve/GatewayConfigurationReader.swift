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
        let file = try ConfigurationValue.members(ofFile: text, allowing: GatewaySettings.names)
        try configuration.settings.read(file)
        let settings = configuration.settings
        configuration.workers = workers ?? GatewayWorkers(concurrent: settings.concurrent)
        issuerReader.limiter = configuration.workers.decryptions
        if file["cache"] != nil {
            configuration.cache = TokenCache(entries: settings.cacheEntries, bytes: settings.cacheBytes)
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
        try readPolicies(policies, file["headers"])
        let (bytes, buffer) = (configuration.replyBytes, settings.proxyBufferBytes)
        guard settings.mode != .nginx || configuration.shorten(to: buffer), configuration.replyBytes == bytes else {
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
}
