#if Redis
    import Foundation
    import JOSERedis
    import TestSupport
    import Testing

    @testable import JOSECommand

    @Suite("Scripts of a worker", .enabled(if: RedisServer.tool != nil, "redis-server is not there"))
    struct WorkerScriptTests {
        /// A queue, and calls with the names of its keys.
        private struct Queue {
            let server: RedisServer
            let scripts: RedisScripts
            private static let keys = ["x", "x:answers", "x:later", "x:working", "x:dead-letters"]

            init() throws {
                server = try RedisServer()
                var options = RedisOptions(host: "127.0.0.1", security: .plain)
                options.port = server.port
                // These deadlines are longer than a busy machine needs.
                options.connectDeadline = .seconds(20)
                options.deadline = .seconds(20)
                scripts = try RedisScripts(options, requiresDurability: true)
                #expect(try number(WorkerScripts.begin, Self.keys + ["x:lease:a"], "a", "1000") == 0)
            }

            func reply(_ script: RedisScript, _ keys: [String], _ words: [String]) throws -> RedisScripts.Reply {
                try scripts.run([RedisRun(script, keys: keys, words.map { Array($0.utf8) })])[0].get()
            }

            func number(_ script: RedisScript, _ keys: [String], _ words: String...) throws -> Int64 {
                try reply(script, keys, words).number
            }

            /// Adds an entry, and returns its id.
            func add(_ fields: String...) throws -> String {
                try TestSupport.run(WorkerScriptTests.redisCLI, ["-p", "\(server.port)", "XADD", "x", "*"] + fields)
                    .stdout
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            }

            /// Takes entries for a worker whose threads hold none, or those that are named.
            func take(
                _ worker: String, claims: Bool = false, maxDeliveries: Int = 2, holding held: [String] = []
            ) throws -> [WorkerEntry] {
                let ids = " " + held.map { $0 + " " }.joined()
                let words = [worker, "8", "50", claims ? "1" : "0", "10000", "\(maxDeliveries)", "x:lease:", ids]
                let keys = ["x", "x:later", "x:working", "x:dead-letters"]
                return try #require(WorkerEntry.all(reply(WorkerScripts.take, keys, words).text, at: 1_000))
            }

            /// Takes entries over, as soon as the lease of their worker has ended.
            func takeOver(_ worker: String) async throws -> [WorkerEntry] {
                try await Task.sleep(for: .milliseconds(120))
                #expect(try number(WorkerScripts.live, ["x:lease:" + worker], "600000") == 0)
                return try take(worker, claims: true)
            }

            func mark(_ worker: String, _ id: String, next: Int, ended: Int = -1) throws -> Int64 {
                try number(
                    WorkerScripts.mark, ["x", "x:working", "x:lease:" + worker], worker, id, "\(next)", "\(ended)", "50"
                )
            }

            func finish(
                _ worker: String, _ id: String, answers: String = "a", later: String = "", since: String = "1"
            ) throws -> Int64 {
                try number(WorkerScripts.finish, Self.keys, worker, id, answers, later, "1", "0", "", since)
            }

            func leave(_ worker: String) throws -> Int64 {
                try number(WorkerScripts.leave, ["x", "x:working"], worker)
            }

            /// The number of entries that any worker has.
            func pending() throws -> String? {
                try server.command("XPENDING", "x", "bulla").split(separator: "\n").first.map(String.init)
            }

            func reasons() throws -> [String] {
                let reply = try server.command("XRANGE", "x:dead-letters", "-", "+")
                let words = reply.split(separator: "\n").map(String.init)
                return words.indices.filter { words[$0] == "reason" }.map { words[$0 + 1] }
            }
        }

        fileprivate static var redisCLI: String {
            RedisServer.tool.map { $0.replacingOccurrences(of: "redis-server", with: "redis-cli") } ?? ""
        }

        @Test(
            "an entry whose tries are no count or whose rows are none or too many is dead-lettered, and the others are given"
        )
        func bounds() throws {
            let queue = try Queue()
            for tries in ["-1", "1e3", "1000", "", "99999999999999999999"] {
                _ = try queue.add("tries", tries, "rows", "r")
            }
            #expect(try queue.take("a").isEmpty)
            #expect(try queue.reasons() == Array(repeating: "bad_tries", count: 5))
            _ = try queue.add("other", "r")
            for rows in ["", "\n", "\n\n\n", String(repeating: "\n", count: 9_999)] { _ = try queue.add("rows", rows) }
            _ = try queue.add("rows", String(repeating: "r\n", count: 1025))
            _ = try queue.add("rows", String(repeating: "r", count: 10_001))
            let good = [
                try queue.add("rows", String(repeating: "r\n", count: 1024)),
                try queue.add("tries", "999", "rows", "\nr\n\n"),
                try queue.add("rows", String(repeating: "r", count: 10_000)),
            ]
            let first = try queue.take("a")
            let taken = try first + queue.take("a", holding: first.map { String(decoding: $0.id, as: UTF8.self) })
            #expect(taken.map { String(decoding: $0.id, as: UTF8.self) } == good)
            #expect(taken.map(\.rowCount) == [1024, 3, 1] && taken.map(\.tries) == [0, 999, 0])
            #expect(taken.allSatisfy { $0.suspicion == nil })
            #expect(
                try queue.reasons().dropFirst(5) == [
                    "no_rows", "no_rows", "no_rows", "no_rows", "no_rows", "too_many_rows", "too_large",
                ])
        }

        @Test("a row is dead-lettered after two workers that began it, and never for workers that ended before it")
        func deadLetters() async throws {
            let queue = try Queue()
            let id = try queue.add("rows", "0\n1\n")
            #expect(try queue.take("a").map { $0.suspicion == nil } == [true])
            // After an outage of Redis no worker has a lease: the first one that comes takes nothing over.
            try await Task.sleep(for: .milliseconds(120))
            #expect(try queue.take("b", claims: true).isEmpty)
            // Workers that begin nothing.
            for worker in ["b", "c", "d"] {
                let taken = try await queue.takeOver(worker)
                #expect(taken.map { $0.suspicion?.first } == [nil] && taken.map { $0.suspicion?.gone } == [[]])
            }
            // The call is repeated after its reply was lost: the row began once.
            #expect(try queue.mark("d", id, next: 1) == 0 && queue.mark("d", id, next: 1) == 0)
            for worker in ["e", "f"] {
                let taken = try await queue.takeOver(worker)
                #expect(taken.map { $0.suspicion?.first } == [1] && taken.map { $0.suspicion?.gone } == [[]])
            }
            #expect(try queue.mark("f", id, next: 1) == 0)
            let taken = try await queue.takeOver("g")
            #expect(taken.map { $0.suspicion?.first } == [nil] && taken.map { $0.suspicion?.gone } == [[1]])
            // A worker that dies after the last row has ended it.
            #expect(try queue.mark("g", id, next: 0) == 0 && queue.mark("g", id, next: -1, ended: 0) == 0)
            for worker in ["h", "i", "j"] {
                let taken = try await queue.takeOver(worker)
                #expect(taken.map { $0.suspicion?.first } == [nil] && taken.map { $0.suspicion?.gone } == [[1]])
            }
            #expect(try queue.finish("j", id) == 0 && queue.finish("j", id) == 1)
            #expect(try queue.server.command("HLEN", "x:working") == "0")
        }

        @Test("a worker that was stopped and lives has not died with its row") func stopped() async throws {
            let queue = try Queue()
            let id = try queue.add("rows", "0\n1\n")
            _ = try queue.take("a")
            _ = try await queue.takeOver("b")
            #expect(try queue.mark("b", id, next: 1) == 0)
            _ = try await queue.takeOver("c")
            #expect(try queue.mark("c", id, next: 1) == 0)
            // It finds out that the entry is another worker's: without this call the row would be dead-lettered now.
            #expect(try queue.mark("b", id, next: 0, ended: 1) == 1)
            let taken = try await queue.takeOver("d")
            #expect(taken.map { $0.suspicion?.first } == [1] && taken.map { $0.suspicion?.gone } == [[]])
            #expect(try queue.mark("d", id, next: 1) == 0)
            #expect(try await queue.takeOver("e").map { $0.suspicion?.gone } == [[1]])
        }

        @Test("entries of a reply that was lost are given to their worker again, and those that it holds are not")
        func lostReply() throws {
            let queue = try Queue()
            let ids = [try queue.add("rows", "0"), try queue.add("rows", "1")]
            #expect(try queue.take("a").count == 2)
            let again = try queue.take("a", holding: [ids[0]])
            #expect(again.map { String(decoding: $0.id, as: UTF8.self) } == [ids[1]] && again[0].suspicion == nil)
            #expect(try queue.take("a", holding: ids).isEmpty && queue.take("b").isEmpty)
            #expect(try queue.finish("a", ids[1]) == 0 && queue.finish("a", ids[0]) == 0)
        }

        @Test("rows that are verified again keep the time at which a worker first read them, in every path")
        func firstReading() throws {
            let queue = try Queue()
            func now() throws -> Double {
                try 1_000 * #require(Double(queue.server.command("TIME").prefix { $0 != "\n" }))
            }
            func time(_ entry: WorkerEntry?) throws -> Double {
                let entry = try #require(entry)
                return try #require(Double(String(decoding: entry.since, as: UTF8.self)))
            }
            let before = try now()
            let id = try queue.add("rows", "0\n")
            let first = try queue.take("a")
            let since = try time(first.first)
            #expect(since >= before && first[0].readAt <= 1_000 && first[0].readAt > 900)
            let text = String(decoding: first[0].since, as: UTF8.self)
            #expect(try queue.finish("a", id, later: "0\n", since: text) == 0)
            let second = try queue.take("a")
            #expect(try time(second.first) == since && second[0].tries == 1)
            // The worker ends, and another one takes the entry.
            #expect(try queue.leave("a") == 0)
            let third = try queue.take("b")
            #expect(try time(third.first) == since && third[0].tries == 1)
            // A time in the future, and text that is none, count as now.
            for text in ["9999999999999", "x", "-1", "99999999999999999999", ""] {
                _ = try queue.add("rows", "0\n", "since", text)
                let taken = try queue.take("c")
                #expect(try taken.count == 1 && time(taken[0]) <= now() + 1_000 && taken[0].readAt > 900, "\(text)")
                #expect(try queue.finish("c", String(decoding: taken[0].id, as: UTF8.self)) == 0)
            }
        }

        @Test("a worker that ends leaves nothing pending: others take its entries, not as those of one that died")
        func leaving() throws {
            let queue = try Queue()
            let ids = [try queue.add("rows", "0", "other", "x"), try queue.add("tries", "3", "rows", "1")]
            #expect(try queue.take("a").count == 2 && queue.pending() == "2")
            #expect(try queue.server.command("CONFIG", "SET", "maxmemory", "1") == "OK")
            // The call is repeated after its reply was lost: each entry was added once.
            #expect(try queue.leave("a") == 0 && queue.leave("a") == 0)
            #expect(try queue.pending() == "0" && queue.server.command("XLEN", "x") == "2")
            #expect(try queue.server.command("XINFO", "CONSUMERS", "x", "bulla") == "")
            // What the worker sends late changes nothing.
            #expect(try queue.finish("a", ids[0]) == 1)
            let taken = try queue.take("b")
            #expect(taken.map(\.rows) == [Array("0".utf8), Array("1".utf8)] && taken.map(\.tries) == [0, 3])
            #expect(taken.allSatisfy { $0.suspicion == nil })
        }

        @Test("what is known of the rows of an entry stays known when its worker ends")
        func leavingSuspected() async throws {
            let queue = try Queue()
            let id = try queue.add("rows", "0\n1\n")
            _ = try queue.take("a")
            _ = try await queue.takeOver("b")
            #expect(try queue.mark("b", id, next: 1) == 0)
            // The row that b died with begins once more, and its worker ends while it lives: only the death of b
            // counts.
            _ = try await queue.takeOver("c")
            #expect(try queue.mark("c", id, next: 1) == 0 && queue.leave("c") == 0)
            let taken = try queue.take("d")
            #expect(taken.map { $0.suspicion?.first } == [1] && taken.map { $0.suspicion?.gone } == [[]])
            #expect(try queue.server.command("HLEN", "x:working") == "1")
            #expect(try queue.mark("d", String(decoding: taken[0].id, as: UTF8.self), next: 1) == 0)
            let after = try await queue.takeOver("e")
            #expect(after.map { $0.suspicion?.first } == [nil] && after.map { $0.suspicion?.gone } == [[1]])
        }

        @Test("a key of another type fails a script before it changes anything") func types() throws {
            let queue = try Queue()
            let id = try queue.add("rows", "0")
            #expect(try queue.take("a").count == 1)
            #expect(try queue.server.command("SET", "x:later", "a string") == "OK")
            for _ in 0..<2 {
                #expect(throws: RedisScripts.Failure.self) { try queue.finish("a", id, later: "0\n") }
                #expect(throws: RedisScripts.Failure.self) { try queue.take("a") }
            }
            #expect(try queue.server.command("XLEN", "x") == "1" && queue.server.command("EXISTS", "x:answers") == "0")
            #expect(try queue.server.command("DEL", "x:later") == "1")
            #expect(try queue.finish("a", id, later: "0\n") == 0)
            let again = try queue.take("a")
            #expect(again.map(\.tries) == [1] && again.map(\.rows) == [Array("0\n".utf8)])
        }

        @Test("while there is no memory, no entry is added, and all others are taken, finished and tried again")
        func memory() throws {
            let queue = try Queue()
            let id = try queue.add("rows", "0")
            #expect(try queue.server.command("CONFIG", "SET", "maxmemory", "1") == "OK")
            let failure = #expect(throws: RedisScripts.Failure.self) {
                try queue.number(WorkerScripts.add, ["x", "x:added:s"], "r\n", "0", "0")
            }
            #expect(failure?.isOutOfMemory == true && failure?.isTransient == true)
            #expect(try queue.take("a").count == 1)
            #expect(try queue.mark("a", id, next: 0) == 0)
            #expect(try queue.finish("a", id, later: "0\n") == 0)
            #expect(try queue.take("a").map(\.tries) == [1])
        }

        @Test("an entry is added once, also if an earlier call for its place in the window arrives late") func once()
            throws
        {
            let queue = try Queue()
            func add(_ number: Int) throws -> Int64 {
                try queue.number(WorkerScripts.add, ["x", "x:added:s"], "r\n", "\(number)", "\(number % 16)")
            }
            #expect(try add(3) == 0 && add(3) == 0 && add(4) == 0)
            #expect(try add(19) == 0 && add(3) == 0 && add(19) == 0)
            #expect(try queue.server.command("XLEN", "x") == "3")
            let left = try #require(try Int(queue.server.command("TTL", "x:added:s")))
            #expect(left > 86_000 && left <= 86_400)
        }

        @Test("text that no script returns is no entry") func text() throws {
            func all(_ text: String) -> [WorkerEntry]? { WorkerEntry.all(Array(text.utf8), at: 50) }
            let whole = "1-0 0 - 1 2 99 1500\nr\n\n"
            #expect(all(whole)?.map(\.readAt) == [48.5] && all(whole)?.map(\.since) == [Array("99".utf8)])
            #expect(all(whole + whole)?.count == 2)
            for text in [
                "1-0 0 - 1 2 9 9\nr\n", "1-0 0 - 1 3 9 9\nr\n\n", "1-0 -1 - 1 2 9 9\nr\n\n", "1-0 0 - 2 9 9\nr\n\n",
                "1-0", "1-0 0 - 0 2 9 9\nr\n\n", "1-0 0 - 1025 2 9 9\nr\n\n", "1-0 0 - 1 2 9 -1\nr\n\n",
                "1-0 0 - 1 2 x 9\nr\n\n", "1-0 0 - 1 2 9\nr\n\n",
            ] {
                #expect(all(text) == nil, "\(text)")
            }
        }
    }
#endif
