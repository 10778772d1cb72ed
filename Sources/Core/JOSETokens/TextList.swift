internal import JOSEBytes

/// Texts that a claim is compared with, in one run of bytes: to look at one is not to count a reference to it, for which
/// the threads that share a policy would wait.
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

    /// Whether `value` is one of them, by bytes.
    func contains(_ value: JSONValue, in text: Span<UInt8>) -> Bool {
        var start = 0
        for end in ends {
            if value.equals(bytes.span.extracting(start..<end), in: text) { return true }
            start = end
        }
        return false
    }
}
