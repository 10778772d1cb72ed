import JOSE
import JOSETokens
import TestSupport
import Testing

/// `suites.sh` runs them in each form of the lanes: one process has one.
@Suite("Batches of tokens: the answers of one by one") struct BatchVerifierTests {
    /// Made once: RSA keys take their time.
    static let desk = Result { try BatchDesk() }

    @Test("signed tokens of many algorithms and keys, sound and broken at every step, RFC 7515, 5.2")
    func signed() async throws {
        let desk = try Self.desk.get()
        let good = try (0..<4).flatMap { try desk.good($0) }
        let bad = try good.prefix(22).flatMap(BatchDesk.broken) + desk.odd()
        let tokens = BatchDesk.shuffled(good + bad)
        let one = try TokenVerifier(BatchDesk.signed(), verificationKeys: desk.named)
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "signed",
            valid: good.count)
    }

    @Test("tokens without kid are tried with each key in turn, RFC 7515, 4.1.4") func nameless() async throws {
        let desk = try Self.desk.get()
        let good = try (0..<6).flatMap { try desk.goodNameless($0) }
        let bad = try good.prefix(7).flatMap(BatchDesk.broken) + desk.odd()
        let tokens = BatchDesk.shuffled(good + bad)
        let one = try TokenVerifier(BatchDesk.signed(), verificationKeys: desk.nameless)
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "nameless",
            valid: good.count)
    }

    @Test("nested tokens: both layers, sound and broken, RFC 7519, 11.2") func nested() async throws {
        let desk = try Self.desk.get()
        let encrypter = try Encrypter(
            key: desk.mine.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a128gcm,
            header: HeaderParameters(contentType: "JWT"))
        let inner = try desk.good(1)
        let good = try inner.map { try encrypter.encrypt($0) }
        let bad =
            try (BatchDesk.broken(inner[0]) + desk.odd().filter { $0.utf8.count < 10_000 }).map {
                try encrypter.encrypt($0)
            } + inner.prefix(3) + good.prefix(2).map { $0 + "A" }
        let tokens = BatchDesk.shuffled(good + bad)
        let one = try TokenVerifier(
            BatchDesk.nested(), verificationKeys: desk.named, decryptionKeys: KeySet(desk.mine))
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "nested",
            valid: good.count)
    }

    @Test("nested tokens of all lengths in one batch: nothing of a longer one is left in the next, RFC 7516, 5.2")
    func lengths() async throws {
        let desk = try Self.desk.get()
        let mine = try PrivateKey.generate(.p256)
        let contents: [ContentEncryption] = [.a128cbcHS256, .a128gcm]
        let policy = TokenPolicy.nested(
            outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: contents),
            inner: SignaturePolicy(algorithms: [.rs256, .es256]), claims: BatchDesk.claims())
        var good = 0
        var tokens: [[UInt8]] = []
        for (number, length) in [20_000, 0, 1, 15, 16, 17, 5_000, 31, 32, 100_000, 2].enumerated() {
            let text = String(repeating: "x", count: length)
            let payload = #"{"iss":"\#(BatchDesk.issuer)","aud":"shop","sub":"\#(text)","exp":1700000600}"#
            let inner = try desk.sign(
                payload, number % 2 == 0 ? desk.rsa : desk.p256, number % 2 == 0 ? .rs256 : .es256)
            for content in contents {
                let encrypter = try Encrypter(
                    key: mine.publicKey, keyManagement: .ecdhES, contentEncryption: content,
                    header: HeaderParameters(contentType: "JWT"))
                let token = Array(try encrypter.encrypt(inner).utf8)
                good += 1
                var broken = token
                broken[token.count - 12] = broken[token.count - 12] == UInt8(ascii: "A") ? 66 : 65
                tokens += [token, broken, Array(try encrypter.encrypt(String(inner.dropLast(4))).utf8)]
            }
        }
        let one = try TokenVerifier(policy, verificationKeys: desk.named, decryptionKeys: KeySet(mine))
        for each in [tokens, tokens.reversed()] {
            try await expectSame(
                each, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "lengths",
                valid: good)
        }
    }

    @Test("tokens of several issuers, open and encrypted, each by its own keys, RFC 7519, 4.1.1")
    func severalIssuers() async throws {
        let desk = try Self.desk.get()
        let other = "https://other.example"
        let encrypter = try Encrypter(
            key: desk.mine.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a128gcm,
            header: HeaderParameters(contentType: "JWT"))
        let mine = try desk.good(1) + desk.good(2)
        let theirs = try desk.good(3, issuer: other)
        let good = try mine + theirs.map { try encrypter.encrypt($0) }
        let bad =
            try mine.prefix(3).flatMap(BatchDesk.broken) + desk.odd() + theirs
            + [
                encrypter.encrypt(mine[0]),
                desk.sign(BatchDesk.payload(1, issuer: "https://nobody.example"), desk.rsa, .rs256),
            ]
        let tokens = BatchDesk.shuffled(good + bad)
        let one = try MultiIssuerVerifier(
            [
                TrustedIssuer(BatchDesk.signed(), keys: desk.named),
                TrustedIssuer(BatchDesk.nested(other), keys: ChangingKeys(desk.named)),
            ], decryptionKeys: KeySet(desk.mine))
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "several issuers",
            valid: good.count)
    }

    @Test("encrypted tokens without a signature pass through as they do alone") func encrypted() async throws {
        let desk = try Self.desk.get()
        let policy = TokenPolicy.encrypted(
            EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128gcm]), claims: BatchDesk.claims())
        let encrypter = try Encrypter(key: desk.mine.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a128gcm)
        let good = try (0..<9).map { try encrypter.encrypt(BatchDesk.payload($0)) }
        let tokens = BatchDesk.shuffled(try good + good.map { $0 + "A" } + desk.odd())
        let one = try TokenVerifier(policy, decryptionKeys: KeySet(desk.mine))
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "encrypted",
            valid: good.count)
    }

    @Test("any number of tokens, none among them", arguments: [0, 1, 2, 7, 8, 9, 63, 64, 65, 129, 300])
    func sizes(count: Int) async throws {
        let desk = try Self.desk.get()
        let tokens = try (0..<count).map { number in
            let token = try desk.sign(BatchDesk.payload(number), number % 3 == 0 ? desk.rsa : desk.otherRSA, .rs256)
            return Array((number % 5 == 4 ? token + "A" : token).utf8)
        }
        let one = try TokenVerifier(BatchDesk.signed(), verificationKeys: desk.named)
        try await expectSame(
            tokens, BatchVerifier(one), { token throws(TokenError) in try one.verify(token) }, "\(count)",
            valid: count - count / 5)
    }

    @Test("a key source is asked and told as it is one by one; a change between two chunks counts") func source() throws
    {
        let desk = try Self.desk.get()
        let source = ChangingKeys(desk.named)
        let batch = BatchVerifier(try TokenVerifier(BatchDesk.signed(), verificationKeys: source))
        let good = try (0..<9).map { Array(try desk.sign(BatchDesk.payload($0), desk.rsa, .rs256).utf8) }
        let unknown = Array(try desk.sign(BatchDesk.payload(1), desk.stranger, .rs256).utf8)
        let answers = batch.verifyInPlace(good + [unknown]).map { Seen($0).error }
        #expect(answers == Array(repeating: nil, count: 9) + [.jose(.keyNotFound, layer: .signature)])
        #expect(source.used == Array(repeating: "r1", count: 9) && source.missing == [Array("s1".utf8)])
        source.set(KeySet(desk.stranger.publicKey))
        let later = batch.verifyInPlace([unknown, good[0]]).map { Seen($0).error }
        #expect(later == [nil, .jose(.keyNotFound, layer: .signature)])
        source.set(.failure(.keysUnavailable(.expired)))
        let none = batch.verifyInPlace(good).map { Seen($0).error }
        #expect(none == Array(repeating: .jose(.keysUnavailable(.expired), layer: .signature), count: 9))
    }
}
