/// A mobile network by its `mccmnc`: three digits of the country and three of the network, zeros in front included.
public struct MobileNetwork: Hashable, Sendable, CustomStringConvertible {
    /// Six of them.
    public let digits: String

    /// Nil for anything but six ASCII digits: a network of two digits has been padded by whoever read it from the SIM.
    public init?(_ digits: String) {
        let utf8 = digits.utf8
        guard utf8.count == 6, utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        self.digits = digits
    }

    /// As discovery answers it: a JSON integer, which has lost the zeros in front.
    init?(number: Int64) {
        guard (0...999_999).contains(number) else { return nil }
        let short = String(number)
        digits = String(repeating: "0", count: 6 - short.utf8.count) + short
    }

    public var description: String { digits }
}
