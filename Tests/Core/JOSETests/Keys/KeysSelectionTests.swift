import JOSECrypto
import TestSupport
import Testing

@testable import JOSE

@Suite("Keys and the algorithms that they fit") struct KeysSelectionTests {
    private func key(_ members: [String: JSON]) throws -> JWK { try JWK(parsing: members.text) }

    private func key(octets count: Int, _ changes: [String: JSON] = [:]) throws -> JWK {
        let members = ["kty": JSON.string("oct")].with("k", octets: [UInt8](repeating: 9, count: count))
        return try key(members.merging(changes) { $1 })
    }

    @Test("a key fits only the algorithms of its kind and curve (T02, T03)")
    func kinds() throws {
        let keys = try Fixture.generated()
        let fitting: [String: [KeyKind]] = [
            "ES256": [.p256], "ES384": [.p384], "ES512": [.p521], "ES256K": [.secp256k1], "EdDSA": [.ed25519, .ed448],
            "Ed448": [.ed448],
            "Ed25519": [.ed25519],
        ]
        for algorithm in SignatureAlgorithm.all {
            let isRSA = ["RS", "PS"].contains { algorithm.name.hasPrefix($0) }
            let wanted = isRSA ? [.rsa(bits: 2048)] : fitting[algorithm.name] ?? []
            for key in keys {
                let reasons = [
                    KeySelection.unsuitability(of: .publicKey(key.publicKey), for: algorithm, .verify),
                    KeySelection.unsuitability(of: .privateKey(key), for: algorithm, .verify),
                    KeySelection.unsuitability(of: .privateKey(key), for: algorithm, .sign),
                ]
                for reason in reasons { #expect((reason == nil) == wanted.contains(key.kind), "\(algorithm) \(key)") }
            }
        }
        let p384 = JWK.privateKey(keys[2])
        #expect(KeySelection.unsuitability(of: p384, for: .es256, .verify) == .curve)
        #expect(KeySelection.unsuitability(of: p384, for: .rs256, .verify) == .kind)
        #expect(KeySelection.unsuitability(of: p384, for: .hs256, .verify) == .kind)
        #expect(KeySelection.unsuitability(of: p384, for: .edDSA, .verify) == .kind)
        #expect(KeySelection.unsuitability(of: .privateKey(keys[5]), for: .edDSA, .verify) == .curve)
        #expect(KeySelection.unsuitability(of: .privateKey(keys[4]), for: .ecdhES, .decrypt) == .curve)
        #expect(KeySelection.unsuitability(of: .privateKey(keys[0]), for: .ecdhES, .decrypt) == .kind)
        #expect(KeySelection.unsuitability(of: .privateKey(keys[0]), for: .dir, .decrypt) == .kind)
        let koblitz = JWK.privateKey(keys[6])
        #expect(KeySelection.unsuitability(of: koblitz, for: .es256, .verify) == .curve)
        #expect(KeySelection.unsuitability(of: koblitz, for: .ecdhES, .decrypt) == .curve, "RFC 8812, 3.1")
        #expect(KeySelection.unsuitability(of: .privateKey(keys[1]), for: .es256k, .sign) == .curve)
        for key in [keys[1], keys[2], keys[3], keys[5], keys[8]] {
            #expect(KeySelection.unsuitability(of: .privateKey(key), for: .ecdhESA192KW, .decrypt) == nil)
            #expect(KeySelection.unsuitability(of: .publicKey(key.publicKey), for: .ecdhES, .encrypt) == nil)
        }
    }

    @Test("a public key neither signs nor decrypts")
    func halves() throws {
        for key in try Fixture.generated() {
            let half = JWK.publicKey(key.publicKey)
            for algorithm in SignatureAlgorithm.all {
                let reason = KeySelection.unsuitability(of: .privateKey(key), for: algorithm, .sign)
                #expect(KeySelection.unsuitability(of: half, for: algorithm, .sign) == reason ?? .publicKey)
            }
            for algorithm in KeyManagementAlgorithm.all {
                let reason = KeySelection.unsuitability(of: .privateKey(key), for: algorithm, .decrypt)
                #expect(KeySelection.unsuitability(of: half, for: algorithm, .decrypt) == reason ?? .publicKey)
            }
        }
    }

    @Test("an HMAC key shorter than its hash is rejected (RFC 7518, 3.2; T04, T05)")
    func hashes() throws {
        for (algorithm, bytes) in [(SignatureAlgorithm.hs256, 32), (.hs384, 48), (.hs512, 64)] {
            #expect(
                KeySelection.unsuitability(of: try key(octets: bytes - 1), for: algorithm, .verify) == .secretTooShort)
            #expect(KeySelection.unsuitability(of: try key(octets: bytes), for: algorithm, .verify) == nil)
            #expect(KeySelection.unsuitability(of: try key(octets: bytes + 100), for: algorithm, .sign) == nil)
        }
        let short = try SecretKey(bytes: [1])
        #expect(refusal(of: { () throws(JOSEError) in try short.macKey(.sha256) }) == .keyUnsuitable(.secretTooShort))
        #expect(refusal(of: { () throws(JOSEError) in try short.wrapKey() }) == .keyUnsuitable(.size))
    }

