import Foundation
import JOSE
import TestSupport
import Testing

/// Tests with text that a terminal interprets, in every place from which `bulla` or `bulla-sandbox` prints text of
/// others.
@Suite("Untrusted text on a terminal") struct TerminalTests {
    @Test(
        "T82 no command prints a control or bidirectional character that is in its arguments",
        arguments: try Hostile.commands()
    )
    func arguments(_ command: String) throws {
        // The path is in no folder: nothing is created, and no server starts.
        let value = "no folder/" + Hostile.text
        var runs = [["--" + Hostile.text], [value], [value, value, value], ["--help=" + Hostile.text]]
        let help = try Hostile.execute(command, ["--help-all"]).stdout
        for match in help.matches(
            of: try Regex(#"(?m)^  --([a-z0-9-]+)( [A-Za-z0-9|]+)?"#, as: (Substring, Substring, Substring?).self))
        {
            let name = "--" + match.output.1
            runs.append(match.output.2 == nil ? [name + "=" + value] : [name, value])
        }
        for arguments in runs {
            Hostile.expectSafe(try Hostile.execute(command, arguments), "\(command) \(arguments)")
        }
        // The text is printed in escapes, and not left out.
        let unknown = try Hostile.execute(command, ["--" + Hostile.text])
        #expect(unknown.stderr.contains(Hostile.ordinary), "\(command): \(unknown.stderr)")
    }

    @Test("T82 no command prints a control or bidirectional character that is in a file, token or key")
    func contents() throws {
        let files = try HostileFiles()
        #expect(Set(files.runs.keys) == Set(try Hostile.commands()))
        for (command, runs) in files.runs {
            for one in runs {
                let done = try Hostile.execute(command, one.words, stdin: one.stdin)
                let what = "\(command) \(one.words)"
                Hostile.expectSafe(done, what)
                #expect(done.status == one.status, "\(what): \(done.stderr)")
                #expect(!one.shows || (done.stdout + done.stderr).contains(Hostile.ordinary), "\(what): \(done)")
            }
        }
    }

    @Test("T82 escaping does not change the meaning of JSON, and a payload that is piped keeps its bytes")
    func meaning()
        throws
    {
        let tool = try #require(builtTool("bulla"))
        let files = try HostileFiles()
        for words in [
            ["key", "public"], ["key", "convert", "--to", "jwk"], ["key", "convert", "--to", "jwk", "--private"],
        ] {
            let done = try run(tool, words + [files.key])
            #expect(try JSON(done.stdout.utf8)["kid"] == .string(Hostile.text), "\(words)")
        }
        let out = files.folder.url.appending(path: "copy.jwk").path
        #expect(try run(tool, ["key", "public", files.key, "--out", out]).status == 0)
        #expect(try JSON(Data(contentsOf: URL(filePath: out)))["kid"] == .string(Hostile.text))
        let verify = ["verify", "--keys", files.key, "--alg", "ES256", "--any-issuer", "--any-audience", "--output"]
        let shown = try run(tool, verify + ["json", "--show-claims", files.token])
        #expect(try JSON(shown.stdout.utf8)["claims"]?["sub"] == .string(Hostile.text))
        let payload = try run(tool, verify + ["payload", files.token])
        #expect(payload.stdout == files.claims + "\n")
    }

    #if os(Linux)
        @Test("T82 a payload is escaped on a terminal, and DER is not written to one") func terminal() throws {
            let files = try HostileFiles()
            let verify = ["verify", "--keys", files.key, "--alg", "ES256", "--bytes", "--output", "payload"]
            let shown = try Pseudoterminal.run(verify + [files.text])
            #expect(shown.status == 0)
            Hostile.expectSafe((0, shown.output.replacing("\r\n", with: "\n"), ""), "payload", isPayload: true)
            #expect(shown.output.contains(Hostile.ordinary) && shown.output.contains("\\u{1b}[31m"))
            let der = try Pseudoterminal.run(["key", "public", files.key, "--to", "der"])
            #expect(der.status == 2 && der.output.isEmpty)
            let pem = try Pseudoterminal.run(["key", "public", files.key, "--to", "pem"])
            #expect(pem.status == 0 && pem.output.hasPrefix("-----BEGIN PUBLIC KEY-----"))
            // Where standard output is not a terminal, both are written unchanged.
            let tool = try #require(builtTool("bulla"))
            #expect(try run(tool, verify + [files.text]).stdout == Hostile.text)
            #expect(try run(tool, ["key", "public", files.key, "--to", "der"]).status == 0)
        }

        @Test("T82 the output for a row is escaped on a terminal, and contains the row's id byte for byte in a pipe")
        func rows() throws {
            let tool = try #require(builtTool("bulla"))
            let files = try HostileFiles()
            // Characters beyond ASCII may be in a string unescaped (RFC 8259, 7).
            let id = "\"\(Hostile.ordinary)\u{9B}2J\u{202E}\""
            let rows = files.folder.url.appending(path: "rows").path
            try Data("{\"id\":\(id),\"token\":\"\(files.token)\"}\n".utf8).write(to: URL(filePath: rows))
            let words = [
                "verify", "--keys", files.key, "--alg", "ES256", "--any-issuer", "--any-audience", "--input", "jsonl",
                rows,
            ]
            let shown = try Pseudoterminal.run(words)
            #expect(shown.status == 0)
            Hostile.expectSafe((0, shown.output.replacing("\r\n", with: "\n"), ""), "row")
            #expect(shown.output.contains(Hostile.ordinary + "\\u009b2J\\u202e"))
            #expect(try run(tool, words).stdout == "{\"id\":\(id),\"result\":\"valid\"}\n")
        }
    #endif

    #if HTTP
        @Test("T82 keys fetch, keys watch and links check print no control or bidirectional character of a response")
        func servers()
            throws
        {
            let server = try FaultServer.shared.get()
            let files = try HostileFiles()
            let line = Hostile.text.replacing("\n", with: "").replacing("\u{1B}", with: "")
            let type = ("Content-Type", "application/json")
            try server.answer(
                "/terminal/keys",
                .init(
                    files.set, headers: [type.0: type.1, "ETag": "\"\(line)\"", "Cache-Control": "max-age=60, \(line)"])
            )
            try server.answer("/terminal/type", .init(files.set, headers: ["Content-Type": line]))
            try server.answer("/terminal/moved", .redirect(to: "https://localhost/" + line))
            try server.answer("/terminal/junk", .init(Hostile.text, headers: [type.0: type.1]))
            let links = "/terminal/apple-app-site-association.json"
            try server.answer(links, .init(files.links, headers: ["Content-Type": line]))
            func done(_ command: String, _ words: String...) throws -> (status: Int32, stdout: String, stderr: String) {
                let done = try Hostile.execute(command, words + ["--ca", server.place.ca])
                Hostile.expectSafe(done, "\(command) \(words)")
                return done
            }
            for name in ["type", "moved", "junk"] {
                #expect(try done("bulla keys fetch", server.url("/terminal/" + name)).status == 1)
            }
            let fetched = try done("bulla keys fetch", server.url("/terminal/keys"))
            #expect(fetched.status == 0 && fetched.stdout.contains(Hostile.ordinary))
            guard case .array(let keys)? = try JSON(fetched.stdout.utf8)["keys"] else { throw NoKeys() }
            #expect(keys.first?["kid"] == .string(Hostile.text))
            let watched = try done("bulla keys watch", server.url("/terminal/keys"), "--for", "0.3")
            #expect(watched.status == 0 && watched.stdout.contains("added"))
            #expect(
                try done("bulla-sandbox links check", server.url(links)).stdout.contains(
                    "apple-app-site-association.json"))
        }

        private struct NoKeys: Error {}
    #endif
}
