import JOSESupport

/// Finds the member `n` of a line that is not a strict JSON object, such as one with a duplicate name or one that was
/// cut off, so that the answer still names its request.
enum RequestNumber {
    static let none = Array("null".utf8)

    /// Returns the JSON text of the first `n` of the outermost object, or `null` if there is none.
    static func find(in line: Span<UInt8>) -> [UInt8] {
        var depth = 0
        var position = 0
        var isName = false
        while position < line.count {
            switch line[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isName = depth == 1 && line[position] == UInt8(ascii: "{")
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth < 1 { return none }
            case UInt8(ascii: ","): isName = depth == 1
            case UInt8(ascii: "\""):
                guard let end = endOfString(in: line, from: position) else { return none }
                if isName, bytesEqual(line.extracting(position..<end), #""n""#), let value = value(in: line, after: end)
                {
                    return value
                }
                isName = false
                position = end
                continue
            default: break
            }
            position += 1
        }
        return none
    }

    /// Returns the index after the closing quotation mark, or nil if the string does not end.
    private static func endOfString(in line: Span<UInt8>, from start: Int) -> Int? {
        var position = start + 1
        while position < line.count {
            if line[position] == UInt8(ascii: "\"") { return position + 1 }
            position += line[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// Returns the JSON text of a number, a string or a literal, or nil for anything else.
    private static func value(in line: Span<UInt8>, after end: Int) -> [UInt8]? {
        var start = end
        start = skipSpace(in: line, from: start)
        guard start < line.count, line[start] == UInt8(ascii: ":") else { return nil }
        start = skipSpace(in: line, from: start + 1)
        guard start < line.count else { return nil }
        var stop = start
        if line[start] == UInt8(ascii: "\"") {
            guard let close = endOfString(in: line, from: start) else { return nil }
            stop = close
        } else {
            while stop < line.count, ![0x20, 0x09, 0x0D, 0x2C, 0x7D].contains(line[stop]) { stop += 1 }
            // A number at the end of a line that was cut off may lack digits.
            guard stop < line.count else { return nil }
        }
        var text: [UInt8] = []
        for index in start..<stop { text.append(line[index]) }
        let list = [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")]
        return (try? JSONArray(parsing: list.span)) == nil ? nil : text
    }

    private static func skipSpace(in line: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < line.count, [0x20, 0x09, 0x0D].contains(line[position]) { position += 1 }
        return position
    }
}
