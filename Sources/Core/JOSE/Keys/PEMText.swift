internal import JOSESupport

/// PEM whose line ends were lost or changed on the way: on one line, with the two characters `\n` in place of each line
/// end, or indented, as in environment variables and in YAML.
enum PEMText {
    static let begin = "-----BEGIN "
    private static let end = "-----END "
    private static let dashes = "-----"
    private static let longestLabel = 64

    /// Returns the text with the line ends of RFC 7468, 2, or nil where it has more than one reading: only white space,
    /// the characters `\n` and `\r`, and a byte order mark at its beginning may be around the blocks and between the
    /// characters of base64.
    ///
    /// - Parameter takesSeveral: Whether the text may have several blocks.
    /// - Returns: An array with room for the whole result from the start, so that one call of `wipe` leaves no copy of
    ///   it.
    static func normalized(_ text: Span<UInt8>, takesSeveral: Bool = false) -> [UInt8]? {
        var lines: [UInt8] = []
        lines.reserveCapacity(text.count + text.count / 32 + 64)
        var position = text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF ? 3 : 0
        var blocks = 0
        skipSeparators(text, &position)
        while position < text.count {
            guard takesSeveral || blocks == 0, appendBlock(of: text, &position, to: &lines) else {
                wipe(&lines)
                return nil
            }
            blocks += 1
            skipSeparators(text, &position)
        }
        return blocks > 0 ? lines : nil
    }

    /// Appends the block at a position, and moves past it. Returns false where there is none.
    private static func appendBlock(of text: Span<UInt8>, _ position: inout Int, to lines: inout [UInt8]) -> Bool {
        guard has(begin, in: text, at: position) else { return false }
        position += begin.utf8.count
        let label = position
        while position < text.count, position - label <= longestLabel, isOfLabel(text[position]) { position += 1 }
        let labelEnd = position
        guard labelEnd > label, has(dashes, in: text, at: position) else { return false }
        position += dashes.utf8.count
        lines.append(contentsOf: begin.utf8)
        for index in label..<labelEnd { lines.append(text[index]) }
        lines.append(contentsOf: dashes.utf8)
        lines.append(0x0A)
        var column = 0
        while true {
            skipSeparators(text, &position)
            guard position < text.count, isOfBase64(text[position]) else { break }
            lines.append(text[position])
            position += 1
            column += 1
            if column % 64 == 0 { lines.append(0x0A) }
        }
        if column % 64 != 0 { lines.append(0x0A) }
        guard column > 0, has(end, in: text, at: position) else { return false }
        position += end.utf8.count
        for index in label..<labelEnd {
            guard position < text.count, text[position] == text[index] else { return false }
            position += 1
        }
        guard has(dashes, in: text, at: position) else { return false }
        position += dashes.utf8.count
        lines.append(contentsOf: end.utf8)
        for index in label..<labelEnd { lines.append(text[index]) }
        lines.append(contentsOf: dashes.utf8)
        lines.append(0x0A)
        return true
    }

    /// Returns what a text is that is not PEM, where that is evident; otherwise `pem`.
    static func fault(of text: Span<UInt8>) -> ParseFailure.Reason {
        var first = 0
        while first < text.count, text[first].isWhiteSpace { first += 1 }
        for format in ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"] where has(format, in: text, at: first) {
            return .openSSH
        }
        var (hasBegin, hasEnd, isBase64, count) = (false, false, true, 0)
        for position in first..<text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "-") {
                if has("-----BEGIN OPENSSH ", in: text, at: position) { return .openSSH }
                hasBegin = hasBegin || has(begin, in: text, at: position)
                hasEnd = hasEnd || has(end, in: text, at: position)
            }
            if isOfBase64(byte) { count += 1 } else if !byte.isWhiteSpace { isBase64 = false }
        }
        if hasBegin { return hasEnd ? .pem : .pemEnd }
        // The shortest public key, of Ed25519, has 60 characters.
        return hasEnd || isBase64 && count >= 60 ? .pemBegin : .pem
    }

    /// Moves past white space, and past `\n` and `\r` as two characters each. Base64 has no backslash.
    private static func skipSeparators(_ text: Span<UInt8>, _ position: inout Int) {
        while position < text.count {
            if text[position].isWhiteSpace {
                position += 1
            } else if text[position] == UInt8(ascii: "\\"), position + 1 < text.count,
                text[position + 1] == UInt8(ascii: "n") || text[position + 1] == UInt8(ascii: "r")
            {
                position += 2
            } else {
                return
            }
        }
    }

    private static func isOfLabel(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte.isASCIIDigit || byte == UInt8(ascii: " ")
    }

    private static func isOfBase64(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "+/=".utf8.contains(byte)
    }

    private static func has(_ word: String, in text: Span<UInt8>, at position: Int) -> Bool {
        let end = position + word.utf8.count
        return end <= text.count && bytesEqual(text.extracting(position..<end), word.utf8.span)
    }
}
