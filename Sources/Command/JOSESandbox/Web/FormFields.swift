internal import JOSESupport

/// The names and values of `application/x-www-form-urlencoded`, in their order.
package struct FormFields: Sendable {
    package struct Item: Sendable, Equatable {
        package let name: String
        package let value: String
    }
    package private(set) var items: [Item] = []

    package init() {}

    /// Reads fields, or returns nil for an invalid escape, text that is not UTF-8, and more than 100 names.
    package init?(parsing text: some Collection<UInt8>) {
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0], plusIsSpace: true),
                let value = Self.decoded(parts.count > 1 ? parts[1] : pair[pair.endIndex...], plusIsSpace: true)
            else { return nil }
            items.append(Item(name: name, value: value))
        }
        guard items.count <= 100 else { return nil }
    }

    /// The first value of the name.
    package subscript(_ name: String) -> String? { items.first { $0.name == name }?.value }

    /// The first duplicate name: OAuth allows none (RFC 6749, 3.1 and 3.2).
    package var repeated: String? {
        var seen: Set<String> = []
        return items.first { !seen.insert($0.name).inserted }?.name
    }

    package mutating func add(_ name: String, _ value: String) { items.append(Item(name: name, value: value)) }

    package mutating func set(_ name: String, _ value: String) {
        items.removeAll { $0.name == name }
        add(name, value)
    }

    package mutating func remove(_ name: String) { items.removeAll { $0.name == name } }

    /// The encoded fields. All characters but unreserved ones are escaped, so that the text fits a query as well.
    package var encoded: String {
        items.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }.joined(separator: "&")
    }

    package static func encoded(_ text: String) -> String { text.percentEncoded }

    /// Returns one name, value or path with its escapes decoded, or nil for an invalid escape.
    package static func decoded(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var remaining = text[...]
        while let byte = remaining.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = remaining.popFirst().flatMap(digit), let low = remaining.popFirst().flatMap(digit)
                else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return isUTF8(bytes.span) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
