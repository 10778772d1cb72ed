import Foundation
import JOSE
import JOSETesting
import TestSupport
import Testing

@Suite("bulla: compressed content", .enabled(if: EncryptionPolicy.compressionIsBuilt, "built without the trait Zip"))
struct CompressionTests {
    private static let secret = Result { try SecretKey.generate(bits: 256) }

    private func request(_ token: String, _ options: [String: JSON] = [:]) throws -> JSON {
        .object([
            "op": .string("jwe-decrypt"), "token": .string(token), "options": .object(options),
            "keys": try JSON(Self.secret.get().exportSecretJWK()),
        ])
    }

    private func forged(_ stream: [UInt8], zip: String = "DEF") throws -> String {
        try Forge.encrypted(
            header: #"{"alg":"dir","enc":"A256GCM","zip":"\#(zip)"}"#, plaintext: stream,
            with: .symmetricKey(Self.secret.get()), .dir, .a256gcm)
    }

    private func zeros(_ count: Int) throws -> String {
        var header = HeaderParameters()
        header.compresses = true
        return try JWEEncrypter(
            key: Self.secret.get(), keyManagement: .dir, contentEncryption: .a256gcm, header: header
        ).encrypt([UInt8](repeating: 0, count: count))
    }

    @Test("check decompresses up to max_plaintext_bytes, and reports a failed decompression by its code")
    func driver() throws {
        let stored: [UInt8] = [1, 1, 0, 0xFE, 0xFF, 65]
        let thousand = try zeros(1_000)
        let answers = try Driver.answers([
            request(forged(stored)), request(forged(Array(stored.dropLast()))), request(forged(stored + [0])),
            request(forged(stored, zip: "def")), request(forged(stored, zip: "GZIP")),
            request(thousand, ["max_plaintext_bytes": .number(1_000)]),
            request(thousand, ["max_plaintext_bytes": .number(999)]),
            request(zeros(256 * 1024)), request(zeros(256 * 1024 + 1)), request(zeros(64 << 20)),
        ])
        #expect(
            answers.map { $0.error ?? $0.result } == [
                "valid", "decompression_failed", "decompression_failed", "header_zip_not_allowed",
                "header_zip_not_allowed",
                "valid", "limit_exceeded", "valid", "limit_exceeded", "limit_exceeded",
            ])
        #expect(answers[0].payload == [65])
        #expect(answers[5].payload == [UInt8](repeating: 0, count: 1_000))
    }

    @Test("T31 a decompression bomb uses at most twice the memory of the plaintext limit (RFC 8725, 3.6)")
    func memory() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        /// Returns the smallest peak memory of five runs of `check` with one request: a run has some 100 KiB more or less by chance.
        func memory(_ name: String, _ token: String, _ limits: [String: JSON] = [:]) throws -> Int {
            let file = folder.url.appending(path: name).path
            try Data((request(token, limits).text + "\n").utf8).write(to: URL(filePath: file))
            return try (0..<5).map { _ in
                let run = try Spawned(["check", "--jobs", "1"], input: file, output: file + ".out")
                let answer = try String(contentsOfFile: file + ".out", encoding: .utf8)
                #expect(answer.contains(name), "\(answer)")
                return run.memory
            }.min() ?? .max
        }
        let bomb = try zeros(64 << 20)
        // This token has the same length, and is rejected at once.
        let same = try forged([UInt8](repeating: 255, count: bomb.utf8.count * 3 / 4 - 60))
        let usual = try memory("decompression_failed", same)
        let extra = try memory("limit_exceeded", bomb) - usual
        #expect(extra < 2 * ParsingLimits.standard.plaintextBytes, "\(extra) bytes")
        // The positive control: what is within a limit of four MiB is decompressed, and its memory is seen.
        let whole = try memory("valid", zeros(4 << 20), ["max_plaintext_bytes": .number(4_194_304)]) - usual
        #expect(whole > 4 << 20, "\(whole) bytes")
    }
}
