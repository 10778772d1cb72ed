import JOSE
import TestSupport
import Testing

@Suite("Key selection from a set") struct KeysChoiceTests {
    private let rsa: [String: JSON]
    private let ec = Fixture.p256Public
    init() throws { rsa = try Fixture.rsaPublic().without("kid", "use", "alg", "key_ops") }

    private func set(_ keys: [[String: JSON]]) throws -> KeySet {
        try KeySet(parsing: JSON.object(["keys": .array(keys.map { .object($0) })]).text)
    }

    private func names(_ keys: [JWK]) -> [String] { keys.map { $0.keyID ?? "-" } }

    @Test(
        "a key that fits is listed, and one that use, key_ops, alg or kind excludes has a reason (RFC 7517, 4.2 to 4.4)"
    )
    func reasons() throws {
        let verify = JSON.array([.string("verify")])
        let keys = try set([
            rsa.with("kid", "plain"), rsa.with("kid", "use").with("use", "enc"),
            rsa.with("kid", "use-control").with("use", "sig"),
            rsa.with("kid", "alg").with("alg", "PS256"), rsa.with("kid", "alg-control").with("alg", "RS256"),
            rsa.with("kid", "ops").with("key_ops", .array([.string("encrypt")])),
            rsa.with("kid", "ops-control").with("key_ops", verify), ec.with("kid", "kind"),
            rsa.with("kid", "broken").with("e", "AA"),
        ])
        let choice = keys.keys(for: .verify, algorithm: .rs256)
        #expect(names(choice.fitting) == ["plain", "use-control", "alg-control", "ops-control"])
        #expect(names(choice.misfits.map(\.key)) == ["use", "alg", "ops", "kind"])
        #expect(choice.misfits.map(\.reason) == [.use, .algorithm, .operations, .kind])
        #expect(choice.unusable.map(\.keyID) == ["broken"])
        // A public key signs and decrypts nothing; a signature algorithm encrypts nothing.
        #expect(keys.keys(for: .sign, algorithm: .rs256).fitting.isEmpty)
        #expect(keys.keys(for: .encrypt, algorithm: .rs256).misfits.allSatisfy { $0.reason == .algorithm })
        #expect(keys.keys(for: .verify, algorithm: .rsaOAEP256).misfits.allSatisfy { $0.reason == .algorithm })
        #expect(keys.keys(for: .decrypt, algorithm: .rsaOAEP256).fitting.isEmpty)
        #expect(names(keys.keys(for: .encrypt, algorithm: .rsaOAEP256).fitting) == ["plain", "use", "ops"])
    }

    @Test("keys(for:) selects by kid, byte by byte, or else the keys without a kid (RFC 7515, 4.1.4)") func keyIDs()
        throws
    {
        let keys = try set([
            ec.with("kid", "k"), ec.with("kid", "K"), ec, ec.with("kid", "\u{212A}"),
            ec.with("kid", "k").with("use", "enc"),
        ])
        func choice(_ keyID: String?) -> KeyMatches { keys.keys(for: .verify, algorithm: .es256, keyID: keyID) }
        #expect(names(choice("k").fitting) == ["k"] && choice("k").misfits.map(\.reason) == [.use])
        #expect(names(choice("K").fitting) == ["K"])
        #expect(names(choice("\u{212A}").fitting) == ["\u{212A}"])
        #expect(names(choice("other").fitting) == ["-"])
        #expect(choice(nil).fitting.count == 4)
        let named = try set([ec.with("kid", "k")])
        let none = named.keys(for: .verify, algorithm: .es256, keyID: "other")
        #expect(none.fitting.isEmpty && none.misfits.isEmpty && none.unusable.isEmpty)
    }

    @Test("keys(for:) selects symmetric keys by the size that the algorithm requires") func sizes() throws {
        func octets(_ count: Int) -> [String: JSON] {
            ["kty": .string("oct"), "kid": .string("\(count)")].with("k", octets: [UInt8](repeating: 7, count: count))
        }
        let keys = try set([16, 32, 48, 64].map(octets))
        #expect(names(keys.keys(for: .sign, algorithm: .hs384).fitting) == ["48", "64"])
        #expect(keys.keys(for: .verify, algorithm: .hs384).misfits.map(\.reason) == [.secretTooShort, .secretTooShort])
        #expect(names(keys.keys(for: .decrypt, algorithm: .a256kw).fitting) == ["32"])
        #expect(
            names(keys.keys(for: .encrypt, algorithm: .dir, contentEncryption: .a256cbcHS512).fitting) == ["64"])
        #expect(keys.keys(for: .encrypt, algorithm: .dir).fitting.count == 4)
    }

    @Test("keys(for:) selects for a header the keys that the verifier and the decrypter use") func headers() throws {
        let signing = try PrivateKey.generate(.p256, keyID: "s")
        let opening = try PrivateKey.generate(.x25519, keyID: "d")
        let keys = KeySet([.privateKey(signing), .privateKey(opening), .privateKey(try .generate(.p256, keyID: "o"))])
        let jws = try JWSVerifier(keys: keys, policy: SignaturePolicy(algorithms: [.es256])).verify(
            JWSSigner(key: signing, algorithm: .es256).sign("x"))
        #expect(names(try keys.keys(for: jws.header).fitting) == ["s"])
        let policy = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        let jwe = try JWEDecrypter(keys: keys, policy: policy).decrypt(
            JWEEncrypter(key: opening.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm).encrypt("x"))
        #expect(names(try keys.keys(for: jwe.header).fitting) == ["d"])
        // The names are unknown, or missing.
        for (alg, fault) in [("none", .signature), ("es256", .signature)] as [(String, AlgorithmRole)] {
            let header = try JOSEHeader(segment: base64URL(#"{"alg":"\#(alg)"}"#.utf8).utf8.span, limits: .standard)
            #expect(throws: JOSEError.algorithmNotAllowed(fault)) { try keys.keys(for: header) }
        }
        let sealed = try JOSEHeader(segment: base64URL(#"{"alg":"dir","enc":"x"}"#.utf8).utf8.span, limits: .standard)
        #expect(throws: JOSEError.algorithmNotAllowed(.contentEncryption)) { try keys.keys(for: sealed) }
        let empty = try JOSEHeader(segment: base64URL("{}".utf8).utf8.span, limits: .standard)
        #expect(throws: JOSEError.headerInvalid(.algorithmMissing)) { try keys.keys(for: empty) }
    }

    @Test("keys(for:) narrows the selection by certificate thumbprint (RFC 7515, 4.1.8)") func certificates() throws {
        let thumbprints = [1, 2].map { base64URL([UInt8](repeating: $0, count: 32)) }
        func header(_ value: String) throws -> JOSEHeader {
            try JOSEHeader(
                segment: base64URL(#"{"alg":"ES256","x5t#S256":"\#(value)"}"#.utf8).utf8.span, limits: .standard)
        }
        let one = ec.with("kid", "1").with("x5t#S256", thumbprints[0])
        let two = ec.with("kid", "2").with("x5t#S256", thumbprints[1])
        let keys = try set([one, two, ec.with("kid", "3")])
        let choice = try keys.keys(for: header(thumbprints[1]))
        #expect(names(choice.fitting) == ["2"] && choice.misfits.map(\.reason) == [.certificate, .certificate])
        let other = try keys.keys(for: header("AAAA"))
        #expect(names(other.fitting) == ["3"] && names(other.misfits.map(\.key)) == ["1", "2"])
    }
}
