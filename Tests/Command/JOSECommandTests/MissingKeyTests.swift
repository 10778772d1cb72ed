#if HTTP
    import Foundation
    import JOSE
    import TestSupport
    import Testing

    /// Tests of tokens whose key is published after them, in batches and queues, where a rejection is final.
    @Suite("Keys that are published after their first token") struct MissingKeyTests: ChangingKeySet {
        let server: FaultServer
        private let tool: String
        let folder: TemporaryFolder
        private let old: PrivateKey
        private let new: PrivateKey

        init() throws {
            server = try FaultServer.shared.get()
            tool = try #require(builtTool("bulla"))
            folder = try TemporaryFolder()
            old = try PrivateKey.generate(.p256, keyID: "old")
            new = try PrivateKey.generate(.p256, keyID: "new")
        }

        /// Rows under the old key, under the new one, and under a hundred names that somebody invented.
        private func rows() throws -> String {
            var text = ""
            let (first, second) = (try token(old), try token(new))
            for number in 0..<200 {
                text += row("o\(number)", first) + row("n\(number)", second)
                if number % 2 == 0 { text += row("x\(number)", try token(new, keyID: "invented \(number)")) }
            }
            return text
        }

        @Test(
            "K40 K41 no row under a key that is published later is rejected, and invented names cause no more fetches (RFC 7517, 5)"
        )
        func rotation() async throws {
            let keys = try keys("rotation", Self.set(old), Self.set(old), Self.set(old, new))
            let done = try await runAside(
                tool, ["verify", "--input", "jsonl", "--jobs", "2"] + keys.words, stdin: try rows())
            #expect(done.status == 1, "\(done.stderr)")
            let answers = try done.stdout.split(separator: "\n").map { try JSON($0.utf8) }
            #expect(answers.count == 500)
            for answer in answers {
                let id = try #require(answer["id"]?.string)
                let isInvented = id.hasPrefix("x")
                #expect(answer["result"]?.string == (isInvented ? "invalid" : "valid"), "\(answer)")
                #expect(answer["error"]?.string == (isInvented ? "key_not_found" : nil))
            }
            // The answers have the order of the rows.
            #expect(answers.prefix(4).map { $0["id"]?.string } == ["o0", "n0", "x0", "o1"])
            #expect(done.stderr.contains("waits for the next fetch of https://"))
            // One at the start, two that missing names may cause at once, and one after the cooldown.
            #expect(try server.seen(keys.path).requests <= 4)
        }

        @Test("T81 a row that waits for its key is to be retried if the fetch fails or SIGTERM ends the input")
        func interrupted() async throws {
            let script = """
                import signal, subprocess, sys, time
                child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                child.stdin.write(open(sys.argv[1], "rb").read())
                child.stdin.flush()
                while b"waits for the next fetch" not in child.stderr.readline(): pass
                begun = time.monotonic()
                child.send_signal(signal.SIGTERM)
                output = child.stdout.read()
                print(child.wait(), time.monotonic() - begun < 15)
                sys.stdout.write(output.decode())
                """
            let keys = try keys("term", Self.set(old))
            let file = folder.url.appending(path: "rows")
            try Data((row("1", token(old)) + row("2", token(new)) + row("3", token(old))).utf8).write(to: file)
            let words = [tool, "verify", "--input", "jsonl"] + keys.words
            let report = try await runAside("/usr/bin/env", ["python3", "-c", script, file.path] + words)
            #expect(
                report.stdout.split(separator: "\n").map(String.init) == [
                    "143 True", #"{"id":"1","result":"valid"}"#,
                    #"{"id":"2","result":"retry","error":"keys_unavailable"}"#, #"{"id":"3","result":"valid"}"#,
                ], "\(report.stderr)")
        }

        @Test("with --key-lag 0, one missing key is decided by the fetch that it causes") func withoutLag() async throws
        {
            let keys = try keys("lag", Self.set(old))
            let done = try await runAside(
                tool, ["verify", "--input", "jsonl", "--key-lag", "0", "--quiet"] + keys.words,
                stdin: row("1", token(old)) + row("2", token(new)))
            #expect(done.status == 1)
            #expect(
                done.stdout.split(separator: "\n") == [
                    #"{"id":"1","result":"valid"}"#, #"{"id":"2","result":"invalid","error":"key_not_found"}"#,
                ])
            #expect(try server.seen(keys.path).requests == 2)
        }

        #if Redis
            @Test(
                "K40 a worker keeps a token until its key is published, and rejects one under an invented name after a fetch",
                .enabled(if: RedisServer.tool != nil, "redis-server is not there"))
            func queue() async throws {
                let redis = try RedisServer()
                let keys = try keys("queue", Self.set(old), Self.set(old), Self.set(old, new))
                let place = ["--redis", "redis://127.0.0.1:\(redis.port)", "--stream", "t"]
                let added = try await runAside(tool, ["enqueue", "--input", "jsonl"] + place, stdin: try rows())
                #expect(added.status == 0, "\(added.stderr)")
                let worker = try await runAside(
                    tool, ["worker", "--until-empty", "--jobs", "2", "--retry-delay", "1"] + place + keys.words)
                #expect(worker.status == 0, "\(worker.stderr)")
                let answers = try redis.command("XRANGE", "t:answers", "-", "+").split(separator: "\n").filter {
                    $0.hasPrefix("{")
                }.map { try JSON($0.utf8) }
                #expect(answers.count == 500 && Set(answers.compactMap { $0["id"]?.string }).count == 500)
                for answer in answers {
                    let isInvented = answer["id"]?.string?.hasPrefix("x") ?? true
                    #expect(answer["result"]?.string == (isInvented ? "invalid" : "valid"), "\(answer)")
                }
                // A worker begins to look again after a second, and doubles that: it has ended within some minutes.
                #expect(try server.seen(keys.path).requests <= 6)
            }
        #endif
    }
#endif
