public import JOSE

/// The keys that an issuer publishes, fetched and kept, for verifiers that never wait for the network when they have a key.
///
/// Reading is a matter of nanoseconds whatever the server does. The set is fetched anew before it is no longer fresh, when a
/// token names a key that it lacks (within narrow bounds, for anyone can name one), and goes on serving for
/// `KeySetOptions.outageLimit` when the server fails. Nothing happens before the first use; `warmUp(timeout:)` is one. With
/// `KeySetOptions.snapshotFolder` the first use also brings back what was held when the process ended.
public final class RemoteKeySet: KeySource, Sendable {
    private let document: RemoteDocument<KeySetReader>
    private let metadata: RemoteDocument<MetadataReader>?
    private let keeper: SnapshotKeeper<KeySetReader>?
    private let locator: MetadataLocator?

    /// Keys from one address, which no token has a say in. Throws `urlInvalid` and `optionsInvalid`.
    public convenience init(
        url: String, transport: any HTTPTransport, options: KeySetOptions = KeySetOptions(),
        observer: (any KeySetObserver)? = nil
    ) throws(KeySetError) {
        try self.init(url: url, transport: transport, options: options, observer: observer, surroundings: .system)
    }

    /// Keys from the address that the issuer's metadata names. The metadata is fetched and kept as the keys are, by the same
    /// options: one of another issuer is never taken (RFC 8414, 3.3), another `jwks_uri` is followed, and while the metadata
    /// cannot be had the address that is known goes on being asked. Throws `discovery` and `optionsInvalid`.
    public convenience init(
        issuer: String, discovery: Discovery = .openID, transport: any HTTPTransport,
        options: KeySetOptions = KeySetOptions(), observer: (any KeySetObserver)? = nil
    ) throws(KeySetError) {
        try self.init(
            issuer: issuer, discovery: discovery, transport: transport, options: options, observer: observer,
            surroundings: .system)
    }

    /// The same by another clock, under another name than the URL, and with a place of the caller's own to keep the set.
    package convenience init(
        name: String? = nil, url: String, transport: any HTTPTransport, options: KeySetOptions,
        observer: (any KeySetObserver)?, surroundings: FetchEnvironment, onKept: RemoteDocument<KeySetReader>.Keep? = nil
    ) throws(KeySetError) {
        try options.check()
        guard isFetchable(url) else { throw .urlInvalid }
        self.init(
            name ?? url, url: url, metadata: nil, transport: transport, options: options, observer: observer,
            surroundings: surroundings, onKept: onKept)
    }

    /// Creates a key set by another clock, of metadata that must pass `check`: keys are fetched only from the `jwks_uri` of such metadata.
    package convenience init(
        issuer: String, discovery: Discovery, transport: any HTTPTransport, options: KeySetOptions,
        observer: (any KeySetObserver)?, surroundings: FetchEnvironment, check: MetadataCheck? = nil
    ) throws(KeySetError) {
        try options.check()
        let addresses: [String]
        do throws(DiscoveryFault) {
            addresses = try discovery.addresses(of: issuer, allowsLoopbackHTTP: options.allowsLoopbackHTTP)
        } catch {
            throw .discovery(error)
        }
        var own = options
        own.bodyLimit = min(options.bodyLimit, IssuerMetadata.byteLimit)
        let metadata = RemoteDocument(
            issuer,
            reader: MetadataReader(issuer: issuer, loopbackHTTP: options.allowsLoopbackHTTP, check: check),
            transport: transport, options: own, observer: observer.map { MetadataObserver(observer: $0) },
            surroundings: surroundings, locate: { () async throws(KeySetError) in addresses })
        self.init(
            issuer, url: nil, metadata: metadata, transport: transport, options: options, observer: observer,
            surroundings: surroundings, onKept: nil)
    }

    /// `url`: nil where `metadata` says it.
    private init(
        _ name: String, url: String?, metadata: RemoteDocument<MetadataReader>?, transport: any HTTPTransport,
        options: KeySetOptions, observer: (any KeySetObserver)?, surroundings: FetchEnvironment,
        onKept: RemoteDocument<KeySetReader>.Keep?
    ) {
        let keeper = options.snapshotFolder.map { folder in
            SnapshotKeeper<KeySetReader>(folder, source: name, options: options, wall: surroundings.wall)
        }
        let locator = metadata.map { MetadataLocator($0, options: options) }
        let others = options.secondURL.map { [$0] } ?? []
        document = RemoteDocument(
            name, reader: KeySetReader(options), transport: transport, options: options, observer: observer,
            surroundings: surroundings,
            onKept: { keeping in
                if !keeping.isDropped { locator?.arrived() }
                keeper?.keep(keeping)
                onKept?(keeping)
            },
            locate: { () async throws(KeySetError) in
                keeper?.restore(locator)
                guard let url else { return try await [locator?.url()].compactMap { $0 } + others }
                return [url] + others
            })
        keeper?.attach(document)
        self.metadata = metadata
        self.keeper = keeper
        self.locator = locator
    }

    deinit {
        document.close()
        metadata?.close()
    }

    /// What the issuer says of itself, where the keys are found by that and it is held. Never waits.
    public var issuerMetadata: IssuerMetadata? { try? metadata?.current() }

    /// What is held, as long as it may be served; asks for a fetch where one is due. Throws `keysUnavailable`.
    public func current() throws(JOSEError) -> KeySet { try document.current() }

    /// See `KeySource.reportMissing(keyID:)`: at most one fetch a cooldown, and the few of `KeySetOptions.bypasses`.
    public func reportMissing(keyID: [UInt8]?) { document.reportMissing(keyID: keyID) }

    /// Returns `refreshIncomplete` while the last fetch has failed or a fetch is under way, unless a recent set is known to lack the
    /// key. See `KeySource.outage(ofMissing:)`.
    public func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason? { document.outage(ofMissing: keyID) }

    /// See `KeySource.awaitRefresh(timeout:)`.
    /// Where none is under way, it tells whether one ended within the last second: keys that came since a token was looked at
    /// are not missed.
    public func awaitRefresh(timeout limit: Duration) async throws -> Bool {
        try await document.awaitRefresh(timeout: limit)
    }

    /// Whether `awaitRefresh(timeout:)` would do anything but return false at once.
    package var hasRefreshToAwait: Bool { document.hasRefreshToAwait }

    /// For the start of a service, before traffic: returns once there are keys. Throws the `KeySetError` of the fetch, and
    /// `deadlineExceeded`; `CancellationError`. The source goes on trying in the background all the same.
    public func warmUp(timeout limit: Duration) async throws {
        keeper?.restore(locator)
        try await document.warmUp(timeout: limit)
    }

    /// Fetches now, past every cooldown; joins the fetch that is under way, if one is. Throws as `warmUp` does.
    public func refresh() async throws { try await document.refresh() }

    /// For a key that is known to be in the wrong hands: drops all keys at once, those within their grace too, and fetches past
    /// every cooldown. Until that went well nothing verifies.
    public func purge() { document.purge() }

    /// Ends everything within a second: the fetch is cancelled, those who wait are woken, `current()` throws
    /// `keysUnavailable(.closed)`. A source that is let go ends as well.
    public func shutdown() async {
        async let ofMetadata: Void? = metadata?.shutdown()
        await document.shutdown()
        _ = await ofMetadata
    }

    /// How many wait for the fetch that is under way.
    package var waiting: Int { document.waiting }

    /// How it is, at this moment.
    public var health: KeySetHealth { document.health }

    /// What it has done.
    public var counters: KeySetCounters { document.counters }
}
