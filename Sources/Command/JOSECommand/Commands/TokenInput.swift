import JOSESettings
internal import JOSESupport
internal import JOSETokens

/// The source of the tokens of a run: the argument itself, a file, or standard input.
enum TokenInput {
    case token(String)
    case stream(Descriptor, name: String)

    /// Creates the source from the operand: the file of that name if there is one, and otherwise the token that the
    /// operand is.
    ///
    /// - Throws: A failure that names the file if the operand is neither. A misspelt file name is no invalid token.
    init(_ operand: String?) throws(CommandFailure) {
        guard let operand, operand != "-" else {
            self = .stream(.input, name: "standard input")
            return
        }
        do throws(CommandFailure) {
            self = .stream(try Descriptor(reading: operand), name: operand)
        } catch {
            guard Self.isToken(operand) else {
                // An operand that contains the beginning of a header is not repeated: behind a word such as "Bearer" it
                // may be a valid token.
                let isLikeToken = ["eyJ", "eyA", "ewo"].contains { operand.contains($0) }
                guard isLikeToken || operand.utf8.count > 255 else { throw error }
                let mistake = isLikeToken ? TextMistake(operand.utf8.span) : nil
                throw CommandFailure(
                    "the operand is neither a file nor a token" + (mistake.map { ": \($0.text); \($0.remedy)" } ?? ""))
            }
            self = .token(operand)
        }
    }

    /// Returns the only token of the input, on any number of lines. Line feeds at its end are left out.
    ///
    /// - Throws: `empty` if the input is empty.
    func only(maximumBytes: Int) throws(CommandFailure) -> [UInt8] {
        guard let token = try ifAny(maximumBytes: maximumBytes) else { throw empty }
        return token
    }

    /// The failure of a run whose input has no token.
    var empty: CommandFailure {
        switch self {
        case .token: CommandFailure("no token in the input")
        case .stream(_, let name): CommandFailure("\(name): no token in the input")
        }
    }

    /// Returns the only token of the input, or nil if the input is empty.
    func ifAny(maximumBytes: Int) throws(CommandFailure) -> [UInt8]? {
        switch self {
        case .token(let token): return Array(token.utf8)
        case .stream(let source, let name):
            // One MiB more than the limit is read, so that the verifier reports the size.
            var bytes = try source.readAll(maximumBytes: maximumBytes + 1_048_576, name: name)
            while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
            return bytes.isEmpty ? nil : bytes
        }
    }

    /// Returns whether the text has the form of a token, valid or not: a JSON object, or the parts of a compact token
    /// whose header begins with `{` (RFC 7515, 7.1; RFC 7516, 7.1). The key binding of an SD-JWT has two more dots (RFC
    /// 9901, 4).
    private static func isToken(_ text: String) -> Bool {
        if text.utf8.first == UInt8(ascii: "{") { return true }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 5 else { return false }
        let first = Base64URL.decode(Array(parts[0]).span)?.first { !$0.isWhiteSpace }
        return first == UInt8(ascii: "{")
    }
}
