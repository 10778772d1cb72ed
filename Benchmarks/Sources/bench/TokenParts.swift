internal import Foundation

/// The decoded parts of a compact token, for the raw calls.
struct TokenParts {
    let text: [[UInt8]]
    let decoded: [[UInt8]]

    init(_ token: [UInt8]) {
        text = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
        decoded = text.map(Self.decode)
    }

    /// The parts without the last one: the signing input of a JWS.
    var signingInput: [UInt8] { Array(text.dropLast().joined(separator: [UInt8(ascii: ".")])) }

    static func decode(_ text: [UInt8]) -> [UInt8] {
        var standard = String(decoding: text, as: UTF8.self)
            .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while standard.utf8.count % 4 != 0 { standard += "=" }
        return Data(base64Encoded: standard).map(Array.init) ?? []
    }

    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        Data(bytes).base64EncodedData().compactMap { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
    }

    /// Returns the members of a JSON object that are base64url, decoded.
    static func members(_ json: [UInt8]) -> [String: [UInt8]] {
        let object = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
        return (object ?? [:]).compactMapValues { ($0 as? String).map { decode(Array($0.utf8)) } }
    }

    /// Returns the header parameters of the algorithm's key wrap: IV and tag, or the salt after the name (RFC 7518, 4.8.1.1).
    func wrapping(_ algorithm: String) -> [UInt8]? {
        let members = Self.members(decoded[0])
        if let salt = members["p2s"] { return Array(algorithm.utf8) + [0] + salt }
        guard let iv = members["iv"], let tag = members["tag"] else { return nil }
        return iv + tag
    }

    /// The sender's public key from `epk`: uncompressed, or the 32 bytes of X25519.
    var point: [UInt8] {
        let header = try? JSONSerialization.jsonObject(with: Data(decoded[0])) as? [String: Any]
        guard let key = header?["epk"], let json = try? JSONSerialization.data(withJSONObject: key) else { return [] }
        let members = Self.members(Array(json))
        guard let x = members["x"] else { return [] }
        return members["y"].map { [4] + x + $0 } ?? x
    }
}
