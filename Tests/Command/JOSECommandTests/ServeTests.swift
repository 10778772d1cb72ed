#if Server
    import Foundation
    import JOSE
    import TestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Tests of `keys serve` with a folder that contains other things than key files.
    @Suite("The command keys serve") struct ServeTests {
        @Test("K28 a FIFO or device in the folder is skipped, blocks no request, and SIGTERM ends the server")
        func fifo()
            throws
        {
            let tool = try #require(builtTool("bulla"))
            let folder = try TemporaryFolder()
            let path = folder.url.path
            try Data(PrivateKey.generate(.p256, keyID: "k").publicKey.jwk().utf8)
                .write(to: folder.url.appending(path: "good.json"))
            #expect(unsafe mkfifo(path + "/before.json", 0o600) == 0)
            #expect(unsafe symlink("/dev/zero", path + "/zero.json") == 0)
            #expect(unsafe symlink(path + "/good.json", path + "/linked.json") == 0)
            let errors = path + "/errors"
            let served = try Tethered("/bin/sh", ["-c", "exec \"$0\" keys serve \"$1\" 2>\"$2\"", tool, path, errors])
            defer { _ = kill(served.identifier, SIGKILL) }
            // The files are in the order of their names. A file that is left out has no line.
            let good = try served.line()
            #expect(good.hasSuffix("/good.json  1 key"))
            #expect(try served.line().hasSuffix("/linked.json  1 key"))
            let origin = String(good.prefix { $0 != " " }.dropLast("/good.json".count))
            #expect(try served.line() == origin + "/  all keys")
            // This one is created later, and requested by its name.
            #expect(unsafe mkfifo(path + "/after.json", 0o600) == 0)
            func get(_ target: String) throws -> (String, String) {
                let done = try run("curl", ["-s", "--max-time", "300", "-w", "\n%{http_code}", origin + target])
                let lines = done.stdout.split(separator: "\n").map(String.init)
                return (lines.first ?? "", lines.last ?? "")
            }
            #expect(try get("/after.json").1 == "404")
            #expect(try get("/zero.json").1 == "404")
            for target in ["/", "/good.json", "/linked.json"] {
                let (body, status) = try get(target)
                #expect(status == "200" && body.contains("\"k\""), "\(target)")
            }
            // The path of a request has no effect on a terminal.
            #expect(try get("/%C2%9B31m%E2%80%AE%0Aforged.json").1 == "404")
            #expect(kill(served.identifier, SIGTERM) == 0)
            #expect(throws: (any Error).self) { try served.line() }
            let told = try String(contentsOfFile: errors, encoding: .utf8)
            #expect(told.contains("left out: cannot read \(path)/before.json: it is not a regular file"))
            #expect(told.contains("left out: cannot read \(path)/zero.json: it is not a regular file"))
            Hostile.expectSafe((0, "", told), "keys serve")
        }

        @Test("T82 keys serve prints no control or bidirectional character of a file name") func names() throws {
            let tool = try #require(builtTool("bulla"))
            let folder = try TemporaryFolder()
            let key = try PrivateKey.generate(.p256, keyID: Hostile.text).publicKey.jwk()
            try Data(key.utf8).write(to: folder.url.appending(path: Hostile.text + ".json"))
            try Data(Hostile.text.utf8).write(to: folder.url.appending(path: "broken" + Hostile.text + ".json"))
            let served = try Tethered("/bin/sh", ["-c", "exec \"$0\" keys serve \"$1\" 2>&1", tool, folder.url.path])
            defer { _ = kill(served.identifier, SIGKILL) }
            for expected in ["left out: ", ".json  1 key", "/  all keys"] {
                let line = try served.line()
                #expect(line.contains(expected), "\(line)")
                Hostile.expectSafe((0, line, ""), "keys serve")
                #expect(expected != "left out: " || line.contains(Hostile.ordinary))
            }
        }
    }
#endif
