/// A Danish civil registration number (CPR number). It is only compared, and never identifies a user, because it may change.
/// Its descriptions, and those of every value that contains it, show no digit.
public struct CPRNumber: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The ten digits of the number.
    public let digits: String

    /// Creates a number. Nil for a text that is not ten digits, with or without a hyphen before the last four.
    ///
    /// - Parameter text: The digits.
    public init?(_ text: String) {
        var bytes = Array(text.utf8)
        if bytes.count == 11, bytes[6] == UInt8(ascii: "-") { bytes.remove(at: 6) }
        guard bytes.count == 10, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        digits = String(decoding: bytes, as: UTF8.self)
    }

    /// The name of the type, without its values.
    public var description: String { "CPRNumber" }
    /// The text of ``description``.
    public var debugDescription: String { description }
    /// An empty mirror: the values are secret or personal.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
