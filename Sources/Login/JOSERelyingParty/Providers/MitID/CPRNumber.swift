/// A Danish civil registration number. To be matched, and never a user's key: it may change. No description of it, or of what it is
/// part of, shows a digit.
public struct CPRNumber: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Ten digits, as they are sent and compared.
    public let digits: String

    /// Nil for what is not ten digits, with or without a hyphen before the last four.
    public init?(_ text: String) {
        var bytes = Array(text.utf8)
        if bytes.count == 11, bytes[6] == UInt8(ascii: "-") { bytes.remove(at: 6) }
        guard bytes.count == 10, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        digits = String(decoding: bytes, as: UTF8.self)
    }

    public var description: String { "CPRNumber" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
