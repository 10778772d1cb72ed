import JOSE
import JOSECrypto
import JOSESupport
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("Threats: compressed content", .enabled(if: Deflate.isBuilt, "built without the trait Zip"))
struct CompressionThreats {
    private static let head = #"{"alg":"dir","enc":"A256GCM","zip":"DEF"}"#

    private func token(_ stream: [UInt8], header: String = head) throws -> String {
        try Forge.encrypted(header: header, plaintext: stream, with: Keys.secret, .dir, .a256gcm)
    }

    /// Returns the token in the flattened JSON serialization.
    private func flattened(_ token: String, members: String = "") -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        let content = #""iv":"\#(parts[2])","ciphertext":"\#(parts[3])","tag":"\#(parts[4])""#
        return #"{"protected":"\#(parts[0])",\#(content)\#(members)}"#
    }

    private func deflated(_ text: [UInt8]) throws -> [UInt8] {
        try Deflate.deflate(text.span).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func decrypter(
        most: Int = ParsingLimits.standard.plaintextBytes, _ algorithm: KeyManagementAlgorithm = .dir
    ) -> JWEDecrypter {
        var policy = EncryptionPolicy(keyManagement: [algorithm], contentEncryption: [.a256gcm])
        policy.allowsCompression = true
        policy.limits.plaintextBytes = most
        return JWEDecrypter(unexaminedKeys: KeySet(Keys.secret), policy: policy)
    }

    /// Decrypts the token in both serializations, which must have one result.
    private func result(_ token: String, most: Int = ParsingLimits.standard.plaintextBytes) -> Refusal? {
        let decrypter = decrypter(most: most)
        let compact = verdict { () throws(JOSEError) in try decrypter.decrypt(token) }
        let json = flattened(token)
        #expect(verdict { () throws(JOSEError) in try decrypter.decrypt(json: json) } == compact)
        return compact
    }

    /// Texts of the lengths around the ends of blocks and windows, compressible and not.
    private var texts: [[UInt8]] {
        get throws {
            let lengths = [0, 1, 2, 100, 511, 512, 513, 4_096, 8_192, 16_383, 16_384, 16_385, 32_768, 65_536, 100_000]
            return lengths.map { [UInt8](repeating: 65, count: $0) }
                + (try lengths.map { count throws(CryptoError) in try Random.bytes(count) })
        }
    }

    @Test("T31 inflated plaintext over the limit is rejected, whatever its compressed size (RFC 8725, 3.6)")
    func bombs() throws {
        let limit = ParsingLimits.standard.plaintextBytes
        let bomb = try token(deflated([UInt8](repeating: 0, count: 64 << 20)))
        #expect(bomb.utf8.count < 100_000)
        #expect(result(bomb) == .tooLarge)
        // Inflating 64 MB two hundred times would take a minute.
        let decrypter = decrypter()
        let taken = cpuSeconds {
            for _ in 0..<200 {
                #expect(verdict { () throws(JOSEError) in try decrypter.decrypt(bomb) } == .tooLarge)
            }
        }
        #expect(taken < 10, "took \(taken) s: all of it was inflated")
        #expect(try result(token(deflated([UInt8](repeating: 0, count: 300_000)))) == .tooLarge)
        #expect(try result(token(deflated([UInt8](repeating: 0, count: limit + 1)))) == .tooLarge)
        #expect(try result(token(deflated([UInt8](repeating: 0, count: limit)))) == accepted)
        for text in try texts {
            let token = try token(deflated(text))
            if text.count > 0 { #expect(result(token, most: text.count - 1) == .tooLarge, "\(text.count)") }
            // The stream of incompressible text is longer than the text.
            #expect(result(token, most: text.count + 64) == accepted, "\(text.count)")
        }
    }

    @Test("T31 the plaintext limit applies to claims and inside nested tokens (RFC 8725, 3.6)") func tokens() throws {
        guard case .symmetricKey(let key) = Keys.secret else { return }
        var outer = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
        outer.allowsCompression = true
        outer.limits.plaintextBytes = 10_000
        var rules = ClaimPolicy(issuer: "https://i.test", audience: "me")
        rules.clock = .fixed(Now.date)
        let policy = TokenPolicy.nested(outer: outer, inner: SignaturePolicy(algorithms: [.hs256]), claims: rules)
        let verifier = try TokenVerifier(
            policy, verificationKeys: KeySet(Keys.secret), decryptionKeys: KeySet(Keys.secret))
        var header = HeaderParameters(contentType: "JWT")
        header.compresses = true
        let encrypter = try JWEEncrypter(key: key, keyManagement: .dir, contentEncryption: .a256gcm, header: header)
        for (count, wanted) in [(100, accepted), (10_000, .tooLarge)] {
            let text = claims(("x", "\"" + String(repeating: "x", count: count) + "\""))
            let inner = try Forge.signed(header: #"{"alg":"HS256"}"#, payload: text, with: Keys.secret, .hs256)
            let token = try encrypter.encrypt(inner)
            #expect(token.utf8.count < 2_000)
            #expect(verdict { () throws(TokenError) in try verifier.verify(token) } == wanted, "\(count)")
        }
        let text = try deflated(Array(claims().utf8))
        let opener = try TokenVerifier(.encrypted(outer, claims: rules), decryptionKeys: KeySet(Keys.secret))
        for (stream, wanted) in [(text, nil), (text.dropLast(), JOSEError.decompressionFailed)] {
            let explanation = try opener.explain(token(Array(stream)))
            #expect(explanation.error == wanted.map { .jose($0, layer: .encryption) })
            let failed = explanation.lines.first { $0.outcome == .failed }
            #expect(failed?.check == wanted.map { _ in "content is what the policy expects" })
        }
        // A token that the policy does not allow is not issued either.
        header.compresses = true
        var closed = outer
        closed.allowsCompression = false
        #expect(throws: TokenError.jose(.headerInvalid(.compression), layer: .encryption)) {
            try TokenIssuer(.encrypted(closed, claims: rules), encryptionKey: Keys.secret, encryptionHeader: header)
        }
        let issuer = try TokenIssuer(
            .encrypted(outer, claims: rules), encryptionKey: Keys.secret, encryptionHeader: header)
        #expect(try opener.verify(issuer.issue()).encryptionHeader?.string("zip") == "DEF")
    }

    @Test("T31 compressed content is rejected unless the policy allows it (RFC 8725, 3.6)") func offByDefault() throws {
        let token = try token(deflated([1, 2, 3]))
        #expect(outcome(of: token, [Keys.secret], [.dir]) == .headerInvalid)
        let closed = try JWEDecrypter(
            keys: KeySet(Keys.secret),
            policy: EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm]))
        let json = flattened(token)
        #expect(throws: JOSEError.headerInvalid(.compression)) { try closed.decrypt(json: json) }
        #expect(result(token) == accepted)
    }

    @Test("T32 content that is not exactly one raw DEFLATE stream is rejected (RFC 7516, 4.1.3; RFC 1951, 3.2.3)")
    func streams() throws {
        let text = Array("the same text, and the same text again, and again".utf8)
        let good = try deflated(text)
        for count in 0..<good.count {
            #expect(try result(token(Array(good[..<count]))) == .decompressionFailed, "cut to \(count)")
        }
        let random = try deflated(Random.bytes(50_000))
        for count in [1, 5, 16_384, 40_000, random.count - 1] {
            #expect(try result(token(Array(random[..<count]))) == .decompressionFailed, "stored, cut to \(count)")
        }
        // The text is longer than four times its stream, so that its size is measured first.
        let zeros = try deflated([UInt8](repeating: 0, count: 100_000))
        for count in [zeros.count - 1, zeros.count / 2, 3] {
            #expect(try result(token(Array(zeros[..<count]))) == .decompressionFailed, "zeros, cut to \(count)")
        }
        #expect(try result(token(zeros + [0])) == .decompressionFailed)
        let adler: [UInt8] = [0, 0, 0, 1]
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        let hostile: [(String, [UInt8])] = [
            ("a byte after it", good + [0]), ("itself after it", good + good), ("zlib's header", [0x78, 0x9C] + good),
            ("zlib's wrapper", [0x78, 0x9C] + good + adler), ("gzip's header", gzip + good), ("not compressed", text),
            ("reserved block", [0x07]), ("stored, lengths that differ", [1, 1, 0, 1, 0, 65]),
            ("a distance before the start", [0x4B, 0x04, 0x62, 0x00]),
            ("only ones", [UInt8](repeating: 255, count: 64)),
            ("only zeros", [UInt8](repeating: 0, count: 64)), ("a byte before it", [0] + good),
            ("a block that is not the last", [0, 1, 0, 0xFE, 0xFF, 65]),
        ]
        for (name, stream) in hostile {
            #expect(try result(token(stream)) == .decompressionFailed, "\(name)")
        }
        #expect(try decrypter().decrypt(token(good)).plaintext == text)
        #expect(try decrypter().decrypt(token(zeros)).plaintext == [UInt8](repeating: 0, count: 100_000))
        // The inputs are an empty text, and stored blocks made by hand.
        #expect(try decrypter().decrypt(token([3, 0])).plaintext == [])
        #expect(try decrypter().decrypt(token([1, 1, 0, 0xFE, 0xFF, 65])).plaintext == [65])
        #expect(try decrypter().decrypt(token([0, 1, 0, 0xFE, 0xFF, 65, 3, 0])).plaintext == [65])
    }

    @Test("T32 DEF is the only accepted value of zip, case-sensitively (RFC 7516, 4.1.3)") func names() throws {
        let stream = try deflated([1, 2, 3])
        func named(_ name: String) throws -> String {
            try token(stream, header: #"{"alg":"dir","enc":"A256GCM","zip":\#(name)}"#)
        }
        for name in [
            #""def""#, #""Def""#, #""DEF ""#, #""GZIP""#, #""""#, #""DEF\u0000""#, "null", "1", #"["DEF"]"#, "true",
        ] {
            #expect(try result(named(name)) == .headerInvalid, "\(name)")
        }
        #expect(try result(named(#""\u0044EF""#)) == accepted)
        #expect(try result(named(#""DEF""#)) == accepted)
        let wrong = try Forge.encrypted(
            header: Self.head, plaintext: [255], with: Keys.symmetric(32), .dir, .a256gcm)
        #expect(result(wrong) == .decryptionFailed)
    }

    @Test("T40 zip is rejected in an unprotected header (RFC 7516, 4.1.3)")
    func unprotected() throws {
        let stream = try deflated([1, 2, 3])
        let plain = try token(stream, header: #"{"alg":"dir","enc":"A256GCM"}"#)
        let decrypter = decrypter()
        for member in ["unprotected", "header"] {
            let json = flattened(plain, members: #","\#(member)":{"zip":"DEF"}"#)
            #expect(throws: JOSEError.headerInvalid(.compression)) { try decrypter.decrypt(json: json) }
        }
        #expect(try decrypter.decrypt(json: flattened(plain)).plaintext == stream)
        #expect(try decrypter.decrypt(json: flattened(token(stream))).plaintext == [1, 2, 3])
    }

    @Test("compressed content survives a round trip (RFC 7516, 5.1, step 11)") func roundTrips() throws {
        guard case .symmetricKey(let key) = Keys.secret else { return }
        var header = HeaderParameters()
        header.compresses = true
        let encrypter = try JWEEncrypter(key: key, keyManagement: .dir, contentEncryption: .a256gcm, header: header)
        let flattening = try JSONEncrypter([encrypter], form: .flattened)
        let plain = try JWEEncrypter(key: key, keyManagement: .a256kw, contentEncryption: .a256gcm)
        let sharing = try JSONEncrypter([plain, plain], protected: header)
        let wrapped = decrypter(.a256kw)
        for text in try texts {
            let opened = try decrypter().decrypt(encrypter.encrypt(text))
            #expect(opened.plaintext == text && opened.header.string("zip") == "DEF", "\(text.count)")
            let flat = try decrypter().decrypt(json: flattening.encrypt(text, additionalData: [1]))
            #expect(flat.plaintext == text && flat.header.string("zip") == "DEF", "\(text.count)")
            #expect(try wrapped.decrypt(json: sharing.encrypt(text)).plaintext == text, "\(text.count)")
        }
        #expect(try encrypter.encrypt([UInt8](repeating: 65, count: 100_000)).utf8.count < 1_000)
        #expect(try sharing.encrypt([UInt8](repeating: 65, count: 100_000)).utf8.count < 1_500)
    }

    @Test("an encrypter does not put zip into an unprotected header (RFC 7516, 4.1.3)") func makers() throws {
        guard case .symmetricKey(let key) = Keys.secret else { return }
        var header = HeaderParameters()
        header.compresses = true
        let wrapping = try JWEEncrypter(key: key, keyManagement: .a256kw, contentEncryption: .a256gcm)
        let compressing = try JWEEncrypter(
            key: key, keyManagement: .a256kw, contentEncryption: .a256gcm, header: header)
        #expect(throws: JOSEError.headerInvalid(.compression)) {
            try JWSSigner(key: key, algorithm: .hs256, header: header)
        }
        #expect(throws: JOSEError.headerInvalid(.compression)) { try JSONEncrypter([wrapping], shared: header) }
        // With several recipients the header of each is unprotected.
        #expect(throws: JOSEError.headerInvalid(.compression)) { try JSONEncrypter([wrapping, compressing]) }
        #expect(throws: JOSEError.headerInvalid(.compression)) {
            try JSONSigner(JWSSigner(key: key, algorithm: .hs256), unprotected: header)
        }
        _ = try JSONEncrypter([wrapping, wrapping], protected: header)
        _ = try JSONEncrypter([compressing])
        _ = try JWSSigner(key: key, algorithm: .hs256)
    }
}
