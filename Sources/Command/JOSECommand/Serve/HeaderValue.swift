import JOSESettings
import JOSESupport
import JOSETokens

/// Writes claims as values of header fields.
///
/// A value consists of visible ASCII characters and of spaces between them (RFC 9110, 5.5). All other bytes, `%` and
/// `,` are percent-encoded, so that no value can end a field, and a comma only ever separates the elements of an array.
enum HeaderValue {
    /// Appends a claim: the text of a string, the elements of an array of strings, separated by commas, and the JSON
    /// text of any other value. A claim that is absent or null appends nothing.
    static func append(_ name: String, of claims: Claims, to output: inout [UInt8]) {
        guard let json = claims.json(name) else { return }
        switch json.first {
        case UInt8(ascii: "\""):
            if json.contains(UInt8(ascii: "\\")) {
                append(Array((claims.string(name) ?? "").utf8)[...], to: &output)
            } else {
                append(json[1..<json.count - 1], to: &output)
            }
        case UInt8(ascii: "["):
            guard let texts = claims.strings(name) else { return append(json[...], to: &output) }
            for (index, text) in texts.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                append(Array(text.utf8)[...], to: &output)
            }
        case UInt8(ascii: "n"): return
        default: append(json[...], to: &output)
        }
    }

    private static func append(_ text: ArraySlice<UInt8>, to output: inout [UInt8]) {
        for index in text.indices {
            let byte = text[index]
            let isEdge = index == text.startIndex || index == text.endIndex - 1
            if isVisible(byte) || byte == 0x20 && !isEdge {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(digits[Int(byte >> 4)])
                output.append(digits[Int(byte & 15)])
            }
        }
    }

    private static func isVisible(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "%") && byte != UInt8(ascii: ",")
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Reads the name of a field from a configuration file.
    static func name(_ value: ConfigurationValue) throws(CommandFailure) -> String {
        let name = try value.string()
        guard isName(name) else { throw value.failure("'\(name)' is not a name of a header field") }
        return name
    }

    /// Whether the text can be the name of a field (RFC 9110, 5.1).
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= 128 && text.isHTTPToken
    }
}
