internal import JOSESupport

/// Strings that a claim is compared with, in one array of bytes. Reading one does not change a reference count, for
/// which threads that share a policy would contend.
struct TextList: Sendable {
    private let bytes: [UInt8]
    private let ends: [Int]

    init(_ texts: [String]) {
        var bytes: [UInt8] = []
        ends = texts.map { text in
            bytes += text.utf8
            return bytes.count
        }
        self.bytes = bytes
    }

    var isEmpty: Bool { ends.isEmpty }

    /// Whether one of the strings is empty.
    var hasEmptyText: Bool {
        var start = 0
        for end in ends {
            if end == start { return true }
            start = end
        }
        return false
    }

    /// Returns whether the bytes equal one of the strings.
    func contains(_ value: Span<UInt8>) -> Bool {
        var start = 0
        for end in ends {
            if bytesEqual(bytes.span.extracting(start..<end), value) { return true }
            start = end
        }
        return false
    }

    /// Returns whether `value` equals one of the strings, byte by byte.
    func contains(_ value: JSONValue, in text: Span<UInt8>) -> Bool {
        var start = 0
        for end in ends {
            if value.equals(bytes.span.extracting(start..<end), in: text) { return true }
            start = end
        }
        return false
    }
}
