package enum JSONKind: UInt8, Sendable { case string, number, object, array, `true`, `false`, null }

/// The place of a value in the text that it was read from; a string's quotes are within.
package struct JSONValue: Sendable {
    package let start: Int32
    package let end: Int32
    package let kind: JSONKind
    /// Whether a string has a backslash: if not, its bytes are its value.
    package let escaped: Bool

    @inline(__always)
    init(start: Int, end: Int, _ kind: JSONKind, escaped: Bool = false) {
        self.start = Int32(truncatingIfNeeded: start)
        self.end = Int32(truncatingIfNeeded: end)
        self.kind = kind
        self.escaped = escaped
    }
}

/// A name's place, without its quotes, and its value's.
package struct JSONMember: Sendable {
    package let nameStart: Int32
    package let nameEnd: Int32
    package let nameEscaped: Bool
    package let value: JSONValue

    @inline(__always)
    init(name: JSONText, value: JSONValue) {
        nameStart = Int32(truncatingIfNeeded: name.start)
        nameEnd = Int32(truncatingIfNeeded: name.end)
        nameEscaped = name.escaped
        self.value = value
    }

    /// The same member, now that the end of its object or array is known.
    func ending(_ end: Int) -> JSONMember {
        JSONMember(name: JSONText(self), value: JSONValue(start: Int(value.start), end: end, value.kind))
    }
}

/// Where the members of the outermost object are. It holds no bytes: every reader is given those it was made from.
package struct JSONObject: Sendable {
    package let members: [JSONMember]

    /// The whole text, RFC 8259 to the letter and these refused besides: a name said twice in one object at any depth
    /// (compared after unescaping), lone surrogates, numbers that are not finite as a Double, more than the limits.
    package init(parsing bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONFault) {
        members = try JSONScanner.whole(bytes, opening: .leftBrace, otherwise: .notAnObject, limits: limits)
    }

    init(members: [JSONMember]) { self.members = members }

    package func first(_ name: StaticString, in bytes: Span<UInt8>) -> JSONValue? {
        name.withUTF8Buffer { buffer in unsafe first(buffer.span, in: bytes) }
    }

    package func first(_ name: Span<UInt8>, in bytes: Span<UInt8>) -> JSONValue? {
        members.first(name, in: bytes)
    }
}

extension [JSONMember] {
    /// By the bytes of the unescaped name: no case folding, no Unicode normalization (RFC 8259, 8.3).
    package func first(_ name: StaticString, in bytes: Span<UInt8>) -> JSONValue? {
        name.withUTF8Buffer { buffer in unsafe first(buffer.span, in: bytes) }
    }

    package func first(_ name: Span<UInt8>, in bytes: Span<UInt8>) -> JSONValue? {
        var index = 0
        while index < count {
            if JSONText(self[index]).equals(name, in: bytes) { return self[index].value }
            index &+= 1
        }
        return nil
    }
}

/// Where the elements of the outermost array are.
package struct JSONArray: Sendable {
    package let values: [JSONValue]

    package init(parsing bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONFault) {
        values = try JSONScanner.whole(bytes, opening: .leftBracket, otherwise: .notAnArray, limits: limits)
            .map(\.value)
    }
}
