public import JOSE

/// A remote JWKS: the keys that an issuer publishes, fetched, cached and refreshed in the background (RFC 7517, 5).
///
/// Reading the keys never waits for the network. The key set is refreshed before it is stale, and when a token needs a
/// key that it lacks; such fetches are strictly limited, because anyone can invent a `kid`. While the server cannot be
/// reached, the keys stay in use for `KeySetOptions.outageLimit`. Nothing is fetched before the keys are first
/// requested or ``warmUp(timeout:)`` is called. With `KeySetOptions.snapshotFolder`, the keys that an earlier process
/// saved are restored then.
public final class RemoteKeySet: KeySource, Sendable {
    private let document: RemoteDocument<KeySetReader>
    private let metadata: RemoteDocument<MetadataReader>?
    private let keeper: SnapshotKeeper<KeySetReader>?

    /// Creates a key set that is fetched from a URL. No token can change the URL.
    ///
    /// - Parameters:
    ///   - url: The URL of the JWK Set.
    ///   - transport: The HTTP client.
    ///   - options: The options.
    ///   - observer: The observer of the events, which receives the URL as the name.
    /// - Throws: `urlInvalid` and `optionInvalid`.
    public convenience init(
        url: String, transport: any HTTPTransport, options: KeySetOptions = KeySetOptions(),
        observer: (any KeySetObserver)? = nil
    ) throws(KeySetError) {
        try self.init(url: url, transport: transport, options: options, observer: observer, environment: .system)
    }

    /// Creates a key set that is fetched from the `jwks_uri` of an issuer's metadata.
    ///
    /// The metadata is fetched and cached with the same options. Of its members `issuer` and `jwks_uri` alone are
    /// checked. Metadata of another issuer is rejected (RFC 8414, 3.3), a changed `jwks_uri` is followed, and while the
    /// metadata cannot be fetched the last known URL stays in use.
    ///
    /// - Parameters:
    ///   - issuer: The issuer, an https URL.
    ///   - discovery: The location of the metadata; by default that of OpenID Connect, and that of RFC 8414 after the
    ///     status 404 or 410.
    ///   - transport: The HTTP client.
    ///   - options: The options, for the metadata and for the keys.
    ///   - observer: The observer of the events, which receives the issuer as the name.
    /// - Throws: `discovery` and `optionInvalid`.
    public convenience init(
        issuer: String, discovery: Discovery = .standard, transport: any HTTPTransport,
        options: KeySetOptions = KeySetOptions(), observer: (any KeySetObserver)? = nil
    ) throws(KeySetError) {
        try self.init(
            issuer: issuer, discovery: discovery, transport: transport, options: options, observer: observer,
            environment: .system)
    }

    /// Creates a key set in an environment with another clock, under another name than the URL, and with a function
    /// that saves the set.
    package convenience init(
        name: String? = nil, url: String, transport: any HTTPTransport, options: KeySetOptions,
        observer: (any KeySetObserver)?, environment: FetchEnvironment,
        onKept: RemoteDocument<KeySetReader>.Keep? = nil
    ) throws(KeySetError) {
        try options.check()
        guard isFetchable(url, loopbackHTTP: options.allowsLoopbackHTTP) else { throw .urlInvalid }
        self.init(
            name ?? url, url: url, metadata: nil, transport: transport, options: options, observer: observer,
            environment: environment, onKept: onKept)
    }

