import JOSE
import TestSupport
import Testing

@Suite("Keys in PEM and DER") struct KeysFilesTests {
    private static func privateForms(_ kind: KeyKind) -> [PrivateKeyForm] {
        switch kind {
        case .rsa: [.pkcs8, .pkcs1]
        case .p256, .p384, .p521, .secp256k1: [.pkcs8, .sec1]
        default: [.pkcs8]
        }
    }

    @Test("a private key is equal after a round trip through PEM, DER and JWK")
    func privateRoundTrips() throws {
        for key in try Fixture.generated() {
            let jwk = try key.exportPrivateJWK()
            #expect(try PrivateKey(jwk: String(decoding: jwk, as: UTF8.self)).exportPrivateJWK() == jwk)
            for form in Self.privateForms(key.kind) {
                let der = try key.exportPrivateDER(form)
                let pem = String(decoding: try key.exportPrivatePEM(form), as: UTF8.self)
                for back in [try PrivateKey(der: der), try PrivateKey(pem: pem)] {
                    #expect(back == key && back.kind == key.kind, "\(key) \(form)")
                    #expect(try back.exportPrivateJWK() == jwk, "\(key) \(form)")
                    #expect(try back.exportPrivateDER(form) == der, "\(key) \(form)")
                }
            }
            for form in [.pkcs8, .pkcs1, .sec1] as [PrivateKeyForm] where !Self.privateForms(key.kind).contains(form) {
                let answer = refusal { () throws(JOSEError) in try key.exportPrivatePEM(form) }
                #expect(answer == .keyInvalid(.form), "\(key) \(form)")
            }
        }
    }

    @Test("a public key is equal after a round trip through PEM, DER and JWK")
    func publicRoundTrips() throws {
        for key in try Fixture.generated().map(\.publicKey) {
            #expect(try PublicKey(jwk: key.jwk()) == key)
            var forms: [PublicKeyForm] = [.spki]
            if case .rsa = key.kind { forms.append(.pkcs1) }
            for form in forms {
                let der = try key.der(form)
                let pem = try key.pem(form)
                for back in [try PublicKey(der: der), try PublicKey(pem: pem)] {
                    #expect(back == key && back.kind == key.kind, "\(key) \(form)")
                    #expect(back.jwk() == key.jwk(), "\(key) \(form)")
                    #expect(try back.der(form) == der, "\(key) \(form)")
                }
            }
            if forms.count == 1 {
                #expect(refusal(of: { () throws(JOSEError) in try key.pem(.pkcs1) }) == .keyInvalid(.form), "\(key)")
            }
        }
    }

    @Test("exported PEM has the registered labels (RFC 7468)")
    func labels() throws {
        let rsa = try PrivateKey(jwk: Fixture.rsaPrivate().text)
        let ec = try PrivateKey(jwk: Fixture.p256Private.text)
        let texts = [
            ("PUBLIC KEY", try rsa.publicKey.pem()), ("RSA PUBLIC KEY", try rsa.publicKey.pem(.pkcs1)),
            ("PRIVATE KEY", String(decoding: try rsa.exportPrivatePEM(), as: UTF8.self)),
            ("RSA PRIVATE KEY", String(decoding: try rsa.exportPrivatePEM(.pkcs1), as: UTF8.self)),
            ("EC PRIVATE KEY", String(decoding: try ec.exportPrivatePEM(.sec1), as: UTF8.self)),
        ]
        for (label, text) in texts {
            #expect(text.hasPrefix("-----BEGIN \(label)-----\n") && text.hasSuffix("-----END \(label)-----\n"))
        }
    }

