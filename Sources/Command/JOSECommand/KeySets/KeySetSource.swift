import JOSE
import JOSEBytes
import JOSEKeySets
import JOSETokens

#if HTTP
    import JOSEFetch
#endif

/// Keys that the command line names by where they are published.
struct KeySetSource: Sendable {
    enum Place: Sendable {
        case url(String)
        case issuer(String)

        var text: String {
            switch self {
            case .url(let text), .issuer(let text): text
            }
        }
    }
    let keys: RemoteKeySet
    let place: Place
    let recorder: RecordingTransport
    let timeout: Duration

    static let options = [Options.authorities.spec, Options.timeout.spec, Options.allowLoopbackHTTP]

    /// Whether a word names a key set to be fetched, and not a file.
    static func isURL(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("https://") || start.hasPrefix("http://")
    }

    init(
        _ place: Place, _ arguments: Arguments, observer: (any KeySetObserver)? = nil
    ) throws(CommandFailure) {
        #if HTTP
            timeout = try arguments.value(Options.timeout).map { Duration.milliseconds(Int($0 * 1000)) } ?? .seconds(5)
            var options = CurlTransport.Options()
            // Whoever runs the command names the address, as with any client at a prompt.
            (options.allowsLoopback, options.allowsPrivateAddresses) = (true, true)
            options.allowsLoopbackHTTP = arguments.has(Options.allowLoopbackHTTP)
            let authorities = try arguments.value(Options.authorities)
            if let authorities { options.trust = .file(authorities) }
            do throws(CurlTransportError) {
                recorder = RecordingTransport(try CurlTransport(options))
            } catch .optionInvalid(.trust) {
                throw CommandFailure("\(authorities ?? ""): no file of PEM certificates that can be read")
            } catch {
                throw CommandFailure("cannot begin to fetch: \(error)")
            }
            var behaviour = KeySetOptions()
            behaviour.deadline = timeout
            behaviour.connectDeadline = min(timeout, .seconds(3))
            // Few tokens go by: the first one under a new key asks for it.
            behaviour.missRepeats = 1
            behaviour.allowsLoopbackHTTP = arguments.has(Options.allowLoopbackHTTP)
            self.place = place
            do throws(KeySetError) {
                switch place {
                case .url(let url):
                    keys = try RemoteKeySet(url: url, transport: recorder, options: behaviour, observer: observer)
                case .issuer(let issuer):
                    keys = try RemoteKeySet(
                        issuer: issuer, discovery: .openID.otherwise(.authorizationServer), transport: recorder,
                        options: behaviour, observer: observer)
                }
            } catch {
                throw .usage("\(place.text): \(error)")
            }
        #else
            throw .usage("bulla was built without the package's trait HTTP: keys come from files alone")
        #endif
    }

    /// Waits for the first set. Nil: it is there.
    func warmUp() -> KeySetError? {
        let keys = keys
        // The metadata may be at two places.
        let requests = if case .issuer = place { 3 } else { 1 }
        let limit = timeout * requests + .milliseconds(500)
        return Blocking.run { () async -> KeySetError? in
            do {
                try await keys.warmUp(timeout: limit)
                return nil
            } catch let error as KeySetError {
                // Why the fetch failed says more than that it took too long.
                if case .deadlineExceeded = error, let failure = keys.health.lastFailure { return failure.error }
                return error
            } catch {
                return .closed
            }
        }
    }

    /// For verification: with keys in it, or with what to do about it.
    func ready() throws(CommandFailure) -> RemoteKeySet {
        if let error = warmUp() {
            throw CommandFailure("jwks_unavailable: \(Output.printable(place.text)): \(KeySetRemedy.text(error))")
        }
        return keys
    }

    /// Returns the result of `body`. Where other keys may change its outcome, and a refresh is under way or has just ended,
    /// `body` runs once more after that refresh: the rule of `TokenVerifier.verify(_:timeout:)`.
    func waiting<Value: ~Copyable>(_ body: () throws(TokenError) -> Value) throws(TokenError) -> Value {
        do throws(TokenError) { return try body() } catch {
            guard hasNewKeys(after: error) else { throw error }
            return try body()
        }
    }

    /// Waits for the refresh that a token may have caused, where other keys may change what `error` reports.
    func hasNewKeys(after error: TokenError) -> Bool {
        guard error.mayChangeWithKeys(of: .signature), keys.hasRefreshToAwait else { return false }
        let keys = keys, timeout = timeout
        return Blocking.run { (try? await keys.awaitRefresh(timeout: timeout)) ?? false }
    }
}

extension Options {
    static let issuerURL = Option("issuer", "URL", "whose keys verify, found by discovery; --iss is this unless given")
    {
        KeySetSource.isURL($0) ? $0 : nil
    }
    static let authorities = Option("ca", "FILE", "PEM roots in place of the system's, for the server of the keys") {
        $0.isEmpty ? nil : $0
    }
    static let timeout = Option("timeout", "SECONDS", "most time for a fetch, 0.1 to 120 (5)") { text -> Double? in
        guard let seconds = Double(text), seconds >= 0.1, seconds <= 120 else { return nil }
        return seconds
    }
    static let allowLoopbackHTTP = OptionSpec(
        "allow-loopback-http", nil, "fetch keys by http too, from this machine alone")
}
