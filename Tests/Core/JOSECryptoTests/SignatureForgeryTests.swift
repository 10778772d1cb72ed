import JOSECrypto
import TestSupport
import Testing

private struct Forgeries: Decodable {
    struct Signature: Decodable {
        let alg: String
        let what: String
        let row: String?
        let valid: Bool
        let message: String
        let signature: String
    }
    let key: JSON
    let signatures: [Signature]
}

private let p256Order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
private let p384Order =
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"
private let secp256k1Order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
private let p521Order =
    "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"

/// Returns a + b, or the difference where `subtracting`, as long as `a`; nil where it does not fit.
private func sum(_ a: [UInt8], _ b: [UInt8], subtracting: Bool = false) -> [UInt8]? {
    var result = a
    var carry = 0
    for place in a.indices.reversed() {
        let value = Int(a[place]) + (subtracting ? -Int(b[place]) : Int(b[place])) + carry
        result[place] = UInt8(truncatingIfNeeded: value)
        carry = value >> 8
    }
    return carry == 0 ? result : nil
}

/// Returns the DER of an ECDSA signature, which JOSE does not use.
private func der(_ signature: [UInt8]) -> [UInt8] {
    func integer(_ half: ArraySlice<UInt8>) -> [UInt8] {
        var value = Array(half.drop { $0 == 0 })
        if value.first ?? 0x80 >= 0x80 { value.insert(0, at: 0) }
        return [2, UInt8(value.count)] + value
    }
    let half = signature.count / 2
    let body = integer(signature[..<half]) + integer(signature[half...])
    return (body.count < 128 ? [0x30] : [0x30, 0x81]) + [UInt8(body.count)] + body
}

