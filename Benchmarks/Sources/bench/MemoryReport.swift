internal import CRaw
internal import Foundation

/// The memory measurements of the report. A value is nil if it could not be measured here.
struct MemoryReport: Encodable {
    /// The peak memory of `bulla verify` for a short and a long stream of lines.
    var shortStreamKilobytes: Int64?
    var longStreamKilobytes: Int64?
    /// The memory of an issuer's fetched key set and its verifier.
    var issuerBytes: Int?

    init(_ fixtures: Fixtures, command: String) throws {
        issuerBytes = try? IssuerMemory(fixtures: fixtures).measure().each
        guard FileManager.default.isExecutableFile(atPath: command) else { return }
        let peaks = try MemoryTest(command: command).peaks()
        shortStreamKilobytes = peaks[0].peak_kilobytes
        longStreamKilobytes = peaks[1].peak_kilobytes
    }

    var text: String {
        var lines: [String] = []
        if let issuerBytes {
            lines.append("memory, an issuer's key set of three keys with a verifier: \(issuerBytes) bytes")
        }
        if let shortStreamKilobytes, let longStreamKilobytes {
            lines.append(
                "memory, peak of bulla verify: \(shortStreamKilobytes) kB for \(MemoryTest.short) lines,"
                    + " \(longStreamKilobytes) kB for \(MemoryTest.long)")
        } else {
            lines.append("memory of bulla verify: not measured, `make build` makes the command")
        }
        return lines.joined(separator: "\n")
    }
}
