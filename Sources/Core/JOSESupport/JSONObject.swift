package enum JSONKind: UInt8, Sendable { case string, number, object, array, `true`, `false`, null }

/// The range of a value in the text that it was read from, including the quotes of a string.
package struct JSONValue: Sendable {
    package let start: Int32
    package let end: Int32
    package let kind: JSONKind
    /// Whether a string has a backslash. Without one, its bytes are its value.
    package let escaped: Bool

    @inline(__always)
    init(start: Int, end: Int, _ kind: JSONKind, escaped: Bool = false) {
        self.start = Int32(truncatingIfNeeded: start)
        self.end = Int32(truncatingIfNeeded: end)
        self.kind = kind
        self.escaped = escaped
    }
}

/// The range of a member: its name without quotes, and its value.
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

    /// Returns the member with the end of its object or array, which is known now.
    func ending(_ end: Int) -> JSONMember {
        JSONMember(name: JSONText(self), value: JSONValue(start: Int(value.start), end: end, value.kind))
    }
}

/// An index of the members of the outermost object. It has no bytes of its own: every reader is given those it was made
/// from.
package struct JSONObject: Sendable {
    package let members: [JSONMember]

    /// Parses the whole text by RFC 8259. It also rejects a duplicate name in an object at any depth (compared after
    /// unescaping), lone surrogates, numbers that are not finite as a Double, and more than the limits.
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
    /// Finds a member by the bytes of its unescaped name, without case folding or Unicode normalization (RFC 8259,
    /// 8.3).
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

/// An index of the elements of the outermost array.
package struct JSONArray: Sendable {
    package let values: [JSONValue]

    package init(parsing bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONFault) {
        values = try JSONScanner.whole(bytes, opening: .leftBracket, otherwise: .notAnArray, limits: limits)
            .map(\.value)
    }
}
