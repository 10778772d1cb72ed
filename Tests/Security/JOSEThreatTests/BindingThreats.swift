import JOSE
import JOSETesting
import Testing

@Suite("Threats: key usage") struct BindingThreats {
    @Test("T18 alg, use and key_ops restrict what a key verifies (RFC 8725, 3.1)")
    func signatures() throws {
        for (algorithm, key) in Keys.signing {
            let token = try Forge.signed(header: #"{"alg":"\#(algorithm)"}"#, payload: "x", with: key, algorithm)
            func result(_ key: JWK) -> Refusal? { outcome(of: token, [key.shown], [algorithm]) }
            let other = algorithm == .rs256 ? "PS256" : algorithm == .hs256 ? "HS512" : "RS256"
            for name in [other, "RSA-OAEP", "dir", "unknown", "", algorithm.name.lowercased(), algorithm.name + "\0"] {
                #expect(result(key.bound(algorithm: name)) == .keyMismatch, "\(algorithm), alg \(name)")
            }
            for use in [KeyUse.encryption, .other("SIG"), .other("")] {
                #expect(result(key.bound(use: use)) == .keyMismatch, "\(algorithm), \(use)")
            }
            for operations in [KeyOperations.sign, .encrypt, .deriveKey, [.decrypt, .wrapKey], .other, []] {
                guard case .privateKey = key else {
                    #expect(result(key.bound(operations: operations)) == .keyMismatch, "\(algorithm), \(operations)")
                    continue
                }
                let shown = key.shown.bound(operations: operations)
                #expect(result(shown) == .keyMismatch, "\(algorithm), \(operations)")
            }
            #expect(
                result(key.shown.bound(algorithm: algorithm.name, use: .signature, operations: .verify)) == accepted)
            #expect(result(key.shown) == accepted)
        }
    }

    @Test("T18 alg, use and key_ops restrict keys for signing, encrypting and decrypting too (RFC 7517, 4.2 and 4.3)")
    func otherOperations() throws {
        let rsa = Keys.rsa
        let jwe = try Forge.encrypted(
            header: #"{"alg":"RSA-OAEP","enc":"A128GCM"}"#, plaintext: [1], with: rsa, .rsaOAEP, .a128gcm)
        for key in [
            rsa.bound(use: .signature), rsa.bound(algorithm: "RSA-OAEP-256"), rsa.bound(algorithm: "RS256"),
            rsa.bound(operations: .encrypt), rsa.bound(operations: .sign), rsa.shown,
        ] {
            #expect(outcome(of: jwe, [key], [.rsaOAEP]) == .keyMismatch)
        }
        #expect(
            outcome(of: jwe, [rsa.bound(algorithm: "RSA-OAEP", use: .encryption, operations: .decrypt)], [.rsaOAEP])
                == accepted)
        #expect(outcome(of: jwe, [rsa.bound(operations: .unwrapKey)], [.rsaOAEP]) == accepted)

        let direct = try Forge.encrypted(
            header: #"{"alg":"dir","enc":"A256GCM"}"#, plaintext: [1], with: Keys.secret, .dir, .a256gcm)
        for key in [
            Keys.secret.bound(use: .signature), Keys.secret.bound(operations: .encrypt),
            Keys.secret.bound(operations: .unwrapKey),
            Keys.secret.bound(algorithm: "A256KW"), Keys.secret.bound(algorithm: "HS256"), Keys.longSecret,
        ] { #expect(outcome(of: direct, [key], [.dir]) == .keyMismatch) }
        #expect(
            outcome(of: direct, [Keys.secret.bound(algorithm: "A256GCM", operations: .decrypt)], [.dir]) == accepted)
        #expect(outcome(of: direct, [Keys.secret], [.dir]) == accepted)

        guard case .privateKey(var key) = Keys.p256 else { return }
        #expect(verdict { () throws(JOSEError) in try JWSSigner(key: key, algorithm: .es256) } == accepted)
        key.operations = .verify
        #expect(verdict { () throws(JOSEError) in try JWSSigner(key: key, algorithm: .es256) } == .keyMismatch)
        (key.operations, key.use) = (nil, .encryption)
        #expect(verdict { () throws(JOSEError) in try JWSSigner(key: key, algorithm: .es256) } == .keyMismatch)
        var shown = key.publicKey
        func encrypter(_ key: PublicKey) -> Refusal? {
            verdict { () throws(JOSEError) in
                try JWEEncrypter(key: key, keyManagement: .ecdhES, contentEncryption: .a128gcm)
            }
        }
        #expect(encrypter(shown) == accepted)
        shown.use = .signature
        #expect(encrypter(shown) == .keyMismatch)
    }

    @Test("T46 a key whose kind does not fit the algorithm is never used to decrypt (RFC 8725, 3.1)")
    func keyManagement() throws {
        let small = Keys.symmetric(16)
        let middle = Keys.symmetric(24)
        let keys = [Keys.rsa, Keys.p256, Keys.x25519, Keys.ed25519, small, middle, Keys.secret, Keys.longSecret]
        for algorithm in KeyManagementAlgorithm.all {
            let fitting: [JWK] =
                switch algorithm.name.prefix(4) {
                case "RSA-": [Keys.rsa]
                case "ECDH": [Keys.p256, Keys.x25519]
                case "A128": [small]
                case "A192": [middle]
                case "PBES": [small, middle, Keys.secret, Keys.longSecret]
                default: [Keys.secret]
                }
            for own in fitting {
                let fresh = Forge.freshMembers(algorithm)
                let token = try Forge.encrypted(
                    header: #"{"alg":"\#(algorithm)","enc":"A256GCM"\#(fresh)}"#, plaintext: [1], with: own, algorithm,
                    .a256gcm)
                for other in keys where !fitting.contains(other) {
                    #expect(outcome(of: token, [other], [algorithm]) == .keyMismatch, "\(algorithm), \(other.kind)")
                }
                #expect(outcome(of: token, [own], [algorithm]) == accepted, "\(algorithm)")
            }
        }
        let password = #"{"alg":"PBES2-HS256+A128KW","enc":"A256GCM","p2s":"AAAAAAAAAAA","p2c":1000}"#
        let token = try Forge.encrypted(header: password, plaintext: [1], with: Keys.secret, .dir, .a256gcm)
        #expect(outcome(of: token, [Keys.rsa], KeyManagementAlgorithm.recommended) == .algorithmNotAllowed)
        #expect(outcome(of: token, [Keys.rsa], KeyManagementAlgorithm.all) == .keyMismatch)
    }
}
