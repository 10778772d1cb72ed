internal import JOSESupport

/// Escapes text from outside the process (tokens, keys, answers of servers, files, arguments), so that a terminal shows
/// its control and format characters and interprets none of them.
package enum TerminalText {
    /// Returns whether a terminal may interpret the character, or show it so that a reader is misled: control
    /// characters (Cc: C0, DEL and C1, which begin escape sequences), format characters (Cf: bidirectional controls,
    /// zero-width characters, tags), line and paragraph separators (Zl, Zp), and characters without a fixed appearance
    /// (surrogates, private use, unassigned).
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x7F else { return scalar.value < 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return true
        default: return false
        }
    }

    /// Returns the text with each unsafe character replaced by `\u{…}`, its number in hexadecimal.
    ///
    /// - Parameter kept: Unsafe characters that are not replaced, such as the line feeds of a text of several lines.
    package static func escaped(_ text: String, keeping kept: [Unicode.Scalar] = []) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar), !kept.contains(scalar) {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns JSON text of the same meaning in which each unsafe character of a string is written as `\u` and four
    /// hexadecimal digits (RFC 8259, 7). Carriage returns and tabs, which JSON allows between its tokens only, become
    /// spaces.
    ///
    /// - Parameter isOneLine: Whether line feeds, which JSON also allows between its tokens only, become spaces too.
    ///   Otherwise they stay.
    /// - Returns: The new text, or nil if `json` has no control characters to replace and no bytes beyond ASCII. No
    ///   other copy is made: a caller whose text is secret wipes this one.
    package static func escapedJSON(_ json: [UInt8], isOneLine: Bool = false) -> [UInt8]? {
        let suspects = json.count { $0 >= 0x7F || ($0 < 0x20 && (isOneLine || $0 != 0x0A)) }
        guard suspects > 0 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(json.count + 5 * suspects)
        var decoder = UTF8()
        var bytes = json.makeIterator()
        while true {
            switch decoder.decode(&bytes) {
            case .emptyInput: return result
            case .error: append(escapeOf: "\u{FFFD}", to: &result)
            case .scalarValue(let scalar) where !isUnsafe(scalar):
                UTF8.encode(scalar, into: { result.append($0) })
            case .scalarValue("\n") where !isOneLine: result.append(0x0A)
            // These are white space between tokens: JSON strings do not contain them unescaped.
            case .scalarValue("\n"), .scalarValue("\r"), .scalarValue("\t"): result.append(0x20)
            case .scalarValue(let scalar): append(escapeOf: scalar, to: &result)
            }
        }
    }

    private static func append(escapeOf scalar: Unicode.Scalar, to result: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
            result += [UInt8(ascii: "\\"), UInt8(ascii: "u")]
            for shift in [12, 8, 4, 0] { result.append(digits[Int(unit >> shift & 15)]) }
        }
    }
}

extension Int {
    /// The number with its digits in groups of three.
    package var grouped: String {
        let digits = String(magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result += " " }
            result.append(digit)
        }
        return self < 0 ? "-" + result : result
    }
}
