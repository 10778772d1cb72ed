import JOSE
import JOSETokens
import Testing

@Suite("Concurrent requests gathered", .serialized) struct CoalescingTests {
    private static let desk = Result { try BatchDesk() }

    @Test("sixty-four callers at once get the answers of one by one", arguments: [1, 2, 8, 64]) func answers(
        callers: Int
    ) async throws {
        let desk = try Self.desk.get()
        let good = try (0..<3).flatMap { try desk.good($0) + [desk.sign(BatchDesk.payload($0), desk.rsa, .rs256)] }
        let tokens = BatchDesk.shuffled(try good + good.prefix(8).flatMap(BatchDesk.broken) + desk.odd())
        let one = try TokenVerifier(BatchDesk.signed(), verificationKeys: desk.named)
        let expected = tokens.map { token in Seen { () throws(TokenError) in try one.verify(token) } }
        #expect(expected.count { $0.error == nil } == good.count)
        let gathered = CoalescingVerifier(one)
        let wrong = await withTaskGroup(of: Int.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var wrong = 0
                    for place in tokens.indices {
                        let number = (place + caller * 7) % tokens.count
                        let seen: Seen
                        do throws(TokenError) {
                            seen = Seen(.success(try await gathered.verify(tokens[number])))
                        } catch {
                            seen = Seen(.failure(error))
                        }
                        if seen != expected[number] { wrong += 1 }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test("a token alone does not wait for others: the window, however long, is not spent") func lone() async throws {
        let desk = try Self.desk.get()
        let token = Array(try desk.sign(BatchDesk.payload(1), desk.rsa, .rs256).utf8)
        let gathered = CoalescingVerifier(
            try TokenVerifier(BatchDesk.signed(), verificationKeys: desk.named), window: .seconds(3600))
        let begun = ContinuousClock.now
        for _ in 0..<20 { _ = try await gathered.verify(token) }
        #expect(ContinuousClock.now - begun < .seconds(60))
    }

    @Test("nobody is left waiting: under an endless window, too, all of any number of callers are answered")
    func nobodyIsLeft() async throws {
        let desk = try Self.desk.get()
        let token = Array(try desk.sign(BatchDesk.payload(1), desk.rsa, .rs256).utf8)
        for window in [Duration.microseconds(50), .seconds(3600)] {
            let gathered = CoalescingVerifier(
                try TokenVerifier(BatchDesk.signed(), verificationKeys: desk.named), window: window)
            for callers in [2, 3, 7, 8, 9, 30] {
                let answered = await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<callers { group.addTask { (try? await gathered.verify(token)) != nil } }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(answered == callers)
            }
        }
    }
}
