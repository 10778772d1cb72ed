import JOSE
import JOSEKeySets
import Synchronization

/// An issuer with metadata, which returns a scripted response for each URL.
final class Provider: Sendable {
    typealias Outcome = ScriptedTransport.Outcome

    static let issuer = "https://id.test/t"
    static let metadataURL = "https://id.test/t/.well-known/openid-configuration"
    static let keysURL = "https://keys.test/a"

    let server: ScriptedTransport
    let clock = VirtualClock()
    let observer = NamedRecorder()
    let wall = Mutex(1_700_000_000.0)
    private let answers = Mutex<[String: Outcome]>([:])
    /// The real time that a response takes.
    let delay = Mutex(Duration.zero)

    init() {
        server = ScriptedTransport()
        server.answer { [weak self] request in
            if let delay = self?.delay.withLock({ $0 }), delay > .zero { try? await Task.sleep(for: delay) }
            return self?.answers.withLock { $0[request.url] } ?? .success(TransportResponse(status: 404))
        }
    }

    var environment: FetchEnvironment {
        let clock = clock.environment
        return FetchEnvironment(
            now: clock.now, sleep: clock.sleep, chance: clock.chance, wall: { self.wall.withLock { $0 } })
    }

    func set(_ url: String, _ outcome: Outcome) { answers.withLock { $0[url] = outcome } }
    func set(_ url: String, text: String) { set(url, .success(Issuer.answer(text: text))) }
    func set(_ url: String, keys: PrivateKey...) { set(url, text: Issuer.document(keys)) }
    /// Sets metadata of `issuer` that names `keys`.
    func setMetadata(
        _ url: String = metadataURL, issuer: String = issuer, keys: String = keysURL, more: String = ""
    ) {
        set(url, text: #"{"issuer":"\#(issuer)","jwks_uri":"\#(keys)"\#(more)}"#)
    }

    /// Returns the number of requests to a URL.
    func requests(_ url: String) -> Int { server.requests.count { $0.url == url } }

    func source(
        _ issuer: String = issuer, discovery: Discovery = .openID,
        options change: (inout KeySetOptions) -> Void = { _ in }
    ) throws(KeySetError) -> RemoteKeySet {
        var options = KeySetOptions()
        options.retries = 0
        change(&options)
        return try RemoteKeySet(
            issuer: issuer, discovery: discovery, transport: server, options: options, observer: observer,
            environment: environment)
    }

    /// Returns the `KeySetError` of a warm-up.
    func failure(of source: RemoteKeySet) async -> KeySetError? {
        do {
            try await source.warmUpOnce(timeout: .seconds(60))
            return nil
        } catch {
            return error as? KeySetError
        }
    }
}

/// An observer that records the events with their names.
final class NamedRecorder: KeySetObserver {
    private let heard = Mutex<[(name: String, event: KeySetEvent)]>([])
    var events: [(name: String, event: KeySetEvent)] { heard.withLock { $0 } }

    func keySet(_ name: String, _ event: KeySetEvent) { heard.withLock { $0.append((name, event)) } }

    /// Returns whether such an event arrives soon.
    func hears(_ name: String, _ isMeant: @escaping @Sendable (KeySetEvent) -> Bool) async -> Bool {
        await eventually { self.events.contains { $0.name == name && isMeant($0.event) } }
    }
}
