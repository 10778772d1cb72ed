import Foundation
import JOSE
import TestSupport
import Testing

@Suite("SIGTERM during a stream") struct TerminationTests {
    /// Starts the command, writes `first`, waits for as many answers as it has lines, writes `rest`, sends SIGTERM, and prints the
    /// status, the number of answers to the first lines, and all later output.
    private static let script = """
        import signal, subprocess, sys
        first, rest = open(sys.argv[1], "rb").read(), open(sys.argv[2], "rb").read()
        child = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        child.stdin.write(first)
        child.stdin.flush()
        lines = [child.stdout.readline() for _ in range(first.count(b"\\n"))]
        child.stdin.write(rest)
        child.stdin.flush()
        seen = child.stdout.readline() if b"\\n" in rest else b""
        child.send_signal(signal.SIGTERM)
        later = seen + child.stdout.read()
        status = child.wait()
        print(status, sum(line.endswith(b"\\n") for line in lines))
        sys.stdout.write(later.decode())
        """

    private func outcome(_ words: [String], first: String, rest: String) throws -> [String] {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let paths = ["first", "rest"].map { folder.url.appending(path: $0) }
        try Data(first.utf8).write(to: paths[0])
        try Data(rest.utf8).write(to: paths[1])
        let tool = try #require(builtTool("bulla"))
        let report = try run("/usr/bin/env", ["python3", "-c", Self.script] + paths.map(\.path) + [tool] + words)
        #expect(report.status == 0, "\(report.stderr)")
        return report.stdout.split(separator: "\n").map(String.init)
    }

    @Test("every whole line that was read is answered, a part of a line is not, and the status is 143")
    func drained() throws {
        let shop = try Workshop.shared.get()
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let keys = folder.url.appending(path: "keys.json")
        try Data(shop.signing.publicKey.jwk().utf8).write(to: keys)
        let words = [
            "verify", "--keys", keys.path, "--alg", "ES256", "--any-issuer", "--any-audience", "--output", "json",
        ]
        let lines = String(repeating: try shop.signed() + "\n", count: 300)
        let quiet = try outcome(words, first: lines, rest: "a.part.of")
        #expect(quiet == ["143 300"])
        // Lines that arrive with the signal are answered in order, or not at all; those that were read before it are answered.
        let busy = try outcome(words, first: lines, rest: lines)
        #expect(busy.first == "143 300")
        for (index, line) in busy.dropFirst().enumerated() {
            #expect(line.hasPrefix("{\"n\":\(301 + index),\"result\":"))
        }
        #expect((2...301).contains(busy.count))
    }
}
