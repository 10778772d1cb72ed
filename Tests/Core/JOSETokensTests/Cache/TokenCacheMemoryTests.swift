import Foundation
import JOSE
import JOSETokens
import Testing

#if os(Linux)
    /// Each measurement is made in a process of its own, whose memory nothing else changes.
    @Suite("Token cache: memory") struct TokenCacheMemoryTests {
        @Test("T79 tokens of nested claims that anyone can encrypt take at most 1.3 times the bytes that are reported")
        func nested() async {
            await #expect(processExitsWith: .success) {
                try Measurement(bytes: 8 << 20).expectRatio(count: 260, claims: 60_000, header: 0)
            }
        }

        @Test("T79 tokens of nested headers that anyone can encrypt take at most 1.3 times the bytes that are reported")
        func headers() async {
            await #expect(processExitsWith: .success) {
                try Measurement(bytes: 8 << 20).expectRatio(count: 500, claims: 1_000, header: 12_000)
            }
        }

        @Test("T79 signed tokens of flat claims take at most 1.3 times the bytes that are reported")
        func flat() async {
            await #expect(processExitsWith: .success) {
                try Measurement(bytes: 8 << 20).expectRatio(flat: 4_000)
            }
        }

        @Test("T79 cached rejections take at most 1.3 times the bytes that are reported")
        func rejected() async {
            await #expect(processExitsWith: .success) {
                try Measurement(entries: 40_000, bytes: 32 << 20).expectRatio(rejected: 6_000)
            }
        }
    }

    /// A cache, and the growth of the process while it is filled.
    private struct Measurement {
        let cache: TokenCache
        let claims: ClaimPolicy
        let start: NumericDate = 1_700_000_000

        init(entries: Int = 10_000, bytes: Int) {
            cache = TokenCache(entries: entries, bytes: bytes)
            var claims = ClaimPolicy(issuer: .anyIssuerUnchecked, audience: .anyAudienceUnchecked)
            claims.clock = .fixed(start)
            self.claims = claims
        }

        /// Bytes of the process that are in memory.
        private static func resident() throws -> Int {
            let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            return try #require(Int(text.split(separator: " ")[1])) * Int(getpagesize())
        }

        /// Fills the cache with `count` tokens, after a few that show what the process needs beside it.
        private func expectRatio(_ count: Int, _ verify: (Int) throws -> Void) throws {
            for number in 0..<4 { try verify(number) }
            cache.removeAll()
            let before = try Self.resident()
            for number in 4..<count { try verify(number) }
            let growth = try Self.resident() - before
            let ratio = Double(growth) / Double(cache.bytes)
            #expect(cache.bytes > 2 << 20, "too little to be measured")
            #expect(ratio <= 1.3 && ratio > 0.3, "\(ratio)")
        }

        func expectRatio(count: Int, claims size: Int, header: Int) throws {
            let key = try PrivateKey.generate(.x25519)
            let policy = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
            let verifier = try TokenVerifier(
                .encrypted(policy, claims: claims), decryptionKeys: KeySet(key), cache: cache)
            var parameters = HeaderParameters()
            if header > 0 { parameters.set("x", json: Array(Self.nested(header, 29).utf8)) }
            let encrypter = try JWEEncrypter(
                key: key.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm, header: parameters)
            try expectRatio(count) { number in
                let text = Self.nested(size, 29, #""exp":1700000100,"jti":"\#(number)","#)
                _ = try verifier.verify(encrypter.encrypt(text))
            }
        }

        func expectRatio(flat count: Int) throws {
            let (policy, key) = (policy, try SecretKey.generate(bits: 256))
            let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key), cache: cache)
            let issuer = try TokenIssuer(policy, signingKey: .symmetricKey(key))
            try expectRatio(count) { number in
                _ = try verifier.verify(issuer.issue(Self.flat(number)))
            }
        }

        func expectRatio(rejected count: Int) throws {
            let (policy, key) = (policy, try SecretKey.generate(bits: 256))
            let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key), cache: cache)
            let issuer = try TokenIssuer(policy, signingKey: .symmetricKey(key))
            try expectRatio(count) { number in
                let token = CacheFixture.forged(try issuer.issue(Self.flat(number)))
                #expect(throws: TokenError.jose(.signatureInvalid, layer: .signature)) { try verifier.verify(token) }
            }
        }

        private var policy: TokenPolicy { .signed(SignaturePolicy(algorithms: [.hs256]), claims: claims) }

        private static func flat(_ number: Int) -> ClaimsBuilder {
            [
                "sub": .string("248289761001-\(number)"), "jti": .string("id-\(number)"),
                "scope": "openid profile email",
                "roles": ["buyer", "seller"], "level": 2, "client_id": "shop-web", "name": "Jane Doe",
            ]
        }

        /// An object of about `size` bytes: short names, and within each object the next as its last member.
        private static func nested(_ size: Int, _ levels: Int, _ first: String = "") -> String {
            let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
            let names = letters.map { String($0) } + letters.flatMap { a in letters.prefix(20).map { "\(a)\($0)" } }
            var text = "{" + first
            for level in 0..<levels {
                var count = 0
                for name in names where count < size / levels {
                    text += "\"\(name)\":0,"
                    count += name.utf8.count + 5
                }
                if level < levels - 1 { text += "\"....\":{" }
            }
            text.removeLast()
            return text + String(repeating: "}", count: levels)
        }
    }
#endif
