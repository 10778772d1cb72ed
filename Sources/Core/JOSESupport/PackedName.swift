/// A short name as two integers, so that finding it among the registered ones compares no bytes.
private struct PackedName: Equatable {
    let low: UInt64
    let high: UInt64

    /// Creates the packed form of a name in `text`: at most 15 bytes, and after them a quote, which distinguishes "a"
    /// from "a\\0".
    @inline(__always)
    init?(_ text: Span<UInt8>, _ start: Int, _ end: Int) {
        let count = end &- start
        guard start >= 0, count >= 0, count < 16, end <= text.count else { return nil }
        guard text.count &- start >= 16 else {
            (low, high) = Self.bytewise(text, start, count)
            return
        }
        // The bytes after the name are loaded with it and masked out.
        let words = unsafe text.withUnsafeBytes { bytes in
            unsafe (
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start &+ 8, as: UInt64.self))
            )
        }
        let bit = UInt64(1) &<< (8 &* UInt64(count & 7))
        low = count < 8 ? words.0 & (bit &- 1) | bit &* 0x22 : words.0
        high = count < 8 ? 0 : words.1 & (bit &- 1) | bit &* 0x22
    }

    @inline(never)
    private static func bytewise(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> (UInt64, UInt64) {
        var words = InlineArray<2, UInt64>(repeating: 0)
        for index in 0...count {
            let byte = index < count ? text[start &+ index] : UInt8(ascii: "\"")
            words[index >> 3] |= UInt64(byte) &<< (8 &* UInt64(index & 7))
        }
        return (words[0], words[1])
    }

    /// The index among 64 slots.
    @inline(__always)
    var slotIndex: Int { Int(truncatingIfNeeded: ((low ^ high) &* 0x9E37_79B9_7F4A_7C15) >> 58) }
}

/// The rows of a registry by their names. A name of a token takes one lookup, most often at an empty slot.
///
/// A table is made once and lasts as long as the program. Its slots are at an address and not in an array, so that
/// the threads that use it count no reference to it.
@safe package struct NameTable: Sendable {
    private struct Slot: Sendable {
        var low: UInt64 = 0
        var high: UInt64 = 0
        var row: UInt8 = .max
    }
    /// The 64 slots. A name is in its own slot or in the next free one.
    private nonisolated(unsafe) let slots: UnsafePointer<Slot>
    private let longest: Int

    /// Creates a table of at most 32 names of at most 15 bytes.
    package init(_ names: [StaticString]) {
        precondition(names.count <= 32, "half of the slots stay empty")
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: 64)
        unsafe slots.initialize(repeating: Slot(), count: 64)
        for (row, name) in names.enumerated() {
            let packed = name.withUTF8Buffer { unsafe PackedName($0.span, 0, $0.count) }
            guard let packed else { preconditionFailure("a table's name has at most 15 bytes") }
            var slotIndex = packed.slotIndex
            while unsafe slots[slotIndex].row != .max { slotIndex = (slotIndex &+ 1) & 63 }
            unsafe slots[slotIndex] = Slot(low: packed.low, high: packed.high, row: UInt8(row))
        }
        unsafe self.slots = UnsafePointer(slots)
        longest = names.map(\.utf8CodeUnitCount).max() ?? 0
    }

    /// Returns the row of the name in this range of `text`; nil for a name that is not in the table.
    @inline(__always)
    package func row(_ text: Span<UInt8>, start: Int, end: Int) -> UInt8? {
        guard end &- start <= longest, let name = PackedName(text, start, end) else { return nil }
        var slotIndex = name.slotIndex
        while true {
            let slot = unsafe slots[slotIndex & 63]
            if slot.low == name.low, slot.high == name.high { return slot.row }
            if slot.row == .max { return nil }
            slotIndex &+= 1
        }
    }

    /// Writes to `memberIndices`, for each row of the table, which member has its unescaped name, and returns a bit for
    /// each row that has one.
    @discardableResult
    package func find(
        _ members: [JSONMember], in text: Span<UInt8>, _ memberIndices: inout MutableSpan<Int32>
    ) -> UInt32 {
        var found: UInt32 = 0
        for index in members.indices {
            let row: UInt8?
            if members[index].nameEscaped {
                row = self.row(unescaped: members[index], in: text)
            } else {
                row = self.row(text, start: Int(members[index].nameStart), end: Int(members[index].nameEnd))
            }
            guard let row else { continue }
            memberIndices[Int(row)] = Int32(truncatingIfNeeded: index)
            found |= 1 &<< UInt32(row)
        }
        return found
    }

    @inline(never)
    private func row(unescaped member: JSONMember, in text: Span<UInt8>) -> UInt8? {
        let name = member.name(in: text)
        let bytes = name.utf8.span
        return row(bytes, start: 0, end: bytes.count)
    }
}
