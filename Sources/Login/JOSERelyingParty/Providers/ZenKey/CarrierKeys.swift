internal import JOSEKeySets
internal import Synchronization

/// The key sources of carriers, by issuer. Their number is limited: a new one replaces the one that was used least
/// recently.
final class CarrierKeys: Sendable {
    private struct Entry {
        let url: String
        let source: RemoteKeySet
        var lastUse: Int
    }
    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        var uses = 0
    }
    private let transport: any HTTPTransport
    private let options: KeySetOptions
    private let environment: FetchEnvironment
    private let limit: Int
    private let state = Mutex(State())

    init(
        transport: any HTTPTransport, options: KeySetOptions = KeySetOptions(), environment: FetchEnvironment = .system,
        limit: Int = 16
    ) {
        self.transport = transport
        self.options = options
        self.environment = environment
        self.limit = limit
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// Returns the key source of an issuer. The hosts of both URLs are trusted. An issuer that has moved its keys gets
    /// a new source.
    func source(issuer: String, url: String) throws(KeySetError) -> RemoteKeySet {
        let key = Array(issuer.utf8)
        if let held = held(key, url) { return held }
        let fresh = try RemoteKeySet(
            name: issuer, url: url, transport: transport, options: options, observer: nil, environment: environment)
        return state.withLock { state in
            state.uses += 1
            // A concurrent caller has added the source meanwhile.
            if let entry = state.entries[key], sameBytes(entry.url, url) { return entry.source }
            if state.entries.count >= limit, state.entries[key] == nil,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.entries[oldest.key] = nil
            }
            state.entries[key] = Entry(url: url, source: fresh, lastUse: state.uses)
            return fresh
        }
    }

    /// Returns the source that the registry contains, and marks it as used.
    private func held(_ key: [UInt8], _ url: String) -> RemoteKeySet? {
        state.withLock { state in
            guard let entry = state.entries[key], sameBytes(entry.url, url) else { return nil }
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return entry.source
        }
    }
}
