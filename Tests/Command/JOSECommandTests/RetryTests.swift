import Foundation
import JOSE
import TestSupport
import Testing

/// Tests of the third result, `retry`: tokens whose verification could not be completed.
@Suite("Results to retry") struct RetryTests {
    private let tool: String
    private let folder: TemporaryFolder
    private let key: PrivateKey

    init() throws {
        tool = try #require(builtTool("bulla"))
        folder = try TemporaryFolder()
        key = try PrivateKey.generate(.p256, keyID: "k1")
    }

    private func token(_ key: PrivateKey, expires: Int = 4_000_000_000) throws -> String {
        try JWSSigner(key: key, algorithm: .es256).sign(#"{"iss":"i","aud":"a","exp":\#(expires)}"#)
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder.url.appending(path: name).path
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private static let policy = ["--alg", "ES256", "--aud", "a", "--iss", "i"]

    @Test("T81 with --exit-zero rejected tokens and empty input exit with 0; a missing file or a failed write does not")
    func exitZero() throws {
        let keys = try file("keys", KeySet(key.publicKey).jwks())
        let words = ["verify", "--keys", keys, "--quiet"] + Self.policy
        let expired = try token(key, expires: 1)
        let good = try token(key)
        func status(_ words: [String], stdin: String = "") throws -> Int32 {
            try run(tool, words, stdin: stdin).status
        }
        for (more, stdin, plain) in [
            ([expired], "", 1), ([], expired + "\n" + good, 1), ([good], "", 0), ([], "", 2),
            (["--input", "jsonl"], "{}", 1), (["--input", "jsonl"], "", 2), (["--bytes", "--json"], "", 2),
        ] as [([String], String, Int32)] {
            let claims = more.contains("--json") ? ["verify", "--keys", keys, "--alg", "ES256"] : words
            #expect(try status(claims + more, stdin: stdin) == plain, "\(more)")
            #expect(try status(claims + ["--exit-zero"] + more, stdin: stdin) == 0, "\(more)")
        }
        let broken = try file("broken", "{}")
        for missing in [
            ["verify", "--keys", "/nowhere/keys", "--exit-zero"] + Self.policy + [good],
            ["verify", "--keys", broken, "--exit-zero"] + Self.policy + [good],
            words + ["--exit-zero", "/nowhere/tokens"], ["verify", "--exit-zero", good],
        ] {
            #expect(try status(missing) == 2, "\(missing)")
        }
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let command = ([tool] + words + ["--exit-zero", "--output", "json", good]).map { "'\($0)'" }
        let full = try run("/bin/sh", ["-c", command.joined(separator: " ") + " >/dev/full"])
        #expect(full.status == 2 && full.stderr == "bulla: cannot write: No space left on device\n")
    }

    @Test("T81 a token on which the cryptographic library failed is reported as retryable, by check and by decrypt")
    func library() throws {
        // This configuration gives an OpenSSL without algorithms, because its only provider has none.
        let broken = [
            "OPENSSL_CONF": try file("openssl.cnf", "openssl_conf=o\n[o]\nproviders=p\n[p]\nnull=n\n[n]\nactivate=1\n")
        ]
        let jwk = #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw"}"#
        let path = try file("dir", jwk)
        let token = try JWEEncrypter(
            key: SecretKey(bytes: Array(0..<16)), keyManagement: .dir, contentEncryption: .a128gcm
        ).encrypt(Array("text".utf8))
        let wrapped = try JWEEncrypter(
            key: SecretKey(bytes: Array(0..<16)), keyManagement: .a128kw, contentEncryption: .a128gcm
        ).encrypt(Array("text".utf8))
        let secret = try SecretKey(bytes: Array(0..<32))
        let signed = try JWSSigner(key: secret, algorithm: .hs256).sign("text")
        let secretJWK = String(decoding: secret.exportSecretJWK(), as: UTF8.self)
        let requests = """
            {"n":1,"op":"jwe-decrypt","token":"\(token)","keys":\(jwk)}
            {"n":2,"op":"jwe-decrypt","token":"\(wrapped)","keys":\(jwk)}
            {"n":3,"op":"jws-verify","token":"\(signed)","keys":\(secretJWK)}
            {"n":4,"op":"jwe-decrypt","token":"a.b.c.d.e","keys":\(jwk)}

            """
        let malformed = #"{"n":4,"result":"invalid","error":"malformed"}"#
        func answers(_ environment: [String: String]) throws -> [String] {
            let checked = try run(tool, ["check"], stdin: requests, environment: environment)
            #expect(checked.status == 0)
            return checked.stdout.components(separatedBy: "\n").dropLast()
        }
        #expect(
            try answers([:]) == (1...3).map { #"{"n":\#($0),"result":"valid","payload_b64url":"dGV4dA"}"# } + [
                malformed
            ])
        #expect(
            try answers(broken) == (1...3).map { #"{"n":\#($0),"result":"retry","error":"backend_failure"}"# } + [
                malformed
            ])

        let words = [
            "decrypt", "--bytes", "--decrypt-keys", path, "--key-alg", "dir", "--enc", "A128GCM", "--exit-zero",
        ]
        #expect(try run(tool, words + [token]).status == 0)
        let one = try run(tool, words + [token], environment: broken)
        #expect(one.status == 75 && one.stderr.hasPrefix("bulla decrypt: retry: backend_failure: "))
        let stream = try run(tool, words + ["--output", "json", "-"], stdin: "a.b.c\n" + token, environment: broken)
        #expect(
            stream.status == 75 && stream.stderr.hasPrefix("bulla decrypt: 2 tokens: 0 valid, 1 invalid, 1 to retry"))
        #expect(stream.stdout.hasSuffix(#"{"n":2,"result":"retry","error":"backend_failure"}"# + "\n"))
    }

    #if HTTP
        private static let json = ["Content-Type": "application/json"] as KeyValuePairs

        private struct Run {
            let status: Int32
            let lines: [String]
            let errors: String
        }

        private func bulla(_ server: FaultServer, _ words: [String], stdin: String = "") throws -> Run {
            // On a busy machine a fetch may take longer than the five seconds of the default.
            let timeout = words.contains("--timeout") ? [] : ["--timeout", "60"]
            let result = try run(tool, words + ["--ca", server.place.ca] + timeout, stdin: stdin)
            return Run(
                status: result.status, lines: result.stdout.components(separatedBy: "\n").dropLast(),
                errors: result.stderr)
        }

        private static func set(_ keys: PrivateKey...) -> FaultServer.Answer {
            .init(KeySet(keys.map { .privateKey($0) }).jwks(), headers: json)
        }

        @Test("T81 if a refresh failed, a token with a missing key is retryable in every output, with status 75")
        func failedRefresh() throws {
            let server = try FaultServer.shared.get()
            let next = try PrivateKey.generate(.p256, keyID: "k2")
            let stranger = try PrivateKey.generate(.p256, keyID: "k1")
            // Each run has a path of its own, which delivers the key set once, and from then on the other answers.
            var paths = 0
            func keys(then answers: FaultServer.Answer...) throws -> [String] {
                paths += 1
                let path = "/retry/\(folder.url.lastPathComponent)/\(paths)"
                try server.answer(path, [Self.set(key)] + answers)
                return ["--keys", server.url(path)] + Self.policy
            }
            let down = FaultServer.Answer(status: 503)
            let hung = FaultServer.Answer(status: 503) { $0.delay = 60_000 }
            let good = try token(key)
            let rotated = try token(next)
            let tokens = [good, rotated, try token(stranger), rotated, "a.b.c", good].joined(separator: "\n")
            func wanted(_ result: String, _ code: String) -> [String] {
                let failed = #""result":"\#(result)","error":"\#(code)"}"#
                return [
                    #"{"n":1,"result":"valid"}"#, #"{"n":2,\#(failed)"#,
                    #"{"n":3,"result":"invalid","error":"signature_invalid"}"#, #"{"n":4,\#(failed)"#,
                    #"{"n":5,"result":"invalid","error":"malformed"}"#, #"{"n":6,"result":"valid"}"#,
                ]
            }
            for exit in [[], ["--exit-zero"]] {
                // The timeout applies to the first fetch too, which must end in time on a loaded machine.
                for (answer, timeout) in [(down, "60"), (hung, "15")] {
                    let words = ["verify", "--output", "json", "--timeout", timeout] + exit + ["-"]
                    let stream = try bulla(server, words + keys(then: answer), stdin: tokens)
                    #expect(stream.status == 75 && stream.lines == wanted("retry", "keys_unavailable"), "\(stream)")
                    let counts = "6 tokens: 2 valid, 2 invalid, 2 to retry"
                    let reasons = "malformed 1, signature_invalid 1, retry keys_unavailable 2; the first in line 2"
                    #expect(stream.errors.hasPrefix("bulla verify: \(counts) (\(reasons))"))
                }
                let one = try bulla(server, ["verify", "--output", "json"] + exit + keys(then: down) + [rotated])
                #expect(one.status == 75 && one.lines == [#"{"n":1,"result":"retry","error":"keys_unavailable"}"#])
                #expect(one.errors.hasPrefix("bulla verify: retry: keys_unavailable: "))
                let row = #"{"id":"r","token":"\#(rotated)"}"#
                let rows = try bulla(
                    server, ["verify", "--input", "jsonl", "--quiet"] + exit + keys(then: down), stdin: row)
                #expect(rows.status == 75 && rows.lines == [#"{"id":"r","result":"retry","error":"keys_unavailable"}"#])
            }
            let explained = try bulla(server, ["explain"] + keys(then: down) + [rotated])
            #expect(explained.status == 75 && explained.lines.last == "retry: keys_unavailable")
            let json = try JSONSigner(JWSSigner(key: next, algorithm: .es256)).sign("{}")
            let parts = try bulla(
                server, ["explain", "--json"] + keys(then: down).prefix(4) + [json])
            #expect(parts.status == 75 && parts.lines.last == "retry: keys_unavailable")

            // If the server answers, the key is known to be missing, and the token is rejected.
            let known = try bulla(
                server, ["verify", "--output", "json", "-"] + keys(then: Self.set(key)), stdin: tokens)
            #expect(known.status == 1 && known.lines == wanted("invalid", "key_not_found"))
            let back = try bulla(
                server, ["verify", "--quiet", "-"] + keys(then: down, Self.set(key, next)),
                stdin: [good, rotated].joined(separator: "\n"))
            #expect(back.status == 0)
        }

        @Test("T81 every command that verifies waits for the refresh that a token with a new kid causes")
        func waiting() throws {
            let server = try FaultServer.shared.get()
            let next = try PrivateKey.generate(.p256, keyID: "k2")
            var paths = 0
            func keys(then answer: FaultServer.Answer) throws -> [String] {
                paths += 1
                let path = "/waiting/\(folder.url.lastPathComponent)/\(paths)"
                try server.answer(path, [Self.set(key), answer])
                return ["--keys", server.url(path), "--alg", "ES256"]
            }
            let claims = ["--aud", "a", "--iss", "i"]
            let payload = try file("payload", "{}")
            let signer = try JWSSigner(key: next, algorithm: .es256)
            let detached = try signer.sign(detached: "{}")
            let json = try JSONSigner(signer).sign("{}")
            let detachedJSON = try JSONSigner(signer).sign(detached: "{}")
            for words in [
                ["verify"] + claims + [try token(next)], ["verify", "--bytes", try token(next)],
                ["verify", "--json", json], ["verify", "--detached", payload, detached],
                ["verify", "--json", "--detached", payload, detachedJSON],
                ["explain"] + claims + [try token(next)], ["explain", "--json", json],
            ] {
                #expect(try bulla(server, words + keys(then: Self.set(key, next))).status == 0, "\(words)")
                #expect(try bulla(server, words + keys(then: Self.set(key))).status == 1, "\(words)")
                #expect(try bulla(server, words + keys(then: .init(status: 503))).status == 75, "\(words)")
            }
        }

        @Test("T81 a key server that is unreachable at the start is a failure, also with --exit-zero")
        func downAtStart() throws {
            let server = try FaultServer.shared.get()
            let path = "/start/" + folder.url.lastPathComponent
            for exit in [[], ["--exit-zero"]] {
                try server.answer(path, .init(status: 503))
                let words = ["verify", "--keys", server.url(path), "--quiet"] + Self.policy + exit
                let done = try bulla(server, words + [token(key)])
                #expect(done.status == 2 && done.lines.isEmpty && done.errors.contains("keys_unavailable: https://"))
                try server.answer(path, Self.set(key))
                #expect(try bulla(server, words + [token(key)]).status == 0)
            }
        }
    #endif
}
