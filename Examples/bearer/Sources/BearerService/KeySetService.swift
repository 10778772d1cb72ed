import AsyncHTTPClient
import JOSEKeySets
import ServiceLifecycle

/// A remote key set as a service: it is fetched at the start, and shut down with the other services, and its client after it.
// Sample: a key set as a service
public struct KeySetService: Service {
    let keys: RemoteKeySet
    let client: HTTPClient

    public func run() async throws {
        // An issuer that cannot be reached stops no start: requests get status 503 until a later fetch succeeds.
        do { try await keys.warmUp(timeout: .seconds(10)) } catch is KeySetError {}
        try? await gracefulShutdown()
        await keys.shutdown()
        try await client.shutdown()
    }
}
// Sample: end