    @Test("an AES key must have exactly the size of its algorithm (RFC 7518, 4.4, 4.5 and 4.7)")
    func sizes() throws {
        let wraps: [(KeyManagementAlgorithm, Int)] = [
            (.a128kw, 16), (.a192kw, 24), (.a256kw, 32), (.a128gcmkw, 16), (.a192gcmkw, 24), (.a256gcmkw, 32),
        ]
        for (algorithm, bytes) in wraps {
            for count in [1, 15, 16, 24, 32, 33, 64] {
                let reason = KeySelection.unsuitability(of: try key(octets: count), for: algorithm, .decrypt)
                #expect(reason == (count == bytes ? nil : .size), "\(algorithm) \(count)")
            }
        }
        for count in [1, 15, 16, 33, 200] {
            #expect(KeySelection.unsuitability(of: try key(octets: count), for: .pbes2HS256A128KW, .decrypt) == nil)
        }
        for encryption in ContentEncryption.all {
            for count in [1, 16, 24, 32, 48, 64, 65] {
                let key = try key(octets: count)
                let reason = KeySelection.unsuitability(of: key, for: .dir, .decrypt, encryption: encryption)
                #expect(reason == (count == encryption.keyBytes ? nil : .size), "\(encryption) \(count)")
                #expect(KeySelection.unsuitability(of: key, for: .dir, .decrypt) == nil)
            }
        }
    }

    @Test("alg restricts a key to one algorithm (RFC 7517, 4.4; RFC 8725, 3.1; T18)")
    func algorithm() throws {
        let rsa = try Fixture.rsaPublic().without("use")
        for bound in SignatureAlgorithm.all where bound.core.traits.key == .rsa {
            let key = try key(rsa.with("alg", bound.name))
            for asked in SignatureAlgorithm.all where asked.core.traits.key == .rsa {
                let reason = KeySelection.unsuitability(of: key, for: asked, .verify)
                #expect(reason == (asked == bound ? nil : .algorithm), "\(bound) \(asked)")
            }
            #expect(KeySelection.unsuitability(of: key, for: .rsaOAEP, .encrypt) == .algorithm)
        }
        for name in ["rs256", "RS256 ", "RS256\u{0}", "none", "", "RS1", "RSA-OAEP"] {
            let key = try key(rsa.with("alg", name))
            #expect(KeySelection.unsuitability(of: key, for: .rs256, .verify) == .algorithm, "\(name)")
        }
        let oaep = try key(rsa.with("alg", "RSA-OAEP"))
        #expect(KeySelection.unsuitability(of: oaep, for: .rsaOAEP, .encrypt) == nil)
        #expect(KeySelection.unsuitability(of: oaep, for: .rsaOAEP256, .encrypt) == .algorithm)
        // A Kelvin sign is canonically equal to a K.
        let kelvin = try key(octets: 16, ["alg": .string("A128\u{212A}W")])
        #expect(KeySelection.unsuitability(of: kelvin, for: .a128kw, .decrypt) == .algorithm)
    }

    @Test("a key with alg EdDSA fits Ed25519, and the reverse (RFC 9864, 2.2)")
    func twoNames() throws {
        let members = try Fixture.ed25519Private()
        for bound in ["EdDSA", "Ed25519"] {
            let key = try key(members.with("alg", bound))
            for asked in [SignatureAlgorithm.edDSA, .ed25519] {
                #expect(KeySelection.unsuitability(of: key, for: asked, .verify) == nil)
            }
        }
        let other = try key(members.with("alg", "ES256"))
        #expect(KeySelection.unsuitability(of: other, for: .edDSA, .verify) == .algorithm)
    }

    @Test("a key with alg Ed25519 or Ed448 must be on that curve, and either fits EdDSA (RFC 9864, 2.2)")
    func curvesOfEdwards() throws {
        let pairs: [(KeyKind, SignatureAlgorithm, SignatureAlgorithm)] = [
            (.ed25519, .ed25519, .ed448), (.ed448, .ed448, .ed25519),
        ]
        for (kind, own, other) in pairs {
            var key = try PrivateKey.generate(kind)
            for name in [nil, "EdDSA", own.name] {
                key.algorithm = name
                for asked in [SignatureAlgorithm.edDSA, own] {
                    #expect(KeySelection.unsuitability(of: .privateKey(key), for: asked, .sign) == nil)
                }
                #expect(KeySelection.unsuitability(of: .privateKey(key), for: other, .sign) == .curve)
            }
            key.algorithm = other.name
            for asked in [SignatureAlgorithm.edDSA, own] {
                #expect(KeySelection.unsuitability(of: .privateKey(key), for: asked, .verify) == .algorithm)
            }
        }
    }

