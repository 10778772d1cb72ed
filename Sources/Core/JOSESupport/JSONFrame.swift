/// The scanner's state of a container while it is open.
struct JSONFrame {
    let inObject: Bool
    /// The index in the scanner's array where this container's names begin.
    let base: Int
    /// A Bloom filter of the names: two bits for each, by its length and its ends. A name with one of them unset was
    /// not seen before.
    private var seen: UInt64
    private var seenToo: UInt32

    /// The number of names up to which a new name is compared with those before it that `seen` does not rule out. A
    /// larger object is sorted at its end.
    private static let smallObject = 32

    var closing: UInt8 { inObject ? .rightBrace : .rightBracket }

    init(opening: UInt8, base: Int) {
        inObject = opening == .leftBrace
        self.base = base
        seen = 0
        seenToo = 0
    }

    @inline(__always)
    mutating func add(
        _ name: JSONText, to members: Span<JSONMember>, in bytes: Span<UInt8>, _ limits: JSONLimits
    ) throws(JSONFault) {
        let count = members.count &- base
        guard count < limits.members else { throw JSONFault(.tooManyMembers, at: name.start) }
        guard count < Self.smallObject else { return }
        let hash = name.escaped ? nil : Self.hash(name, in: bytes)
        // An escaped name may equal any other: from there on nothing is ruled out.
        let bit = hash.map { 1 &<< UInt64($0 >> 26) } ?? UInt64.max
        let bitToo = hash.map { 1 &<< ($0 >> 21 & 31) } ?? UInt32.max
        if seen & bit != 0, seenToo & bitToo != 0 { try compare(name, with: members, in: bytes) }
        seen |= bit
        seenToo |= bitToo
    }

    @inline(never)
    private func compare(
        _ name: JSONText, with members: Span<JSONMember>, in bytes: Span<UInt8>
    ) throws(JSONFault) {
        for index in base..<members.count where name.equals(JSONText(members[index]), in: bytes) {
            throw JSONFault(.duplicateName, at: name.start)
        }
    }

    @inline(__always)
    private static func hash(_ name: JSONText, in bytes: Span<UInt8>) -> UInt32 {
        let count = name.end &- name.start
        guard count > 0 else { return 0 }
        let ends = UInt32(bytes[name.start]) | UInt32(bytes[name.end &- 1]) << 8
        return (ends | UInt32(truncatingIfNeeded: count) << 16) &* 0x9E37_79B1
    }

    /// Checks the names of a large object before it is left: sorted by bytes, equal ones are neighbours.
    @inline(__always)
    func close(_ members: Span<JSONMember>, in bytes: Span<UInt8>) throws(JSONFault) {
        if inObject, members.count &- base > Self.smallObject { try sortedCheck(members, in: bytes) }
    }

    @inline(never)
    private func sortedCheck(_ members: Span<JSONMember>, in bytes: Span<UInt8>) throws(JSONFault) {
        var names = (base..<members.count).map { JSONText(members[$0]) }
        unsafe bytes.withUnsafeBufferPointer { buffer in
            names.sort { unsafe $0.compare($1, of: buffer.span, in: buffer.span) < 0 }
        }
        for index in names.indices.dropFirst() where names[index].equals(names[index - 1], in: bytes) {
            throw JSONFault(.duplicateName, at: max(names[index].start, names[index - 1].start))
        }
    }
}

extension JSONFrame {
    /// The frame in the layout of a member, to lie in the scanner's one array while an inner container is open.
    var saved: JSONMember {
        let low = Int(truncatingIfNeeded: seen & 0xFFFF_FFFF)
        let high = Int(truncatingIfNeeded: seen >> 32)
        return JSONMember(
            name: JSONText(start: base, end: low, escaped: inObject),
            value: JSONValue(start: high, end: Int(seenToo), .null))
    }

    init(saved: JSONMember) {
        inObject = saved.nameEscaped
        base = Int(saved.nameStart)
        seen = UInt64(UInt32(bitPattern: saved.nameEnd)) | UInt64(UInt32(bitPattern: saved.value.start)) << 32
        seenToo = UInt32(bitPattern: saved.value.end)
    }
}
