import Foundation
import JOSE
import TestSupport
import Testing

@Suite("Certificates of keys") struct KeyCertificateTests {
    private let fixture: CertificateFixture
    private let x5c: [String]
    private let leaf: Certificate
    init() throws {
        fixture = try CertificateFixture.made.get()
        let chain = try fixture.chain(fixture.leaf, fixture.intermediate)
        x5c = chain.certificates.map(\.base64)
        leaf = chain.leaf
    }

    private func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

    private func key(_ members: [String: JSON], isPrivate: Bool = false) throws -> String {
        let bare =
            try isPrivate ? JSON(fixture.leaf.privateKey.exportPrivateJWK()) : JSON(fixture.leaf.publicKey.jwk().utf8)
        guard case .object(let own) = bare else { return "" }
        return own.merging(members) { $1 }.text
    }

    @Test("a JWK whose x5c, x5t or x5t#S256 belongs to another key is rejected (RFC 7517, 4.7 to 4.9)")
    func match() throws {
        let sha1 = base64URL(leaf.sha1Thumbprint)
        let sha256 = base64URL(leaf.sha256Thumbprint)
        let hexText = base64URL(Array(hex(leaf.sha1Thumbprint).uppercased().utf8))
        let other = try Certificate(pem: fixture.intermediate.pem)
        let taken: [[String: JSON]] = [
            [:], ["x5c": list(x5c)], ["x5c": list([x5c[0]])], ["x5c": list(x5c), "x5t": .string(sha1)],
            ["x5c": list(x5c), "x5t#S256": .string(sha256)], ["x5t": .string(sha1), "x5t#S256": .string(sha256)],
            ["x5c": list(x5c), "x5t": .string(hexText)], ["x5t": .string(base64URL(other.sha1Thumbprint))],
            ["x5t": .string(hexText)], ["x5u": .string("https://e.test/x")],
        ]
        let refused: [(members: [String: JSON], fault: KeyFault)] = [
            (["x5c": .string(x5c[0])], .member("x5c", .certificates)),
            (["x5c": .array([.number(1)])], .member("x5c", .certificates)),
            (["x5c": .array([.null])], .member("x5c", .certificates)),
            (["x5c": list([x5c[1]])], .member("x5c", .otherKey)),
            (["x5c": list([x5c[1], x5c[0]])], .member("x5c", .certificates)),
            (["x5c": list([x5c[0], x5c[0]])], .member("x5c", .certificates)),
            (["x5c": list([x5c[0], "AAAA"])], .member("x5c", .certificates)),
            (["x5c": list([x5c[0] + "\n"])], .member("x5c", .certificates)),
            (["x5c": list([x5c[0].replacing("=", with: "") + "A"])], .member("x5c", .certificates)),
            (
                ["x5c": list(x5c), "x5t": .string(base64URL(other.sha1Thumbprint))],
                .member("x5t", .otherCertificate)
            ),
            (
                ["x5c": list(x5c), "x5t#S256": .string(base64URL(other.sha256Thumbprint))],
                .member("x5t#S256", .otherCertificate)
            ),
            (
                ["x5c": list(x5c), "x5t": .string(base64URL(Array(hex(other.sha1Thumbprint).utf8)))],
                .member("x5t", .otherCertificate)
            ),
        ]
        for isPrivate in [false, true] {
            for members in taken {
                let text = try key(members, isPrivate: isPrivate)
                let read = try JWK(parsing: text)
                #expect(read.certificates?.leaf == (members["x5c"] == nil ? nil : leaf))
                // It is written as it was read.
                #expect(try written(read) == JSON(text.utf8).without(["x5u"]))
            }
            for (members, fault) in refused {
                let text = try key(members, isPrivate: isPrivate)
                #expect(throws: JOSEError.keyInvalid(fault), "\(members)") { try JWK(parsing: text) }
                let set = try KeySet(parsing: #"{"keys":[\#(text),\#(key([:]))]}"#)
                #expect(set.keys.count == 1 && set.unusable.map(\.reason) == [.keyInvalid(fault)])
            }
        }
    }

    @Test("a thumbprint that cannot be one and an x5c without certificates are ignored (RFC 7517, 4.7 to 4.9)")
    func ignored() throws {
        let sha1 = base64URL(leaf.sha1Thumbprint), sha256 = base64URL(leaf.sha256Thumbprint)
        let badHex = [0, 1].map { place in
            var digits = Array(hex(leaf.sha1Thumbprint).utf8)
            digits[place] = UInt8(ascii: "g")
            return JSON.string(base64URL(digits))
        }
        let values: [(name: String, value: JSON)] = [
            ("x5c", list([])), ("x5c", .null), ("x5t", .null), ("x5t#S256", .null), ("x5t", .number(1)),
            ("x5t#S256", .array([])), ("x5t", .string("")), ("x5t", .string("AAAA")), ("x5t", .string(sha1 + "=")),
            ("x5t", .string(sha256)), ("x5t#S256", .string(sha1)), ("x5t", badHex[0]), ("x5t", badHex[1]),
            ("x5t", .string(hex(leaf.sha1Thumbprint))), ("x5t#S256", .string(hex(leaf.sha256Thumbprint))),
            ("x5t", .string(base64URL(Array("abcd".utf8)))),
            ("x5t#S256", .string(base64URL(Array(hex(leaf.sha256Thumbprint).utf8)))),
        ]
        for isPrivate in [false, true] {
            for (name, value) in values {
                let read = try JWK(parsing: key([name: value], isPrivate: isPrivate))
                // The key is the same, and the member is not written again.
                #expect(read.certificates == nil, "\(name) \(value)")
                #expect(try written(read) == JSON(key([:], isPrivate: isPrivate).utf8), "\(name) \(value)")
                guard name != "x5c" else { continue }
                let chained = try JWK(parsing: key([name: value, "x5c": list(x5c)], isPrivate: isPrivate))
                #expect(chained.certificates?.leaf == leaf, "\(name) \(value)")
            }
        }
    }

    private func written(_ key: JWK) throws -> JSON {
        switch key {
        case .privateKey(let key): try JSON(key.exportPrivateJWK())
        case .publicKey(let key): try JSON(key.jwk().utf8)
        case .symmetricKey: .null
        }
    }

    @Test("an x5c with a thousand certificates, or a huge one, is rejected before it is parsed (T36)") func large()
        throws
    {
        func fault(_ texts: [String]) -> JOSEError? {
            do throws(JOSEError) {
                _ = try JWK(parsing: (try? key(["x5c": list(texts)])) ?? "")
                return nil
            } catch { return error }
        }
        let root = try Certificate(pem: fixture.root.pem).base64
        #expect(fault(x5c + Array(repeating: root, count: 8)) == nil)
        #expect(fault(x5c + Array(repeating: root, count: 9)) == .limitExceeded(.certificates))
        #expect(fault(x5c + Array(repeating: root, count: 998)) == .limitExceeded(.certificates))
        // The count is checked before a certificate is parsed.
        #expect(fault(Array(repeating: "AAAA", count: 11)) == .limitExceeded(.certificates))
        let broken = JOSEError.keyInvalid(.member("x5c", .certificates))
        #expect(fault([x5c[0], String(repeating: "A", count: 4096)]) == broken)
        #expect(fault([x5c[0], String(repeating: "A", count: 1 << 20)]) == .limitExceeded(.certificateBytes))
        // The size is checked before the text is decoded.
        #expect(fault([x5c[0], String(repeating: "*", count: 4096)]) == broken)
        #expect(fault([x5c[0], String(repeating: "*", count: 1 << 20)]) == .limitExceeded(.certificateBytes))
        #expect(fault(x5c) == nil)
    }

    @Test("certificates in PEM without line ends are read, and nothing else between them (RFC 7468, 2)")
    func withoutLines() throws {
        let chain = try fixture.chain(fixture.leaf, fixture.intermediate)
        let text = try chain.certificates.map { try $0.pem() }.joined()
        let one = text.split(separator: "\n").joined()
        for text in [text, one, text.replacing("\n", with: #"\n"#), one.replacing("-----BEGIN", with: "  -----BEGIN")] {
            #expect(try CertificateChain(pem: text) == chain, "\(text.prefix(40))")
        }
        for text in [one + "x", "x" + one, one.replacing("CERTIFICATE", with: "PUBLIC KEY"), String(one.dropLast(3))] {
            #expect(throws: JOSEError.self, "\(text.prefix(40))") { try CertificateChain(pem: text) }
        }
        #expect(throws: JOSEError.limitExceeded(.certificates)) { try Certificate.parseAll(pem: one, limit: 1) }
    }

    @Test("a symmetric JWK with x5c is rejected") func secret() throws {
        #expect(throws: JOSEError.keyInvalid(.member("x5c", .otherKey))) {
            try JWK(parsing: JSON.object(["kty": .string("oct"), "k": .string("AAAA"), "x5c": list(x5c)]).text)
        }
        _ = try JWK(parsing: #"{"kty":"oct","k":"AAAA"}"#)
        // It may have a thumbprint, which is written again.
        let text = #"{"kty":"oct","x5t":"\#(base64URL(leaf.sha1Thumbprint))","k":"AAAA"}"#
        guard case .symmetricKey(let key) = try JWK(parsing: text) else { throw JOSEError.backend }
        #expect(try JSON(key.exportSecretJWK()) == JSON(text.utf8))
    }

    @Test("a key accepts its own chain and rejects that of another key") func given() throws {
        let chain = try fixture.chain(fixture.leaf, fixture.intermediate)
        var key = try fixture.leaf.privateKey
        #expect(key.certificates == nil)
        try key.setCertificates(chain)
        #expect(key.certificates == chain && key.publicKey.certificates == chain)
        let written = try JSON(key.publicKey.jwk().utf8)
        #expect(written["x5c"] == list(x5c) && written["x5t"] == nil)
        #expect(written["x5t#S256"]?.string == base64URL(leaf.sha256Thumbprint))
        try key.setCertificates(chain, members: [])
        #expect(try JSON(key.publicKey.jwk().utf8)["x5c"] == nil)
        try key.setCertificates(nil)
        #expect(key.certificates == nil)
        var other = try fixture.intermediate.privateKey
        #expect(throws: JOSEError.keyInvalid(.certificate)) { try other.setCertificates(chain) }
        var half = try fixture.intermediate.publicKey
        #expect(throws: JOSEError.keyInvalid(.certificate)) { try half.setCertificates(chain) }
        try half.setCertificates(fixture.chain(fixture.intermediate))
    }

    @Test("a key that gets the members of another key does not get its certificates (RFC 7517, 4.7)")
    func othersMembers() throws {
        let chain = try fixture.chain(fixture.leaf, fixture.intermediate)
        var certified = try fixture.leaf.privateKey
        certified.keyID = "leaf"
        try certified.setCertificates(chain)
        func check<Key: JWKConvertible>(_ key: Key, has own: CertificateChain?) throws {
            var key = key
            key.binding = certified.binding
            #expect(key.keyID == "leaf" && key.certificates == own, "\(Key.self)")
            key.keyID = "other"
            #expect(key.certificates == own, "\(Key.self)")
        }
        let other = try fixture.intermediate.privateKey
        for key in [try fixture.leaf.privateKey, other] {
            let own = key == other ? nil : chain
            try check(key, has: own)
            try check(key.publicKey, has: own)
            try check(JWK.privateKey(key), has: own)
            try check(JWK.publicKey(key.publicKey), has: own)
        }
        let secret = try SecretKey.generate(bits: 256)
        try check(secret, has: nil)
        try check(JWK.symmetricKey(secret), has: nil)
    }
}
