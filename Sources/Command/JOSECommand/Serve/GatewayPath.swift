import JOSEBytes

/// The path of a request to the service behind the gateway.
enum GatewayPath {
    /// The form in which the gateway sends the path.
    enum Form: String, CaseIterable, Sendable {
        /// Percent-decoded and without dot segments, as in nginx's `$uri`.
        case normalized
        /// The form that the client sent. A query is ignored.
        case encoded
    }

    /// Returns the path that policies are compared with, or nil for one that a service might read as another path: with an empty or a
    /// dot segment, a backslash, a semicolon or a control character, or, in the normalized form, with a percent-encoded character.
    static func checked(_ sent: [UInt8], _ form: Form) -> [UInt8]? {
        var path = sent
        if let query = path.firstIndex(of: UInt8(ascii: "?")) { path.removeSubrange(query...) }
        switch form {
        case .encoded:
            guard let decoded = decoded(path) else { return nil }
            path = decoded
        case .normalized:
            for place in path.indices where path[place] == UInt8(ascii: "%") && place + 2 < path.count {
                if digit(path[place + 1]) != nil, digit(path[place + 2]) != nil { return nil }
            }
        }
        guard path.first == UInt8(ascii: "/") else { return nil }
        var start = 1
        for place in path.indices.dropFirst() {
            let byte = path[place]
            // Some services remove what follows a semicolon in a segment before they compare the path.
            guard byte >= 0x20, byte != 0x7F, byte != UInt8(ascii: "\\"), byte != UInt8(ascii: ";") else { return nil }
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
    private static func decoded(_ path: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(path.count)
        var place = 0
        while place < path.count {
            guard path[place] == UInt8(ascii: "%") else {
                output.append(path[place])
                place += 1
                continue
            }
            guard place + 2 < path.count, let high = digit(path[place + 1]), let low = digit(path[place + 2]) else {
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
