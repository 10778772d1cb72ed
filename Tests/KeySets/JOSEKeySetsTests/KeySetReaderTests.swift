import JOSE
import JOSEKeySets
import Testing

@Suite("Key sets merged with the previous one") struct KeySetReaderTests {
    private let a = Issuer.key("a")
    private let b = Issuer.key("b")

    /// Takes key sets with these keys one after the other, each over the previous one, and returns the last result.
    private func take(
        _ steps: [(time: Double, keys: [PrivateKey])], _ memory: inout KeySetReader.Memory, by reader: KeySetReader
    ) throws -> KeySet {
        var current: KeySet?
        for step in steps {
            current = try reader.take(Array(Issuer.document(step.keys).utf8), over: current, &memory, at: step.time)
                .value
        }
        return try #require(current)
    }

    @Test("K16: of two removed keys with one kid, or of one key under two kids, each has its own grace period")
    func graceOfEach() throws {
        var alias = a
        alias.keyID = "c"
        for second in [Issuer.key("a"), alias] {
            let reader = KeySetReader(KeySetOptions())
            var memory = reader.blank
            let current = try take([(0, [a, second, b]), (100, [second, b]), (200, [b])], &memory, by: reader)
            #expect(current.keys.compactMap(\.publicKey) == [a, second, b].map(\.publicKey))
            // Each was last seen at the time of the set before it was removed, and is kept for five minutes from then.
            #expect(reader.nextChange(memory) == 300 && reader.change(current, &memory, at: 299.9) == nil)
            let first = try #require(reader.change(current, &memory, at: 300))
            #expect(first.value.keys.map(\.keyID) == [second, b].map(\.keyID))
            #expect(first.value.keys.compactMap(\.publicKey) == [second, b].map(\.publicKey))
            #expect(reader.nextChange(memory) == 400)
            let last = try #require(reader.change(first.value, &memory, at: 400))
            #expect(last.value.keys.compactMap(\.publicKey) == [b.publicKey] && reader.nextChange(memory) == nil)
        }
    }

    @Test("K16: a removed key that was last seen longer ago than the grace period is dropped at once")
    func graceIsOver() throws {
        for (time, kept) in [(299.9, ["a", "b"]), (300, ["b"]), (1000, ["b"])] {
            let reader = KeySetReader(KeySetOptions())
            var memory = reader.blank
            let current = try take([(0, [a, b]), (time, [b])], &memory, by: reader)
            #expect(current.keys.map(\.keyID) == kept && reader.nextChange(memory) == (kept.count == 2 ? 300 : nil))
        }
    }

    @Test("K09: an empty key set over an empty one is accepted at once, because nothing is lost by it")
    func emptyOverEmpty() throws {
        var options = KeySetOptions()
        options.grace = .zero
        let reader = KeySetReader(options)
        var memory = reader.blank
        let current = try take([(0, [a])], &memory, by: reader)
        let empty = Array(#"{"keys":[]}"#.utf8)
        #expect(throws: KeySetError.refused(.noUsableKeys)) { try reader.take(empty, over: current, &memory, at: 10) }
        let none = try reader.take(empty, over: current, &memory, at: 40).value
        #expect(none.keys.isEmpty)
        #expect(throws: Never.self) { try reader.take(empty + [0x20], over: none, &memory, at: 41) }
        // Over a set with keys an empty one is rejected again.
        let full = try reader.take(Array(Issuer.document([b]).utf8), over: none, &memory, at: 42).value
        #expect(throws: KeySetError.refused(.noUsableKeys)) { try reader.take(empty, over: full, &memory, at: 43) }
    }
}
