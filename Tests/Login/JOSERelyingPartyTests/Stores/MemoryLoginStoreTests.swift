import JOSERelyingParty
import JOSETesting
import Testing

@Suite("Memory store") struct MemoryLoginStoreTests {
    private let clock = TestClock(0)

    private func store(count: Int = 1_000, bytes: Int = 1 << 20) -> MemoryLoginStore {
        let clock = clock
        return MemoryLoginStore(countLimit: count, byteLimit: bytes, now: { clock.now })
    }

    private func key(_ number: Int) throws -> StoreKey { try StoreKey(kind: "state", value: "\(number)") }

    @Test("a key is SHA-256 over the kind, a zero byte and the value, so that no kind's value is another's") func keys()
        throws
    {
        // printf 'state\0abc' | sha256sum
        let expected: [UInt8] = [
            0x8b, 0x8f, 0x0e, 0x28, 0x80, 0x00, 0x8f, 0x22, 0xaa, 0xd6, 0x38, 0x53, 0xdc, 0x6d, 0xf9, 0x7f, 0xa7, 0xab,
            0x85, 0x94, 0xe0, 0x1a, 0xcd, 0x7d, 0xd8, 0x0b, 0xa4, 0xd5, 0xaa, 0xa4, 0x0f, 0xbd,
        ]
        #expect(try StoreKey(kind: "state", value: "abc").bytes == expected)
        #expect(try StoreKey(kind: "state", value: Array("abc".utf8)) == StoreKey(kind: "state", value: "abc"))
        #expect(try StoreKey(kind: "jti", value: "abc") != StoreKey(kind: "state", value: "abc"))
        #expect(try StoreKey(kind: "statea", value: "bc") != StoreKey(kind: "state", value: "abc"))
    }

    @Test("a value comes back once, R02") func once() async throws {
        let store = store()
        #expect(try await store.insert([1, 2, 3], for: key(1), lifetime: 600))
        #expect(try await store.take(key(2)) == nil)
        #expect(try await store.take(key(1)) == [1, 2, 3])
        #expect(try await store.take(key(1)) == nil)
        #expect(store.count == 0)
    }

    @Test("a value that is read stays, as long as it lives and until it is taken") func reading() async throws {
        let store = store()
        #expect(try await store.value(for: key(1)) == nil)
        #expect(try await store.insert([1, 2, 3], for: key(1), lifetime: 600))
        #expect(try await store.value(for: key(1)) == [1, 2, 3])
        #expect(try await store.value(for: key(1)) == [1, 2, 3])
        #expect(try await !store.insert([4], for: key(1), lifetime: 600))
        #expect(try await store.take(key(1)) == [1, 2, 3])
        #expect(try await store.value(for: key(1)) == nil)
        #expect(try await store.insert([5], for: key(1), lifetime: 600))
        clock.advance(by: 599.999)
        #expect(try await store.value(for: key(1)) == [5])
        clock.advance(by: 0.001)
        #expect(try await store.value(for: key(1)) == nil)
    }

    @Test("a key that is held keeps its first value; one that was taken may come again") func second() async throws {
        let store = store()
        #expect(try await store.insert([1], for: key(1), lifetime: 600))
        #expect(try await !store.insert([2], for: key(1), lifetime: 600))
        #expect(try await store.take(key(1)) == [1])
        #expect(try await store.insert([2], for: key(1), lifetime: 600))
        #expect(try await store.take(key(1)) == [2])
    }

    @Test("an empty value is a value: the mark of something used") func empty() async throws {
        let store = store()
        #expect(try await store.insert([], for: key(1), lifetime: 600))
        #expect(try await !store.insert([], for: key(1), lifetime: 600))
        #expect(try await store.take(key(1)) == [])
    }

    @Test("ten minutes are ten minutes: there just before, gone at the end, and the key is free again") func expiry()
        async throws
    {
        let store = store()
        #expect(try await store.insert([1], for: key(1), lifetime: 600))
        #expect(try await store.insert([2], for: key(2), lifetime: 600))
        clock.advance(by: 599.999)
        #expect(try await store.take(key(1)) == [1])
        #expect(try await !store.insert([3], for: key(2), lifetime: 600))
        clock.advance(by: 0.001)
        #expect(try await store.take(key(2)) == nil)
        #expect(try await store.insert([4], for: key(2), lifetime: 600))
        clock.advance(by: 600)
        #expect(try await store.insert([5], for: key(2), lifetime: 600))
        #expect(try await store.take(key(2)) == [5])
    }