@Suite("Forged signatures") struct SignatureForgeryTests {
    @Test("RSA: lax PKCS #1 v1.5 padding (T14), wrong PSS parameters (T15) and numbers out of range (T16) are rejected")
    func rsa() throws {
        let data: Forgeries = try ownVectors("rsa")
        let key = try asymmetricKey(data.key, asPublic: true)
        for forgery in data.signatures {
            let scheme = try #require(schemes[forgery.alg])
            let message = try #require(bytes(base64URL: forgery.message))
            let signature = try #require(bytes(base64URL: forgery.signature))
            let name = "\(forgery.row ?? "") \(forgery.alg): \(forgery.what)"
            if forgery.valid {
                #expect(throws: Never.self, "\(name)") {
                    try key.verify(scheme, message, signature: signature)
                }
            } else {
                #expect(throws: CryptoError.invalid, "\(name)") {
                    try key.verify(scheme, message, signature: signature)
                }
            }
        }
    }

    @Test("a PSS signature must have a salt as long as the hash (RFC 7518, 3.5)") func pssSalt() throws {
        let data: Forgeries = try ownVectors("rsa")
        let key = try asymmetricKey(data.key)
        for scheme in [SignatureScheme.ps256, .ps384, .ps512] {
            let one = try key.sign(scheme, sampleText)
            let other = try key.sign(scheme, sampleText)
            #expect(one != other)
            try key.verify(scheme, sampleText, signature: one)
        }
    }

    @Test(
        "ECDSA: r or s out of range (T11), r + n, DER, and numbers of another length (T12) are rejected",
        arguments: [
            (Curve.p256, SignatureScheme.es256, p256Order), (.p384, .es384, p384Order), (.p521, .es512, p521Order),
            (.secp256k1, .es256k, secp256k1Order),
        ])
    func ecdsa(curve: Curve, scheme: SignatureScheme, orderHex: String) throws {
        let key = try AsymmetricKey.generateEC(curve)
        let size = curve.fieldBytes
        let order = sized(orderHex, size)
        let good = try key.sign(scheme, sampleText)
        try key.verify(scheme, sampleText, signature: good)
        let (r, s) = (Array(good.prefix(size)), Array(good.suffix(size)))
        let zero = [UInt8](repeating: 0, count: size)
        let one = sized("01", size)
        let top = [UInt8](repeating: 0xff, count: size)
        let after = try #require(sum(order, one))
        let before = try #require(sum(order, one, subtracting: true))
        var wrong: [(String, [UInt8])] = [
            ("DER", der(good)), ("empty", []), ("the halves exchanged", s + r), ("r alone", r),
            ("a zero before", [0] + good), ("a zero behind", good + [0]),
            ("a zero before each half", [0] + r + [0] + s),
            ("a byte short", Array(good.dropLast())), ("a byte less in front", Array(good.dropFirst())),
            ("twice as long", good + good), ("DER with zeros to the length", pad(der(good), 2 * size)),
        ]
        let numbers = [
            ("0", zero), ("1", one), ("n - 1", before), ("n", order), ("n + 1", after), ("2^8k - 1", top), ("r", r),
            ("s", s),
        ]
        for (left, first) in numbers {
            for (right, second) in numbers where (left, right) != ("r", "s") {
                wrong.append(("r = \(left), s = \(right)", first + second))
            }
        }
        // Only the field of P-521 leaves room for it in the same number of bytes.
        if let more = sum(r, order) { wrong.append(("r + n", more + s)) }
        if let more = sum(s, order) { wrong.append(("s + n", r + more)) }
        #expect(curve != .p521 || wrong.contains { $0.0 == "r + n" })
        for (what, signature) in wrong {
            #expect(throws: CryptoError.invalid, "\(scheme) \(what)") {
                try key.verify(scheme, sampleText, signature: signature)
            }
        }
        try key.verify(scheme, sampleText, signature: good)
    }

    @Test("ES256K signatures with edge values of r and s, high s included, verify as listed (RFC 8812, 3.2; T11, T12)")
    func secp256k1() throws {
        struct Edges: Decodable {
            struct Signature: Decodable {
                let what: String
                let valid: Bool
                let x, y, message, signature: String
            }
            let signatures: [Signature]
        }
        let edges: Edges = try ownVectors("es256k")
        #expect(edges.signatures.count { $0.valid } == 18)
        for edge in edges.signatures {
            let part = try [edge.x, edge.y, edge.message, edge.signature].map { try #require(bytes(base64URL: $0)) }
            let key = try AsymmetricKey.ec(.secp256k1, x: part[0], y: part[1])
            if edge.valid {
                #expect(throws: Never.self, "\(edge.what)") { try key.verify(.es256k, part[2], signature: part[3]) }
            } else {
                #expect(throws: CryptoError.invalid, "\(edge.what)") {
                    try key.verify(.es256k, part[2], signature: part[3])
                }
            }
        }
    }

    @Test("secp256k1 keys are rejected for key agreement (RFC 8812, 3.1)") func noAgreement() throws {
        let key = try AsymmetricKey.generateEC(.secp256k1)
        let point = [4] + (try key.part(.x)) + (try key.part(.y))
        #expect(throws: CryptoError.keyInvalid) { try key.agreed(point) }
        var made: CryptoError?
        do throws(CryptoError) {
            _ = unsafe try filled(32) { z throws(CryptoError) in _ = try unsafe key.agreeFresh(into: z) }
        } catch { made = error }
        #expect(made == .keyInvalid)
        // As a positive control, a key of another curve agrees with a point of its own.
        let other = try AsymmetricKey.generateEC(.p256)
        let fitting = [4] + (try other.part(.x)) + (try other.part(.y))
        #expect(throws: Never.self) { try other.agreed(fitting) }
        #expect(throws: Never.self) {
            unsafe try filled(32) { z throws(CryptoError) in _ = try unsafe other.agreeFresh(into: z) }
        }
    }

    private func pad(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        bytes.count < count ? bytes + [UInt8](repeating: 0, count: count - bytes.count) : Array(bytes.prefix(count))
    }

    @Test("r and s with leading zeros keep their full length (RFC 7518, 3.4)") func leadingZeros() throws {
        let key = try AsymmetricKey.generateEC(.p256)
        var seen = 0
        for count in 0..<3_000 where seen < 4 {
            let text = Array("\(count)".utf8)
            let signature = try key.sign(.es256, text)
            guard signature[0] == 0 || signature[32] == 0 else { continue }
            seen += 1
            #expect(signature.count == 64)
            try key.verify(.es256, text, signature: signature)
            let stripped = signature[0] == 0 ? Array(signature.dropFirst()) : Array(signature[..<32] + signature[33...])
            #expect(throws: CryptoError.invalid) { try key.verify(.es256, text, signature: stripped) }
        }
        #expect(seen > 0)
    }

    @Test("a signature scheme accepts only keys of its own kind and curve (T17; RFC 7518, 3.4)") func curves() throws {
        let keys: [(AsymmetricKey, [SignatureScheme])] = [
            (try someRSAKey(), [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]),
            (try .generateEC(.p256), [.es256]), (try .generateEC(.secp256k1), [.es256k]),
            (try .generateEC(.p384), [.es384]), (try .generateEC(.p521), [.es512]), (try .generate(.ed448), [.ed448]),
            (try .generate(.x448), []),
        ]
        for (key, fitting) in keys {
            for scheme in SignatureScheme.allCases where !fitting.contains(scheme) {
                let made = [UInt8](repeating: 1, count: key.signatureCount)
                #expect(throws: CryptoError.keyInvalid) {
                    try key.verify(scheme, sampleText, signature: made)
                }
                #expect(throws: CryptoError.keyInvalid) { try key.sign(scheme, sampleText) }
            }
            for scheme in fitting {
                let signature = try key.sign(scheme, sampleText)
                #expect(throws: Never.self) { try key.verify(scheme, sampleText, signature: signature) }
            }
        }
    }

    @Test("a valid call succeeds after a failed one on the same thread (X09)") func afterFailure() throws {
        let rsa = try someRSAKey()
        let ec = try AsymmetricKey.generateEC(.p256)
        for _ in 0..<3 {
            for (key, scheme) in [(rsa, SignatureScheme.rs256), (rsa, .ps256), (ec, .es256)] {
                let good = try key.sign(scheme, sampleText)
                let bad = [UInt8](repeating: 0xff, count: good.count)
                #expect(throws: CryptoError.invalid) {
                    try key.verify(scheme, sampleText, signature: bad)
                }
                try key.verify(scheme, sampleText, signature: good)
                #expect(throws: CryptoError.invalid) { try KeyFile.importPEM("no key at all") }
                try key.verify(scheme, sampleText, signature: good)
            }
        }
    }
}
