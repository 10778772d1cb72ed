import JOSECrypto
import Synchronization
import TestSupport
import Testing

@testable import JOSE

@Suite("Precomputed tables of frequently used keys") struct HotKeyTests {
    /// A kernel key. Any one will do, because only its size counts.
    private static let table = Result { try AsymmetricKey.generateEC(.p256) }

    private func registry(maximumKeys: Int, maximumTables: Int = 1000) throws -> HotKeyRegistry {
        let key = try Self.table.get()
        let bytes = try #require(KernelKey(key)).byteCount
        return HotKeyRegistry(maximumKeys: maximumKeys, maximumBytes: bytes * maximumTables, later: { $0() })
    }

    /// Uses the key until it reaches the threshold. Its table is then made at once.
    private func heat(_ hot: HotKey) { for _ in 0..<usesLeft(hot) { _ = hot.table() } }

    /// The number of uses until the key requests a table; 0 if it has.
    private func usesLeft(_ hot: HotKey) -> Int {
        max(0, hot.slot.threshold - hot.slot.uses.load(ordering: .relaxed))
    }

    private func hot(_ registry: HotKeyRegistry) throws -> HotKey { HotKey(.p256(try Self.table.get()), registry) }

    @Test("a key gets its table after the threshold of tokens, and not before", .enabled(if: KernelKey.isAvailable))
    func earned() throws {
        let registry = try registry(maximumKeys: 4)
        let key = try hot(registry)
        for _ in 1..<key.slot.threshold { #expect(key.table() == nil) }
        #expect(registry.size.keys == 0)
        // The use that reaches the threshold does not wait for the table.
        #expect(key.table() == nil)
        #expect(key.table() != nil && registry.size.keys == 1)
    }

    @Test(
        "tables are limited in number and bytes: an unused table is freed for another, one in use is not",
        .enabled(if: KernelKey.isAvailable), arguments: [(2, 1000), (1000, 2)])
    func bounded(keys: Int, tables: Int) throws {
        let registry = try registry(maximumKeys: keys, maximumTables: tables)
        let first = try hot(registry)
        let second = try hot(registry)
        let third = try hot(registry)
        heat(first)
        heat(second)
        #expect(first.table() != nil && second.table() != nil)
        // All are in use: the third is rejected, and begins counting again.
        heat(third)
        #expect(usesLeft(third) == HotKey.renewal)
        #expect(third.table() == nil && registry.size.keys == 2)
        // Only the second was used since, so that the first is freed.
        #expect(second.table() != nil)
        heat(third)
        #expect(third.table() != nil && second.table() != nil && first.table() == nil)
        #expect(registry.size.keys == 2)
    }

    @Test(
        "the limit of tables can be set: a higher one gives more keys a table, and a lower one frees tables at once",
        .enabled(if: KernelKey.isAvailable))
    func settable() throws {
        let registry = try registry(maximumKeys: 2)
        let keys = try (0..<4).map { _ in try hot(registry) }
        for key in keys { heat(key) }
        #expect(registry.size.keys == 2)
        let bytes = registry.size.bytes / 2
        registry.setLimits(maximumKeys: 4, maximumBytes: 4 * bytes)
        for key in keys { heat(key) }
        #expect(registry.size.keys == 4 && keys.allSatisfy { $0.table() != nil })
        registry.setLimits(maximumKeys: 4, maximumBytes: 3 * bytes)
        #expect(registry.size.keys == 3 && registry.size.bytes == 3 * bytes)
        registry.setLimits(maximumKeys: 0, maximumBytes: 0)
        #expect(registry.size.keys == 0 && registry.size.bytes == 0 && registry.limit == 0)
        for key in keys { heat(key) }
        #expect(keys.allSatisfy { $0.table() == nil })
        registry.setLimits(maximumKeys: 1, maximumBytes: bytes)
        heat(keys[0])
        #expect(keys[0].table() != nil && registry.size.keys == 1)
    }

    @Test("the limit of the process is 256 by default, and a value outside of its range is limited to it")
    func processLimit() {
        #expect(KeyTables.limit == 256)
        defer { KeyTables.limit = 256 }
        // Other tests of this process use tables meanwhile, so that no lower limit is set here.
        for (given, limit) in [(1_024, 1_024), (.max, 65_536), (256, 256)] {
            KeyTables.limit = given
            #expect(KeyTables.limit == limit)
        }
        #expect(KeyTables.bytes(256) == 64 << 20)
        #expect(KeyTables.count <= 256 && KeyTables.byteCount <= 64 << 20)
    }

    @Test(
        "in a batch the use that reaches the threshold makes a quick table, unless another table is being made",
        .enabled(if: KernelKey.isAvailable))
    func batches() throws {
        let later = Later()
        let registry = HotKeyRegistry(maximumKeys: 4, maximumBytes: 64 << 20, later: { later.add($0) })
        let keys = try (0..<4).map { _ in try hot(registry) }
        // The portable form takes longer, and makes all tables in the background.
        let isQuick = keys[0].key.hasQuickTable
        #expect(isQuick == (KernelKey.form == .vectorized))
        // One after the other, without any work in the background.
        for (made, key) in keys.prefix(2).enumerated() {
            #expect(key.table(uses: key.slot.threshold - 1, isBatch: true) == nil)
            #expect((key.table(isBatch: true) != nil) == isQuick)
            #expect(registry.size.keys == (isQuick ? made + 1 : 0))
        }
        heat(keys[2])
        #expect(keys[3].table(uses: keys[3].slot.threshold, isBatch: true) == nil)
        later.all()
        #expect(keys.allSatisfy { $0.table() != nil } && registry.size.keys == 4)
    }

    @Test(
        "a key in a batch has its table at once where that is quick, and one of a single token never",
        .enabled(if: KernelKey.isAvailable))
    func inBatches() throws {
        for isBatch in [true, false] {
            let later = Later()
            let registry = HotKeyRegistry(maximumKeys: 4, maximumBytes: 64 << 20, later: { later.add($0) })
            let key = try #require(BatchKey(try Self.table.get(), registry: registry))
            let hot = try #require(key.hot)
            for _ in 1..<hot.slot.threshold { #expect(key.forBatch(isBatch: isBatch) == nil) }
            #expect((key.forBatch(isBatch: isBatch) != nil) == (isBatch && hot.key.hasQuickTable))
            later.all()
            #expect(key.forBatch() != nil)
        }
    }

    @Test("freeing a key frees its table in the registry", .enabled(if: KernelKey.isAvailable)) func dropped() throws {
        let registry = try registry(maximumKeys: 4)
        do {
            let key = try hot(registry)
            heat(key)
            #expect(registry.size.keys == 1 && registry.size.bytes > 0)
        }
        #expect(registry.size.keys == 0 && registry.size.bytes == 0)
    }

    @Test(
        "a verifier gives the same results with the table of its key as without (RFC 7515, A.3)",
        .enabled(if: KernelKey.isAvailable),
        arguments: [(KeyKind.p256, SignatureAlgorithm.es256), (.ed25519, .ed25519), (.ed25519, .edDSA)])
    func sameAnswers(kind: KeyKind, algorithm: SignatureAlgorithm) async throws {
        // The portable kernels do not include Ed25519.
        guard algorithm == .es256 || KernelKey.form == .vectorized else { return }
        let key = try PrivateKey.generate(kind)
        let jws = try JWSSigner(key: key, algorithm: algorithm).sign("payload")
        let verifier = try JWSVerifier(keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [algorithm]))
        let hot = try #require(verifier.keys.fixed?.keys[0].batchKey?.hot)
        let dot = try #require(jws.lastIndex(of: "."))
        var wrong = Array(jws.utf8)
        let place = wrong.count - 20
        wrong[place] = wrong[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        let short = jws[...dot] + String(repeating: "A", count: 84)
        func expectAnswers() throws {
            #expect(try verifier.verify(jws).payload == Array("payload".utf8))
            #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(wrong) }
            #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(String(short)) }
        }
        try expectAnswers()
        #expect(hot.table() == nil)
        heat(hot)
        // The table is made in the background of a process that runs other tests.
        let end = ContinuousClock.now + .seconds(300)
        while !hot.slot.isReady.load(ordering: .relaxed), ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(hot.table() != nil)
        try expectAnswers()
    }

    /// Background work that a test runs.
    private final class Later: Sendable {
        private let work = Mutex<[@Sendable () -> Void]>([])
        func add(_ one: @escaping @Sendable () -> Void) { work.withLock { $0.append(one) } }
        func all() {
            while let next = work.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { next() }
        }
    }

    /// A key that a test frees.
    private final class Holder: Sendable {
        let hot = Mutex<HotKey?>(nil)
    }

    @Test(
        "a key that is freed while its table is computed leaves nothing behind, and the next key gets its own table"
    )
    func gone() throws {
        guard KernelKey.isAvailable else { return }
        let later = Later()
        let making = Holder()
        let registry = HotKeyRegistry(maximumKeys: 4, maximumBytes: 64 << 20) { key in
            // The first key is freed before its table is ready.
            making.hot.withLock { $0 = nil }
            return key.table()
        } later: {
            later.add($0)
        }
        do {
            let first = try hot(registry)
            heat(first)
            making.hot.withLock { $0 = first }
        }
        let third = try hot(registry)
        do {
            let second = try hot(registry)
            heat(second)
            heat(third)
        }
        later.all()
        #expect(registry.size.keys == 1 && third.table() != nil)
        #expect(registry.size.bytes == third.table()?.byteCount)
    }

    @Test(
        "no more keys wait for a table than the registry has slots, and a rejected key requests one again later",
        .enabled(if: KernelKey.isAvailable))
    func waiting() throws {
        let later = Later()
        let registry = HotKeyRegistry(maximumKeys: 2, maximumBytes: 64 << 20, later: { later.add($0) })
        let keys = try (0..<3).map { _ in try hot(registry) }
        for key in keys { heat(key) }
        #expect(keys.map(usesLeft) == [0, 0, HotKey.renewal])
        later.all()
        #expect(keys.map { $0.table() != nil } == [true, true, false])
        // No key is used in between: the first examination removes the marks, the second frees a table.
        for _ in 0..<2 {
            heat(keys[2])
            later.all()
        }
        #expect(keys[2].table() != nil && registry.size.keys == 2)
    }

    @Test(
        "threads that verify while tables are created and freed get the results of libcrypto",
        .enabled(if: KernelKey.isAvailable))
    func threads() async throws {
        let registry = HotKeyRegistry(maximumKeys: 1, maximumBytes: 64 << 20)
        let input = Array("signed".utf8)
        let table = try (0..<3).map { _ in
            let key = try AsymmetricKey.generateEC(.p256)
            let text = input.span
            let good = try key.sign(.es256, text)
            var bad = good
            bad[40] ^= 1
            return (hot: HotKey(.p256(key), registry), good: good, bad: bad)
        }
        heat(table[0].hot)
        try await until { table[0].hot.slot.isReady.load(ordering: .relaxed) }
        let (wrong, answered) = await withTaskGroup(of: (Int, Int).self) { group in
            for task in 0..<4 {
                group.addTask {
                    var (wrong, answered) = (0, 0)
                    for step in 0..<600 {
                        let one = table[(step + task) % 3]
                        for (signature, holds) in [(one.good, true), (one.bad, false)] {
                            let text = input.span
                            let proof = signature.span
                            guard let answer = try? one.hot.verify(text, signature: proof) else { continue }
                            answered += 1
                            if answer != holds { wrong += 1 }
                        }
                        if step % 50 == 0 { await Task.yield() }
                    }
                    return (wrong, answered)
                }
            }
            return await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
        }
        #expect(wrong == 0 && answered > 0)
        #expect(registry.size.keys <= 1)
    }

    @Test(
        "each signature of a batch under one key has its own result at its index, valid or not",
        arguments: [0, 1, 2, 9, 64, 65, 200])
    func signatures(count: Int) async throws {
        for (kind, algorithm) in [
            (KeyKind.rsa(bits: 2048), SignatureAlgorithm.ps256), (.p256, .es256), (.ed25519, .ed25519),
        ] {
            let key = try PrivateKey.generate(kind)
            let token = try JWSSigner(key: key, algorithm: algorithm).sign("payload")
            let dot = try #require(token.lastIndex(of: "."))
            let input = Array(token[..<dot].utf8)
            let signature = try #require(bytes(base64URL: String(token[token.index(after: dot)...])))
            let signed = (0..<count).map { number in
                var one = SignedBytes(input: input, signature: signature)
                if number % 5 == 1 { one.input[0] ^= 1 }
                if number % 5 == 2 { one.signature[7] ^= 1 }
                if number % 5 == 3 { one.signature.removeLast() }
                return one
            }
            let batch = try SignatureBatch(key: key.publicKey, algorithm: algorithm)
            let expected = (0..<count).map { $0 % 5 == 0 || $0 % 5 == 4 }
            let answers = batch.verify(signed)
            #expect(answers == expected, "\(algorithm)")
            // The second round uses a table, where there are kernels.
            guard KernelKey.isAvailable, let hot = batch.key.batchKey?.hot else { continue }
            heat(hot)
            try await until { hot.slot.isReady.load(ordering: .relaxed) }
            #expect(hot.table() != nil)
            let again = batch.verify(signed)
            #expect(again == expected, "\(algorithm), hot")
        }
        let key = try PrivateKey.generate(.p256)
        #expect(throws: JOSEError.keyUnsuitable(.kind)) {
            try SignatureBatch(key: key.publicKey, algorithm: .rs256)
        }
    }
}
