import JOSE
import TestSupport
import Testing

@Suite("Difference of two key sets") struct KeysDifferenceTests {
    private typealias Aspects = KeySetDifference.Aspects

    private static let keys = Result {
        try (0..<4).map { _ in try PrivateKey.generate(.p256) } + [try PrivateKey.generate(.ed25519)]
    }
    private let keys: [PrivateKey]
    init() throws { keys = try Self.keys.get() }

    /// Returns a public key of the list.
    private func key(_ place: Int, _ keyID: String?, _ change: (inout PublicKey) -> Void = { _ in }) -> JWK {
        var key = keys[place].publicKey
        key.keyID = keyID
        change(&key)
        return .publicKey(key)
    }

    private func expect(
        _ old: [JWK], _ new: [JWK], added: [JWK] = [], removed: [JWK] = [], changed: [(String?, Aspects)] = [],
        _ location: SourceLocation = #_sourceLocation
    ) {
        let difference = KeySet(new).difference(from: KeySet(old))
        func shown(_ keys: [JWK]) -> [String] {
            keys.map { "\($0) \((try? $0.thumbprint()).map { hex($0) } ?? "")" }
        }
        #expect(shown(difference.added) == shown(added), sourceLocation: location)
        #expect(shown(difference.removed) == shown(removed), sourceLocation: location)
        #expect(difference.changed.map(\.keyID) == changed.map(\.0), sourceLocation: location)
        #expect(difference.changed.map(\.aspects) == changed.map(\.1), sourceLocation: location)
        #expect(
            difference.replaced.map(\.keyID) == changed.filter { $0.1.contains(.material) }.map(\.0),
            sourceLocation: location)
        #expect(difference.isEmpty == (added.isEmpty && removed.isEmpty && changed.isEmpty), sourceLocation: location)
    }

    @Test("reports keys that a rotation added and removed, whatever their order") func rotation() {
        let (a, b, c) = (key(0, "a"), key(1, "b"), key(2, "c"))
        expect([], [])
        expect([a, b], [b, a])
        expect([a, b], [a, b, c], added: [c])
        expect([a, b, c], [b], removed: [a, c])
        expect([a, b], [b, c], added: [c], removed: [a])
        expect([], [a, b], added: [a, b])
        expect([a, b], [], removed: [a, b])
        // A key under another name is another entry.
        expect([a], [key(0, "b")], added: [key(0, "b")], removed: [a])
        expect([key(0, "k")], [key(0, "K")], added: [key(0, "K")], removed: [key(0, "k")])
    }

    @Test("K18 a different key under the same kid is reported as replaced, whatever else changed")
    func replaced() throws {
        let a = key(0, "a")
        expect([a], [key(1, "a")], changed: [("a", .material)])
        expect([a], [key(4, "a")], changed: [("a", [.material, .kind])])
        expect([a, key(1, "b")], [key(1, "b"), key(2, "a")], changed: [("a", .material)])
        expect([a], [key(1, "a") { $0.algorithm = "ES256" }], changed: [("a", [.material, .algorithm])])
        let difference = KeySet([key(1, "a")]).difference(from: KeySet([a]))
        #expect(difference.changed.first?.old == a && difference.changed.first?.new == key(1, "a"))
        func secret(_ byte: UInt8) throws -> JWK {
            var key = try SecretKey(bytes: [UInt8](repeating: byte, count: 32))
            key.keyID = "a"
            return .symmetricKey(key)
        }
        expect([try secret(1)], [try secret(1)])
        expect([try secret(1)], [try secret(2)], changed: [("a", .material)])
        expect([a], [try secret(2)], changed: [("a", [.material, .kind])])
    }

    @Test("a change of alg, use, key_ops, certificates, or from public to private is reported as such")
    func metadata() throws {
        let a = key(0, "a")
        expect([a], [key(0, "a") { $0.algorithm = "ES256" }], changed: [("a", .algorithm)])
        expect([a], [key(0, "a") { $0.use = .signature }], changed: [("a", .use)])
        expect([a], [key(0, "a") { $0.operations = .verify }], changed: [("a", .operations)])
        var whole = keys[0]
        whole.keyID = "a"
        expect([a], [.privateKey(whole)], changed: [("a", .half)])
        let members = try JSON(keys[0].publicKey.jwk().utf8)
        guard case .object(let members) = members else { return }
        func other(_ name: String, _ value: JSON) throws -> JWK {
            try JWK(parsing: members.with("kid", "a").with(name, value).text)
        }
        let thumbprint = JSON.string(base64URL([UInt8](repeating: 1, count: 32)))
        expect([a], [try other("x5t#S256", thumbprint)], changed: [("a", .certificates)])
        expect([a], [try other("unknown", thumbprint)])
        let custom = try other("key_ops", .array([.string("verify"), .string("x")]))
        let control = try other("key_ops", .array([.string("x"), .string("verify")]))
        expect([custom], [control])
        expect(
            [custom], [try other("key_ops", .array([.string("verify"), .string("y")]))], changed: [("a", .operations)])
    }

    @Test("K11 several keys with one kid are distinguished by their parameters") func duplicates() {
        let (one, two, three) = (key(0, "a"), key(1, "a"), key(2, "a"))
        expect([one, two], [two, one])
        expect([one, two], [two], removed: [one])
        expect([one], [one, one], changed: [("a", .material)])
        expect([one, one], [one], removed: [one])
        // A key that is added under an existing kid is reported as another key under it.
        expect([one, two], [one, two, three], changed: [("a", .material)])
        expect([one, two], [three, two], changed: [("a", .material)])
        expect([one, two], [three], removed: [two], changed: [("a", .material)])
        let bound = [key(0, "a") { $0.algorithm = "ES256" }, key(0, "a") { $0.algorithm = "ES384" }]
        expect(bound, bound.reversed())
        expect(bound, [bound[1]], removed: [bound[0]])
        // The private half was added, and the public one is still there.
        expect([one], [.privateKey(named(0)), one], changed: [("a", .material)])
        expect([two, one], [.privateKey(named(0)), two], changed: [("a", .half)])
    }

    private func named(_ place: Int) -> PrivateKey {
        var key = keys[place]
        key.keyID = "a"
        return key
    }

    @Test("keys without a kid are compared by their parameters, and never reported as replaced") func nameless() {
        let (one, two, named) = (key(0, nil), key(1, nil), key(0, "a"))
        expect([one], [one])
        expect([one], [two], added: [two], removed: [one])
        expect([one], [one, two], added: [two])
        expect([one], [key(0, nil) { $0.use = .signature }], changed: [(nil, .use)])
        expect([one], [named], added: [named], removed: [one])
    }

    @Test("a thousand keys are compared within seconds") func many() throws {
        let many = (0..<1_000).map { key($0 % 4, "k\($0)") }
        let seconds = cpuSeconds {
            expect(many, many.reversed())
            expect(Array(many.dropLast()), Array(many.dropFirst()), added: [many[999]], removed: [many[0]])
        }
        #expect(seconds < 10)
    }
}
