internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSESupport
internal import Synchronization

/// The key sources of carriers, by issuer. Their number is limited: a new one replaces the one that was used least
/// recently.
final class CarrierKeys: Sendable {
    private struct Cached: Sendable {
        let url: String
        let source: RemoteKeySet
    }
    private typealias Sources = ExpiringMap<[UInt8], Cached>
    private let transport: any HTTPTransport
    private let options: KeySetOptions
    private let environment: FetchEnvironment
    private let sources: Mutex<Sources>

    init(
        transport: any HTTPTransport, options: KeySetOptions = KeySetOptions(), environment: FetchEnvironment = .system,
        limit: Int = 16
    ) {
        self.transport = transport
        self.options = options
        self.environment = environment
        sources = Mutex(Sources(countLimit: limit, eviction: .leastRecentlyUsed))
    }

    var count: Int { sources.withLock { $0.count } }

    /// Returns the key source of an issuer. The hosts of both URLs are trusted. An issuer that has moved its keys gets
    /// a new source.
    func source(issuer: String, url: String) throws(KeySetError) -> RemoteKeySet {
        let key = Array(issuer.utf8)
        if let cached = sources.withLock({ Self.source(key, url, in: &$0) }) { return cached }
        let fresh = try RemoteKeySet(
            name: issuer, url: url, transport: transport, options: options, observer: nil, environment: environment)
        return sources.withLock { sources in
            // A concurrent caller has added the source meanwhile.
            if let cached = Self.source(key, url, in: &sources) { return cached }
            sources.set(Cached(url: url, source: fresh), for: key)
            return fresh
        }
    }

    /// Returns the source of an issuer at a URL, and marks it as used.
    private static func source(_ key: [UInt8], _ url: String, in sources: inout Sources) -> RemoteKeySet? {
        guard let cached = sources.use(key), bytesEqual(cached.url, url) else { return nil }
        return cached.source
    }
}
