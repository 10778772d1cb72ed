import Foundation
import JOSE
import JOSEKeySets
import Synchronization
import Testing

@Suite("Health, events and options of a key source") struct SeenTests {
    private let a = Issuer.key("a")

    /// Calls every method of the source for each event.
    private final class Nosy: KeySetObserver {
        let source = Mutex<RemoteKeySet?>(nil)
        let asked = Mutex(0)

        func keySet(_ name: String, _ event: KeySetEvent) {
            guard let source = source.withLock({ $0 }) else { return }
            _ = try? source.current()
            _ = source.health
            _ = source.counters
            source.miss("observed")
            if case .rotated = event { source.purge() }
            asked.withLock { $0 += 1 }
        }
    }

    /// Blocks until it is released.
    private final class Stuck: KeySetObserver {
        let isFree = Mutex(false)
        let heard = Mutex(0)

        func keySet(_ name: String, _ event: KeySetEvent) {
            heard.withLock { $0 += 1 }
            while !isFree.withLock({ $0 }) { usleep(500) }
        }
    }

    @Test("K26: a kid from an issuer or token is printed escaped and cut to 64 characters")
    func logInjection() async throws {
        let hostile = "a\n2026-11-21 FATAL \u{1B}[31m\u{202E}\"\\" + String(repeating: "x", count: 500)
        let issuer = Issuer()
        let source = try await issuer.source(holding: [Issuer.key(hostile)])
        for _ in 0..<3 { source.miss("b\r\nSet-Cookie: \u{0}" + String(repeating: "y", count: 200)) }
        issuer.server.answer(
            Issuer.answer(text: #"{"keys":[{"kty":"XX","kid":"c\u000A\u2028d"},\#(a.publicKey.jwk())]}"#))
        #expect(await eventually { source.counters.bypasses == 1 })
        try await source.refresh()
        await issuer.clock.advance(by: 301)
        let wanted = [#"a\u{a}2026"#, #"b\u{d}\u{a}Set-Cookie"#, #"c\u{a}\u{2028}d"#]
        for name in wanted {
            #expect(await issuer.observer.hears { "\($0)".contains(name) }, "\(name)")
        }
        for event in issuer.observer.events {
            let names: [KeyName] =
                switch event {
                case .added(let names), .removed(let names), .replaced(let names): names
                case .kept(let names, _): names
                case .keySkipped(let name, _, _), .bypassed(let name), .signatureFailed(let name): [name]
                default: []
                }
            for name in names {
                let shown = try #require(name.keyID)
                #expect(shown.utf8.count <= 64 && shown.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
                #expect(name.description.utf8.count <= 70)
            }
        }
        // The key keeps its own name.
        #expect(KeyName("plain").keyID == "plain" && KeyName(nil).description == "no kid")
    }

    @Test("an event observer may be slow and call any method of the source without delaying a verification")
    func observer() async throws {
        let issuer = Issuer()
        let nosy = Nosy()
        issuer.server.answer(Issuer.answer([a]))
        let source = try RemoteKeySet(
            url: Issuer.url, transport: issuer.server, options: KeySetOptions(), observer: nosy,
            environment: issuer.clock.environment)
        nosy.source.withLock { $0 = source }
        try await source.warmUp(timeout: .seconds(60))
        // The observer's third report of the missing key begins the second fetch, in spite of the cooldown. Before that fetch has ended,
        // `refresh()` would wait for it and begin none.
        #expect(await eventually { source.counters.bypasses == 1 && source.counters.accepted == 2 })
        issuer.server.answer(Issuer.answer([a, Issuer.key("b")]))
        try await source.refresh()
        // The observer purges the key set when it hears of the rotation, which begins the fourth fetch.
        #expect(await eventually { source.counters.fetches == 4 && source.names == ["a", "b"] })
        #expect(nosy.asked.withLock { $0 } >= 4)
        nosy.source.withLock { $0 = nil }

        // An observer that blocks delays events, and nothing else.
        let stuck = Stuck()
        let slow = try RemoteKeySet(
            url: Issuer.url, transport: issuer.server, options: KeySetOptions(), observer: stuck,
            environment: issuer.clock.environment)
        for _ in 0..<1_100 { try await slow.refresh() }
        #expect(slow.names == ["a", "b"])
        #expect(stuck.heard.withLock { $0 } <= 1)
        #expect(slow.counters.eventsDropped > 0)
        let values = Dictionary(slow.counters.values) { one, _ in one }
        #expect(values.count == 17 && values["fetches"] == slow.counters.fetches)
        #expect(values["events_dropped"] == slow.counters.eventsDropped && values["not_modified"] == 0)
        stuck.isFree.withLock { $0 = true }
        #expect(await eventually { stuck.heard.withLock { $0 } > 900 })
    }

    @Test("health reports the age of the keys, the last failure and the time until the next fetch")
    func health() async throws {
        let issuer = Issuer()
        let source = try issuer.source()
        let before = source.health
        #expect(before.status == .empty && before.age == nil && before.nextFetchIn == nil && !before.isServing)
        issuer.server.answer(Issuer.answer([a]))
        try await source.refresh()
        await issuer.clock.advance(by: 100)
        let fresh = source.health
        #expect(fresh.status == .fresh && fresh.isServing && fresh.keys == 1 && !fresh.isFetching)
        #expect(fresh.age == .seconds(100) && fresh.nextFetchIn == .seconds(395) && fresh.lastFailure == nil)
        issuer.server.answer(TransportResponse(status: 403))
        #expect(await source.refreshError() == .status(403))
        await issuer.clock.advance(by: 10)
        let failing = source.health
        #expect(failing.status == .fresh && failing.failures == 1 && failing.age == .seconds(110))
        #expect(failing.lastFailure?.error == .status(403))
        issuer.server.answer(Issuer.answer([a]))
        try await source.refresh()
        #expect(source.health.failures == 0 && source.health.lastFailure?.age == .seconds(10))
    }

    @Test("each option beyond its limits is rejected with its name, and the limits are accepted")
    func options() throws {
        func fault(_ change: (inout KeySetOptions) -> Void) -> KeySetError? {
            do {
                _ = try Issuer().source(change)
                return nil
            } catch {
                return error as? KeySetError
            }
        }
        let rows: [(String, bad: (inout KeySetOptions) -> Void, good: (inout KeySetOptions) -> Void)] = [
            ("floor", { $0.floor = .zero }, { $0.floor = .seconds(1) }),
            ("ceiling", { $0.ceiling = .seconds(59) }, { $0.ceiling = .seconds(60) }),
            ("defaultLifetime", { $0.defaultLifetime = .seconds(-1) }, { $0.defaultLifetime = .seconds(1) }),
            ("refreshPoint", { $0.refreshPoint = 0.5...1.1 }, { $0.refreshPoint = 0.5...1 }),
            ("refreshPoint", { $0.refreshPoint = 0.09...0.5 }, { $0.refreshPoint = 0.1...0.5 }),
            ("outageLimit", { $0.outageLimit = .seconds(-1) }, { $0.outageLimit = .zero }),
            ("cooldown", { $0.cooldown = .zero }, { $0.cooldown = .seconds(1) }),
            ("backOffLimit", { $0.backOffLimit = .seconds(29) }, { $0.backOffLimit = .seconds(30) }),
            ("retryAfterLimit", { $0.retryAfterLimit = .seconds(-1) }, { $0.retryAfterLimit = .zero }),
            ("deadline", { $0.deadline = .zero }, { $0.deadline = .milliseconds(10) }),
            ("connectDeadline", { $0.connectDeadline = .seconds(400) }, { $0.connectDeadline = .seconds(300) }),
            ("retries", { $0.retries = -1 }, { $0.retries = 0 }),
            ("secondURL", { $0.secondURL = "ftp://id.test/" }, { $0.secondURL = "https://id.test/" }),
            ("redirectLimit", { $0.redirectLimit = 6 }, { $0.redirectLimit = 5 }),
            ("bodyLimit", { $0.bodyLimit = 0 }, { $0.bodyLimit = 1 }),
            ("keyLimit", { $0.keyLimit = 0 }, { $0.keyLimit = 1 }),
            ("grace", { $0.grace = .seconds(-1) }, { $0.grace = .zero }),
            ("missLimit", { $0.missLimit = 0 }, { $0.missLimit = 1 }),
            (
                "missLifetime", { $0.missLifetime = .zero ... .seconds(1) },
                { $0.missLifetime = .seconds(1) ... .seconds(1) }
            ),
            ("missRepeats", { $0.missRepeats = 0 }, { $0.missRepeats = 1 }),
            ("bypasses", { $0.bypasses = -1 }, { $0.bypasses = 0 }),
            ("bypassWindow", { $0.bypassWindow = .zero }, { $0.bypassWindow = .seconds(1) }),
            ("signatureCooldown", { $0.signatureCooldown = .zero }, { $0.signatureCooldown = .seconds(1) }),
        ]
        for row in rows {
            #expect(fault(row.bad) == .optionInvalid(row.0))
            #expect(fault(row.good) == nil, "\(row.0)")
        }
    }

    @Test(
        "K04 key set URLs are https with a host, or http for loopback where it is allowed, and all others are rejected")
    func urls() throws {
        func fault(_ url: String, loopbackHTTP: Bool = false, isSecond: Bool = false) -> KeySetError? {
            var options = KeySetOptions()
            options.allowsLoopbackHTTP = loopbackHTTP
            if isSecond { options.secondURL = url }
            do throws(KeySetError) {
                let first = isSecond ? "https://id.test/jwks" : url
                _ = try RemoteKeySet(url: first, transport: ScriptedTransport(), options: options)
                return nil
            } catch {
                return error
            }
        }
        for wrong in [
            "", "id.test/jwks", "https://", "https:///jwks", "https://?a", "file:///etc/passwd", "https://id.test/a b",
            "https://id.test/\r\nX: y", "https://id.test/#a", "javascript:1", "https://ид.test/",
            "https://id.test/" + String(repeating: "a", count: 2_048),
        ] { #expect(fault(wrong) == .urlInvalid, "\(wrong.prefix(60))") }
        for right in ["https://id.test/jwks", "HTTPS://id.test", "https://id.test:8443/a?b=c"] {
            #expect(fault(right) == nil, "\(right)")
        }
        for url in ["http://127.0.0.1:1/", "http://localhost:1/a", "http://[::1]/"] {
            #expect(fault(url) == .urlInvalid && fault(url, loopbackHTTP: true) == nil, "\(url)")
            #expect(fault(url, isSecond: true) == .optionInvalid("secondURL"), "\(url)")
            #expect(fault(url, loopbackHTTP: true, isSecond: true) == nil, "\(url)")
        }
        for url in ["http://id.test/jwks", "http://localhost.id.test/", "http://10.0.0.1/"] {
            #expect(fault(url, loopbackHTTP: true) == .urlInvalid, "\(url)")
        }
    }

    @Test("the description of an error is one line")
    func words() {
        let errors: [KeySetError] = [
            .urlInvalid, .optionInvalid("floor"), .transport(.tls(.untrusted)), .status(500), .refused(.noUsableKeys),
            .refused(.malformed(ParseFailure(.keySet, .json))), .refused(.contentType), .deadlineExceeded, .closed,
        ]
        for error in errors { #expect(!error.description.isEmpty && !error.description.contains("\n")) }
        #expect(Set(errors.map(\.description)).count == errors.count)
    }
}
