import JOSE
import JOSETesting
import JOSETokens
import Testing

@Suite("Memory store") struct MemoryLoginStoreTests {
    private let clock = TestClock(0)

    private func store(count: Int = 1_000, bytes: Int = 1 << 20) -> MemoryLoginStore {
        MemoryLoginStore(countLimit: count, byteLimit: bytes, clock: clock.wallClock)
    }

    private func key(_ number: Int) throws -> StoreKey { try StoreKey(kind: "state", value: "\(number)") }

    @Test("a key is the SHA-256 digest of the kind, a zero byte and the value, so that kinds do not collide")
    func keys()
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

    @Test("R02 a value is returned only once") func once() async throws {
        let store = store()
        #expect(try await store.insert([1, 2, 3], for: key(1), lifetime: .seconds(600)))
        #expect(try await store.take(key(2)) == nil)
        #expect(try await store.take(key(1)) == [1, 2, 3])
        #expect(try await store.take(key(1)) == nil)
        #expect(store.count == 0)
    }

    @Test("a value that is read stays until it expires or is taken") func reading() async throws {
        let store = store()
        #expect(try await store.value(for: key(1)) == nil)
        #expect(try await store.insert([1, 2, 3], for: key(1), lifetime: .seconds(600)))
        #expect(try await store.value(for: key(1)) == [1, 2, 3])
        #expect(try await store.value(for: key(1)) == [1, 2, 3])
        #expect(try await !store.insert([4], for: key(1), lifetime: .seconds(600)))
        #expect(try await store.take(key(1)) == [1, 2, 3])
        #expect(try await store.value(for: key(1)) == nil)
        #expect(try await store.insert([5], for: key(1), lifetime: .seconds(600)))
        clock.advance(by: .milliseconds(599_999))
        #expect(try await store.value(for: key(1)) == [5])
        clock.advance(by: .milliseconds(1))
        #expect(try await store.value(for: key(1)) == nil)
    }

    @Test("a key in the store keeps its first value; a key that was taken can be inserted again") func second()
        async throws
    {
        let store = store()
        #expect(try await store.insert([1], for: key(1), lifetime: .seconds(600)))
        #expect(try await !store.insert([2], for: key(1), lifetime: .seconds(600)))
        #expect(try await store.take(key(1)) == [1])
        #expect(try await store.insert([2], for: key(1), lifetime: .seconds(600)))
        #expect(try await store.take(key(1)) == [2])
    }

    @Test("an empty value is stored, as the mark of a used value") func empty() async throws {
        let store = store()
        #expect(try await store.insert([], for: key(1), lifetime: .seconds(600)))
        #expect(try await !store.insert([], for: key(1), lifetime: .seconds(600)))
        #expect(try await store.take(key(1)) == [])
    }

    @Test("a value expires exactly at its end, and its key can be inserted again") func expiry()
        async throws
    {
        let store = store()
        #expect(try await store.insert([1], for: key(1), lifetime: .seconds(600)))
        #expect(try await store.insert([2], for: key(2), lifetime: .seconds(600)))
        clock.advance(by: .milliseconds(599_999))
        #expect(try await store.take(key(1)) == [1])
        #expect(try await !store.insert([3], for: key(2), lifetime: .seconds(600)))
        clock.advance(by: .milliseconds(1))
        #expect(try await store.take(key(2)) == nil)
        #expect(try await store.insert([4], for: key(2), lifetime: .seconds(600)))
        clock.advance(by: .seconds(600))
        #expect(try await store.insert([5], for: key(2), lifetime: .seconds(600)))
        #expect(try await store.take(key(2)) == [5])
    }

