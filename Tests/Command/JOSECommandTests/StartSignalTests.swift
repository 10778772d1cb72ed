#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @Suite("Signals at the start of the command") struct StartSignalTests {
        private static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }

        /// Runs a program with no signal blocked: the threads of a test block nearly all.
        private static let unblocked = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.execv(sys.argv[1], sys.argv[1:])
            """

        /// Returns the changes of the signal mask of a command that rejects its arguments, which it reads first.
        private func masks(_ command: String) throws -> [Substring] {
            let strace = try #require(Self.strace)
            var words = command.split(separator: " ").map(String.init)
            words[0] = try #require(builtTool(words[0]))
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let trace = folder.url.appending(path: "trace")
            let result = try run(
                "/usr/bin/env",
                ["python3", "-c", Self.unblocked, strace, "-e", "trace=rt_sigprocmask", "-o", trace.path] + words
                    + ["--no-such-option"],
                // LeakSanitizer needs ptrace, which strace uses already.
                environment: ["ASAN_OPTIONS": "detect_leaks=0"])
            #expect(result.status == 2, "\(command): \(result.stderr)")
            return try String(contentsOf: trace, encoding: .utf8).split(separator: "\n").filter {
                $0.contains("rt_sigprocmask(")
            }
        }

        @Test(
            "no signal that a command answers to ends it before it has read its arguments, and others end at once, by strace",
            .enabled(if: strace != nil && builtTool("bulla") != nil, "strace or the command is not there"),
            arguments: [
                ("bulla worker", "[INT TERM]"), ("bulla serve", "[HUP INT TERM]"), ("bulla keys serve", "[INT TERM]"),
                ("bulla keys watch", "[INT TERM]"), ("bulla-sandbox serve", "[INT TERM]"),
                ("bulla-sandbox demo-login", "[INT TERM]"), ("bulla verify", "[TERM]"), ("bulla decrypt", "[TERM]"),
                ("bulla check", "[TERM]"), ("bulla sign", "[]"), ("bulla key generate", "[]"),
            ])
        func order(command: String, held: String) throws {
            let masks = try masks(command)
            // strace writes the signals in the order of their numbers. libc blocks all of them for an instant now and then.
            let all = "[HUP INT TERM]"
            let place = try #require(masks.firstIndex { $0.contains("SIG_BLOCK, \(all), []") }, "\(command): \(masks)")
            #expect(masks[..<place].allSatisfy { $0.contains("~[") || $0.contains("SIG_SETMASK, [],") }, "\(masks)")
            let released = masks[place...].first {
                $0.contains("SIG_SETMASK, ") && (held == all || !$0.contains("SIG_SETMASK, \(all),"))
            }
            #expect(released?.contains("SIG_SETMASK, \(held), NULL") == true, "\(command): \(masks)")
        }

        /// Starts the command with the signal blocked and sent, and prints the status.
        private static let script = """
            import signal, subprocess, sys
            def block(): signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
            child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, preexec_fn=block)
            child.send_signal(signal.SIGTERM)
            child.stdout.read()
            print(child.wait())
            """

        @Test(
            "SIGTERM that a service finds at its start ends it with status 0, and one that the parent blocked stays so")
        func early() throws {
            let tool = try #require(builtTool("bulla"))
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let key = folder.url.appending(path: "key.json").path
            func status(_ words: [String]) throws -> String {
                let report = try run("/usr/bin/env", ["python3", "-c", Self.script, tool] + words)
                return report.stdout.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            #expect(try status(["key", "generate", "P-256", "--out", key]) == "0")
            #expect(try status(["keys", "serve", key, "--port", "0"]) == "0")
        }
    }
#endif