    /// Creates a key set in an environment with another clock, whose URL is taken from metadata that must pass `check`.
    /// Keys are fetched only from the `jwks_uri` of metadata that has passed it.
    package convenience init(
        issuer: String, discovery: Discovery, transport: any HTTPTransport, options: KeySetOptions,
        observer: (any KeySetObserver)?, environment: FetchEnvironment, check: MetadataCheck? = nil
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
            environment: environment, fallback: .absence,
            locate: { () async throws(KeySetError) in addresses })
        self.init(
            issuer, url: nil, metadata: metadata, transport: transport, options: options, observer: observer,
            environment: environment, onKept: nil)
    }

    /// Creates a key set from its parts. `url` is nil if `metadata` names the URL.
    private init(
        _ name: String, url: String?, metadata: RemoteDocument<MetadataReader>?, transport: any HTTPTransport,
        options: KeySetOptions, observer: (any KeySetObserver)?, environment: FetchEnvironment,
        onKept: RemoteDocument<KeySetReader>.Keep?
    ) {
        let keeper = options.snapshotFolder.map { folder in
            SnapshotKeeper<KeySetReader>(
                // An issuer and a key set may have the same address.
                folder, source: metadata == nil ? name : "issuer " + name, options: options, environment: environment)
        }
        let locator = metadata.map { MetadataLocator($0, options: options) }
        let others = options.secondURL.map { [$0] } ?? []
        document = RemoteDocument(
            name, reader: KeySetReader(options), transport: transport, options: options, observer: observer,
            environment: environment,
            onKept: { keeping in
                if !keeping.isDropped { locator?.arrived() }
                keeper?.keep(keeping)
                onKept?(keeping)
            },
            sharing: options.sharesSnapshots ? keeper : nil,
            locate: { () async throws(KeySetError) in
                keeper?.restore()
                guard let url else { return try await [locator?.url()].compactMap { $0 } + others }
                return [url] + others
            })
        keeper?.attach(document, locator)
        self.metadata = metadata
        self.keeper = keeper
    }

    deinit {
        document.close()
        metadata?.close()
    }

    /// The issuer's metadata, or nil if none was fetched or if the key set was created with the URL of its keys.
    /// Reading it never waits.
    public var issuerMetadata: IssuerMetadata? { try? metadata?.current() }

    /// Returns the keys, and starts a fetch in the background if one is due. Never waits.
    ///
    /// - Throws: `keysUnavailable` if no keys were fetched yet, if they are too old to be served, or if the key set was
    ///   shut down.
    public func current() throws(JOSEError) -> KeySet { try document.current() }

    /// Reports that a token needs a key that the key set lacks. This begins at most one fetch for each cooldown, and
    /// the few more that `KeySetOptions.bypasses` allows; see `KeySource.reportMissing(keyID:)`.
    public func reportMissing(keyID: [UInt8]?) { document.reportMissing(keyID: keyID) }

    /// Reports that a signature failed under a key of the key set, which the issuer may have replaced under its `kid`.
    /// At most one fetch begins for such tokens within `KeySetOptions.signatureCooldown`, whatever arrives; see
    /// `KeySource.reportFailedSignature(keyID:)`.
    public func reportFailedSignature(keyID: [UInt8]?) { document.reportFailedSignature(keyID: keyID) }

    /// Returns the reason for which a missing key may still arrive: `refreshIncomplete` if the last fetch failed or a
    /// fetch is in progress, unless a recent fetch did not find the key; `closed` after a shutdown; otherwise nil. See
    /// `KeySource.outage(ofMissing:)`.
    public func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason? { document.outage(ofMissing: keyID) }

    /// Waits for the fetch in progress; see `KeySource.awaitRefresh(timeout:)`.
    ///
    /// If no fetch is in progress, the function returns at once whether one ended within the last second, because the
    /// key may have arrived while the token was verified.
    public func awaitRefresh(timeout limit: Duration) async throws -> Bool {
        let end = ContinuousClock.now + limit
        let hasEnded = try await document.awaitRefresh(timeout: limit)
        if hasEnded { await awaitSaved(until: end) }
        return hasEnded
    }

    /// Waits until a key that a token needs and the key set lacks may have arrived.
    ///
    /// The call waits for the fetch in progress. During the cooldown, it waits for the next fetch if that may begin
    /// within the time limit, and makes it begin as soon as it may. At most `KeySetOptions.missLimit` calls wait for
    /// the next fetch at a time. See `KeySource.awaitMissingKey(timeout:)`.
    public func awaitMissingKey(timeout limit: Duration) async throws -> Bool {
        let end = ContinuousClock.now + limit
        let hasEnded = try await document.awaitMissingKey(timeout: limit)
        if hasEnded { await awaitSaved(until: end) }
        return hasEnded
    }

    /// Waits until a key under which a signature failed may have been replaced.
    ///
    /// The call waits for the fetch in progress, or for the next one that a failed signature may cause, if that may
    /// begin within the time limit. At most `KeySetOptions.missLimit` calls wait for a fetch that has not begun. See
    /// `KeySource.awaitReplacedKey(timeout:)`.
    public func awaitReplacedKey(timeout limit: Duration) async throws -> Bool {
        let end = ContinuousClock.now + limit
        let hasEnded = try await document.awaitReplacedKey(timeout: limit)
        if hasEnded { await awaitSaved(until: end) }
        return hasEnded
    }

    /// The time at which the last fetch began that succeeded, in seconds of the monotonic clock; negative infinity if
    /// none did. A key that the set lacks was not published at that time.
    package var confirmedFrom: Double { document.confirmedFrom }

    /// The time at which a signature failed last under a key of the set, in seconds of the monotonic clock; negative
    /// infinity if none did.
    package var failedSignatureAt: Double { document.failedSignatureAt }

    /// Makes a fetch begin as soon as the cooldown allows it, unless one is in progress. However often it is called, at
    /// most one fetch begins for each cooldown.
    package func expectFetch() { document.expectFetch() }

    /// Waits for the end of the fetch in progress or of the next one, which begins as soon as the cooldown allows it.
    ///
    /// - Parameter limit: The longest time to wait.
    /// - Returns: Whether a fetch has ended.
    /// - Throws: `CancellationError` if the task was cancelled. The fetch is completed nevertheless.
    package func awaitLaterFetch(timeout limit: Duration) async throws -> Bool {
        let end = ContinuousClock.now + limit
        let hasEnded = try await document.awaitLaterFetch(timeout: limit)
        if hasEnded { await awaitSaved(until: end) }
        return hasEnded
    }

    /// Returns when what was fetched is saved, if processes share snapshots, because this process may end soon.
    private func awaitSaved(until end: ContinuousClock.Instant) async {
        if document.options.sharesSnapshots { await keeper?.awaitSaved(until: end) }
    }

    /// Waits until the keys are available, and fetches them if necessary. Call it when your service starts.
    ///
    /// A fetch that fails with a retryable error, of the metadata or of the keys, is repeated within the time limit:
    /// after a quarter of a second, then after pauses that double up to four seconds, and not before the time that the
    /// server asked to wait for. If the call fails, the key set continues to fetch in the background. An observer
    /// receives `unreached` for the first failure and, if the call fails, one `failed` with the time until the next
    /// fetch, but no event for each repetition.
    ///
    /// - Parameter limit: The time limit.
    /// - Throws: The `KeySetError` of the last fetch, `deadlineExceeded`, or `CancellationError`.
    public func warmUp(timeout limit: Duration) async throws {
        keeper?.restore()
        metadata?.beginWarmUp()
        defer { metadata?.endWarmUp() }
        try await document.warmUp(timeout: limit) { [metadata] left in
            guard let metadata, !metadata.isServing else { return }
            // Without the metadata the keys may still be fetched from the URL that an earlier process used.
            do { try await metadata.refresh(timeout: left) } catch is KeySetError {}
        }
    }

    /// Waits until the keys are available as `warmUp(timeout:)` does, and repeats no fetch that failed.
    ///
    /// If processes share snapshots, keys that are no longer fresh are first refreshed, and what was fetched is saved
    /// when the call returns, because this process may end soon. If the disk is slow, the call waits until the time
    /// limit, but for at least two seconds, and returns without an error if the keys are not saved by then.
    package func warmUpOnce(timeout limit: Duration) async throws {
        let end = ContinuousClock.now + limit
        keeper?.restore()
        let isServing = document.isServing
        if isServing, !(document.options.sharesSnapshots && document.isPastLifetime) { return }
        do {
            try await document.refresh(timeout: limit, for: isServing ? .forced : .first)
        } catch is KeySetError where isServing {
            // The keys stay in use until the outage limit. The health has the failure.
        }
        await awaitSaved(until: max(end, .now + .seconds(2)))
    }

    /// The last reason for which a snapshot was not used or not saved.
    package var snapshotFault: SnapshotFault? { keeper?.fault }

    /// Refreshes the keys now, regardless of any cooldown, or joins the fetch in progress.
    ///
    /// - Throws: The `KeySetError` of the fetch, or `CancellationError`.
    public func refresh() async throws { try await document.refresh() }

    /// Drops all keys at once, those within their grace period included, and fetches new ones regardless of any
    /// cooldown. No token can be verified until that fetch has succeeded. Call it when a key is known to be
    /// compromised.
    public func purge() { document.purge() }

    /// Shuts the key set down within a second: the fetch is cancelled, waiting tasks are resumed, and `current()`
    /// throws `keysUnavailable(.closed)`. A key set that is deallocated shuts down as well.
    public func shutdown() async {
        async let ofMetadata: Void? = metadata?.shutdown()
        await document.shutdown()
        _ = await ofMetadata
    }

    /// The unusable keys of the last response, if it was a key set that was rejected as a whole: private and symmetric
    /// ones first.
    package var rejectedKeys: [UnusableKey] { document.rejectedKeys }
    /// The reason why the last fetch failed, if it brought a key set that was rejected as a whole.
    package var rejection: KeySetRejection? {
        let health = health
        guard health.failures > 0, case .refused(let rejection)? = health.lastFailure?.error else { return nil }
        return rejection
    }
    /// The number of keys of the newest key set that are ignored, because it has more than `KeySetOptions.keyLimit`
    /// allows.
    package var ignoredKeys: Int { document.ignoredKeys }

    /// The number of tasks that wait for the fetch in progress.
    package var waiting: Int { document.waiting }

    /// The state of the key source at this moment.
    public var health: KeySetHealth { document.health }

    /// The counters of the key source.
    public var counters: KeySetCounters { document.counters }
}
