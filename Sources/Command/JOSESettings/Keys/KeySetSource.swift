import JOSE
package import JOSEKeySets
import JOSESupport

#if HTTP
    import JOSEFetch
#endif

/// A remote JWKS, named by its URL or by its issuer on the command line.
package struct KeySetSource: Sendable {
    package enum Location: Hashable, Sendable {
        case url(String)
        case issuer(String)

        package var text: String {
            switch self {
            case .url(let text), .issuer(let text): text
            }
        }
        /// The name of the kind.
        package var kind: String {
            switch self {
            case .url: "url"
            case .issuer: "issuer"
            }
        }
    }
    package let keys: RemoteKeySet
    package let location: Location
    package let recorder: RecordingTransport
    package let timeout: Duration
    /// The content of the file with the root certificates, or nil for those of the system.
    let roots: [UInt8]?
    /// The folder of the key cache, or nil if there is none.
    private let cache: String?
    private let report: @Sendable (String) -> Void

    package static let options = [Options.authorities.spec, Options.timeout.spec, Options.allowLoopbackHTTP]

    /// Whether the text is the URL of a key set, and not the path of a file.
    package static func isURL(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("https://") || start.hasPrefix("http://")
    }

    package init(
        _ location: Location, _ arguments: Arguments, observer: (any KeySetObserver)? = nil, isService: Bool = false
    ) throws(CommandFailure) {
        #if HTTP
            timeout = try arguments.value(Options.timeout) ?? .seconds(5)
            var options = CurlTransport.Options()
            // The user of the command chooses the address, as with any client in a shell.
            (options.allowsLoopback, options.allowsPrivateAddresses) = (true, true)
            options.allowsLoopbackHTTP = arguments.has(Options.allowLoopbackHTTP)
            let authorities = try arguments.value(Options.authorities)
            roots = try authorities.map { path throws(CommandFailure) in
                try Descriptor.contents(of: path, isRegular: true, maximumBytes: 1 << 24)
            }
            // A service names the key set by its roots, which must be those of the file at that time.
            if let authorities, let roots { options.trust = isService ? .pem(roots) : .file(authorities) }
            do throws(CurlTransportError) {
                recorder = RecordingTransport(try CurlTransport(options))
            } catch .optionInvalid("trust") {
                throw CommandFailure("\(authorities ?? ""): not a readable file of PEM certificates")
            } catch {
                throw CommandFailure("cannot create the HTTP transport: \(error)")
            }
            var behaviour = KeySetOptions()
            behaviour.deadline = timeout
            behaviour.connectDeadline = min(timeout, .seconds(3))
            // A run sees few tokens, so the first token with an unknown `kid` already causes a refresh.
            if !isService { behaviour.missRepeats = 1 }
            behaviour.allowsLoopbackHTTP = arguments.has(Options.allowLoopbackHTTP)
            if let maximum = try arguments.value(Options.maximumKeys) {
                // More keys may have more bytes, in proportion.
                behaviour.bodyLimit = max(behaviour.bodyLimit, behaviour.bodyLimit / behaviour.keyLimit * maximum)
                behaviour.keyLimit = maximum
            }
            cache = try arguments.value(Options.keyCache)
            report = arguments.report
            if let cache {
                do throws(SnapshotFault) {
                    var folder = SnapshotFolder(path: cache)
                    try folder.prepare()
                    if let roots {
                        folder = try folder.folder(trusting: roots)
                        try folder.prepare()
                    }
                    behaviour.snapshotFolder = folder.path
                } catch {
                    throw CommandFailure("--key-cache \(TerminalText.escaped(cache)): \(Self.remedy(error))")
                }
                behaviour.sharesSnapshots = true
                // A process of one run ends before a refresh ahead of time would: the first one after the lifetime
                // refreshes.
                if !isService { behaviour.refreshPoint = 1...1 }
            }
            self.location = location
            do throws(KeySetError) {
                switch location {
                case .url(let url):
                    keys = try RemoteKeySet(url: url, transport: recorder, options: behaviour, observer: observer)
                case .issuer(let issuer):
                    keys = try RemoteKeySet(
                        issuer: issuer, transport: recorder, options: behaviour, observer: observer)
                }
            } catch {
                throw .usage("\(location.text): \(KeySetRemedy.text(error))")
            }
        #else
            throw .usage("bulla was built without the package's trait HTTP: keys must be in files")
        #endif
    }

    /// Waits for the first key set, and returns the error if there is none.
    ///
    /// - Parameter bound: The longest time to wait, after which the fetch goes on; nil for the time of the requests.
    package func warmUp(within bound: Duration? = nil) -> KeySetError? {
        let keys = keys
        // The metadata may be at one of two addresses, and the key set is a third request.
        let requests = if case .issuer = location { 3 } else { 1 }
        // With a cache, another process may fetch first.
        let longest = timeout * (requests + (cache == nil ? 0 : 1)) + .milliseconds(cache == nil ? 500 : 1500)
        let limit = bound ?? longest
        return Blocking.run { () async -> KeySetError? in
            do {
                try await keys.warmUpOnce(timeout: limit)
                return nil
            } catch let error as KeySetError {
                // The reason of the failed fetch tells the user more than the timeout does.
                if case .deadlineExceeded = error, let failure = keys.health.lastFailure { return failure.error }
                return error
            } catch {
                return .closed
            }
        }
    }

    /// Returns the key source once it has keys. The error says how the user can help.
    func ready() throws(CommandFailure) -> RemoteKeySet {
        if let error = warmUp() {
            let code = JOSEError.keysUnavailable(.notFetched).code
            // A set without a usable key says why with its first key.
            let key = keys.rejectedKeys.first.map { "\($0): " } ?? ""
            throw CommandFailure("\(code): \(TerminalText.escaped(location.text)): \(key)\(KeySetRemedy.text(error))")
        }
        if let cache { reportCache(cache) }
        if keys.ignoredKeys > 0 {
            report(
                "\(TerminalText.escaped(location.text)): the last \(keys.ignoredKeys) keys of the set are ignored:"
                    + " raise --max-keys")
        }
        return keys
    }

    /// Reports that the cache could not be used, or had only keys that are no longer fresh.
    private func reportCache(_ folder: String) {
        switch keys.snapshotFault {
        case nil, .tooOld: break
        case let fault?: report("--key-cache \(folder): \(Self.remedy(fault))")
        }
        let health = keys.health
        if let failure = health.lastFailure, let age = health.age {
            report(
                "--key-cache \(folder): the keys are \(Int(age.inSeconds)) s old and are used, because"
                    + " \(location.text) cannot be fetched: \(KeySetRemedy.text(failure.error))")
        }
    }

    private static func remedy(_ fault: SnapshotFault) -> String {
        switch fault {
        case .notPrivate: "\(fault); remedy: a folder of mode 700 that belongs to the user of the process"
        case .damaged, .foreign: "\(fault), and is fetched again"
        default: "\(fault)"
        }
    }
}

extension Options {
    package static let issuerURL = Option(
        "issuer", "URL", "issuer, whose keys discovery finds; the default of --iss"
    ) {
        KeySetSource.isURL($0) ? $0 : nil
    }
    package static let authorities = Option(
        "ca", "FILE", "root certificates (PEM) for the key server, in place of the system's", text)
    package static let keyCache = Option(
        "key-cache", "DIR", "folder in which processes share the keys of --keys https://… or --issuer", text)
    package static let keyLag = Option(
        "key-lag", "SECONDS",
        "how much later than a token its key may be published, 0 to 300 (10 for rows, 0 for lines)", time(0...300))
    package static let timeout = Option("timeout", "SECONDS", "timeout of a fetch, 0.1 to 120 (5)", time(0.1...120))
    package static let allowLoopbackHTTP = OptionSpec(
        "allow-loopback-http", nil, "also fetch keys by http, from this machine only")
}
