internal import JOSEKeySets
internal import Synchronization

/// The keys of carriers, kept by issuer. Carriers are few; whoever names more than there is room for pushes out the one that was asked
/// for least recently, and nothing else.
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

    /// Both are of trusted hosts. An issuer that has moved its keys gets a new set.
    func source(issuer: String, url: String) throws(KeySetError) -> RemoteKeySet {
        let key = Array(issuer.utf8)
        if let held = held(key, url) { return held }
        let fresh = try RemoteKeySet(
            name: issuer, url: url, transport: transport, options: options, observer: nil, environment: environment)
        return state.withLock { state in
            state.uses += 1
            // Another was faster.
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

    private func held(_ key: [UInt8], _ url: String) -> RemoteKeySet? {
        state.withLock { state in
            guard let entry = state.entries[key], sameBytes(entry.url, url) else { return nil }
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return entry.source
        }
    }
}
