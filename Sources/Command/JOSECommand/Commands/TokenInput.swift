/// The source of the tokens of a run: the argument itself, a file, or standard input.
enum TokenInput {
    case token(String)
    case stream(Descriptor, name: String)

    /// Creates the source from the operand. An operand that has the characters and dots of a token is a token; any other names a
    /// file. If there is no such file, and no slash in the operand, it is an invalid token.
    init(_ operand: String?, isJSON: Bool = false) throws(CommandFailure) {
        guard let operand, operand != "-" else {
            self = .stream(.input, name: "standard input")
            return
        }
        if isJSON ? operand.utf8.first == UInt8(ascii: "{") : Self.looksLikeToken(operand) {
            self = .token(operand)
        } else if let file = try? Descriptor(reading: operand) {
            self = .stream(file, name: operand)
        } else if operand.utf8.contains(UInt8(ascii: "/")) {
            self = .stream(try Descriptor(reading: operand), name: operand)
        } else {
            self = .token(operand)
        }
    }

    /// Returns the only token of the input, on any number of lines. Line feeds at its end are left out.
    ///
    /// - Throws: `empty` if the input is empty.
    func only(most: Int) throws(CommandFailure) -> [UInt8] {
        guard let token = try ifAny(most: most) else { throw empty }
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
    func ifAny(most: Int) throws(CommandFailure) -> [UInt8]? {
        switch self {
        case .token(let token): return Array(token.utf8)
        case .stream(let source, let name):
            // One MiB more than the limit is read, so that the verifier reports the size.
            var bytes = try source.readAll(most: most + 1_048_576, name: name)
            while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
            return bytes.isEmpty ? nil : bytes
        }
    }

    private static func looksLikeToken(_ text: String) -> Bool {
        var dots = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "."): dots += 1
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                break
            default: return false
            }
        }
        return dots == 2 || dots == 4
    }
}
