package import JOSE
internal import JOSERelyingParty

/// A Danish civil registration number (CPR number). Use it for comparison only: it does not identify a user
/// permanently, because it may change.
///
/// Its descriptions show no digits, and neither do those of the library's values that contain it.
public struct CPRNumber: Hashable, Sendable, Redacted {
    /// The ten digits of the number.
    public let digits: String

    /// Creates a number from ten digits, with or without a hyphen before the last four. The result is nil for any other
    /// text.
    ///
    /// - Parameter text: The digits.
    public init?(_ text: String) {
        var bytes = Array(text.utf8)
        if bytes.count == 11, bytes[6] == UInt8(ascii: "-") { bytes.remove(at: 6) }
        guard bytes.count == 10, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        digits = String(decoding: bytes, as: UTF8.self)
    }
}
