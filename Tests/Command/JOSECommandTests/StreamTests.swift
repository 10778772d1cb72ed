import Foundation
import JOSE
import TestSupport
import Testing

@Suite("Streams of input lines") struct StreamTests {
    private let folder: TemporaryFolder
    private let token: String
    private let policy: [String]
    private let tool: String

    init() throws {
        guard let tool = builtTool("bulla") else { throw Script.Complaint(description: "bulla is not built") }
        self.tool = tool
        folder = try TemporaryFolder()
        let key = try SecretKey(bytes: Array(0..<32))
        token = try JWSSigner(key: key, algorithm: .hs256).sign(#"{"iss":"i","aud":"a","exp":4000000000}"#)
        let path = folder.url.appending(path: "key").path
        try Data(key.exportSecretJWK()).write(to: URL(filePath: path))
        policy = ["verify", "--keys", path, "--alg", "HS256", "--iss", "i", "--aud", "a"]
    }

    /// Whether the allocator keeps freed memory, as that of a sanitizer does.
    private var keepsFreedMemory: Bool { tool.contains("/sanitize/") }

    private func file(_ name: String, _ text: String) throws -> String {
        let url = folder.url.appending(path: name)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    @Test("output has the order of the input, on any number of threads", arguments: [1, 2, 7]) func order(_ jobs: Int)
        throws
    {
        let count = 20_000
        var text = ""
        for index in 0..<count { text += (index % 7 == 3 ? "no.such.token" : token) + "\n" }
        let output = folder.url.appending(path: "out").path
        let input = try file("in", text)
        let run = try Spawned(
            policy + ["--output", "json", "--quiet", "--jobs", String(jobs)], input: input, output: output)
        #expect(run.status == 1)
        let lines = try String(contentsOfFile: output, encoding: .utf8).components(separatedBy: "\n").dropLast()
        let wanted = (1...count).map { number in
            number % 7 == 4
                ? #"{"n":\#(number),"result":"invalid","error":"malformed"}"# : #"{"n":\#(number),"result":"valid"}"#
        }
        #expect(lines == wanted[...])
    }

    @Test("memory does not grow with the length of a stream") func memory() throws {
        let block = String(repeating: token + "\n", count: 10_000)
        let short = try file("short", block)
        let long = try file("long", String(repeating: block, count: 20))
        let some = try Spawned(policy + ["--output", "json", "--quiet"], input: short)
        let many = try Spawned(policy + ["--output", "json", "--quiet"], input: long)
        #expect(some.status == 0 && many.status == 0)
        guard !keepsFreedMemory else { return }
        #expect(Double(many.memory) < Double(some.memory) * 1.1, "\(some.memory) and \(many.memory) bytes")
    }

    @Test("a line that is too long is skipped without being stored") func longLine() throws {
        let endless = String(repeating: "a", count: 40_000_000)
        let limit = String(repeating: "a", count: 262_144)
        let lines = [token, endless, token, limit, limit + "a", limit + "\r", token]
        let input = try file("in", lines.joined(separator: "\n"))
        let output = folder.url.appending(path: "out").path
        let run = try Spawned(policy + ["--output", "json", "--quiet"], input: input, output: output)
        let short = try Spawned(policy + ["--quiet"], input: file("short", token))
        let answers = try String(contentsOfFile: output, encoding: .utf8).components(separatedBy: "\n").dropLast()
        let errors = answers.map { line in
            line.contains("valid\"}") ? "valid" : line.contains("limit_exceeded") ? "limit_exceeded" : "malformed"
        }
        #expect(run.status == 1)
        #expect(errors == ["valid", "limit_exceeded", "valid", "malformed", "limit_exceeded", "malformed", "valid"])
        guard !keepsFreedMemory else { return }
        #expect(run.memory < short.memory + 20_000_000, "\(short.memory) and \(run.memory) bytes")
    }

    @Test("each line of a slow stream is answered before the next one arrives") func slow() throws {
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments = policy + ["--output", "json", "--quiet"]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        for number in 1...3 {
            input.fileHandleForWriting.write(Data((token + "\n").utf8))
            // This blocks forever if the answer waits for more input.
            let answer = output.fileHandleForReading.availableData
            #expect(String(decoding: answer, as: UTF8.self) == "{\"n\":\(number),\"result\":\"valid\"}\n")
        }
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("the command ends silently if the pipe it writes to is closed") func closedPipe() throws {
        let input = try file("in", String(repeating: token + "\n", count: 50_000))
        let command = ([tool] + policy + ["--output", "json", input]).map { "'\($0)'" }.joined(separator: " ")
        let result = try run("/bin/sh", ["-c", "{ \(command); echo $? >&2; } | head -n 1"])
        #expect(result.stdout == "{\"n\":1,\"result\":\"valid\"}\n")
        #expect(result.stderr == "141\n")
        // The result is the same if the parent process ignores SIGPIPE.
        let deaf = try run("/bin/sh", ["-c", "trap '' PIPE; { \(command); echo $? >&2; } | head -n 1"])
        #expect(deaf.stderr == "141\n")
    }

    @Test("a full disk is reported") func fullDisk() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let input = try file("in", token + "\n")
        let command = ([tool] + policy + ["--output", "json", "--quiet", input]).map { "'\($0)'" }.joined(
            separator: " ")
        let result = try run("/bin/sh", ["-c", command + " >/dev/full"])
        #expect(result.status == 2)
        #expect(result.stderr == "bulla: cannot write: No space left on device\n")
    }
}
