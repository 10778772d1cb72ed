#if HTTP
    import Foundation
    import JOSE
    import TestSupport
    import Testing

    /// Tests of keys that a provider replaces under their `kid`, in single calls, batches and queues.
    @Suite("Keys that are replaced under their kid") struct ReplacedKeyTests: ChangingKeySet {
        let server: FaultServer
        private let tool: String
        let folder: TemporaryFolder
        private let old: PrivateKey
        private let new: PrivateKey
        private let other: PrivateKey

        init() throws {
            server = try FaultServer.shared.get()
            tool = try #require(builtTool("bulla"))
            folder = try TemporaryFolder()
            old = try PrivateKey.generate(.p256, keyID: "k")
            new = try PrivateKey.generate(.p256, keyID: "k")
            other = try PrivateKey.generate(.p256, keyID: "other")
        }

        @Test(
            "a token under a key that was replaced is verified after one fetch, and a forged one is invalid (RFC 7517, 4.5)"
        )
        func single() async throws {
            let (replaced, known) = (try token(new), try token(other))
            let lines = [known, replaced, known].map { $0 + "\n" }.joined()
            for (name, operands, stdin) in [("one", [replaced], ""), ("lines", [], lines)] {
                let keys = try keys(name, Self.set(old, other), Self.set(new, other))
                let done = try await runAside(tool, ["verify", "--quiet"] + keys.words + operands, stdin: stdin)
                #expect(done.status == 0, "\(name): \(done.stderr)")
                #expect(try server.seen(keys.path).requests == 2, "\(name)")
            }
            let keys = try keys("forged", Self.set(old, other))
            let done = try await runAside(tool, ["verify", "--quiet"] + keys.words + [token(new)])
            #expect(done.status == 1 && done.stderr.contains("invalid: signature_invalid"), "\(done.stderr)")
            #expect(try server.seen(keys.path).requests == 2)
        }

        @Test(
            "rows whose signature failed are to be retried until a fetch that began after they were read confirms the key"
        )
        func rows() async throws {
            let script = """
                import subprocess, sys
                child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                for row in open(sys.argv[1], "rb"):
                    child.stdin.write(row)
                    child.stdin.flush()
                    sys.stdout.write(child.stdout.readline().decode())
                child.stdin.close()
                print(child.wait())
                """
            let keys = try keys("rows", Self.set(old, other), Self.set(new, other))
            let file = folder.url.appending(path: "rows")
            let forged = try PrivateKey.generate(.p256, keyID: "k")
            // The first row that fails causes a fetch; no later one does within thirty seconds.
            let rows = try [
                ("1", other), ("2", new), ("3", forged), ("4", old), ("5", new), ("6", other),
            ].map { id, key in row(id, try token(key)) }
            try Data(rows.joined().utf8).write(to: file)
            let words = [tool, "verify", "--input", "jsonl", "--quiet"] + keys.words
            let report = try await runAside("/usr/bin/env", ["python3", "-c", script, file.path] + words)
            #expect(
                report.stdout.split(separator: "\n").map(String.init) == [
                    #"{"id":"1","result":"valid"}"#, #"{"id":"2","result":"valid"}"#,
                    #"{"id":"3","result":"retry","error":"keys_unavailable"}"#,
                    #"{"id":"4","result":"retry","error":"keys_unavailable"}"#, #"{"id":"5","result":"valid"}"#,
                    #"{"id":"6","result":"valid"}"#, "75",
                ], "\(report.stderr)")
            #expect(try server.seen(keys.path).requests == 2)
        }

        @Test("a row whose signature failed is invalid if the fetch that it causes confirms the key")
        func confirmed() async throws {
            let keys = try keys("confirmed", Self.set(old, other))
            let done = try await runAside(
                tool, ["verify", "--input", "jsonl", "--quiet"] + keys.words,
                stdin: row("1", token(old)) + row("2", token(new)) + row("3", token(new)))
            #expect(done.status == 1)
            #expect(
                done.stdout.split(separator: "\n") == [
                    #"{"id":"1","result":"valid"}"#, #"{"id":"2","result":"invalid","error":"signature_invalid"}"#,
                    #"{"id":"3","result":"invalid","error":"signature_invalid"}"#,
                ])
            #expect(try server.seen(keys.path).requests == 2)
        }

        #if Redis
            @Test(
                "a worker verifies a token whose signature failed again, until a later fetch has confirmed its key",
                .enabled(if: RedisServer.tool != nil, "redis-server is not there"))
            func queue() async throws {
                let redis = try RedisServer()
                let keys = try keys("queue", Self.set(old), Self.set(old), Self.set(new))
                let place = ["--redis", "redis://127.0.0.1:\(redis.port)", "--stream", "t"]
                // Each is an entry of its own. The first one causes a fetch, and the second one is read after that.
                let forged = try PrivateKey.generate(.p256, keyID: "k")
                for (id, key) in [("1", forged), ("2", new), ("3", old)] {
                    let text = row(id, try token(key))
                    let added = try await runAside(tool, ["enqueue", "--input", "jsonl"] + place, stdin: text)
                    #expect(added.status == 0, "\(added.stderr)")
                }
                let worker = try await runAside(
                    tool,
                    ["worker", "--until-empty", "--jobs", "1", "--entries", "1", "--retry-delay", "1"] + place
                        + keys.words)
                #expect(worker.status == 0, "\(worker.stderr)")
                let answers = try redis.command("XRANGE", "t:answers", "-", "+").split(separator: "\n").filter {
                    $0.hasPrefix("{")
                }
                // The second token is under a key that is published before the next fetch.
                #expect(
                    Set(answers.map(String.init)) == [
                        #"{"id":"1","result":"invalid","error":"signature_invalid"}"#, #"{"id":"2","result":"valid"}"#,
                        #"{"id":"3","result":"valid"}"#,
                    ])
                #expect(!worker.stderr.contains(" 0 to be verified later"), "\(worker.stderr)")
                #expect(try server.seen(keys.path).requests == 3)
            }
        #endif
    }
#endif