    @Test("the COSE algorithm names of ECDSA are unknown in JOSE (RFC 9864, 2.1)") func namesOfCOSE() throws {
        for name in ["ESP256", "ESP384", "ESP512", "ESB256", "ESB384"] {
            #expect(SignatureAlgorithm(name: name) == nil)
            let key = try key(Fixture.p256Public.with("alg", name))
            #expect(KeySelection.unsuitability(of: key, for: .es256, .verify) == .algorithm, "\(name)")
        }
    }

    @Test("the alg of a dir key may name the content encryption (RFC 7520, 5.6.1)")
    func direct() throws {
        let key = try key(octets: 16, ["alg": .string("A128GCM")])
        #expect(KeySelection.unsuitability(of: key, for: .dir, .decrypt, encryption: .a128gcm) == nil)
        #expect(KeySelection.unsuitability(of: key, for: .dir, .decrypt, encryption: .a128cbcHS256) == .algorithm)
        #expect(KeySelection.unsuitability(of: key, for: .a128kw, .decrypt) == .algorithm)
        #expect(KeySelection.unsuitability(of: key, for: .hs256, .verify) == .algorithm)
    }

    @Test("use restricts a key to signatures or to encryption (RFC 7517, 4.2; T18)")
    func use() throws {
        let rsa = try Fixture.rsaPrivate()
        let cases: [(String, KeyMismatch?, KeyMismatch?)] = [
            ("sig", nil, .use), ("enc", .use, nil), ("tls", .use, .use), ("SIG", .use, .use),
        ]
        for (use, forSignatures, forEncryption) in cases {
            let key = try key(rsa.with("use", use))
            #expect(KeySelection.unsuitability(of: key, for: .rs256, .verify) == forSignatures, "\(use)")
            #expect(KeySelection.unsuitability(of: key, for: .rs256, .sign) == forSignatures, "\(use)")
            #expect(KeySelection.unsuitability(of: key, for: .rsaOAEP, .decrypt) == forEncryption, "\(use)")
        }
    }

