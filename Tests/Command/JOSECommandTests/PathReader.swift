import Foundation

/// A service that reads paths in its own way: steps that it takes one after the other, and the dot segments that it removes at the end.
///
/// Texts are split and compared by their scalars, as services do it, and not by characters.
struct PathReader: Sendable {
    struct Step: Sendable {
        let name: String
        let change: @Sendable (String) -> String
    }

    let steps: [Step]
    /// Whether percent-encoding is decoded before the first step.
    let decodes: Bool

    var name: String { ([decodes ? "decoded" : "not decoded"] + steps.map(\.name)).joined(separator: ", ") }

    /// Returns the segments that the service acts on.
    func segments(_ sent: String) -> [String] {
        var path = Self.cut(sent, at: "?")
        if decodes { path = Self.unquoted(path) }
        for step in steps { path = step.change(path) }
        var segments: [String] = []
        for segment in path.unicodeScalars.split(separator: "/").map({ String($0) })
        where segment.utf8.count != 1 || segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        return segments
    }

    /// Returns which of the paths, those with the most segments first, the service takes the request to be at or below.
    func chosen(_ sent: String, among paths: [String]) -> String? {
        let segments = segments(sent)
        return paths.first { path in
            let prefix = self.segments(path)
            return segments.count >= prefix.count && zip(prefix, segments).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
        }
    }

    /// The habits of services that are modelled.
    static let habits: [Step] = [
        Step(name: "decoded again") { unquoted($0) },
        Step(name: "%u decoded") { decodedUnits($0) },
        Step(name: "lower case") { $0.lowercased() },
        Step(name: "upper case") { $0.uppercased() },
        Step(name: "case folded") { $0.folding(options: .caseInsensitive, locale: nil) },
        Step(name: "NFC") { $0.precomposedStringWithCanonicalMapping },
        Step(name: "NFD") { $0.decomposedStringWithCanonicalMapping },
        Step(name: "NFKC") { $0.precomposedStringWithCompatibilityMapping },
        Step(name: "NFKD") { $0.decomposedStringWithCompatibilityMapping },
        Step(name: "without accents") { text in
            without(text.decomposedStringWithCanonicalMapping) {
                $0.properties.canonicalCombiningClass != .notReordered
            }
        },
        Step(name: "without parameters") { path in eachSegment(path) { cut($0, at: ";") } },
        Step(name: "cut at a semicolon") { cut($0, at: ";") },
        Step(name: "cut at a question mark") { cut($0, at: "?") },
        Step(name: "cut at a number sign") { cut($0, at: "#") },
        Step(name: "backslashes are slashes") { replaced($0, "\\", "/") },
        Step(name: "plus signs are blanks") { replaced($0, "+", " ") },
        Step(name: "without blanks around segments") { path in
            eachSegment(path) { $0.trimmingCharacters(in: .whitespaces) }
        },
        Step(name: "without dots and blanks after segments") { path in
            eachSegment(path) { $0 == "." || $0 == ".." ? $0 : trimmed($0) }
        },
        Step(name: "without blanks") { text in without(text) { $0.properties.isWhitespace } },
        Step(name: "without controls and formats") { text in
            without(text) { [.control, .format].contains($0.properties.generalCategory) }
        },
        Step(name: "without ignorable characters") { text in
            without(text) { $0.properties.isDefaultIgnorableCodePoint }
        },
        Step(name: "without the bytes of Latin-1's controls") { latin1Stripped($0) },
    ]

    /// Services that take what they decode for Latin-1.
    static let latin1: [PathReader] = {
        let decoded = Step(name: "decoded as Latin-1") { unquoted($0, isLatin1: true) }
        return [[], habits.filter { ["lower case", "NFKC", "without blanks"].contains($0.name) }].map {
            PathReader(steps: [decoded] + $0, decodes: false)
        }
    }()

    /// Decodes percent-encoding as lenient readers do: what is malformed stays.
    private static func unquoted(_ text: String, isLatin1: Bool = false) -> String {
        var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            if byte == 0x25, rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                rest.first != 0x2B
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return isLatin1 ? joined(bytes.map { Unicode.Scalar($0) }) : String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes `%u002e`, as IIS does.
    private static func decodedUnits(_ text: String) -> String {
        var (output, rest) = ([Unicode.Scalar](), Array(text.unicodeScalars)[...])
        while let scalar = rest.popFirst() {
            let digits = rest.dropFirst().prefix(4)
            if scalar == "%", rest.first == "u" || rest.first == "U", digits.count == 4,
                digits.allSatisfy(\.properties.isASCIIHexDigit), let value = UInt32(joined(Array(digits)), radix: 16),
                let decoded = Unicode.Scalar(value)
            {
                output.append(decoded)
                rest = rest.dropFirst(5)
            } else {
                output.append(scalar)
            }
        }
        return joined(output)
    }

    private static func joined(_ scalars: [Unicode.Scalar]) -> String { String(String.UnicodeScalarView(scalars)) }

    private static func cut(_ text: String, at end: Unicode.Scalar) -> String {
        joined(Array(text.unicodeScalars.prefix { $0 != end }))
    }

    private static func replaced(_ text: String, _ old: Unicode.Scalar, _ new: Unicode.Scalar) -> String {
        joined(text.unicodeScalars.map { $0 == old ? new : $0 })
    }

    private static func eachSegment(_ path: String, _ change: (String) -> String) -> String {
        path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { change(String($0)) }
            .joined(separator: "/")
    }

    private static func trimmed(_ segment: String) -> String {
        var scalars = Array(segment.unicodeScalars)
        while let last = scalars.last, last == "." || last == " " { scalars.removeLast() }
        return joined(scalars)
    }

    private static func without(_ text: String, _ isRemoved: (Unicode.Scalar) -> Bool) -> String {
        joined(text.unicodeScalars.filter { !isRemoved($0) })
    }

    /// Removes the controls of Latin-1 from the bytes of a text, as a service that takes UTF-8 for Latin-1 does.
    private static func latin1Stripped(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0 > 0x20 && $0 != 0x7F && !(0x80...0xA0).contains($0) }, as: UTF8.self)
    }
}
