internal import JOSERelyingParty

/// A mobile network, identified by its `mccmnc`: the mobile country code and the mobile network code, of three digits
/// each, with leading zeros.
public struct MobileNetwork: Hashable, Sendable, CustomStringConvertible {
    /// The six digits of the `mccmnc`.
    public let digits: String

    /// Creates a network from six ASCII digits. The result is nil for any other text. If the SIM has a network code of
    /// two digits, the caller must pad it to three.
    ///
    /// - Parameter digits: The six digits of the `mccmnc`.
    public init?(_ digits: String) {
        let utf8 = digits.utf8
        guard utf8.count == 6, utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        self.digits = digits
    }

    /// Creates a network from the JSON integer that discovery returns, which lacks leading zeros.
    init?(number: Int64) {
        guard (0...999_999).contains(number) else { return nil }
        let short = String(number)
        digits = String(repeating: "0", count: 6 - short.utf8.count) + short
    }

    /// The six digits of the `mccmnc`.
    public var description: String { digits }
}
