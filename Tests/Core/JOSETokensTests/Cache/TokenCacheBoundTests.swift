import JOSE
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("Token cache: bounds") struct TokenCacheBoundTests {
    private let invalid = TokenError.jose(.signatureInvalid, layer: .signature)

    @Test("when the cache is full the least recently used entry is evicted, and cached again once verified")
    func entries() throws {
        let fixture = try CacheFixture(TokenCache(entries: 3, bytes: 1 << 20))
        let verifier = try fixture.verifier(fixture.signed())
        let tokens = try (0..<4).map { try fixture.token(fixture.signed(), ["sub": .string("\($0)")]) }
        for token in tokens[0..<3] { #expect(fixture.error(verifier, token) == nil) }
        #expect(fixture.error(verifier, tokens[0]) == nil)
        #expect(fixture.cache.lookups.hits == 1)
        #expect(fixture.error(verifier, tokens[3]) == nil)
        #expect(fixture.cache.count == 3)
        for token in [tokens[0], tokens[2], tokens[3]] { #expect(fixture.error(verifier, token) == nil) }
        #expect(fixture.cache.lookups.hits == 4)
        #expect(try verifier.verify(tokens[1]).claims.subject == "1")
        #expect(fixture.cache.lookups.hits == 4 && fixture.cache.count == 3)
    }

    @Test("at the maximum of bytes entries are evicted, and a larger entry than that is not cached")
    func bytes() throws {
        let fixture = try CacheFixture(TokenCache(entries: 1_000, bytes: 16 << 10))
        let verifier = try fixture.verifier(fixture.signed())
        let text = ClaimValue.string(String(repeating: "x", count: 1_000))
        for number in 0..<40 {
            let token = try fixture.token(fixture.signed(), ["sub": .string("\(number)"), "text": text])
            for _ in 0..<2 { #expect(try verifier.verify(token).claims.subject == "\(number)") }
            #expect(fixture.cache.bytes <= 16 << 10)
        }
        #expect(fixture.cache.count > 1 && fixture.cache.count < 16 && fixture.cache.lookups.hits == 40)
        let count = fixture.cache.count
        let large = try fixture.token(fixture.signed(), ["text": .string(String(repeating: "x", count: 20_000))])
        for _ in 0..<2 { #expect(fixture.error(verifier, large) == nil) }
        #expect(fixture.cache.count == count && fixture.cache.lookups.hits == 40)
    }

    @Test("expired entries are evicted when new ones are inserted")
    func sweeping() throws {
        let fixture = try CacheFixture(TokenCache(entries: 100, bytes: 1 << 20))
        let verifier = try fixture.verifier(fixture.signed())
        for number in 0..<20 {
            let token = try fixture.token(fixture.signed(), ["sub": .string("\(number)")])
            #expect(fixture.error(verifier, token) == nil)
        }
        fixture.clock.advance(by: .seconds(600))
        for number in 0..<20 {
            let token = try fixture.token(fixture.signed(), ["sub": .string("later \(number)")])
            #expect(fixture.error(verifier, token) == nil)
        }
        #expect(fixture.cache.count == 20)
    }

    @Test("tokens with equal hashes are distinguished, and none gets the result of another")
    func collisions() throws {
        // One hash for several, and then one for all.
        for isWhole in [false, true] {
            let cache = TokenCache(entries: 100, bytes: 1 << 20) { token in
                isWhole ? 7 : Int(token[token.count - 30])
            }
            let fixture = try CacheFixture(cache)
            let verifier = try fixture.verifier(fixture.signed())
            let tokens = try (0..<20).map { try fixture.token(fixture.signed(), ["sub": .string("\($0 % 10)")]) }
            for _ in 0..<3 {
                for (number, token) in tokens.enumerated() {
                    for _ in 0..<2 { #expect(try verifier.verify(token).claims.subject == "\(number % 10)") }
                }
            }
            #expect(cache.lookups.hits > 0)
            for token in tokens {
                // Another signature, other claims before the same signature, and another length.
                #expect(fixture.error(verifier, CacheFixture.forged(token)) == invalid)
                #expect(fixture.error(verifier, CacheFixture.forged(token, -15)) == invalid)
                let longer = token.split(separator: ".").map { String($0) }
                #expect(
                    fixture.error(verifier, [longer[0], longer[1] + "AAAA", longer[2]].joined(separator: ".")) != nil)
                #expect(fixture.error(verifier, token) == nil)
            }
        }
    }

    @Test(
        "an invalid signature or a failed decryption is cached for a minute if the keys are fixed")
    func refused() throws {
        let fixture = try CacheFixture()
        let (signed, nested) = (try fixture.token(fixture.signed()), try fixture.token(fixture.nested()))
        let cases = [
            (try fixture.verifier(fixture.signed()), CacheFixture.forged(signed), signed, invalid),
            (
                try fixture.verifier(fixture.nested()), CacheFixture.forged(nested), nested,
                TokenError.jose(.decryptionFailed, layer: .encryption)
            ),
        ]
        for (verifier, bad, good, failure) in cases {
            let hits = fixture.cache.lookups.hits
            for _ in 0..<3 { #expect(fixture.error(verifier, bad) == failure) }
            #expect(fixture.cache.lookups.hits == hits + 2)
            #expect(fixture.error(verifier, good) == nil)
            fixture.clock.advance(by: .seconds(59))
            #expect(fixture.error(verifier, bad) == failure)
            #expect(fixture.cache.lookups.hits == hits + 3)
            // A minute later it is looked at again.
            fixture.clock.advance(by: .seconds(1))
            let misses = fixture.cache.lookups.misses
            #expect(fixture.error(verifier, bad) == failure)
            #expect(fixture.cache.lookups.hits == hits + 3 && fixture.cache.lookups.misses == misses + 1)
        }
    }

    @Test("a rejection that newer keys could change is not cached")
    func passing() throws {
        let fixture = try CacheFixture()
        let source = ChangingKeys(KeySet(try PrivateKey.generate(.ed25519).publicKey))
        let verifier = try fixture.verifier(fixture.signed(), keys: source)
        var header = HeaderParameters()
        header.type = "JWT"
        let nameless = try JWSSigner(key: PrivateKey.generate(.ed25519), algorithm: .ed25519, header: header)
        let stranger = try nameless.sign(Array(#"{"iss":"https://id.example"}"#.utf8))
        for _ in 0..<3 { #expect(fixture.error(verifier, stranger) == invalid) }
        #expect(fixture.cache.lookups.hits == 0 && fixture.cache.count == 0)
        // Each of them was reported, as without a cache.
        #expect(source.failed.count == 3)
        let fixed = try fixture.verifier(
            fixture.signed(), keys: KeySet(try PrivateKey.generate(.ed25519, keyID: "x").publicKey))
        let token = try fixture.token(fixture.signed())
        for _ in 0..<2 { #expect(fixture.error(fixed, token) == .jose(.keyNotFound, layer: .signature)) }
        #expect(fixture.cache.lookups.hits == 0 && fixture.cache.count == 0)
        let own = try fixture.verifier(fixture.signed())
        for _ in 0..<2 { #expect(fixture.error(own, token) == nil) }
        #expect(fixture.cache.lookups.hits == 1)
    }

    @Test("T72 a flood of invalid tokens evicts no valid one, and no result outlives its policy, its keys or exp")
    func flood() throws {
        let fixture = try CacheFixture(TokenCache(entries: 8, bytes: 1 << 20))
        let verifier = try fixture.verifier(fixture.signed())
        let good = try fixture.token(fixture.signed())
        #expect(fixture.error(verifier, good) == nil)
        let misdirected = fixture.signed { $0.audience = "bank" }
        for number in 0..<40 {
            #expect(fixture.error(verifier, CacheFixture.forged(good, -(number % 15))) == invalid)
            let elsewhere = try fixture.token(misdirected, ["sub": .string("\(number)")])
            #expect(fixture.error(verifier, elsewhere) == .claim(.audienceMismatch))
        }
        let hits = fixture.cache.lookups.hits
        #expect(fixture.error(verifier, good) == nil)
        #expect(fixture.cache.lookups.hits == hits + 1 && fixture.cache.count == 2)
        #expect(fixture.error(try fixture.verifier(misdirected), good) == .claim(.audienceMismatch))
        fixture.clock.advance(by: .seconds(600))
        #expect(fixture.error(verifier, good) == .claim(.expired))
    }

    @Test("T79 an expired entry is removed at its first lookup, also if the policy reports every failure")
    func expiryOfAll() throws {
        for everyFailure in [false, true] {
            let fixture = try CacheFixture()
            let policy = fixture.signed {
                $0.reportsEveryFailure = everyFailure
                $0.nonce = everyFailure ? "n" : nil
            }
            let verifier = try fixture.verifier(policy)
            let token = try fixture.token(policy)
            for _ in 0..<2 { #expect(fixture.error(verifier, token) == nil) }
            #expect(fixture.cache.count == 1 && fixture.cache.lookups.hits == 1)
            fixture.clock.advance(by: .seconds(-1_000))
            let early: TokenError = everyFailure ? .claims([.issuedInFuture("iat")]) : .claim(.issuedInFuture("iat"))
            #expect(fixture.error(verifier, token) == early)
            #expect(fixture.cache.count == 1, "a failure that passes with time ends no entry")
            fixture.clock.advance(by: .seconds(2_000))
            let late: TokenError = everyFailure ? .claims([.expired]) : .claim(.expired)
            #expect(fixture.error(verifier, token) == late)
            #expect(fixture.cache.count == 0 && fixture.cache.bytes == 0)
        }
    }

    @Test("T79 a token that its size, parts, header or algorithm rejects is not hashed for the cache")
    func cheapChecksFirst() throws {
        let hashes = Atomic<Int>(0)
        let cache = TokenCache(entries: 100, bytes: 4 << 20) { token in
            hashes.add(1, ordering: .relaxed).newValue ^ Int(token[token.count - 1])
        }
        let fixture = try CacheFixture(cache)
        let text = ClaimValue.string(String(repeating: "x", count: 40_000))
        let limit = ParsingLimits.standard
        for policy in [fixture.signed(), fixture.nested()] {
            let verifier = try fixture.verifier(policy)
            let isNested = if case .nested = policy.form { true } else { false }
            let layer: TokenLayer = isNested ? .encryption : .signature
            let good = try fixture.token(policy, ["text": text])
            // Its header is read each time: it is not yet known.
            let before = hashes.load(ordering: .relaxed)
            #expect(fixture.error(verifier, good) == nil)
            #expect(hashes.load(ordering: .relaxed) == before + 1)
            let rest = good.drop { $0 != "." }
            let type = isNested ? #","cty":"JWT""# : ""
            let unlisted = base64URL(#"{"alg":"none","enc":"A128GCM"\#(type)}"#.utf8)
            let algorithm = JOSEError.algorithmNotAllowed(isNested ? .keyManagement : .signature)
            let large = String(repeating: "A", count: 200_000)
            let bad: [(String, JOSEError)] = [
                (good + String(repeating: "A", count: limit.tokenBytes), .limitExceeded(.tokenBytes)),
                (large, .malformed(ParseFailure(.token, .parts))),
                (large + ".", .malformed(ParseFailure(.token, .parts))),
                ("." + good, .malformed(ParseFailure(.token, .parts))),
                (good + ".", .malformed(ParseFailure(.token, .parts))),
                (String(repeating: "A", count: 100_000) + rest, .limitExceeded(.headerBytes)),
                ("AAAA" + rest, .malformed(ParseFailure(.header, .json, at: 0))),
                ("AAAAA" + rest, .malformed(ParseFailure(.header, .base64URL))),
                (unlisted + rest, algorithm),
                (base64URL(#"{"alg":5,"enc":"A128GCM"}"#.utf8) + rest, .headerInvalid(.memberType("alg"))),
            ]
            for (token, error) in bad {
                #expect(fixture.error(verifier, token) == .jose(error, layer: layer), "\(error)")
                #expect(hashes.load(ordering: .relaxed) == before + 1, "\(error)")
            }
            // A key name that no key has, where the keys are here and verify.
            if !isNested {
                let unknown = base64URL(#"{"alg":"Ed25519","kid":"unknown"}"#.utf8) + rest
                #expect(fixture.error(verifier, unknown) == .jose(.keyNotFound, layer: layer))
                #expect(hashes.load(ordering: .relaxed) == before + 1)
            }
            // Of several issuers, what passes for an issuer's token by its claims alone.
            let several = try TokenVerifier(
                issuers: [TrustedIssuer(policy, keys: KeySet(fixture.signing.publicKey))],
                decryptionKeys: KeySet(fixture.recipient),
                cache: cache)
            let other = try fixture.token(isNested ? fixture.signed() : fixture.nested(), ["text": text])
            let count = hashes.load(ordering: .relaxed)
            #expect(throws: TokenError.self) { try several.verify(other) }
            #expect(hashes.load(ordering: .relaxed) == count)
            #expect(throws: Never.self) { try several.verify(good) }
            #expect(hashes.load(ordering: .relaxed) == (isNested ? count : count + 1), "it says outside whose it is")
        }
    }
}
