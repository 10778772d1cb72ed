import JOSE
import JOSECrypto
import JOSETesting
import TestSupport
import Testing

@Suite("Threats: passwords") struct PasswordThreats {
    private static let algorithms: [KeyManagementAlgorithm] = [
        .pbes2HS256A128KW, .pbes2HS384A192KW, .pbes2HS512A256KW,
    ]

    /// Returns a token whose key is wrapped with `salt` and `iterations`, and whose header may differ.
    private func token(
        _ algorithm: KeyManagementAlgorithm, p2s: String? = nil, p2c: String, salt: [UInt8] = [UInt8](1...16),
        iterations: Int = 1_000
    ) throws -> String {
        let cek = [UInt8](repeating: 7, count: 32)
        let wrapped = try Forge.passwordWrapped(cek, with: Keys.secret, algorithm, salt: salt, iterations: iterations)
        let p2s = p2s ?? "\"\(Forge.encoded(salt))\""
        let header = #"{"alg":"\#(algorithm)","enc":"A256GCM","p2s":\#(p2s),"p2c":\#(p2c)}"#
        return try Forge.sealed(header: Array(header.utf8), encryptedKey: wrapped, cek: cek, .a256gcm, [1])
    }

    private func result(_ token: String, _ cap: Int? = nil) -> Refusal? {
        var policy = EncryptionPolicy(keyManagement: Self.algorithms, contentEncryption: [.a256gcm])
        if let cap { policy.limits.maxPBKDF2Iterations = cap }
        let decrypter = JWEDecrypter(unexaminedKeys: KeySet(Keys.secret), policy: policy)
        return verdict { () throws(JOSEError) in try decrypter.decrypt(token) }
    }

