import Foundation

/// Returns lower-case hexadecimal without separators.
package func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
}

/// Reads hexadecimal in either case; white space and colons between digits are skipped, as RFCs print them.
package func bytes(hex text: String) -> [UInt8]? {
    let digits = text.unicodeScalars.filter { !$0.properties.isWhitespace && $0 != ":" }.map { scalar -> UInt8? in
        scalar.isASCII ? Character(scalar).hexDigitValue.map { UInt8($0) } : nil
    }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
        guard let high = digits[place], let low = digits[place + 1] else { return nil }
        bytes.append(high << 4 | low)
    }
    return bytes
}

/// Returns unpadded base64url by Foundation, which is independent of the coder under test.
package func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    var text = Data(bytes).base64EncodedString()
    text.replace("+", with: "-")
    text.replace("/", with: "_")
    text.replace("=", with: "")
    return text
}

/// Reads unpadded base64url; nil for anything that Foundation rejects.
package func bytes(base64URL text: String) -> [UInt8]? {
    var padded = text.replacing("-", with: "+").replacing("_", with: "/")
    padded += String(repeating: "=", count: (4 - padded.utf8.count % 4) % 4)
    return Data(base64Encoded: padded).map { Array($0) }
}

/// Returns a part of a compact JWS or JWE, decoded. Traps on a vector that is not one, which is a fault of the test.
package func part(_ index: Int, of token: String) -> [UInt8] {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.indices.contains(index), let bytes = bytes(base64URL: String(parts[index])) else {
        preconditionFailure("part \(index) of \(token.prefix(40))")
    }
    return bytes
}