    @Test(
        "T76 a lifetime of zero, below or no number keeps nothing and is never answered as newly set; the shortest is kept"
    )
    func lifetimes() async throws {
        let store = store()
        let key0 = try key(0)
        for lifetime in [0, -0.0, -5, -1e-300, Double.nan, -Double.infinity] {
            await #expect(throws: StoreError.expired) { try await store.insert([1], for: key0, lifetime: lifetime) }
        }
        #expect(store.count == 0)
        #expect(try await store.insert([1], for: key0, lifetime: 1e-300))
        #expect(try await !store.insert([1], for: key0, lifetime: 1e-300))
        await #expect(throws: StoreError.expired) { try await store.insert([1], for: key0, lifetime: 0) }
        #expect(try await store.insert([1], for: key(9), lifetime: .infinity))
        clock.advance(by: 0.001)
        #expect(store.count == 1)
        clock.advance(by: 1e8)
        #expect(try await store.take(key(9)) == [1])
    }

    @Test("one that is full refuses, drops nothing that lives, and takes again when one was taken or has ended")
    func full() async throws {
        let store = store(count: 3)
        #expect(try await store.insert([0], for: key(0), lifetime: 5))
        for number in 1..<3 { #expect(try await store.insert([1], for: key(number), lifetime: 600)) }
        let late = try key(3)
        await #expect(throws: StoreError.full) { try await store.insert([2], for: late, lifetime: 600) }
        clock.advance(by: 5)
        #expect(try await store.insert([3], for: late, lifetime: 600))
        let later = try key(4)
        await #expect(throws: StoreError.full) { try await store.insert([4], for: later, lifetime: 600) }
        for number in 1..<3 { #expect(try await store.take(key(number)) == [1]) }
        #expect(try await store.insert([4], for: later, lifetime: 600))
        #expect(try await store.take(late) == [3])
    }

    @Test("bytes bound it as well: each value, and what an entry costs") func bytes() async throws {
        let store = store(bytes: 2 * (MemoryLoginStore.entryCost + 100))
        let long = [UInt8](repeating: 7, count: 100)
        #expect(try await store.insert(long, for: key(0), lifetime: 600))
        let second = try key(1)
        await #expect(throws: StoreError.full) { try await store.insert(long + [7], for: second, lifetime: 600) }
        #expect(try await store.insert(long, for: second, lifetime: 600))
        #expect(try await store.take(second) == long)
        let huge = [UInt8](repeating: 7, count: 1_000)
        await #expect(throws: StoreError.full) { try await store.insert(huge, for: second, lifetime: 600) }
    }

    @Test("ten thousand lifetimes in any order end in their order, beside a plain list of them") func order()
        async throws
    {
        let store = store(count: 20_000, bytes: 64 << 20)
        var random = SystemRandomNumberGenerator()
        var ends: [Int: Double] = [:]
        for number in 0..<10_000 {
            let lifetime = Double(UInt64.random(in: 1...1_000, using: &random))
            if try await store.insert([UInt8(truncatingIfNeeded: number)], for: key(number), lifetime: lifetime) {
                ends[number] = lifetime
            }
        }
        #expect(ends.count == 10_000)
        for time in stride(from: 0.0, through: 1_000, by: 50) {
            clock.now = time
            // Some are taken from the middle of the order.
            for number in 0..<100 {
                let place = number * 97 + Int(time)
                let lives = place < 10_000 && (ends.removeValue(forKey: place) ?? 0) > time
                #expect(try await (store.take(key(place)) != nil) == lives, "\(place) at \(time)")
            }
            #expect(store.count == ends.values.count { $0 > time }, "at \(time)")
        }
        #expect(store.count == 0)
    }

    @Test("of many tasks one gets a value, and of many that insert one is told yes, a thousand times") func race()
        async throws
    {
        let store = MemoryLoginStore()
        for round in 0..<1_000 {
            let key = try key(round)
            let kept = await winners(of: 8) { (try? await store.insert([UInt8($0)], for: key, lifetime: 600)) == true }
            let taken = await winners(of: 8) { _ in (try? await store.take(key)) != nil }
            #expect(kept == 1 && taken == 1, "round \(round)")
        }
        #expect(store.count == 0)
    }

    private func winners(of count: Int, _ body: @escaping @Sendable (Int) async -> Bool) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<count { group.addTask { await body(number) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }
}
