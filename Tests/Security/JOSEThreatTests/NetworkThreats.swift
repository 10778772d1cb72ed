import Foundation
import JOSE
import JOSETesting
import TestSupport
import Testing

@Suite("Threats: URLs in tokens") struct NetworkThreats {
    private static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Header members with URLs of the kinds that libraries have fetched.
    private static let places = [
        #""jku":"https://127.0.0.1:9/canary""#, #""x5u":"file:///tmp/canary""#, #""x5c":["Y2FuYXJ5"]"#,
        #""jku":"file:///proc/self/environ?canary""#, #""jku":"http://[::1]:9/canary","x5u":"data:,canary""#,
        #""kid":"/tmp/canary""#, #""kid":"file:///tmp/canary""#, #""kid":"|touch /tmp/canary""#,
        #""jwk":{"kty":"oct","k":"AAAA"},"x5t":"canary","x5t#S256":"canary""#,
    ]

    @Test("T07 a URL in the header is not fetched, and the configured keys decide (RFC 8725, 3.10)")
    func configuredKeys() throws {
        let attacker = Keys.made(.p256)
        for members in Self.places {
            let header = #"{"alg":"ES256",\#(members)}"#
            let hostile = try Forge.signed(header: header, payload: claims(), with: attacker, .es256)
            #expect(outcome(of: hostile, [Keys.p256.shown], [.es256]) == .signatureInvalid, "\(members)")
            #expect(outcome(of: hostile, [], [.es256]) == .noKey, "\(members)")
            let control = try Forge.signed(header: header, payload: claims(), with: Keys.p256, .es256)
            #expect(outcome(of: control, [Keys.p256.shown], [.es256]) == accepted, "\(members)")
        }
    }

    @Test(
        "T07 verification opens no socket and no file, by strace",
        .enabled(if: strace != nil && builtTool("bulla") != nil, "strace or the command is not there"))
    func systemCalls() throws {
        let strace = try #require(Self.strace)
        let bulla = try #require(builtTool("bulla"))
        let folder = try TemporaryFolder()
        let keys = folder.url.appending(path: "keys.json")
        try Data(KeySet(Keys.p256.shown).jwks().utf8).write(to: keys)
        let attacker = Keys.made(.p256)
        var lines: [String] = []
        for members in Self.places {
            for key in [Keys.p256, attacker] {
                lines.append(
                    try Forge.signed(header: #"{"alg":"ES256",\#(members)}"#, payload: claims(), with: key, .es256))
            }
        }
        let trace = folder.url.appending(path: "trace")
        let result = try run(
            strace,
            [
                "-f", "-s", "4096", "-e", "trace=%network,%file", "-o", trace.path, bulla, "verify", "--keys",
                keys.path, "--alg",
                "ES256", "--iss", "https://i.test", "--aud", "me", "--now", "\(Now.seconds)", "--output", "json",
                "-",
            ], stdin: lines.joined(separator: "\n") + "\n",
            // LeakSanitizer needs ptrace, which strace uses already.
            environment: ["ASAN_OPTIONS": "detect_leaks=0"])
        let calls = (try? String(contentsOf: trace, encoding: .utf8)) ?? ""
        try #require(result.status == 1 && !calls.isEmpty, "\(result.stderr.prefix(200))")
        #expect(result.stdout.split(separator: "\n").filter { $0.contains("\"valid\"") }.count == Self.places.count)
        // The runtime reads files at the start: that of a sanitizer reads the environment.
        var hasStarted = false
        for call in calls.split(separator: "\n") {
            // The first system call contains the command line, with the files that the user named.
            if call.contains("execve(") { continue }
            hasStarted = hasStarted || call.contains("keys.json")
            #expect(!hasStarted || !call.contains("canary") && !call.contains("environ"), "\(call)")
            for name in ["socket(", "connect(", "sendto(", "bind(", "recvfrom("] {
                #expect(!call.contains(name), "\(call)")
            }
        }
        #expect(calls.contains("keys.json"))
        #expect(!FileManager.default.fileExists(atPath: "/tmp/canary"))
        withExtendedLifetime(folder) {}
    }
}
