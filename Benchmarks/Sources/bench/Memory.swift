internal import CRaw
internal import Foundation
internal import JOSE

/// Peak memory of `bulla verify` over a short and a long stream.
struct MemoryTest {
    let command: String
    static let short = 100_000
    static let long = 5_000_000

    /// False where the long stream takes over a tenth more.
    func run() throws -> Bool {
        let block = try lines()
        let count = block.split(separator: UInt8(ascii: "\n")).count
        print("peak memory of \(command) verify")
        let peaks = try [Self.short, Self.long].map { total in
            let child = try stream(block, total / count)
            let rate = Double(total) * 1e9 / Double(child.nanoseconds)
            print("  \(total) lines: \(child.peak_kilobytes) kB, \(Int(rate)) tokens/s")
            return Double(child.peak_kilobytes)
        }
        let ratio = peaks[1] / peaks[0]
        print("  ratio \(ratio.formatted(places: 3)), goal ≤ 1.10: \(ratio <= 1.1 ? "reached" : "MISSED")")
        return ratio <= 1.1
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

    private static var key: SymmetricKey {
        get throws { try SymmetricKey(bytes: (0..<32).map { UInt8($0) }) }
    }

    /// A thousand tokens, a line each.
    private func lines() throws -> [UInt8] {
        let signer = try Signer(key: Self.key, algorithm: .hs256)
        let later = Int(Date().timeIntervalSince1970) + 86_400
        var text: [UInt8] = []
        for number in 0..<1000 {
            let claims = #"{"iss":"i","aud":"a","exp":\#(later),"sub":"\#(number)"}"#
            text += Array(try signer.sign(claims).utf8) + [UInt8(ascii: "\n")]
        }
        return text
    }
}
