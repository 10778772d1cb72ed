internal import JOSESupport

/// An issuer of ``IssuerKeySets``: its name, where its keys are published, and its options.
public struct IssuerKeys: Sendable {
    private enum Location: Sendable {
        case url(String)
        case metadata(Discovery)
    }
    /// The value of `iss` in the tokens of the issuer.
    package let issuer: String
    /// The options for this issuer, or nil for those that are given to ``IssuerKeySets``.
    package var options: KeySetOptions?
    private let location: Location

    /// Creates an issuer whose keys are found through its metadata.
    ///
    /// - Parameters:
    ///   - issuer: The issuer, an https URL.
    ///   - discovery: The location of the metadata; by default that of OpenID Connect, and that of RFC 8414 after the
    ///     status 404 or 410.
    ///   - options: The options for this issuer. If nil, those that are given to ``IssuerKeySets`` apply.
    public init(_ issuer: String, discovery: Discovery = .standard, options: KeySetOptions? = nil) {
        self.issuer = issuer
        self.options = options
        location = .metadata(discovery)
    }

    /// Creates an issuer whose keys are published at a known URL. The issuer itself may be any string.
    ///
    /// - Parameters:
    ///   - issuer: The value of `iss` in the tokens of the issuer.
    ///   - url: The URL of the key set.
    ///   - options: The options for this issuer. If nil, those that are given to ``IssuerKeySets`` apply.
    public init(_ issuer: String, url: String, options: KeySetOptions? = nil) {
        self.issuer = issuer
        self.options = options
        location = .url(url)
    }

    fileprivate func source(
        _ transport: any HTTPTransport, _ common: KeySetOptions, _ observer: (any KeySetObserver)?,
        _ environment: FetchEnvironment
    ) throws(KeySetError) -> RemoteKeySet {
        switch location {
        case .url(let url):
            try RemoteKeySet(
                name: issuer, url: url, transport: transport, options: options ?? common, observer: observer,
                environment: environment)
        case .metadata(let discovery):
            try RemoteKeySet(
                issuer: issuer, discovery: discovery, transport: transport, options: options ?? common,
                observer: observer, environment: environment)
        }
    }
}

/// The remote key sets (JWKS) of several issuers.
///
/// Each issuer has its own cache, cooldown and limits on fetches, so that neither a flood of tokens with unknown `kid`
/// values nor an outage of one issuer affects the others. The issuers are given when the value is created: no token can
/// add one.
public final class IssuerKeySets: Sendable {
    private struct Row: Sendable {
        let issuer: String
        let source: RemoteKeySet
    }
    private let rows: [Row]
    /// The index of each issuer, by its UTF-8 bytes.
    private let rowIndices: [[UInt8]: Int]
    private let now: @Sendable () -> Double

    /// Creates the key sets of several issuers. Nothing is fetched before the first use.
    ///
    /// - Parameters:
    ///   - issuers: The issuers.
    ///   - transport: The HTTP client of all key sets.
    ///   - options: The options of the issuers that have none of their own.
    ///   - observer: The observer of the events, which receives the issuer as the name.
    /// - Throws: `issuerRepeated` if an issuer is given more than once, and the errors of the initializers of
    ///   ``RemoteKeySet``.
    public convenience init(
        _ issuers: [IssuerKeys], transport: any HTTPTransport, options: KeySetOptions = KeySetOptions(),
        observer: (any KeySetObserver)? = nil
    ) throws(KeySetError) {
        try self.init(issuers, transport: transport, options: options, observer: observer, environment: .system)
    }

    /// Creates a registry of key sets in an environment with another clock.
    package init(
        _ issuers: [IssuerKeys], transport: any HTTPTransport, options: KeySetOptions, observer: (any KeySetObserver)?,
        environment: FetchEnvironment
    ) throws(KeySetError) {
        var rows: [Row] = []
        var rowIndices: [[UInt8]: Int] = [:]
        for entry in issuers {
            guard rowIndices.updateValue(rows.count, forKey: Array(entry.issuer.utf8)) == nil else {
                throw .issuerRepeated
            }
            rows.append(Row(issuer: entry.issuer, source: try entry.source(transport, options, observer, environment)))
        }
        self.rows = rows
        now = environment.now
        self.rowIndices = rowIndices
    }

    /// The issuers, in the order in which they were given.
    public var issuers: [String] { rows.map(\.issuer) }

    /// Returns the key set of an issuer, or nil if the issuer is not configured.
    ///
    /// Issuers are compared byte by byte (RFC 7519, 4.1.1): there is no case folding or
    /// normalization, and no slash is added or removed.
    public func source(for issuer: String) -> RemoteKeySet? { rowIndices[Array(issuer.utf8)].map { rows[$0].source } }

    /// Waits until the keys of all issuers are available, and fetches them if necessary. Call it when your service
    /// starts.
    ///
    /// Key sets that are not fetched within the time limit are fetched later in the background.
    ///
    /// - Parameters:
    ///   - limit: The time limit for all issuers together.
    ///   - maxConcurrent: The maximum number of issuers whose keys are fetched at the same time.
    /// - Returns: The issuers whose keys were not fetched within the time limit, with the errors.
    /// - Throws: `CancellationError` if the task is cancelled.
    @discardableResult
    public func warmUp(
        timeout limit: Duration, maxConcurrent: Int = 16
    ) async throws -> [(issuer: String, error: KeySetError)] {
        let now = now
        let end = now() + limit.inSeconds
        let failures = await withTaskGroup(of: (Int, KeySetError)?.self) { group in
            var failures: [(Int, KeySetError)] = []
            for index in rows.indices {
                if index >= max(1, maxConcurrent), let ended = await group.next(), let failure = ended {
                    failures.append(failure)
                }
                let source = rows[index].source
                group.addTask {
                    do {
                        try await source.warmUp(timeout: Duration(inSeconds: end - now()))
                        return nil
                    } catch {
                        return (index, error as? KeySetError ?? .transport(.cancelled))
                    }
                }
            }
            for await ended in group { if let ended { failures.append(ended) } }
            return failures
        }
        try Task.checkCancellation()
        return failures.sorted { $0.0 < $1.0 }.map { (rows[$0.0].issuer, $0.1) }
    }

    /// Shuts down the key sets of all issuers concurrently, within a second.
    public func shutdown() async {
        await withTaskGroup(of: Void.self) { group in
            for row in rows { group.addTask { await row.source.shutdown() } }
        }
    }
}
