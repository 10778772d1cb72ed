import CTiming
import JOSE

/// Creates tokens whose parts need not belong together, and has the keys for them.
struct Material {
    let rsa: PrivateKey
    private let spki: [UInt8]
    let secret: SecretKey
    let secretBytes: [UInt8]

    init() throws {
        rsa = try PrivateKey.generate(.rsa(bits: 2048))
        spki = try rsa.publicKey.der()
        secretBytes = Self.random(32)
        secret = try SecretKey(bytes: secretBytes)
    }

    static func random(_ count: Int, _ range: ClosedRange<UInt8> = 0...255) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: range) }
    }

    /// Returns the block to the power of the public exponent.
    func power(_ block: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 256)
        precondition(block.count == 256 && timing_rsa(spki, spki.count, block, &out))
        return out
    }

    /// Returns an RSAES-PKCS1-v1_5 block of a text (RFC 8017, 7.2.1).
    func rsa15Block(_ text: [UInt8]) -> [UInt8] { [0, 2] + Self.random(253 - text.count, 1...255) + [0] + text }

    /// Returns a JWE with this encrypted key and an invalid tag.
    func token(_ header: String, encryptedKey: [UInt8]) -> [UInt8] {
        let parts = [Array(header.utf8), encryptedKey, Self.random(16), Self.random(32), Self.random(16)]
        return Array(parts.map(base64URL).joined(separator: ".").utf8)
    }

    /// Returns a `dir` JWE of A128CBC-HS256 of these blocks, with the right tag or another one.
    func content(_ blocks: [UInt8], tagHolds: Bool) -> [UInt8] {
        let header = base64URL(Array(#"{"alg":"dir","enc":"A128CBC-HS256"}"#.utf8))
        let iv = Self.random(16)
        var ciphertext = [UInt8](repeating: 0, count: blocks.count)
        precondition(timing_cbc(Array(secretBytes[16...]), iv, blocks, blocks.count, &ciphertext))
        let bits = header.utf8.count * 8
        let all = Array(header.utf8) + iv + ciphertext + [0, 0, 0, 0, 0, 0, UInt8(bits >> 8), UInt8(bits & 255)]
        var tag = [UInt8](repeating: 0, count: 32)
        precondition(timing_mac(Array(secretBytes[..<16]), 16, all, all.count, &tag))
        if !tagHolds { tag[Int.random(in: 0..<16)] ^= UInt8.random(in: 1...255) }
        return Array("\(header)..\(base64URL(iv)).\(base64URL(ciphertext)).\(base64URL(Array(tag[..<16])))".utf8)
    }
}

func base64URL(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    var (bits, count) = (0, 0)
    for byte in bytes {
        (bits, count) = (bits << 8 | Int(byte), count + 8)
        while count >= 6 {
            text.append(letters[bits >> (count - 6) & 63])
            count -= 6
        }
        bits &= 255
    }
    if count > 0 { text.append(letters[bits << (6 - count) & 63]) }
    return String(decoding: text, as: UTF8.self)
}