    @Test("a private file is rejected as a public key, and the reverse, and so is a wrong PEM label (T02)")
    func halves() throws {
        for key in try Fixture.generated() {
            let secret = String(decoding: try key.exportPrivatePEM(), as: UTF8.self)
            let open = try key.publicKey.pem()
            #expect(
                refusal(of: { () throws(JOSEError) in try PublicKey(pem: secret) }) == .keyInvalid(.publicKeyRequired))
            #expect(
                refusal(of: { () throws(JOSEError) in try PrivateKey(pem: open) }) == .keyInvalid(.privateKeyRequired))
            let der = try key.exportPrivateDER()
            #expect(refusal(of: { () throws(JOSEError) in try PublicKey(der: der) }) == .keyInvalid(.publicKeyRequired))
            let mislabelled = [
                secret.replacing("PRIVATE KEY", with: "PUBLIC KEY"), open.replacing("PUBLIC KEY", with: "PRIVATE KEY"),
                secret.replacing("PRIVATE KEY", with: "ENCRYPTED PRIVATE KEY"),
                secret.replacing("PRIVATE KEY", with: "EC PRIVATE KEY"),
            ]
            for text in mislabelled {
                #expect(refusal(of: { () throws(JOSEError) in try JWK(pem: text.utf8.span) }) != nil, "\(key)")
            }
        }
    }

    @Test("text that is not exactly one PEM block is rejected")
    func notPEM() throws {
        let good = try PublicKey(jwk: Fixture.p256Public.text).pem()
        #expect(try PublicKey(pem: good.replacing("\n", with: "\r\n")).kind == .p256)
        let body = good.split(separator: "\n").dropFirst().dropLast().joined()
        let bad: [(String, ParseFailure.Reason)] = [
            ("", .pem), (" ", .pem), ("\u{0}", .pem), ("secret", .pem), (Fixture.p256Public.text, .pem),
            (good + good, .pem), (good.replacing("-----END PUBLIC", with: "-----END PRIVATE"), .pem),
            (good.replacing("PUBLIC KEY-----\nM", with: "PUBLIC KEY-----\nProc-Type: 4,ENCRYPTED\n\nM"), .pem),
            ("-----BEGIN PUBLIC KEY-----", .pemEnd), (String(good.dropLast(30)), .pemEnd),
            (String(good.dropFirst()), .pemBegin), (body, .pemBegin), (String(good.dropFirst(27)), .pemBegin),
            ("ssh-ed25519 AAAAC3Nz", .openSSH), (" ecdsa-sha2-nistp256 AAAA someone\n", .openSSH),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\n", .openSSH),
            ("<html>", .markup), ("\u{FEFF}secret", .byteOrderMark),
        ]
        for (text, reason) in bad {
            let answer = refusal { () throws(JOSEError) in try PublicKey(pem: text) }
            #expect(answer == .malformed(ParseFailure(.key, reason)), "\(text.prefix(60))")
        }
        let certificate = good.replacing("PUBLIC KEY", with: "CERTIFICATE")
        #expect(
            refusal(of: { () throws(JOSEError) in try PublicKey(pem: certificate) }) == .keyInvalid(.unsupportedKind))
    }

    @Test("PEM whose line ends were lost or changed on the way is read if it has one reading only (RFC 7468, 2)")
    func withoutLines() throws {
        for key in [try PrivateKey(jwk: Fixture.p256Private.text), try PrivateKey(jwk: Fixture.rsaPrivate().text)] {
            for text in [try key.publicKey.pem(), String(decoding: try key.exportPrivatePEM(), as: UTF8.self)] {
                let wanted = try JWK(pem: text)
                let lines = text.split(separator: "\n")
                let one = lines.joined()
                let good = [
                    one, lines.joined(separator: " "), lines.joined(separator: #"\n"#) + #"\n"#,
                    lines.joined(separator: #"\r\n"#), lines.map { "    \($0)\n" }.joined(), "\u{FEFF}" + one,
                    "\t" + lines.joined(separator: "\r"),
                ]
                for text in good { #expect(try JWK(pem: text) == wanted, "\(text.prefix(60))") }
                let bad: [String] = [
                    "\"" + one + "\"", one + one, one + "x", "x" + one,
                    lines.joined(separator: #"\t"#), lines.joined(separator: "\\"), lines.joined(separator: "-"),
                    one.replacing("-----END", with: "----END"), one.replacing("KEY-----", with: "KEX-----"),
                    one.replacing("M", with: "*"), String(lines[0] + lines[lines.count - 1]),
                    lines.dropFirst().joined(), lines.dropLast().joined(),
                ]
                for text in bad {
                    #expect(throws: JOSEError.self, "\(text.prefix(60))") { try JWK(pem: text) }
                }
            }
        }
        // What the label says is checked as in PEM with lines.
        let key = try PrivateKey(jwk: Fixture.p256Private.text)
        let one = try key.publicKey.pem().split(separator: "\n").joined()
        #expect(throws: JOSEError.keyInvalid(.privateKeyRequired)) { try PrivateKey(pem: one) }
        #expect(throws: JOSEError.keyInvalid(.unsupportedKind)) {
            try JWK(pem: one.replacing("PUBLIC KEY", with: "CERTIFICATE"))
        }
    }

    @Test("DER that is truncated, extended or changed at any byte does not crash the parser (T61)")
    func badDER() throws {
        for key in [try PrivateKey(jwk: Fixture.p256Private.text), try PrivateKey(jwk: Fixture.ed25519Private().text)] {
            for der in [try key.publicKey.der(), try key.exportPrivateDER()] {
                // A failing import is slow, because each form is tried.
                for count in stride(from: 0, to: der.count, by: 3) {
                    #expect(readable(Array(der.prefix(count))) == nil, "\(key) \(count)")
                }
                #expect(readable(der.dropLast()) == nil)
                #expect(readable(der + [0]) == nil)
                for place in stride(from: 0, to: der.count, by: 2) {
                    var changed = der
                    changed[place] ^= 1 << UInt8(place / 2 % 8)
                    // If the changed bytes are still a key, it is another key, or the same key with the change in its metadata.
                    _ = readable(changed)
                }
                #expect(readable(der) != nil)
            }
        }
        for text: [UInt8] in [
            [], [0x30], [0x30, 0x80], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x04, 0x00], Array("{}".utf8),
        ] {
            #expect(readable(text) == nil)
        }
        #expect(refusal(of: { () throws(JOSEError) in try PublicKey(der: []) }) == .malformed(ParseFailure.der))
    }

    private func readable(_ der: [UInt8]) -> JWK? { try? JWK(der: der.span) }
}

extension ParseFailure {
    fileprivate static let der = ParseFailure(.key, .der)
}
