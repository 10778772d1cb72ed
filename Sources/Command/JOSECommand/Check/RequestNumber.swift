import JOSEBytes

/// `n` of a line that is no strict JSON object, such as one with a name said twice or one that was cut off: the answer
/// should still find its question.
enum RequestNumber {
    static let none = Array("null".utf8)

    /// The JSON text of the outermost object's first `n`; `null` where there is none to be read.
    static func find(in line: Span<UInt8>) -> [UInt8] {
        var depth = 0
        var place = 0
        var isName = false
        while place < line.count {
            switch line[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isName = depth == 1 && line[place] == UInt8(ascii: "{")
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth < 1 { return none }
            case UInt8(ascii: ","): isName = depth == 1
            case UInt8(ascii: "\""):
                guard let end = endOfString(in: line, from: place) else { return none }
                if isName, bytesEqual(line.extracting(place..<end), #""n""#), let value = value(in: line, after: end) {
                    return value
                }
                isName = false
                place = end
                continue
            default: break
            }
            place += 1
        }
        return none
    }

    /// Behind the closing quote.
    private static func endOfString(in line: Span<UInt8>, from start: Int) -> Int? {
        var place = start + 1
        while place < line.count {
            if line[place] == UInt8(ascii: "\"") { return place + 1 }
            place += line[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// A number, a string or a word; nil for what is none.
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
            // A number that the cut went through is another number.
            guard stop < line.count else { return nil }
        }
        var text: [UInt8] = []
        for index in start..<stop { text.append(line[index]) }
        let list = [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")]
        return (try? JSONArray(parsing: list.span)) == nil ? nil : text
    }

    private static func skipSpace(in line: Span<UInt8>, from start: Int) -> Int {
        var place = start
        while place < line.count, [0x20, 0x09, 0x0D].contains(line[place]) { place += 1 }
        return place
    }
}
