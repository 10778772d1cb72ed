/// One issuer of an ``IssuerKeySets``: who it is, where its keys are, and how they are kept.
public struct IssuerKeys: Sendable {
    private enum Place: Sendable {
        case url(String)
        case metadata(Discovery)
    }
    /// What `iss` of its tokens is.
    public let issuer: String
    /// Its own; those of the registry where this is nil.
    public var options: KeySetOptions?
    private let place: Place

    /// Its keys are where its metadata says.
    public init(_ issuer: String, discovery: Discovery = .openID, options: KeySetOptions? = nil) {
        self.issuer = issuer
        self.options = options
        place = .metadata(discovery)
    }

    /// Its keys are there, and the issuer may be any text.
    public init(_ issuer: String, url: String, options: KeySetOptions? = nil) {
        self.issuer = issuer
        self.options = options
        place = .url(url)
    }

    fileprivate func source(
        _ transport: any HTTPTransport, _ common: KeySetOptions, _ observer: (any KeySetObserver)?,
        _ surroundings: FetchEnvironment
    ) throws(KeySetError) -> RemoteKeySet {
        switch place {
        case .url(let url):
            try RemoteKeySet(
                name: issuer, url: url, transport: transport, options: options ?? common, observer: observer,
                surroundings: surroundings)
        case .metadata(let discovery):
            try RemoteKeySet(
                issuer: issuer, discovery: discovery, transport: transport, options: options ?? common,
                observer: observer, surroundings: surroundings)
        }
    }
}

/// The keys of several issuers, each with a budget, cooldowns and a cache of its own: a flood or an outage of one leaves the others
/// alone. Made from configuration; no token adds an issuer to it.
public final class IssuerKeySets: Sendable {
    /// How one issuer's keys are.
    public struct State: Sendable {
        /// Whose.
        public let issuer: String
        /// See ``RemoteKeySet/health``.
        public let health: KeySetHealth
        /// See ``RemoteKeySet/counters``.
        public let counters: KeySetCounters
    }
    private struct Row: Sendable {
        let issuer: String
        let source: RemoteKeySet
    }
    private let rows: [Row]
    /// By the bytes of the issuer.
    private let places: [[UInt8]: Int]
    private let now: @Sendable () -> Double

    /// Nothing is fetched before the first use. Observers are told the issuer as the name. Throws `issuerRepeated`, and what
    /// `RemoteKeySet` throws.
    public convenience init(
        _ issuers: [IssuerKeys], transport: any HTTPTransport, options: KeySetOptions = KeySetOptions(),
        observer: (any KeySetObserver)? = nil
    ) throws(KeySetError) {
        try self.init(issuers, transport: transport, options: options, observer: observer, surroundings: .system)
    }

    /// The same by another clock.
    package init(
        _ issuers: [IssuerKeys], transport: any HTTPTransport, options: KeySetOptions, observer: (any KeySetObserver)?,
        surroundings: FetchEnvironment
    ) throws(KeySetError) {
        var rows: [Row] = []
        var places: [[UInt8]: Int] = [:]
        for entry in issuers {
            guard places.updateValue(rows.count, forKey: Array(entry.issuer.utf8)) == nil else { throw .issuerRepeated }
            rows.append(Row(issuer: entry.issuer, source: try entry.source(transport, options, observer, surroundings)))
        }
        self.rows = rows
        now = surroundings.now
        self.places = places
    }

    /// As they were given.
    public var issuers: [String] { rows.map(\.issuer) }

    /// Compared byte by byte (RFC 7519, 4.1.1): no case folding, no normalization, no slash added or removed. Nil: not
    /// configured.
    public func source(for issuer: String) -> RemoteKeySet? { places[Array(issuer.utf8)].map { rows[$0].source } }

    /// Every issuer's keys before traffic, some at a time. Returns the failures of those whose keys did not come in time; they go on
    /// trying. Throws `CancellationError`.
    @discardableResult
    public func warmUp(
        timeout limit: Duration, maxConcurrent: Int = 16
    ) async throws -> [(issuer: String, error: KeySetError)] {
        let now = now
        let end = now() + limit.inSeconds
        let failures = await withTaskGroup(of: (Int, KeySetError)?.self) { group in
            var failures: [(Int, KeySetError)] = []
            for place in rows.indices {
                if place >= max(1, maxConcurrent), let ended = await group.next(), let failure = ended {
                    failures.append(failure)
                }
                let source = rows[place].source
                group.addTask {
                    do {
                        try await source.warmUp(timeout: Duration(inSeconds: end - now()))
                        return nil
                    } catch {
                        return (place, error as? KeySetError ?? .transport(.cancelled))
                    }
                }
            }
            for await ended in group { if let ended { failures.append(ended) } }
            return failures
        }
        try Task.checkCancellation()
        return failures.sorted { $0.0 < $1.0 }.map { (rows[$0.0].issuer, $0.1) }
    }

    /// In the order in which they were given.
    public var states: [State] {
        rows.map { State(issuer: $0.issuer, health: $0.source.health, counters: $0.source.counters) }
    }

    /// All of them, at once: within a second.
    public func shutdown() async {
        await withTaskGroup(of: Void.self) { group in
            for row in rows { group.addTask { await row.source.shutdown() } }
        }
    }
}
