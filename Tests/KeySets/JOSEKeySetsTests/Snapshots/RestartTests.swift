import Foundation
import JOSE
import JOSEKeySets
import Synchronization
import TestSupport
import Testing

@Suite("A restart during an outage") struct RestartTests {
    let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: temporary.url.path)) ?? [] }

    func options(_ options: inout KeySetOptions) {
        options.snapshotFolder = temporary.url.path
        options.outageLimit = .seconds(3_600)
    }

    /// Runs a first process, which fetches one key and ends.
    func firstLife(_ name: String = "a", change: (inout KeySetOptions) -> Void = { _ in }) async throws -> Provider {
        let provider = Provider()
        provider.setMetadata()
        provider.set(Provider.keysURL, keys: Issuer.key(name))
        let source = try provider.source {
            options(&$0)
            change(&$0)
        }
        try await source.warmUp(timeout: .seconds(60))
        #expect(await eventually { names.contains { $0.hasSuffix(".snapshot") } })
        await source.shutdown()
        return provider
    }

    /// Begins another process, `seconds` later by the system clock, whose server does not respond.
    func nextLife(_ seconds: Double, issuer: String = Provider.issuer) throws -> (Provider, RemoteKeySet) {
        let provider = Provider()
        provider.server.fail(.connectFailed)
        provider.wall.withLock { $0 += seconds }
        return (provider, try provider.source(issuer, options: options))
    }

    @Test("K23: keys of the previous process are used at once, and refreshed in the background")
    func restart() async throws {
        _ = try await firstLife()
        let (provider, source) = try nextLife(600)
        try await source.warmUp(timeout: .seconds(1))
        #expect(source.names == ["a"])
        #expect(await provider.observer.hears(Provider.issuer) { $0 == .restored(age: .seconds(600)) })
        // The known URL is fetched although the metadata cannot be.
        #expect(await eventually { provider.requests(Provider.keysURL) > 0 })
        provider.server.answer(Issuer.answer([Issuer.key("b")]))
        await provider.clock.advance(by: 600)
        #expect(await eventually { source.names?.contains("b") == true })
    }

    @Test("K23: without a warm-up the first use restores the keys")
    func firstUse() async throws {
        _ = try await firstLife()
        let (_, source) = try nextLife(600)
        _ = source.outage
        #expect(await eventually { source.names == ["a"] })
    }

    @Test("K23: restored keys are used no longer than by the previous process")
    func bound() async throws {
        // The keys are fresh for 600 s and served for 3,600 s after that.
        _ = try await firstLife()
        for (age, isGood) in [(4_190.0, true), (4_201, false), (1e9, false)] {
            let (provider, source) = try nextLife(age)
            _ = source.outage
            if isGood {
                #expect(await eventually { source.names == ["a"] }, "\(age)")
                await provider.clock.advance(by: 9)
                #expect(source.names == ["a"])
                await provider.clock.advance(by: 2)
                #expect(source.outage == .keysUnavailable(.expired))
            } else {
                #expect(await provider.observer.hears(Provider.issuer) { $0 == .snapshotRefused(.tooOld) }, "\(age)")
                #expect(source.names == nil, "\(age)")
            }
        }
        for (age, isGood) in [(-59.0, true), (-61, false)] {
            let (provider, source) = try nextLife(age)
            _ = source.outage
            if isGood {
                #expect(await eventually { source.names == ["a"] }, "\(age)")
            } else {
                #expect(await provider.observer.hears(Provider.issuer) { $0 == .snapshotRefused(.fromFuture) })
                #expect(source.names == nil, "\(age)")
            }
        }
    }

    @Test("K20: the snapshot of another issuer is not used")
    func anotherIssuer() async throws {
        _ = try await firstLife()
        let (_, stranger) = try nextLife(600, issuer: "https://other.test")
        #expect(await Provider().failure(of: stranger) == .transport(.connectFailed))
        #expect(stranger.names == nil)
        // The file is rejected even in place of that of the other issuer.
        let folder = SnapshotFolder(path: temporary.url.path)
        let mine = try #require(names.first)
        try folder.save(
            Snapshot(
                source: "issuer https://other.test", fetchedAt: 0,
                document: KeptDocument(body: [], header: StoredHeader(), lifetime: 1, url: "")))
        let theirs = try #require(names.first { $0 != mine })
        let place = temporary.url.appending(path: theirs)
        try FileManager.default.removeItem(at: place)
        try FileManager.default.copyItem(at: temporary.url.appending(path: mine), to: place)
        let (provider, source) = try nextLife(600, issuer: "https://other.test")
        _ = source.outage
        #expect(await provider.observer.hears("https://other.test") { $0 == .snapshotRefused(.foreign) })
        #expect(source.names == nil)
    }

    @Test(
        "K23: a snapshot that is damaged or contains a private key is rejected and reported, and does not prevent the start"
    )
    func untrusted() async throws {
        _ = try await firstLife()
        let folder = SnapshotFolder(path: temporary.url.path)
        let whole = try #require(try folder.load("issuer " + Provider.issuer, bodyLimit: 65_536))
        let place = temporary.url.appending(path: try #require(names.first))
        func begins(_ fault: SnapshotFault) async throws {
            let (provider, source) = try nextLife(600)
            provider.server.answer { request in
                .success(
                    request.url == Provider.metadataURL
                        ? Issuer.answer(
                            text: #"{"issuer":"\#(Provider.issuer)","jwks_uri":"\#(Provider.keysURL)"}"#)
                        : Issuer.answer([Issuer.key("new")]))
            }
            try await source.warmUp(timeout: .seconds(60))
            #expect(source.names == ["new"], "\(fault)")
            #expect(
                await provider.observer.hears(Provider.issuer) { $0 == .snapshotRefused(fault) }, "\(fault)")
            // The snapshot is replaced by a valid one.
            #expect(
                await eventually { (try? folder.load("issuer " + Provider.issuer, bodyLimit: 65_536)) ?? nil != nil })
            await source.shutdown()
        }
        try Data(whole.written().dropLast()).write(to: place)
        try await begins(.damaged)
        var odd = whole
        odd.document.body = Array(#"{"keys":[{"kty":"oct","k":"AAAA"}]}"#.utf8)
        try folder.save(odd)
        try await begins(.refused(.privateKey))
        try folder.save(whole)
        try FileManager.default.setAttributes([.posixPermissions: 0o606], ofItemAtPath: place.path)
        try await begins(.notPrivate)
        let (_, source) = try nextLife(600)
        try await source.warmUp(timeout: .seconds(1))
        #expect(source.names == ["new"])
    }

    @Test("K17: purged keys are not restored by the next process")
    func purged() async throws {
        let provider = Provider()
        provider.setMetadata()
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let source = try provider.source(options: options)
        try await source.warmUp(timeout: .seconds(60))
        #expect(await eventually { !names.isEmpty })
        provider.set(Provider.keysURL, .failure(.connectFailed))
        source.purge()
        #expect(await eventually { names.isEmpty })
        let (_, next) = try nextLife(1)
        _ = next.outage
        #expect(await Provider().failure(of: next) == .transport(.connectFailed))
    }

    @Test("a snapshot folder that cannot be written is reported, and keys are used nevertheless")
    func unwritable() async throws {
        let file = temporary.url.appending(path: "file")
        try Data().write(to: file)
        let provider = Provider()
        provider.setMetadata()
        provider.set(Provider.keysURL, keys: Issuer.key("a"))
        let source = try provider.source { $0.snapshotFolder = file.path }
        try await source.warmUp(timeout: .seconds(60))
        #expect(source.names == ["a"])
        #expect(
            await provider.observer.hears(Provider.issuer) { $0 == .snapshotNotSaved(.system(ENOTDIR)) })
        for path in ["", "a\0b"] {
            #expect(throws: KeySetError.optionInvalid("snapshotFolder")) {
                try provider.source { $0.snapshotFolder = path }
            }
        }
    }
}
