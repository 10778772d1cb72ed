import JOSESupport

/// The path of a request to the service behind the gateway.
struct GatewayPath: Sendable {
    /// The path as a service reads it that decodes only what must be percent-encoded (RFC 3986, 2.4).
    let literal: [UInt8]
    /// The path after all readings of ``PathReading``.
    let normal: [UInt8]
    /// Whether a service may read any other path, because there are dot segments in one reading.
    let isAmbiguous: Bool
    /// Whether the path consists of segments that a policy can be for: no reading joins, splits or shortens them.
    let isWhole: Bool

    /// Reads a path. Returns nil for one that services read in ways that no policy can foresee: with an empty or a dot
    /// segment, a backslash, a number sign, a control character or bytes that are not UTF-8, with an encoded slash or
    /// question mark, or with a character that is encoded twice.
    ///
    /// - Parameters:
    ///   - sent: The path and the query of the request as the client sent them. A gateway that sends a path which it
    ///     decoded would compare another one than the service behind it reads. The query is ignored.
    ///   - distinguishesCase: Whether the services distinguish upper and lower case in paths.
    init?(_ sent: [UInt8], distinguishesCase: Bool) {
        guard let (decoded, literal) = Self.decoded(sent.prefix { $0 != UInt8(ascii: "?") }) else { return nil }
        for index in decoded.indices where decoded[index] == UInt8(ascii: "%") && index + 2 < decoded.count {
            if decoded[(index + 1)...(index + 2)].allSatisfy({ $0.hexadecimalDigit != nil }) { return nil }
        }
        guard decoded.first == UInt8(ascii: "/"), let text = String(validating: decoded, as: UTF8.self) else {
            return nil
        }
        var start = 1
        for index in decoded.indices.dropFirst() {
            let byte = decoded[index]
            guard byte >= 0x20, byte != 0x7F, !"\\#?".utf8.contains(byte) else { return nil }
            // The C1 controls are U+0080 to U+009F.
            if byte == 0xC2, decoded[index + 1] < 0xA0 { return nil }
            guard byte == UInt8(ascii: "/") else { continue }
            guard index > start, !Self.isDots(decoded[start..<index]) else { return nil }
            start = index + 1
        }
        guard !Self.isDots(decoded[start...]) else { return nil }
        let form = PathNormalForm(text, distinguishesCase: distinguishesCase)
        self.literal = literal
        normal = form.bytes
        isAmbiguous = form.isAmbiguous
        isWhole = form.isWhole
    }

    private static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
        segment.count <= 2 && !segment.isEmpty && segment.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// Decodes percent-encoding once: all of it, and where it is needed. An encoded slash, NUL or malformed encoding
    /// gives nil.
    private static func decoded(_ path: ArraySlice<UInt8>) -> (all: [UInt8], needed: [UInt8])? {
        var (all, needed): ([UInt8], [UInt8]) = ([], [])
        all.reserveCapacity(path.count)
        needed.reserveCapacity(path.count)
        var index = path.startIndex
        while index < path.endIndex {
            guard path[index] == UInt8(ascii: "%") else {
                all.append(path[index])
                needed.append(path[index])
                index += 1
                continue
            }
            guard index + 2 < path.endIndex, let high = path[index + 1].hexadecimalDigit,
                let low = path[index + 2].hexadecimalDigit
            else { return nil }
            let byte = high << 4 | low
            guard byte != UInt8(ascii: "/"), byte != 0 else { return nil }
            all.append(byte)
            if mayStand(byte) { needed += path[index..<(index + 3)] } else { needed.append(byte) }
            index += 3
        }
        return (all, needed)
    }

    /// Returns whether a character may stand in a segment without percent-encoding (`pchar` of RFC 3986, 3.3).
    private static func mayStand(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~!$&'()*+,;=:@".utf8.contains(byte)
    }

    /// Returns whether the path is `prefix` or below it.
    static func isWithin(_ path: [UInt8], _ prefix: [UInt8]) -> Bool {
        guard path.starts(with: prefix) else { return false }
        return prefix.last == UInt8(ascii: "/") || path.count == prefix.count || path[prefix.count] == UInt8(ascii: "/")
    }
}