    @Test("T76 a clock that goes back or shows no valid time makes no removed mark fresh again") func oddClocks()
        async throws
    {
        let store = store()
        #expect(try await store.insert([], for: key(1), lifetime: .seconds(60)))
        clock.advance(by: .seconds(61))
        #expect(try await store.insert([], for: key(2), lifetime: .seconds(60)))
        clock.advance(by: .seconds(-50))
        // By the latest time the second mark lives on, and the first has expired for good.
        #expect(try await !store.insert([], for: key(2), lifetime: .seconds(60)))
        #expect(try await store.take(key(1)) == nil)
        clock.advance(by: .seconds(109))
        #expect(try await !store.insert([], for: key(2), lifetime: .seconds(60)))
        clock.advance(by: .seconds(2))
        #expect(try await store.insert([], for: key(2), lifetime: .seconds(60)))
        for time in [Double.nan, .infinity, -.infinity] {
            clock.now = NumericDate(secondsSince1970: time)
            let key2 = try key(2)
            await #expect(throws: StoreError.unavailable) {
                try await store.insert([], for: key2, lifetime: .seconds(60))
            }
        }
    }

    @Test("T76 the last time at which a second can be told from the next is valid, and no later one is")
    func lastTime() async throws {
        let store = store()
        clock.now = NumericDate(secondsSince1970: 0x1p53)
        #expect(try await store.insert([], for: key(1), lifetime: .seconds(60)))
        #expect(try await !store.insert([], for: key(1), lifetime: .seconds(60)))
        clock.now = NumericDate(secondsSince1970: (0x1p53).nextUp)
        let other = try key(2)
        await #expect(throws: StoreError.unavailable) {
            try await store.insert([], for: other, lifetime: .seconds(60))
        }
    }

    @Test(
        "T76 a lifetime of zero or less stores nothing and is never reported as inserted; the shortest lifetime is stored"
    )
    func lifetimes() async throws {
        let store = store()
        let key0 = try key(0)
        let shortest = Duration(secondsComponent: 0, attosecondsComponent: 1)
        for lifetime in [Duration.zero, .seconds(-5), .zero - shortest, .seconds(Int64.min)] {
            await #expect(throws: StoreError.expired) { try await store.insert([1], for: key0, lifetime: lifetime) }
        }
        #expect(store.count == 0)
        #expect(try await store.insert([1], for: key0, lifetime: shortest))
        #expect(try await !store.insert([1], for: key0, lifetime: shortest))
        await #expect(throws: StoreError.expired) { try await store.insert([1], for: key0, lifetime: .zero) }
        #expect(try await store.insert([1], for: key(9), lifetime: .seconds(Int64.max)))
        clock.advance(by: .milliseconds(1))
        #expect(store.count == 1)
        clock.advance(by: .seconds(100_000_000))
        #expect(try await store.take(key(9)) == [1])
    }

    @Test("a full store rejects entries, removes none that has not expired, and has room after one is taken or expires")
    func full() async throws {
        let store = store(count: 3)
        #expect(try await store.insert([0], for: key(0), lifetime: .seconds(5)))
        for number in 1..<3 { #expect(try await store.insert([1], for: key(number), lifetime: .seconds(600))) }
        let late = try key(3)
        await #expect(throws: StoreError.full) { try await store.insert([2], for: late, lifetime: .seconds(600)) }
        clock.advance(by: .seconds(5))
        #expect(try await store.insert([3], for: late, lifetime: .seconds(600)))
        let later = try key(4)
        await #expect(throws: StoreError.full) { try await store.insert([4], for: later, lifetime: .seconds(600)) }
        for number in 1..<3 { #expect(try await store.take(key(number)) == [1]) }
        #expect(try await store.insert([4], for: later, lifetime: .seconds(600)))
        #expect(try await store.take(late) == [3])
    }

    @Test("the limit of bytes counts each value and the cost of its entry") func bytes() async throws {
        let store = store(bytes: 2 * (MemoryLoginStore.entryCost + 100))
        let long = [UInt8](repeating: 7, count: 100)
        #expect(try await store.insert(long, for: key(0), lifetime: .seconds(600)))
        let second = try key(1)
        await #expect(throws: StoreError.full) {
            try await store.insert(long + [7], for: second, lifetime: .seconds(600))
        }
        #expect(try await store.insert(long, for: second, lifetime: .seconds(600)))
        #expect(try await store.take(second) == long)
        let huge = [UInt8](repeating: 7, count: 1_000)
        await #expect(throws: StoreError.full) { try await store.insert(huge, for: second, lifetime: .seconds(600)) }
    }

    @Test("ten thousand entries with random lifetimes expire in the right order") func order()
        async throws
    {
        let store = store(count: 20_000, bytes: 64 << 20)
        var random = SystemRandomNumberGenerator()
        var ends: [Int: Double] = [:]
        for number in 0..<10_000 {
            let lifetime = Int.random(in: 1...1_000, using: &random)
            let value = [UInt8(truncatingIfNeeded: number)]
            if try await store.insert(value, for: key(number), lifetime: .seconds(lifetime)) {
                ends[number] = Double(lifetime)
            }
        }
        #expect(ends.count == 10_000)
        for time in stride(from: 0.0, through: 1_000, by: 50) {
            clock.now = NumericDate(secondsSince1970: time)
            // Some entries are taken from the middle of the order.
            for number in 0..<100 {
                let index = number * 97 + Int(time)
                let isValid = index < 10_000 && (ends.removeValue(forKey: index) ?? 0) > time
                #expect(try await (store.take(key(index)) != nil) == isValid, "\(index) at \(time)")
            }
            #expect(store.count == ends.values.count { $0 > time }, "at \(time)")
        }
        #expect(store.count == 0)
    }

    @Test("of many concurrent tasks only one takes a value, and only one inserts it") func race()
        async throws
    {
        let store = MemoryLoginStore()
        for round in 0..<1_000 {
            let key = try key(round)
            let kept = await winners(of: 8) {
                (try? await store.insert([UInt8($0)], for: key, lifetime: .seconds(600))) == true
            }
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
