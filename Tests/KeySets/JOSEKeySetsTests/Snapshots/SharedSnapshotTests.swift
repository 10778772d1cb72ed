import Foundation
import JOSE
import JOSEKeySets
import Synchronization
import TestSupport
import Testing

@Suite("Snapshots that processes share") struct SharedSnapshotTests {
    let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    /// Returns a source as another process of the same machine has it.
    private func source(_ provider: Provider) throws -> RemoteKeySet {
        let source = try provider.source { options in
            options.snapshotFolder = temporary.url.path
            options.sharesSnapshots = true
            options.missRepeats = 1
        }
        provider.clock.watch(source)
        return source
    }

    private func pass(_ seconds: Double, _ provider: Provider) async {
        provider.wall.withLock { $0 += seconds }
        await provider.clock.advance(by: seconds)
    }

    @Test("a fresh snapshot of another process is not fetched again, and one of two processes refreshes it")
    func refresh() async throws {
        let provider = Provider()
        provider.setMetadata()
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let first = try source(provider)
        try await first.warmUpOnce(timeout: .seconds(60))
        #expect(provider.requests(Provider.keysURL) == 1)
        await pass(100, provider)
        let second = try source(provider)
        try await second.warmUpOnce(timeout: .seconds(60))
        #expect(second.names == ["a"] && second.health.age == .seconds(100))
        #expect(await provider.observer.hears(Provider.issuer) { $0 == .restored(age: .seconds(100)) })
        #expect(provider.requests(Provider.keysURL) == 1)

        // Both are due after 0.825 of the 600 seconds.
        provider.set(Provider.keysURL, keys: Issuer.key("b"))
        await pass(380, provider)
        #expect(provider.requests(Provider.keysURL) == 1)
        await pass(30, provider)
        for source in [first, second] {
            #expect(await eventually { source.names?.contains("b") == true && !source.health.isFetching })
        }
        #expect(provider.requests(Provider.keysURL) == 2)
        #expect(first.snapshotFault == nil && second.snapshotFault == nil)
    }

    @Test("a key that the shared snapshot lacks is fetched by one process, and later than the cooldown by each")
    func missing() async throws {
        let provider = Provider()
        provider.setMetadata()
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let sources = [try source(provider), try source(provider)]
        for source in sources { try await source.warmUpOnce(timeout: .seconds(60)) }
        #expect(provider.requests(Provider.keysURL) == 1)
        await pass(100, provider)
        provider.set(Provider.keysURL, keys: Issuer.key("a"), Issuer.key("b"))
        for source in sources {
            source.miss("b")
            #expect(await eventually { source.names == ["a", "b"] && !source.health.isFetching })
            await provider.clock.settle()
        }
        #expect(provider.requests(Provider.keysURL) == 2)
        // What was saved 100 seconds ago says nothing of a key that is published now.
        let last = try source(provider)
        try await last.warmUpOnce(timeout: .seconds(60))
        await pass(100, provider)
        provider.set(Provider.keysURL, keys: Issuer.key("a"), Issuer.key("c"))
        last.miss("c")
        #expect(await eventually { last.names?.contains("c") == true })
        #expect(provider.requests(Provider.keysURL) == 3)
    }

    @Test("keys that are no longer fresh are refreshed before the first use, and used if the server does not answer")
    func stale() async throws {
        let provider = Provider()
        provider.setMetadata()
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        try await source(provider).warmUpOnce(timeout: .seconds(60))
        await pass(700, provider)
        provider.set(Provider.keysURL, .failure(.connectFailed))
        let during = try source(provider)
        try await during.warmUpOnce(timeout: .seconds(60))
        #expect(during.names == ["a"] && during.health.lastFailure?.error == .transport(.connectFailed))
        provider.set(Provider.keysURL, keys: Issuer.key("b"))
        let after = try source(provider)
        try await after.warmUpOnce(timeout: .seconds(60))
        #expect(after.names?.contains("b") == true && after.health.age == .zero)
        for source in [during, after] { await source.shutdown() }
        provider.set(Provider.keysURL, .failure(.connectFailed))
        await pass(600 + 86_400 + 1, provider)
        #expect(await provider.failure(of: try source(provider)) == .transport(.connectFailed))
    }
}
