extension UInt8 {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let leftBrace = UInt8(ascii: "{")
    static let rightBrace = UInt8(ascii: "}")
    static let leftBracket = UInt8(ascii: "[")
    static let rightBracket = UInt8(ascii: "]")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
}

/// A scanner that reads a text once, without recursion, so that no depth of nesting can use up the stack.
enum JSONScanner {
    /// Scans the one object or the one array that the whole text must be, and returns its members or elements.
    static func whole(
        _ bytes: Span<UInt8>, opening: UInt8, otherwise reason: JSONFault.Reason, limits: JSONLimits
    ) throws(JSONFault) -> [JSONMember] {
        // Positions are stored as Int32.
        guard bytes.count <= Int(Int32.max) else { throw JSONFault(.tooLong, at: Int(Int32.max)) }
        var at = skipSpace(bytes, 0, bytes.count)
        guard at < bytes.count else { throw JSONFault(.syntax, at: at) }
        guard bytes[at] == opening else { throw JSONFault(beginsValue(bytes[at]) ? reason : .syntax, at: at) }
        let members = try container(bytes, &at, end: bytes.count, limits)
        at = skipSpace(bytes, at, bytes.count)
        guard at == bytes.count else { throw JSONFault(.trailingText, at: at) }
        return members
    }

    /// Scans the container that opens at `at`, and moves past it.
    static func container(
        _ text: Span<UInt8>, _ position: inout Int, end: Int, _ limits: JSONLimits
    ) throws(JSONFault) -> [JSONMember] {
        // A single bound lets the compiler see that what is before the end is within the span.
        let bytes = text.extracting(0..<end)
        let count = end &- position
        // Members of fewer than sixteen bytes are so rare that one scan mostly suffices. A text with more of them is
        // scanned once more with eight times the room, and at most once again, because each byte adds one entry at
        // most.
        var room = count >> 4 &+ 4
        while true {
            var members: [JSONMember] = []
            members.reserveCapacity(room)
            var reached: Int?
            try members.append(addingCapacity: room) { output throws(JSONFault) in
                reached = try scan(bytes, position, into: &output, limits)
            }
            if let reached {
                position = reached
                return members
            }
            room = min(room &* 8, count &+ 4)
        }
    }

    /// Scans the container that opens at `start` and returns the position after it, or nil where there is too little
    /// room.
    ///
    /// The output is both the result and the stack. It begins with the outermost container's members. Above them it
    /// has, for each container that is open inside, the saved frame of the enclosing one and the names seen so far.
    private static func scan(
        _ bytes: Span<UInt8>, _ start: Int, into members: inout OutputSpan<JSONMember>, _ limits: JSONLimits
    ) throws(JSONFault) -> Int? {
        let end = bytes.count
        var at = start
        guard limits.depth > 0 else { throw JSONFault(.tooDeep, at: at) }
        var depth = 1
        var frame = JSONFrame(opening: bytes[at], base: 0)
        at = skipSpace(bytes, at &+ 1, end)
        /// A comma or the end comes next; an empty container is treated like one that had its last value.
        var afterValue = at < end && bytes[at] == frame.closing

        while true {
            if !afterValue {
                // Each round adds at most a member and a frame.
                guard members.freeCapacity >= 2 else { return nil }
                var name = JSONText(start: 0, end: 0, escaped: false)
                if frame.inObject {
                    name = try self.name(bytes, &at, end)
                    try frame.add(name, to: members.span, in: bytes, limits)
                }
                guard at < end else { throw JSONFault(.syntax, at: at) }
                let first = bytes[at]
                let isContainer = first == .leftBrace || first == .leftBracket
                let value: JSONValue
                if first == .quote {
                    // Most values are strings.
                    let start = at
                    let escaped = try string(bytes, &at, end)
                    value = JSONValue(start: start, end: at, .string, escaped: escaped)
                } else if isContainer {
                    value = JSONValue(start: at, end: at, first == .leftBrace ? .object : .array)
                } else {
                    value = try scalar(bytes, at, end, first)
                    at = Int(value.end)
                }
                if frame.inObject || depth == 1 { members.append(JSONMember(name: name, value: value)) }
                if isContainer {
                    guard depth < limits.depth else { throw JSONFault(.tooDeep, at: at) }
                    depth &+= 1
                    members.append(frame.saved)
                    frame = JSONFrame(opening: first, base: members.count)
                    at = skipSpace(bytes, at &+ 1, end)
                    afterValue = at < end && bytes[at] == frame.closing
                    continue
                }
                at = skipSpace(bytes, at, end)
            }
            guard at < end else { throw JSONFault(.syntax, at: at) }
            if bytes[at] == .comma {
                at = skipSpace(bytes, at &+ 1, end)
                afterValue = false
                continue
            }
            guard bytes[at] == frame.closing else { throw JSONFault(.syntax, at: at) }
            try frame.close(members.span, in: bytes)
            at &+= 1
            depth &-= 1
            if depth == 0 { return at }
            members.removeLast(members.count &- frame.base)
            frame = JSONFrame(saved: members.removeLast())
            if depth == 1 { members.append(members.removeLast().ending(at)) }
            at = skipSpace(bytes, at, end)
            afterValue = true
        }
    }

    /// Moves past a name, its colon and the white space around them.
    @inline(__always)
    private static func name(_ bytes: Span<UInt8>, _ at: inout Int, _ end: Int) throws(JSONFault) -> JSONText {
        guard at < end, bytes[at] == .quote else { throw JSONFault(.syntax, at: at) }
        let start = at &+ 1
        let escaped = try string(bytes, &at, end)
        let name = JSONText(start: start, end: at &- 1, escaped: escaped)
        at = skipSpace(bytes, at, end)
        guard at < end, bytes[at] == .colon else { throw JSONFault(.syntax, at: at) }
        at = skipSpace(bytes, at &+ 1, end)
        return name
    }

    private static func scalar(
        _ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ first: UInt8
    ) throws(JSONFault) -> JSONValue {
        var at = start
        switch first {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try number(bytes, &at, end)
            return JSONValue(start: start, end: at, .number)
        case UInt8(ascii: "t"):
            try word("true", bytes, &at, end)
            return JSONValue(start: start, end: at, .true)
        case UInt8(ascii: "f"):
            try word("false", bytes, &at, end)
            return JSONValue(start: start, end: at, .false)
        case UInt8(ascii: "n"):
            try word("null", bytes, &at, end)
            return JSONValue(start: start, end: at, .null)
        default: throw JSONFault(.syntax, at: at)
        }
    }

    @inline(__always)
    private static func word(
        _ word: StaticString, _ bytes: Span<UInt8>, _ at: inout Int, _ end: Int
    ) throws(JSONFault) {
        let count = word.utf8CodeUnitCount
        guard end &- at >= count, bytesEqual(bytes.extracting(at..<(at &+ count)), word) else {
            throw JSONFault(.syntax, at: at)
        }
        at &+= count
    }

    /// Moves past white space, which is the four characters of RFC 8259, 2. Most texts have none, so only the test for
    /// it is inlined.
    @inline(__always)
    static func skipSpace(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        start < end && bytes[start] <= 0x20 ? skipSpaces(bytes, start, end) : start
    }

    @inline(never)
    private static func skipSpaces(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        var at = start
        while at < end {
            let byte = bytes[at]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            at &+= 1
        }
        return at
    }

    /// Whether a JSON value can begin with the byte. It distinguishes `[1]`, where an object is expected, from text
    /// that is not JSON.
    private static func beginsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case .leftBrace, .leftBracket, .quote, UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            true
        default: false
        }
    }
}
