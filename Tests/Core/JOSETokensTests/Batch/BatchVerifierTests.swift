import JOSE
import JOSETokens
import TestSupport
import Testing

/// `suites.sh` runs them in each form of the lanes: one process has one.
@Suite("Batches give the results of single verification") struct BatchVerifierTests {
    /// Made once: RSA keys take their time.
    static let fixture = Result { try BatchFixture() }

    @Test("signed tokens have the single results, valid and with a fault at every step (RFC 7515, 5.2)")
    func signed() async throws {
        let fixture = try Self.fixture.get()
        let good = try (0..<4).flatMap { try fixture.good($0) }
        let bad = try good.prefix(22).flatMap(BatchFixture.broken) + fixture.odd()
        let tokens = BatchFixture.shuffled(good + bad)
        let one = try TokenVerifier(BatchFixture.signed(), verificationKeys: fixture.named)
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "signed",
            valid: good.count)
    }

    @Test("tokens without kid are tried with each key in turn (RFC 7515, 4.1.4)") func nameless() async throws {
        let fixture = try Self.fixture.get()
        let good = try (0..<6).flatMap { try fixture.goodNameless($0) }
        let bad = try good.prefix(7).flatMap(BatchFixture.broken) + fixture.odd()
        let tokens = BatchFixture.shuffled(good + bad)
        let one = try TokenVerifier(BatchFixture.signed(), verificationKeys: fixture.nameless)
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "nameless",
            valid: good.count)
    }

    @Test(
        "nested tokens, valid and with a fault at every step of both layers, have the single results (RFC 7519, 11.2)"
    )
    func nested() async throws {
        let fixture = try Self.fixture.get()
        let encrypter = try JWEEncrypter(
            key: fixture.mine.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a128gcm,
            header: HeaderParameters(contentType: "JWT"))
        let inner = try fixture.good(1)
        let good = try inner.map { try encrypter.encrypt($0) }
        let bad =
            try (BatchFixture.broken(inner[0]) + fixture.odd().filter { $0.utf8.count < 10_000 }).map {
                try encrypter.encrypt($0)
            } + inner.prefix(3) + good.prefix(2).map { $0 + "A" }
        let tokens = BatchFixture.shuffled(good + bad)
        let one = try TokenVerifier(
            BatchFixture.nested(), verificationKeys: fixture.named, decryptionKeys: KeySet(fixture.mine))
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "nested",
            valid: good.count)
    }

    @Test("in a batch of nested tokens of all lengths, no bytes of one token appear in the next (RFC 7516, 5.2)")
    func lengths() async throws {
        let fixture = try Self.fixture.get()
        let mine = try PrivateKey.generate(.p256)
        let contents: [ContentEncryption] = [.a128cbcHS256, .a128gcm]
        let policy = TokenPolicy.nested(
            outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: contents),
            inner: SignaturePolicy(algorithms: [.rs256, .es256]), claims: BatchFixture.claims())
        var good = 0
        var tokens: [[UInt8]] = []
        for (number, length) in [20_000, 0, 1, 15, 16, 17, 5_000, 31, 32, 100_000, 2].enumerated() {
            let text = String(repeating: "x", count: length)
            let payload = #"{"iss":"\#(BatchFixture.issuer)","aud":"shop","sub":"\#(text)","exp":1700000600}"#
            let inner = try fixture.sign(
                payload, number % 2 == 0 ? fixture.rsa : fixture.p256, number % 2 == 0 ? .rs256 : .es256)
            for content in contents {
                let encrypter = try JWEEncrypter(
                    key: mine.publicKey, keyManagement: .ecdhES, contentEncryption: content,
                    header: HeaderParameters(contentType: "JWT"))
                let token = Array(try encrypter.encrypt(inner).utf8)
                good += 1
                var broken = token
                broken[token.count - 12] = broken[token.count - 12] == UInt8(ascii: "A") ? 66 : 65
                tokens += [token, broken, Array(try encrypter.encrypt(String(inner.dropLast(4))).utf8)]
            }
        }
        let one = try TokenVerifier(policy, verificationKeys: fixture.named, decryptionKeys: KeySet(mine))
        for each in [tokens, tokens.reversed()] {
            try await expectSame(
                each, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "lengths",
                valid: good)
        }
    }

    @Test("signed and encrypted tokens of several issuers are verified with their issuer's keys (RFC 7519, 4.1.1)")
    func severalIssuers() async throws {
        let fixture = try Self.fixture.get()
        let other = "https://other.example"
        let encrypter = try JWEEncrypter(
            key: fixture.mine.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a128gcm,
            header: HeaderParameters(contentType: "JWT"))
        let mine = try fixture.good(1) + fixture.good(2)
        let theirs = try fixture.good(3, issuer: other)
        let good = try mine + theirs.map { try encrypter.encrypt($0) }
        let bad =
            try mine.prefix(3).flatMap(BatchFixture.broken) + fixture.odd() + theirs
            + [
                encrypter.encrypt(mine[0]),
                fixture.sign(BatchFixture.payload(1, issuer: "https://nobody.example"), fixture.rsa, .rs256),
            ]
        let tokens = BatchFixture.shuffled(good + bad)
        let one = try TokenVerifier(
            issuers: [
                TrustedIssuer(BatchFixture.signed(), keys: fixture.named),
                TrustedIssuer(BatchFixture.nested(other), keys: ChangingKeys(fixture.named)),
            ], decryptionKeys: KeySet(fixture.mine))
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "several issuers",
            valid: good.count)
    }

    @Test("encrypted tokens without a signature have the results of single decryption") func encrypted() async throws {
        let fixture = try Self.fixture.get()
        let policy = TokenPolicy.encrypted(
            EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128gcm]), claims: BatchFixture.claims())
        let encrypter = try JWEEncrypter(
            key: fixture.mine.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a128gcm)
        let good = try (0..<9).map { try encrypter.encrypt(BatchFixture.payload($0)) }
        let tokens = BatchFixture.shuffled(try good + good.map { $0 + "A" } + fixture.odd())
        let one = try TokenVerifier(policy, decryptionKeys: KeySet(fixture.mine))
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "encrypted",
            valid: good.count)
    }

    @Test("batches of 0 to 300 tokens have the single results", arguments: [0, 1, 2, 7, 8, 9, 63, 64, 65, 129, 300])
    func sizes(count: Int) async throws {
        let fixture = try Self.fixture.get()
        let tokens = try (0..<count).map { number in
            let token = try fixture.sign(
                BatchFixture.payload(number), number % 3 == 0 ? fixture.rsa : fixture.otherRSA, .rs256)
            return Array((number % 5 == 4 ? token + "A" : token).utf8)
        }
        let one = try TokenVerifier(BatchFixture.signed(), verificationKeys: fixture.named)
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "\(count)",
            valid: count - count / 5)
    }

    @Test("a batch in which few tokens wait for each other has the single results", arguments: [1_300, 2_100])
    func fewWait(count: Int) async throws {
        let fixture = try Self.fixture.get()
        let valid = Array(try fixture.sign(BatchFixture.payload(1), fixture.rsa, .rs256).utf8)
        let tokens = (0..<count).map { $0 % 13 == 0 ? valid : Array("no token \($0)".utf8) }
        let one = try TokenVerifier(BatchFixture.signed(), verificationKeys: fixture.named)
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "\(count)",
            valid: (count + 12) / 13)
    }

    @Test("a batch uses and notifies a key source as single verification does, and sees changed keys in the next call")
    func source() throws {
        let fixture = try Self.fixture.get()
        let source = ChangingKeys(fixture.named)
        let batch = BatchVerifier(try TokenVerifier(BatchFixture.signed(), verificationKeys: source))
        let good = try (0..<9).map { Array(try fixture.sign(BatchFixture.payload($0), fixture.rsa, .rs256).utf8) }
        let unknown = Array(try fixture.sign(BatchFixture.payload(1), fixture.stranger, .rs256).utf8)
        let answers = batch.verifySynchronously(good + [unknown]).map { Seen($0).error }
        #expect(answers == Array(repeating: nil, count: 9) + [.jose(.keyNotFound, layer: .signature)])
        #expect(source.used == Array(repeating: "r1", count: 9) && source.missing == [Array("s1".utf8)])
        source.set(KeySet(fixture.stranger.publicKey))
        let later = batch.verifySynchronously([unknown, good[0]]).map { Seen($0).error }
        #expect(later == [nil, .jose(.keyNotFound, layer: .signature)])
        source.set(.failure(.keysUnavailable(.expired)))
        let none = batch.verifySynchronously(good).map { Seen($0).error }
        #expect(none == Array(repeating: .jose(.keysUnavailable(.expired), layer: .signature), count: 9))
    }
}