    @Test("T29 p2c over the limit is rejected before derivation (RFC 7518, 8.8)")
    func tooMany() throws {
        for algorithm in Self.algorithms {
            for count in ["1000001", "2147483647", "4294967296", "4294968296", "9223372036854775807"] {
                let token = try token(algorithm, p2c: count)
                let taken = cpuSeconds {
                    for _ in 0..<100 { #expect(result(token) == .tooExpensive, "\(algorithm), \(count)") }
                }
                #expect(taken < 2, "took \(taken) s")
            }
            #expect(try result(token(algorithm, p2c: "10000000000000000000")) == .headerInvalid)
            // The key is not used either: an unsuitable one has the same result.
            #expect(try outcome(of: token(algorithm, p2c: "2147483647"), [Keys.rsa], [algorithm]) == .tooExpensive)
            #expect(try result(token(algorithm, p2c: "5000", iterations: 5_000), 4_999) == .tooExpensive)
            #expect(try result(token(algorithm, p2c: "5000", iterations: 5_000), 5_000) == accepted)
            #expect(try result(token(algorithm, p2c: "1000")) == accepted)
        }
    }

    @Test("T29 the limit on p2c applies to all matching keys together (RFC 7518, 8.8)")
    func severalKeys() throws {
        guard case .symmetricKey(var named) = Keys.secret else { return }
        named.keyID = "mine"
        let others = (0..<3).map { _ in Keys.symmetric(32) }
        func result(_ keys: [JWK], _ token: String, _ cap: Int) -> Refusal? {
            var policy = EncryptionPolicy(keyManagement: Self.algorithms, contentEncryption: [.a256gcm])
            policy.limits.maxPBKDF2Iterations = cap
            let decrypter = JWEDecrypter(unexaminedKeys: KeySet(keys), policy: policy)
            return verdict { () throws(JOSEError) in try decrypter.decrypt(token) }
        }
        for algorithm in Self.algorithms {
            let token = try token(algorithm, p2c: "2000", iterations: 2_000)
            // The limit applies whichever key is the right one.
            for place in 0...3 {
                var keys = others
                keys.insert(Keys.secret, at: place)
                #expect(result(keys, token, 8_000) == accepted)
                #expect(result(keys, token, 7_999) == .tooExpensive)
            }
            #expect(result(others, token, 6_000) == .decryptionFailed)
            #expect(result(others, token, 5_999) == .tooExpensive)
            #expect(result([Keys.secret], token, 2_000) == accepted)
            // With a `kid` only one key is tried.
            let addressed = try Forge.encrypted(
                header: #"{"alg":"\#(algorithm)","enc":"A256GCM","kid":"mine","p2s":"","p2c":1000}"#, plaintext: [1],
                with: .symmetricKey(named), algorithm, .a256gcm)
            #expect(result(others + [.symmetricKey(named)], addressed, 1_000) == accepted)
            #expect(result(others + [.symmetricKey(named)], addressed, 999) == .tooExpensive)
        }
    }

    @Test("T29 PBES2 is rejected without work unless the policy names it (RFC 8725, 3.2)")
    func notRecommended() throws {
        for algorithm in Self.algorithms {
            #expect(!KeyManagementAlgorithm.recommended.contains(algorithm))
            #expect(KeyManagementAlgorithm.all.contains(algorithm))
            let token = try token(algorithm, p2c: "1000")
            #expect(outcome(of: token, [Keys.secret], KeyManagementAlgorithm.recommended) == .algorithmNotAllowed)
            #expect(outcome(of: token, [Keys.secret], KeyManagementAlgorithm.all) == accepted)
        }
        let rest = KeyManagementAlgorithm.all.filter { !Self.algorithms.contains($0) }
        #expect(KeyManagementAlgorithm.recommended == rest)
    }

    @Test("T29 algorithms other than PBES2 ignore p2c (RFC 7516, 4.1)")
    func ignored() throws {
        let control = try Forge.encrypted(
            header: #"{"alg":"dir","enc":"A256GCM","p2c":2147483647}"#, plaintext: [1], with: Keys.secret, .dir,
            .a256gcm)
        #expect(outcome(of: control, [Keys.secret], KeyManagementAlgorithm.all) == accepted)
    }

    @Test("T30 p2c that is not an integer of at least 1 000 is rejected (RFC 7518, 4.8.1.2)")
    func counts() throws {
        for algorithm in Self.algorithms {
            for count in [
                "0", "-1", "1", "999", "true", "null", #""2048""#, "1000.5", "1000.0", "1e3", "[1000]", "{}",
                "-9223372036854775809",
            ] { #expect(try result(token(algorithm, p2c: count)) == .headerInvalid, "\(algorithm), \(count)") }
            #expect(try result(token(algorithm, p2c: "1000")) == accepted)
            #expect(try result(token(algorithm, p2c: "1001")) == .decryptionFailed)
        }
    }

    @Test("T30 p2s that is not base64url of at least 8 bytes is rejected (RFC 7518, 4.8.1.1)")
    func salts() throws {
        for algorithm in Self.algorithms {
            for count in [0, 1, 7] {
                let salt = [UInt8](repeating: 3, count: count)
                #expect(try result(token(algorithm, p2c: "1000", salt: salt)) == .headerInvalid, "\(count)")
            }
            for salt in [
                "1", "null", "{}", #""AAAAAAAAAAA=""#, #""AAAAAAAAAAB""#, #""AAAAAAAA AAA""#, #""AAAAAAAAAA+""#,
            ] {
                #expect(try result(token(algorithm, p2s: salt, p2c: "1000")) == .headerInvalid, "\(salt)")
            }
            for count in [8, 16, 64] {
                let salt = [UInt8](repeating: 3, count: count)
                #expect(try result(token(algorithm, p2c: "1000", salt: salt)) == accepted, "\(count)")
            }
            let other = "\"\(Forge.encoded([UInt8](2...17)))\""
            #expect(try result(token(algorithm, p2s: other, p2c: "1000")) == .decryptionFailed)
            for members in [#""p2s":"AAAAAAAAAAA""#, #""p2c":1000"#, #""p2d":1"#] {
                let header = #"{"alg":"\#(algorithm)","enc":"A256GCM",\#(members)}"#
                let token = try Forge.encrypted(header: header, plaintext: [1], with: Keys.secret, .dir, .a256gcm)
                #expect(result(token) == .headerInvalid, "\(members)")
            }
        }
    }

    @Test("T30 p2s and p2c of a wrong type are rejected under every algorithm (RFC 7518, 4.8.1)")
    func types() throws {
        for members in [
            #""p2c":true"#, #""p2c":"2048""#, #""p2c":null"#, #""p2c":[1000]"#, #""p2s":1"#, #""p2s":null"#,
            #""p2s":{}"#,
        ] {
            let header = #"{"alg":"dir","enc":"A256GCM",\#(members)}"#
            let token = try Forge.encrypted(header: header, plaintext: [1], with: Keys.secret, .dir, .a256gcm)
            #expect(outcome(of: token, [Keys.secret], [.dir]) == .headerInvalid, "\(members)")
        }
        let header = #"{"alg":"dir","enc":"A256GCM","p2c":1000,"p2s":"AAAAAAAAAAA"}"#
        let control = try Forge.encrypted(header: header, plaintext: [1], with: Keys.secret, .dir, .a256gcm)
        #expect(outcome(of: control, [Keys.secret], [.dir]) == accepted)
    }

    @Test("T30 alg is part of the PBKDF2 salt, so that no derived key serves two algorithms (RFC 7518, 4.8.1.1)")
    func domains() throws {
        let cek = [UInt8](repeating: 7, count: 32)
        let salt = [UInt8](1...16)
        let text = Forge.encoded(salt)
        for algorithm in Self.algorithms {
            for other in Self.algorithms {
                let wrapped = try Forge.passwordWrapped(
                    cek, with: Keys.secret, other, salt: salt, iterations: 1_000)
                let header = #"{"alg":"\#(algorithm)","enc":"A256GCM","p2s":"\#(text)","p2c":1000}"#
                let token = try Forge.sealed(
                    header: Array(header.utf8), encryptedKey: wrapped, cek: cek, .a256gcm, [1])
                #expect(result(token) == (algorithm == other ? accepted : .decryptionFailed))
            }
        }
    }
}
