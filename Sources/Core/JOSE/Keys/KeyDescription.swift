/// The description of a key, wherever it is printed, dumped or mirrored: its kind and its name.
package enum KeyDescription {
    static func text(_ type: StaticString, _ kind: KeyKind, _ keyID: String?) -> String {
        guard let keyID else { return "\(type)(\(kind))" }
        return "\(type)(\(kind), kid: \"\(escaped(keyID))\")"
    }

    /// Returns a name from outside in a form for one line of a log: printable ASCII, at most 64 characters (threat
    /// K26).
    package static func escaped(_ keyID: String) -> String {
        var result = ""
        var room = 64
        for scalar in keyID.unicodeScalars {
            let isPlain = scalar.value >= 0x20 && scalar.value < 0x7F && scalar != "\"" && scalar != "\\"
            let piece = isPlain ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
            guard piece.utf8.count <= room else { break }
            result += piece
            room -= piece.utf8.count
        }
        return result
    }
}
