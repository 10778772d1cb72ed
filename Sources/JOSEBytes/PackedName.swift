/// A short name as three integers, so that finding a member among the registered ones compares no bytes.
package struct PackedName: Equatable, Sendable {
    private let low: UInt64
    private let high: UInt64
    /// Keeps "a" and "a\0" apart.
    private let count: Int

    /// Nil for more than 16 bytes, which no registered name has.
    package init?(_ name: Span<UInt8>) {
        guard name.count <= 16 else { return nil }
        var low: UInt64 = 0
        var high: UInt64 = 0
        for index in name.indices {
            if index < 8 {
                low |= UInt64(name[index]) << UInt64(8 * index)
            } else {
                high |= UInt64(name[index]) << UInt64(8 * (index - 8))
            }
        }
        self.low = low
        self.high = high
        count = name.count
    }

    /// Of a name that stands in a table.
    package init(_ name: StaticString) {
        guard let packed = name.withUTF8Buffer({ unsafe PackedName($0.span) }) else {
            preconditionFailure("a table's name has at most 16 bytes")
        }
        self = packed
    }
}
