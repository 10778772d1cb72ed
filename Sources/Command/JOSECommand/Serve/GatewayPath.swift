import JOSEBytes

/// The path of a request to the service behind the gateway.
enum GatewayPath {
    /// Returns the path that policies are compared with, or nil for one that a service might read as another path: with an empty or a
    /// dot segment, a backslash, a semicolon, a number sign or a control character, with an encoded slash or question mark, or with a
    /// character that is encoded twice.
    ///
    /// - Parameter sent: The path and the query of the request as the client sent them. A gateway that sends a path which it decoded
    ///   would judge another one than the service behind it reads. The query is ignored.
    static func checked(_ sent: [UInt8]) -> [UInt8]? {
        guard let path = decoded(sent.prefix { $0 != UInt8(ascii: "?") }) else { return nil }
        for place in path.indices where path[place] == UInt8(ascii: "%") && place + 2 < path.count {
            if digit(path[place + 1]) != nil, digit(path[place + 2]) != nil { return nil }
        }
        guard path.first == UInt8(ascii: "/") else { return nil }
        var start = 1
        for place in path.indices.dropFirst() {
            let byte = path[place]
            // Some services remove what follows a semicolon in a segment before they compare the path.
            guard byte >= 0x20, byte != 0x7F, !"\\;#?".utf8.contains(byte) else { return nil }
            guard byte == UInt8(ascii: "/") else { continue }
            guard place > start, !isDots(path[start..<place]) else { return nil }
            start = place + 1
        }
        return isDots(path[start...]) ? nil : path
    }

    private static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
        segment.count <= 2 && !segment.isEmpty && segment.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// Decodes percent-encoding once. An encoded slash, NUL or malformed encoding gives nil.
    private static func decoded(_ path: ArraySlice<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(path.count)
        var place = path.startIndex
        while place < path.endIndex {
            guard path[place] == UInt8(ascii: "%") else {
                output.append(path[place])
                place += 1
                continue
            }
            guard place + 2 < path.endIndex, let high = digit(path[place + 1]), let low = digit(path[place + 2]) else {
                return nil
            }
            let byte = high << 4 | low
            guard byte != UInt8(ascii: "/"), byte != 0 else { return nil }
            output.append(byte)
            place += 3
        }
        return output
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns whether the path is `prefix` or below it.
    static func isWithin(_ path: [UInt8], _ prefix: [UInt8]) -> Bool {
        guard path.starts(with: prefix) else { return false }
        return prefix.last == UInt8(ascii: "/") || path.count == prefix.count || path[prefix.count] == UInt8(ascii: "/")
    }
}
