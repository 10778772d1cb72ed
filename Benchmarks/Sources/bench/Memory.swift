internal import CRaw
internal import Foundation
internal import JOSE

/// Measures the peak memory of `bulla verify` for a short and a long stream.
struct MemoryTest {
    let command: String
    static let short = 100_000
    static let long = 5_000_000

    /// Runs the test. Returns false if the long stream takes over a tenth more.
    func run() throws -> Bool {
        print("peak memory of \(command) verify")
        let peaks = try peaks()
        for (total, child) in zip([Self.short, Self.long], peaks) {
            let rate = Double(total) * 1e9 / Double(child.nanoseconds)
            print("  \(total) lines: \(child.peak_kilobytes) kB, \(Int(rate)) tokens/s")
        }
        let ratio = Double(peaks[1].peak_kilobytes) / Double(peaks[0].peak_kilobytes)
        print("  ratio \(ratio.formatted(places: 3)), goal ≤ 1.10: \(ratio <= 1.1 ? "reached" : "MISSED")")
        return ratio <= 1.1
    }

    /// Returns the runs with the short stream and with the long one.
    func peaks() throws -> [craw_child] {
        let block = try lines()
        let count = block.split(separator: UInt8(ascii: "\n")).count
        return try [Self.short, Self.long].map { try stream(block, $0 / count) }
    }

    private var folder: URL { FileManager.default.temporaryDirectory.appendingPathComponent("bulla-bench-\(getpid())") }

    private func stream(_ block: [UInt8], _ repeats: Int) throws -> craw_child {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let keys = folder.appendingPathComponent("key.jwk")
        try Data(Self.key.exportSecretJWK()).write(to: keys)
        let arguments = [
            command, "verify", "--keys", keys.path, "--alg", "HS256", "--iss", "i", "--aud", "a", "--output", "none",
        ]
        var pointers = unsafe arguments.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var child = craw_child()
        let fed = unsafe craw_stream(pointers, block, block.count, repeats, &child)
        guard fed, child.status == 0 else { throw Failure.command(command, child.status) }
        return child
    }

    enum Failure: Error { case command(String, Int32) }

    private static var key: SecretKey {
        get throws { try SecretKey(bytes: (0..<32).map { UInt8($0) }) }
    }

    /// Returns a thousand tokens, one a line.
    private func lines() throws -> [UInt8] {
        let signer = try JWSSigner(key: Self.key, algorithm: .hs256)
        let later = Int(Date().timeIntervalSince1970) + 86_400
        var text: [UInt8] = []
        for number in 0..<1000 {
            let claims = #"{"iss":"i","aud":"a","exp":\#(later),"sub":"\#(number)"}"#
            text += Array(try signer.sign(claims).utf8) + [UInt8(ascii: "\n")]
        }
        return text
    }
}
