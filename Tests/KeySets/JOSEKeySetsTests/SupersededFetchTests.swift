import JOSEKeySets
import Synchronization
import Testing

@Suite("A fetch that another one supersedes") struct SupersededFetchTests {
    /// A reader of texts that performs an action once while it reads.
    private final class InterruptedReader: DocumentReader {
        typealias Memory = Void
        private struct State {
            var texts: [String] = []
            var action: (@Sendable () -> Void)?
        }
        private let state = Mutex(State())

        var texts: [String] { state.withLock { $0.texts } }
        var mediaTypes: [String] { ["application/json"] }

        func interrupt(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.action = action } }

        func take(
            _ body: [UInt8], over held: String?, _ memory: inout Void, at now: Double
        ) throws(KeySetError) -> Taken<String> {
            let text = String(decoding: body, as: UTF8.self)
            let action = state.withLock { state in
                state.texts.append(text)
                defer { state.action = nil }
                return state.action
            }
            action?()
            return Taken(text, isNew: true)
        }
    }

    private let server = ScriptedTransport()
    private let reader = InterruptedReader()
    private let document: RemoteDocument<InterruptedReader>

    init() {
        server.answer(Issuer.answer(text: "old"))
        document = RemoteDocument(
            Issuer.url, reader: reader, transport: server, options: KeySetOptions(),
            environment: VirtualClock().environment, locate: { () async throws(KeySetError) in [Issuer.url] })
    }

    @Test("K17: a response that is read while the document is purged is discarded, and the next one is used")
    func purge() async throws {
        reader.interrupt { [server, document] in
            server.answer(Issuer.answer(text: "new"))
            document.purge()
        }
        // A caller that waited for the first fetch waits for the second one.
        try await document.refresh()
        #expect(try document.current() == "new")
        #expect(reader.texts == ["old", "new"] && document.counters.accepted == 1)
        await document.shutdown()
    }

    @Test("K17: a 304 that arrives after the document was purged is discarded, and the next response is used")
    func notModified() async throws {
        server.answer(Issuer.answer(text: "old", [TransportHeaderField("ETag", "\"1\"")]))
        try await document.refresh()
        #expect(try document.current() == "old")
        server.answer(TransportResponse(status: 304))
        try await document.refresh()
        #expect(try document.current() == "old" && document.counters.notModified == 1)
        server.answer { [server, document] _ in
            server.answer(Issuer.answer(text: "new"))
            document.purge()
            return .success(TransportResponse(status: 304))
        }
        try await document.refresh()
        #expect(try document.current() == "new")
        #expect(document.counters.notModified == 1 && document.counters.accepted == 2)
        await document.shutdown()
    }

    @Test("a response that is read without an interruption is used") func control() async throws {
        try await document.refresh()
        #expect(try document.current() == "old")
        #expect(reader.texts == ["old"] && document.counters.accepted == 1)
        await document.shutdown()
    }
}
