#if HTTP
    import Foundation
    import JOSE
    import JOSEKeySets
    import TestSupport
    import Testing

    /// Tests of `--key-cache`, with many processes and a server that counts requests.
    @Suite("A key cache of processes") struct KeyCacheTests {
        private let server: FaultServer
        private let key: PrivateKey
        private let temporary: TemporaryFolder

        init() throws {
            server = try FaultServer.shared.get()
            key = try PrivateKey.generate(.p256, keyID: "k1")
            temporary = try TemporaryFolder()
        }

        private var cache: String { temporary.url.appending(path: "keys").path }

        /// The folder of the files, which is that of the certificates to trust.
        private var files: String {
            get throws {
                let names = try FileManager.default.contentsOfDirectory(atPath: cache)
                return cache + "/" + (try #require(names.first { $0.hasPrefix("ca-") }))
            }
        }

        private static let json = ["Content-Type": "application/json"] as KeyValuePairs

        private static func set(_ keys: PrivateKey...) -> String { KeySet(keys.map { .privateKey($0) }).jwks() }

        private func token(_ key: PrivateKey, issuer: String = "i") throws -> String {
            try JWSSigner(key: key, algorithm: .es256).sign(#"{"iss":"\#(issuer)","aud":"a","exp":4000000000}"#)
        }

        private func words(_ source: [String], _ token: String, _ more: [String] = []) -> [String] {
            // Under a sanitizer, sixteen processes take longer to start than the command waits for keys by default.
            let timeout = more.contains("--timeout") ? [] : ["--timeout", "60"]
            return ["verify", "--quiet", "--alg", "ES256", "--aud", "a", "--key-cache", cache, "--ca", server.place.ca]
                + source + timeout + more + [token]
        }

        /// Runs the command `count` times at once, and returns the number of runs with each status.
        private func statuses(_ count: Int, _ words: [String]) throws -> [String: Int] {
            // `cat` ends when the last of the runs has closed the pipe. `wait` needs SIGCHLD, which threads of Dispatch block.
            let script = "n=$1; shift; while [ $n -gt 0 ]; do { \"$@\"; echo $?; } & n=$((n - 1)); done | cat"
            let tool = try #require(builtTool("bulla"))
            let done = try run("/bin/sh", ["-c", script, "sh", "\(count)", tool] + words)
            return done.stdout.split(separator: "\n").reduce(into: [:]) { $0[String($1), default: 0] += 1 }
        }

        private func bulla(_ words: [String]) throws -> (status: Int32, stdout: String, stderr: String) {
            try run(try #require(builtTool("bulla")), words)
        }

        private func source(_ path: String) -> [String] { ["--keys", server.url(path), "--iss", "i"] }

        @Test("sixteen processes that start at once fetch once, and one that starts later does not fetch")
        func sixteen() throws {
            try server.answer("/cache/many", .init(Self.set(key), headers: Self.json) { $0.delay = 300 })
            let words = words(source("/cache/many"), try token(key))
            #expect(try statuses(16, words) == ["0": 16])
            #expect(try server.seen("/cache/many").requests == 1)
            #expect(try statuses(1, words) == ["0": 1])
            #expect(try server.seen("/cache/many").requests == 1)
            // Without the cache each process fetches.
            let alone = words.filter { $0 != "--key-cache" && $0 != cache }
            #expect(try statuses(2, alone) == ["0": 2])
            #expect(try server.seen("/cache/many").requests == 3)
        }

        @Test("sixteen processes with the issuer of the keys ask once for its metadata and once for its keys")
        func issuer() throws {
            let issuer = server.url("/cache/issuer")
            let metadata = "/cache/issuer/.well-known/openid-configuration"
            try server.answer(
                metadata,
                .init(#"{"issuer":"\#(issuer)","jwks_uri":"\#(server.url("/cache/jwks"))"}"#, headers: Self.json) {
                    $0.delay = 100
                })
            try server.answer("/cache/jwks", .init(Self.set(key), headers: Self.json) { $0.delay = 100 })
            #expect(try statuses(16, words(["--issuer", issuer], token(key, issuer: issuer))) == ["0": 16])
            #expect(try server.seen(metadata).requests == 1 && server.seen("/cache/jwks").requests == 1)
        }

        @Test("sixteen processes that meet a new kid at once fetch it once")
        func rotated() throws {
            let next = try PrivateKey.generate(.p256, keyID: "k2")
            try server.answer(
                "/cache/rotated", .init(Self.set(key), headers: Self.json),
                .init(Self.set(key, next), headers: Self.json) { $0.delay = 300 })
            #expect(try statuses(1, words(source("/cache/rotated"), token(key))) == ["0": 1])
            #expect(try statuses(16, words(source("/cache/rotated"), token(next))) == ["0": 16])
            let requests = try server.seen("/cache/rotated").requests
            #expect(requests == 2)
        }

        @Test("a process that stops while it fetches keeps the others waiting for a bounded time")
        func stopped() throws {
            try server.answer("/cache/stopped", .init(Self.set(key), headers: Self.json))
            let token = try token(key)
            let words = words(source("/cache/stopped"), token, ["--timeout", "3"])
            #expect(try bulla(words).status == 0)
            let folder = URL(filePath: try files)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let snapshot = try #require(names.first { $0.hasSuffix(".snapshot") })
            let lock = try #require(names.first { $0.hasSuffix(".lock") })
            try FileManager.default.removeItem(at: folder.appending(path: snapshot))
            let held = unsafe open(folder.appending(path: lock).path, O_RDWR)
            #expect(held >= 0 && flock(held, LOCK_EX) == 0)
            let begun = ContinuousClock.now
            let done = try bulla(words)
            let withOther = ContinuousClock.now - begun
            #expect(done.status == 0 && withOther > .seconds(3.9))
            #expect(try server.seen("/cache/stopped").requests == 2)
            close(held)
            // Without the other process the command does not wait. The timeout is long here, so that a wait would take longer than the
            // start, which takes seconds under a sanitizer.
            let later = ContinuousClock.now
            #expect(try bulla(self.words(source("/cache/stopped"), token, ["--timeout", "120"])).status == 0)
            #expect(ContinuousClock.now - later < .seconds(120))
        }

        @Test("a folder that others can write to is refused before anything is fetched")
        func folders() throws {
            try server.answer("/cache/folder", .init(Self.set(key), headers: Self.json))
            let words = words(source("/cache/folder"), try token(key))
            try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: false)
            for mode in [0o770, 0o707, 0o1777] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: cache)
                let done = try bulla(words)
                #expect(done.status == 2 && done.stderr.contains("others can write to it"), "\(mode)")
                #expect(done.stderr.split(separator: "\n").count == 1)
            }
            #expect(try server.seen("/cache/folder").requests == 0)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: cache)
            #expect(try bulla(words).status == 0)
            #expect(try server.seen("/cache/folder").requests == 1)
            // A file in place of the folder, and keys that are not remote.
            let file = temporary.url.appending(path: "file")
            try Data().write(to: file)
            #expect(try bulla(words.map { $0 == cache ? file.path : $0 }).status == 2)
            let local = ["verify", "--keys", file.path, "--key-cache", cache, "--alg", "ES256", "--any-issuer"]
            let done = try bulla(local + ["--any-audience", token(key)])
            #expect(done.status == 2 && done.stderr.contains("--key-cache requires a remote JWKS"))
        }

        @Test(
            "a snapshot that is truncated, changed, of another source or open to others is reported once and replaced")
        func forged() throws {
            try server.answer("/cache/forged", .init(Self.set(key), headers: Self.json))
            let stranger = try PrivateKey.generate(.p256, keyID: "k1")
            try server.answer("/cache/other", .init(Self.set(stranger), headers: Self.json))
            let words = words(source("/cache/forged"), try token(key))
            #expect(try bulla(self.words(source("/cache/other"), token(stranger))).status == 0)
            let folder = URL(filePath: try files)
            func snapshots() throws -> Set<String> {
                Set(
                    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                        $0.hasSuffix(".snapshot")
                    })
            }
            let other = try #require(try snapshots().first)
            #expect(try bulla(words).status == 0)
            let place = folder.appending(path: try #require(try snapshots().subtracting([other]).first))
            let whole = try Data(contentsOf: place)
            let faults: [(name: String, fault: String, apply: () throws -> Void)] = [
                ("truncated", "damaged", { try whole.dropLast(7).write(to: place) }),
                ("changed", "damaged", { try Data(whole.map { $0 == 0x31 ? 0x32 : $0 }).write(to: place) }),
                (
                    "of another source", "another URL",
                    { try Data(contentsOf: folder.appending(path: other)).write(to: place) }
                ),
                (
                    "open to others", "others can write",
                    { try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: place.path) }
                ),
                (
                    "a link", "belongs to another user",
                    {
                        try FileManager.default.removeItem(at: place)
                        try FileManager.default.createSymbolicLink(
                            at: place, withDestinationURL: folder.appending(path: other))
                    }
                ),
            ]
            var requests = 1
            for (name, fault, apply) in faults {
                try apply()
                let done = try bulla(words)
                #expect(done.status == 0, "\(name)")
                let lines = done.stderr.split(separator: "\n").filter { $0.contains("--key-cache") }
                #expect(lines.count == 1 && lines.first?.contains(fault) == true, "\(name): \(done.stderr)")
                requests += 1
                #expect(try server.seen("/cache/forged").requests == requests, "\(name)")
                let again = try bulla(words)
                #expect(again.status == 0 && !again.stderr.contains("--key-cache"), "\(name)")
                #expect(try server.seen("/cache/forged").requests == requests, "\(name)")
            }
        }

        @Test("keys that were fetched under other certificates are not used, and fresh keys are not fetched early")
        func authorities() throws {
            let url = server.url("/cache/authorities")
            try server.answer("/cache/authorities", .init(Self.set(key), headers: Self.json))
            let words = words(source("/cache/authorities"), try token(key))
            #expect(try bulla(words).status == 0)
            // The certificate of the server is not trusted without the option.
            let place = try #require(words.firstIndex(of: "--ca"))
            let without = Array(words[..<place] + words[(place + 2)...])
            let done = try bulla(without)
            #expect(done.status == 2 && done.stderr.contains("keys_unavailable"), "\(done.stderr)")
            // Near the end of their lifetime, the keys are used as they are.
            let folder = SnapshotFolder(path: try files)
            var snapshot = try #require(try folder.load(url, bodyLimit: 65_536))
            snapshot.fetchedAt -= snapshot.document.lifetime * 0.95
            try folder.save(snapshot)
            let requests = try server.seen("/cache/authorities").requests
            for _ in 0..<4 { #expect(try bulla(words).status == 0) }
            #expect(try server.seen("/cache/authorities").requests == requests)
        }

        @Test("keys of the cache that are no longer fresh are fetched first, and are used during an outage")
        func outage() throws {
            let url = server.url("/cache/outage")
            let next = try PrivateKey.generate(.p256, keyID: "k2")
            try server.answer("/cache/outage", .init(Self.set(key), headers: Self.json), .init(status: 503))
            let words = words(source("/cache/outage"), try token(key))
            #expect(try bulla(words).status == 0)
            let folder = SnapshotFolder(path: try files)
            func age(_ seconds: Double) throws {
                var snapshot = try #require(try folder.load(url, bodyLimit: 65_536))
                snapshot.fetchedAt -= seconds
                try folder.save(snapshot)
            }
            try age(3_600)
            let during = try bulla(words)
            #expect(during.status == 0 && during.stderr.contains("cannot be fetched"), "\(during.stderr)")
            try age(90_000)
            let late = try bulla(words)
            #expect(late.status == 2 && late.stderr.contains("keys_unavailable"), "\(late.stderr)")
            // A withdrawn key is not used once the server answers.
            try server.answer("/cache/outage", .init(Self.set(next), headers: Self.json))
            let after = try bulla(words)
            #expect(after.status == 1 && after.stderr.contains("key_not_found"), "\(after.stderr)")
        }
    }
#endif