    @Test("key_ops restricts a key to operations (RFC 7517, 4.3; T18)")
    func operations() throws {
        let rsa = try Fixture.rsaPrivate().without("use")
        func reason(
            _ members: [String: JSON], _ names: [String], _ ask: (JWK) -> KeyMismatch?
        ) throws -> KeyMismatch? {
            ask(try key(members.with("key_ops", .array(names.map { .string($0) }))))
        }
        let verify = { KeySelection.unsuitability(of: $0, for: .rs256, .verify) }
        let sign = { KeySelection.unsuitability(of: $0, for: .rs256, .sign) }
        let decrypt = { KeySelection.unsuitability(of: $0, for: .rsaOAEP, .decrypt) }
        let encrypt = { KeySelection.unsuitability(of: $0, for: .rsaOAEP, .encrypt) }
        #expect(try reason(rsa, ["verify"], verify) == nil)
        #expect(try reason(rsa, ["sign"], verify) == .operations)
        #expect(try reason(rsa, ["sign"], sign) == nil)
        #expect(try reason(rsa, ["verify"], sign) == .operations)
        #expect(try reason(rsa, [], verify) == .operations)
        #expect(try reason(rsa, ["notarize"], verify) == .operations)
        for name in ["decrypt", "unwrapKey"] { #expect(try reason(rsa, [name], decrypt) == nil) }
        for name in ["encrypt", "wrapKey"] { #expect(try reason(rsa, [name], encrypt) == nil) }
        for name in ["encrypt", "wrapKey", "sign", "deriveKey"] {
            #expect(try reason(rsa, [name], decrypt) == .operations)
        }

        let agree = { KeySelection.unsuitability(of: $0, for: .ecdhES, .decrypt) }
        for name in ["deriveKey", "deriveBits"] { #expect(try reason(Fixture.p256Private, [name], agree) == nil) }
        for name in ["decrypt", "unwrapKey"] { #expect(try reason(Fixture.p256Private, [name], agree) == .operations) }

        let octets = ["kty": JSON.string("oct")].with("k", octets: [UInt8](repeating: 9, count: 16))
        let unwrap = { KeySelection.unsuitability(of: $0, for: .a128kw, .decrypt) }
        #expect(try reason(octets, ["unwrapKey"], unwrap) == nil)
        #expect(try reason(octets, ["wrapKey"], unwrap) == .operations)
        let derive = { KeySelection.unsuitability(of: $0, for: .pbes2HS512A256KW, .decrypt) }
        for name in ["deriveKey", "deriveBits", "unwrapKey"] { #expect(try reason(octets, [name], derive) == nil) }
        for name in ["decrypt", "wrapKey", "sign"] { #expect(try reason(octets, [name], derive) == .operations) }
        let direct = { KeySelection.unsuitability(of: $0, for: .dir, .decrypt) }
        #expect(try reason(octets, ["decrypt"], direct) == nil)
        #expect(try reason(octets, ["unwrapKey"], direct) == .operations)
    }

    @Test("copies of a symmetric key share its prepared HMAC and key wrapping contexts")
    func prepared() throws {
        let key = try SecretKey.generate(bits: 256)
        var copy = key
        copy.keyID = "copy"
        #expect(try key.macKey(.sha256) === copy.macKey(.sha256))
        #expect(try key.wrapKey() === copy.wrapKey())
    }

    @Test("where no key fits, the error is that of the keys with the wanted kid, and usable keys come first (T08)")
    func reasons() throws {
        let p384 = try PrivateKey.generate(.p384).publicKey.jwk()
        let p256 = try PrivateKey.generate(.p256).publicKey.jwk()
        func member(_ key: String, _ keyID: String?) -> String {
            keyID.map { key.replacing("{", with: #"{"kid":"\#($0)","#) } ?? key
        }
        let unusable = #"{"kty":"XX"}"#
        let unsupported = JOSEError.keyInvalid(.member("kty", .unsupported))
        func verifier(_ keys: [(String, String?)]) throws -> JWSVerifier {
            let set = try KeySet(parsing: "{\"keys\":[\(keys.map { member($0, $1) }.joined(separator: ","))]}")
            return JWSVerifier(unexaminedKeys: set, policy: SignaturePolicy(algorithms: [.es256]))
        }
        // As a positive control, the key that fits verifies its signature beside one that is unusable.
        let own = try PrivateKey.generate(.p256, keyID: "k")
        let signed = try JWSSigner(key: own, algorithm: .es256).sign("{}")
        #expect(throws: Never.self) { try verifier([(own.publicKey.jwk(), nil), (unusable, "k")]).verify(signed) }
        for (keys, wanted, error) in [
            ([(p256, "k")], "k", .signatureInvalid), ([(p256, "k"), (unusable, "k")], "k", .signatureInvalid),
            ([(p384, "k"), (unusable, "k")], "k", .keyUnsuitable(.curve)),
            ([(p256, "i"), (unusable, "j")], "j", unsupported), ([(p256, "i"), (unusable, "j")], "k", .keyNotFound),
            ([(p256, "i"), (unusable, nil)], "k", unsupported), ([(p256, "i"), (unusable, nil)], "", unsupported),
            ([(p384, nil), (unusable, nil)], "", .keyUnsuitable(.curve)), ([(unusable, "")], "", unsupported),
        ] as [([(String, String?)], String, JOSEError)] {
            let verifier = try verifier(keys)
            let header = base64URL(#"{"alg":"ES256","kid":"\#(wanted)"}"#.utf8)
            let token = "\(header).e30.\(base64URL([UInt8](repeating: 1, count: 64)))"
            #expect(throws: error, "\(keys.map(\.1)) \(wanted)") { try verifier.verify(token) }
        }
    }

    @Test("a key of ML-DSA without alg is bound to its own algorithm (RFC 9964, 3)") func algorithmKeyPairs() {
        func algorithm(_ name: String?, _ kind: RawKeyKind) -> String? {
            var binding = KeyBinding()
            binding.algorithm = name
            return binding.of(.raw(kind, [])).algorithm
        }
        #expect(algorithm(nil, .mlDSA44) == "ML-DSA-44" && algorithm(nil, .mlDSA87) == "ML-DSA-87")
        // Another alg stays, so that the key fits no algorithm.
        #expect(algorithm("ES256", .mlDSA44) == "ES256")
        #expect(algorithm(nil, .ed448) == nil)
    }

    @Test("a kid is compared byte by byte (T08, X01)")
    func keyIDBytes() throws {
        let composed = try key(Fixture.p256Public.with("kid", "\u{e9}"))
        let decomposed = try key(Fixture.p256Public.with("kid", "e\u{301}"))
        #expect(composed.keyIDBytes == [0xC3, 0xA9])
        #expect(decomposed.keyIDBytes == [0x65, 0xCC, 0x81])
        #expect(try key(Fixture.p256Public).keyIDBytes == nil)
    }
}
