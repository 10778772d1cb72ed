import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Text with characters that a terminal interprets.
enum Hostile {
    static let ordinary = "é漢字😀"
    static let text =
        ordinary + "\u{1B}[31m\u{7F}\u{85}\u{9B}2J\u{9D}0;t\u{9C}\u{200E}\u{200F}\u{61C}\u{202E}\u{2066}\u{2028}"
        + "\u{2029}\u{FEFF}\u{E0041}\nforged: line"

    /// Returns all commands, such as `bulla key inspect`, from the tables of both programs.
    static func commands() throws -> [String] {
        try ["bulla", "bulla-sandbox"].flatMap { program -> [String] in
            guard let tool = builtTool(program) else { return [] }
            let help = try run(tool, ["--help"]).stdout
            let rows = help.matches(
                of: try Regex(#"(?m)^  ([a-z-]+( [a-z-]+)?)  +\S"#, as: (Substring, Substring, Substring?).self))
            return rows.map { program + " " + $0.output.1 }
        }
    }

    /// Runs a command, such as `bulla key inspect`.
    static func execute(
        _ command: String, _ arguments: [String], stdin: String = ""
    ) throws -> (status: Int32, stdout: String, stderr: String) {
        let words = command.split(separator: " ").map(String.init)
        return try run(try #require(builtTool(words[0])), words.dropFirst() + arguments, stdin: stdin)
    }

    /// The characters that a terminal interprets, listed independently of the command.
    private static let obeyed: [ClosedRange<UInt32>] = [
        0x00...0x09, 0x0B...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069,
        0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F,
    ]

    /// Expects that output has no character that a terminal interprets.
    ///
    /// - Parameter isPayload: Whether the output is a payload, whose line feeds are written unchanged.
    static func expectSafe(
        _ done: (status: Int32, stdout: String, stderr: String), _ what: String, isPayload: Bool = false
    ) {
        for text in [done.stdout, done.stderr] {
            let raw = text.unicodeScalars.filter { scalar in obeyed.contains { $0.contains(scalar.value) } }
            #expect(raw.isEmpty, "\(what.debugDescription): \(raw.map { String($0.value, radix: 16) })")
            let lines = text.split(separator: "\n")
            #expect(isPayload || !lines.contains { $0.hasPrefix("forged") }, "\(what.debugDescription)")
        }
    }
}

/// Files with hostile names and contents, and the runs of each command that print text from them.
struct HostileFiles {
    struct Run {
        var words: [String]
        var stdin = ""
        var status: Int32 = 0
        var shows = true
    }
    let folder: TemporaryFolder
    let key, text, token, claims, set, links: String
    let runs: [String: [Run]]

    init() throws {
        let folder = try TemporaryFolder()
        func path(_ name: String) -> String { folder.url.path + "/" + name }
        func put(_ text: String, _ name: String) throws -> String {
            try Data(text.utf8).write(to: URL(filePath: path(name)))
            return path(name)
        }
        let tool = try #require(builtTool("bulla"))
        func bulla(_ words: [String], stdin: String = "") throws -> String {
            let done = try run(tool, words, stdin: stdin)
            #expect(done.status == 0, "\(words): \(done.stderr)")
            return done.stdout.trimmingCharacters(in: .newlines)
        }
        let hostile = JSON.string(Hostile.text)
        let made = try JSON(bulla(["key", "generate", "P-256", "--private"]).utf8).with("kid", hostile)
        key = try put(made.text, Hostile.text + ".jwk")
        let half = try JSON(bulla(["key", "public", key]).utf8)
        let odd = half.with("alg", hostile).with("use", hostile)
        let oddKey = try put(odd.text, "odd.jwk")
        set =
            JSON.object([
                "keys": .array([half, odd.with("kid", .string("odd")), .object(["kty": hostile, "kid": hostile])])
            ]).text
        let setFile = try put(set, Hostile.text + ".json")
        claims = JSON.object(["iss": hostile, "sub": hostile, "aud": hostile, "exp": .number(4e9)]).text
        token = try bulla(["sign", "--key", key, "--alg", "ES256"], stdin: claims)
        text = try bulla(["sign", "--key", key, "--alg", "ES256"], stdin: Hostile.text)
        let parts = token.split(separator: ".").map { JSON.string(String($0)) }
        let flat = JSON.object([
            "payload": parts[1], "protected": parts[0], "signature": parts[2], "header": .object(["note": hostile]),
        ]).text
        let wrapping = try bulla(["key", "generate", "P-256", "--alg", "ECDH-ES+A128KW", "--private"])
        let encryption = try JSON(wrapping.utf8).with("kid", hostile)
        let encryptionKey = try put(encryption.text, "encryption.jwk")
        let encrypting = ["--key", encryptionKey, "--enc", "A128GCM"]
        let sealed = try bulla(["encrypt"] + encrypting, stdin: claims)
        let nesting = ["--key", key, "--encrypt-key", encryptionKey, "--enc", "A128GCM"]
        links =
            JSON.object([
                "applinks": .object([
                    "details": .array([.object(["appID": hostile, "paths": .array([hostile])])]), Hostile.text: hostile,
                ])
            ]).text
        let linkFile = try put(links, Hostile.text + "apple-app-site-association")
        let oneLine = Hostile.text.replacing("\n", with: "")
        let bundle = try Self.bundle(path("bundle"), oneLine)
        let check = JSON.object([
            "n": hostile, "op": .string("jws-verify"), "token": hostile, "keys": half,
            "options": .object([Hostile.text: hostile]),
        ]).text
        let broken = try put(Hostile.text, "broken " + Hostile.text)
        let oddSettings = try put(JSON.object([Hostile.text: hostile]).text, "settings.json")
        let listens = Run(words: [], status: 2, shows: false)
        let open = ["--any-issuer", "--any-audience"]
        let verifying = ["--keys", key, "--alg", "ES256"]
        let decrypting = ["--decrypt-keys", encryptionKey, "--key-alg", "ECDH-ES+A128KW", "--enc", "A128GCM"]
        runs = [
            "bulla verify": [
                Run(words: verifying + open + ["--output", "json", "--show-claims", token]),
                Run(
                    words: verifying + ["--any-audience", "--iss", "i" + Hostile.text, token], status: 1, shows: false),
                Run(words: verifying + open + ["--json", "--output", "json"], stdin: flat, shows: false),
                Run(words: verifying + open + [Hostile.text], status: 2),
                Run(words: ["--keys", broken, "--alg", "ES256"] + open + [token], status: 2),
                Run(words: ["--keys", oddKey, "--alg", "ES256"] + open + [token], status: 2, shows: false),
            ],
            "bulla decrypt": [
                Run(words: decrypting + open + ["--output", "json", "--show-claims", sealed]),
                Run(words: decrypting + open + [broken], status: 1, shows: false),
            ],
            "bulla explain": [
                Run(words: verifying + open + ["--show-claims", token], shows: true),
                Run(words: verifying + ["--iss", Hostile.text + "1", "--aud", Hostile.text + "2", token], status: 1),
                Run(words: verifying + open + ["--json"], stdin: flat),
                Run(words: decrypting + open + ["--show-claims", sealed]),
            ],
            "bulla sign": [
                Run(words: ["--key", key, "--alg", "ES256", "--json", "flattened"], stdin: Hostile.text, shows: false),
                Run(
                    words: ["--key", key, "--alg", "ES256", "--json", "flattened", "--unencoded"], stdin: Hostile.text),
                Run(words: ["--key", broken, "--alg", "ES256"], stdin: "{}", status: 2),
            ],
            "bulla encrypt": [
                Run(words: encrypting + ["--json", "flattened"], stdin: claims, shows: false),
                Run(words: ["--key", broken, "--enc", "A128GCM"], stdin: claims, status: 2),
            ],
            "bulla nest": [
                Run(words: nesting, stdin: claims, shows: false),
                Run(words: ["--key", broken] + nesting.dropFirst(2), stdin: claims, status: 2),
            ],
            "bulla key generate": [
                Run(words: ["P-256", "--private", "--kid", Hostile.text]),
                Run(words: ["P-256", "--private", "--kid", Hostile.text, "--public-out", key], status: 2),
            ],
            "bulla key inspect": [
                Run(words: [key]), Run(words: [oddKey]), Run(words: [setFile], status: 1), Run(words: [bundle]),
                Run(words: [broken], status: 2),
            ],
            "bulla key convert": [
                Run(words: [key, "--to", "jwk"]), Run(words: [key, "--to", "jwk", "--private"]),
                Run(words: [oddKey, "--to", "jwk"]), Run(words: [bundle, "--to", "jwk"], shows: false),
                Run(words: [setFile, "--to", "pem", "--kid", Hostile.text], shows: false),
                Run(words: [setFile, "--to", "pem", "--kid", Hostile.text + "?"], status: 2),
            ],
            "bulla key public": [
                Run(words: [key]), Run(words: [oddKey]), Run(words: [setFile]), Run(words: [bundle], shows: false),
                Run(words: [broken], status: 2),
            ],
            "bulla key thumbprint": [
                Run(words: [key], shows: false), Run(words: [setFile], shows: false), Run(words: [broken], status: 2),
            ],
            // The answers of servers have a test of their own.
            "bulla keys fetch": [Run(words: ["https://nobody.invalid/" + oneLine], status: 2)],
            "bulla keys watch": [Run(words: ["https://nobody.invalid/" + oneLine, "--for", "0.2"], status: 2)],
            // The output while it serves has a test of its own.
            "bulla keys serve": [Run(words: [broken], status: 2)],
            "bulla serve": [
                Run(words: ["--check", broken], status: 2), Run(words: ["--check", oddSettings], status: 2),
            ],
            // What a worker prints while it works is its own text.
            "bulla worker": [
                Run(
                    words: [
                        "--redis", "redis://h", "--stream", Hostile.text, "--redis-password-file",
                        path("none " + Hostile.text),
                    ] + verifying + open, status: 2),
                Run(words: ["--redis", Hostile.text, "--stream", "x"] + verifying + open, status: 2),
            ],
            "bulla enqueue": [
                Run(
                    words: ["--redis", "redis://127.0.0.1:1", "--stream", "x", path("none " + Hostile.text)], status: 2)
            ],
            "bulla-sandbox links check": [
                Run(words: [linkFile], status: 1),
                Run(words: ["--entitlement", "applinks:" + Hostile.text, "--host", Hostile.text], status: 1),
            ],
            "bulla-sandbox links make": [
                Run(words: ["apple", "--app", "ABCDE12345." + Hostile.text], status: 2, shows: false),
                Run(words: ["apple", "--app", "ABCDE12345.be.shop.app", "--path", "/login/*"], shows: false),
                Run(words: ["android", "--package", Hostile.text], status: 2, shows: false),
            ],
            "bulla check": [Run(words: [], stdin: check + "\n" + Hostile.text + "\n")],
            // Both commands need an existing folder, and print only what they created themselves.
            "bulla-sandbox serve": [listens], "bulla-sandbox demo-login": [listens],
            "bulla sbom": [Run(words: [], shows: false)], "bulla-sandbox sbom": [Run(words: [], shows: false)],
        ]
        self.folder = folder
    }

    /// Makes a PKCS#12 file with the text as friendly name and certificate subject.
    private static func bundle(_ path: String, _ text: String) throws -> String {
        let made = try run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-batch", "-utf8",
                "-subj", "/CN=" + text, "-keyout", path + ".key", "-out", path + ".pem",
            ])
        #expect(made.status == 0, "\(made.stderr)")
        // A BMPString (RFC 7292, 4.2) has no characters beyond the basic multilingual plane.
        let name = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value < 0x1_0000 }))
        let bundled = try run(
            "openssl",
            [
                "pkcs12", "-export", "-inkey", path + ".key", "-in", path + ".pem", "-name", name, "-passout", "pass:",
                "-out",
                path + ".p12",
            ])
        #expect(bundled.status == 0, "\(bundled.stderr)")
        return path + ".p12"
    }
}

#if os(Linux)
    /// Runs `bulla` with a terminal as standard output.
    enum Pseudoterminal {
        static func run(_ words: [String]) throws -> (status: Int32, output: String) {
            let tool = try #require(builtTool("bulla"))
            // Glibc's module does not export posix_openpt, unlockpt and ptsname.
            let ours = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var (unlocked, number) = (Int32(0), Int32(0))
            guard ours >= 0, unsafe ioctl(ours, UInt(0x4004_5431), &unlocked) == 0,
                unsafe ioctl(ours, UInt(0x8004_5430), &number) == 0
            else { throw Script.Complaint(description: "no terminal") }
            defer { close(ours) }
            let theirs = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard theirs >= 0 else { throw Script.Complaint(description: "no terminal") }
            let process = Process()
            process.executableURL = URL(filePath: tool)
            process.arguments = words
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle(fileDescriptor: theirs, closeOnDealloc: false)
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            // The output fits the terminal's buffer. Reading its end is an error once the other side is closed.
            close(theirs)
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 4096)
            while true {
                let got = unsafe read(ours, &piece, piece.count)
                guard got > 0 else { break }
                bytes += piece.prefix(got)
            }
            return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
        }
    }
#endif
