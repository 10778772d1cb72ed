import JOSESupport

/// Finds the PEM blocks of a file (RFC 7468, 2), in which certificates and explanatory text may be between the keys.
/// The work is proportional to the length of the file: each byte is searched a fixed number of times at most, however
/// many blocks there are.
enum PEMBlocks {
    /// Returns the ranges of the blocks, without those of label `EC PARAMETERS`: the key that follows such a block
    /// names its curve too.
    ///
    /// - Returns: For each block the range from the first dash of its `BEGIN` to the last dash of its `END`. A block
    ///   that does not end is left out.
    static func ranges(in text: [UInt8]) -> [Range<Int>] {
        let text = text.span
        var ranges: [Range<Int>] = []
        var position = 0
        while let start = find("-----BEGIN ", in: text, from: position),
            let end = find("-----END ", in: text, from: start),
            let close = find("-----", in: text, from: end + 9)
        {
            position = close + 5
            if !has("-----BEGIN EC PARAMETERS-----", in: text, at: start) { ranges.append(start..<position) }
        }
        return ranges
    }

    static func isCertificate(_ block: Span<UInt8>) -> Bool { has("-----BEGIN CERTIFICATE-----", in: block, at: 0) }

    private static func find(_ pattern: StaticString, in text: Span<UInt8>, from start: Int) -> Int? {
        var position = start
        while position + pattern.utf8CodeUnitCount <= text.count {
            if text[position] == UInt8(ascii: "-"), has(pattern, in: text, at: position) { return position }
            position += 1
        }
        return nil
    }

    private static func has(_ pattern: StaticString, in text: Span<UInt8>, at position: Int) -> Bool {
        let end = position + pattern.utf8CodeUnitCount
        return end <= text.count && bytesEqual(text.extracting(position..<end), pattern)
    }
}
