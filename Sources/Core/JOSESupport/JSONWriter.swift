internal import CJOSEBytes

/// A writer of compact JSON in the order of the calls. Commas are inserted; the caller names each member and ends what
/// it began.
package struct JSONWriter {
    /// The text so far. For a secret the caller reserves its capacity first, so that growing leaves no copies behind,
    /// and wipes it.
    package var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    package mutating func beginObject() { begin(.leftBrace) }
    package mutating func endObject() { end(.rightBrace) }
    package mutating func beginArray() { begin(.leftBracket) }
    package mutating func endArray() { end(.rightBracket) }

    package mutating func name(_ name: String) {
        string(name)
        bytes.append(.colon)
        needsComma = false
    }

    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in unsafe string(utf8.span) }
    }

    /// Writes a string. `text` must be UTF-8; only what JSON requires is escaped.
    package mutating func string(_ text: Span<UInt8>) {
        comma()
        bytes.append(.quote)
        var at = 0
        while at < text.count {
            let run = Self.verbatimRun(text, at)
            append(text.extracting(at..<(at + run)))
            at += run
            if at < text.count {
                escape(text[at])
                at += 1
            }
        }
        bytes.append(.quote)
    }

    package mutating func integer(_ value: Int64) { word(String(value)) }

    /// Writes a number: an integral value up to 2^53 as an integer, infinity and NaN as `null`.
    package mutating func number(_ value: Double) {
        // `Int64(exactly:)` calls `trunc` of libm, which a program without Foundation may not link.
        if abs(value) <= 0x1p53, Double(Int64(value)) == value {
            integer(Int64(value))
        } else {
            word(value.isFinite ? value.description : "null")
        }
    }

    package mutating func bool(_ value: Bool) { word(value ? "true" : "false") }
    package mutating func null() { word("null") }

    /// Writes a value, or one or more members of an object, that are JSON text already.
    package mutating func raw(_ json: Span<UInt8>) {
        comma()
        append(json)
    }

    /// Writes a value of `json`, as it is there.
    package mutating func value(_ value: JSONValue, in json: Span<UInt8>) {
        raw(json.extracting(Int(value.start)..<Int(value.end)))
    }

    /// Writes the name of a member of `json`.
    package mutating func name(of member: JSONMember, in json: Span<UInt8>) {
        // An escape is replaced by what it stands for, unless JSON requires one.
        guard !member.nameEscaped else { return name(member.name(in: json)) }
        comma()
        // With its quotes.
        append(json.extracting((Int(member.nameStart) - 1)..<(Int(member.nameEnd) + 1)))
        bytes.append(.colon)
        needsComma = false
    }

    package mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    package mutating func member(_ name: String, _ value: Span<UInt8>) {
        self.name(name)
        string(value)
    }

    /// Writes a member whose value is JSON text already.
    package mutating func member(_ name: String, json: Span<UInt8>) {
        self.name(name)
        raw(json)
    }

    package mutating func member(_ name: String, _ value: Int64) {
        self.name(name)
        integer(value)
    }

    package mutating func member(_ name: String, base64URL value: Span<UInt8>) {
        self.name(name)
        bytes.append(.quote)
        Base64URL.append(value, to: &bytes)
        bytes.append(.quote)
        needsComma = true
    }
}

extension JSONWriter {
    private mutating func comma() {
        if needsComma { bytes.append(.comma) }
        needsComma = true
    }

    private mutating func begin(_ byte: UInt8) {
        comma()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func end(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private mutating func word(_ text: String) {
        comma()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(_ run: Span<UInt8>) {
        unsafe run.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Returns the position of the next byte that needs an escape.
    private static func verbatimRun(_ text: Span<UInt8>, _ start: Int) -> Int {
        var at = start
        while at < text.count {
            at += JSONScanner.plainRun(text, at, text.count)
            guard at < text.count, text[at] >= 0x80 else { break }
            at += 1
        }
        return at - start
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(.backslash)
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case .quote, .backslash: bytes.append(byte)
        default:
            let digit = byte & 15
            bytes.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
