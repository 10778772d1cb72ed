import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("Tokens that were verified before, within bounds") struct TokenCacheBoundTests {
    private let invalid = TokenError.jose(.signatureInvalid, layer: .signature)

    @Test("at the bound of entries the one not used for longest goes, and comes back by being verified")
    func entries() throws {
        let desk = try CacheDesk(TokenCache(entries: 3, bytes: 1 << 20))
        let verifier = try desk.verifier(desk.signed())
        let tokens = try (0..<4).map { try desk.token(desk.signed(), ["sub": .string("\($0)")]) }
        for token in tokens[0..<3] { #expect(desk.error(verifier, token) == nil) }
        #expect(desk.error(verifier, tokens[0]) == nil)
        #expect(desk.cache.lookups.hits == 1)
        #expect(desk.error(verifier, tokens[3]) == nil)
        #expect(desk.cache.count == 3)
        for token in [tokens[0], tokens[2], tokens[3]] { #expect(desk.error(verifier, token) == nil) }
        #expect(desk.cache.lookups.hits == 4)
        #expect(try verifier.verify(tokens[1]).claims.subject == "1")
        #expect(desk.cache.lookups.hits == 4 && desk.cache.count == 3)
    }

    @Test("at the bound of bytes room is made, and what would take all of it stays out")
    func bytes() throws {
        let desk = try CacheDesk(TokenCache(entries: 1_000, bytes: 16 << 10))
        let verifier = try desk.verifier(desk.signed())
        let text = ClaimValue.string(String(repeating: "x", count: 1_000))
        for number in 0..<40 {
            let token = try desk.token(desk.signed(), ["sub": .string("\(number)"), "text": text])
            for _ in 0..<2 { #expect(try verifier.verify(token).claims.subject == "\(number)") }
            #expect(desk.cache.bytes <= 16 << 10)
        }
        #expect(desk.cache.count > 1 && desk.cache.count < 16 && desk.cache.lookups.hits == 40)
        let count = desk.cache.count
        let large = try desk.token(desk.signed(), ["text": .string(String(repeating: "x", count: 20_000))])
        for _ in 0..<2 { #expect(desk.error(verifier, large) == nil) }
        #expect(desk.cache.count == count && desk.cache.lookups.hits == 40)
    }

    @Test("entries whose exp has passed leave as others come")
    func sweeping() throws {
        let desk = try CacheDesk(TokenCache(entries: 100, bytes: 1 << 20))
        let verifier = try desk.verifier(desk.signed())
        for number in 0..<20 {
            let token = try desk.token(desk.signed(), ["sub": .string("\(number)")])
            #expect(desk.error(verifier, token) == nil)
        }
        desk.clock.advance(by: 600)
        for number in 0..<20 {
            let token = try desk.token(desk.signed(), ["sub": .string("later \(number)")])
            #expect(desk.error(verifier, token) == nil)
        }
        #expect(desk.cache.count == 20)
    }

    @Test("tokens whose digests collide are told apart, and none is served in another's place")
    func collisions() throws {
        // One digest for several, and then one for all.
        for isWhole in [false, true] {
            let cache = TokenCache(entries: 100, bytes: 1 << 20) { token in
                var digest = [UInt8](repeating: 7, count: 32)
                if !isWhole { digest[31] = token[token.count - 30] }
                return digest
            }
            let desk = try CacheDesk(cache)
            let verifier = try desk.verifier(desk.signed())
            let tokens = try (0..<20).map { try desk.token(desk.signed(), ["sub": .string("\($0 % 10)")]) }
            for _ in 0..<3 {
                for (number, token) in tokens.enumerated() {
                    for _ in 0..<2 { #expect(try verifier.verify(token).claims.subject == "\(number % 10)") }
                }
            }
            #expect(cache.lookups.hits > 0)
            for token in tokens {
                // Another signature, other claims before the same signature, and another length.
                #expect(desk.error(verifier, CacheDesk.forged(token)) == invalid)
                #expect(desk.error(verifier, CacheDesk.forged(token, -15)) == invalid)
                let longer = token.split(separator: ".").map { String($0) }
                #expect(desk.error(verifier, [longer[0], longer[1] + "AAAA", longer[2]].joined(separator: ".")) != nil)
                #expect(desk.error(verifier, token) == nil)
            }
        }
    }

    @Test("a signature that no fixed key made, and a decryption that no key of ours opens, are known as refused")
    func refused() throws {
        let desk = try CacheDesk()
        let (signed, nested) = (try desk.token(desk.signed()), try desk.token(desk.nested()))
        let cases = [
            (try desk.verifier(desk.signed()), CacheDesk.forged(signed), signed, invalid),
            (
                try desk.verifier(desk.nested()), CacheDesk.forged(nested), nested,
                TokenError.jose(.decryptionFailed, layer: .encryption)
            ),
        ]
        for (verifier, bad, good, failure) in cases {
            let hits = desk.cache.lookups.hits
            for _ in 0..<3 { #expect(desk.error(verifier, bad) == failure) }
            #expect(desk.cache.lookups.hits == hits + 2)
            #expect(desk.error(verifier, good) == nil)
            desk.clock.advance(by: 59)
            #expect(desk.error(verifier, bad) == failure)
            #expect(desk.cache.lookups.hits == hits + 3)
            // A minute later it is looked at again.
            desk.clock.advance(by: 1)
            let misses = desk.cache.lookups.misses
            #expect(desk.error(verifier, bad) == failure)
            #expect(desk.cache.lookups.hits == hits + 3 && desk.cache.lookups.misses == misses + 1)
        }
    }

    @Test("a refusal that another day may change is not kept: a missing key, a source that may know of newer ones")
    func passing() throws {
        let desk = try CacheDesk()
        let source = ChangingKeys(KeySet(try PrivateKey.generate(.ed25519).publicKey))
        let verifier = try desk.verifier(desk.signed(), keys: source)
        var header = HeaderParameters()
        header.type = "JWT"
        let nameless = try Signer(key: PrivateKey.generate(.ed25519), algorithm: .ed25519, header: header)
        let stranger = try nameless.sign(Array(#"{"iss":"https://id.example"}"#.utf8))
        for _ in 0..<3 { #expect(desk.error(verifier, stranger) == invalid) }
        #expect(desk.cache.lookups.hits == 0 && desk.cache.count == 0)
        // Each of them was reported, as without a cache.
        #expect(source.missing.count == 3)
        let fixed = try desk.verifier(
            desk.signed(), keys: KeySet(try PrivateKey.generate(.ed25519, keyID: "x").publicKey))
        let token = try desk.token(desk.signed())
        for _ in 0..<2 { #expect(desk.error(fixed, token) == .jose(.keyNotFound, layer: .signature)) }
        #expect(desk.cache.lookups.hits == 0 && desk.cache.count == 0)
        let own = try desk.verifier(desk.signed())
        for _ in 0..<2 { #expect(desk.error(own, token) == nil) }
        #expect(desk.cache.lookups.hits == 1)
    }

    @Test("T72 a flood of bad tokens costs no good one its place, and no verdict outlives its policy, its keys or exp")
    func flood() throws {
        let desk = try CacheDesk(TokenCache(entries: 8, bytes: 1 << 20))
        let verifier = try desk.verifier(desk.signed())
        let good = try desk.token(desk.signed())
        #expect(desk.error(verifier, good) == nil)
        let misdirected = desk.signed { $0.audience = "bank" }
        for number in 0..<40 {
            #expect(desk.error(verifier, CacheDesk.forged(good, -(number % 15))) == invalid)
            let elsewhere = try desk.token(misdirected, ["sub": .string("\(number)")])
            #expect(desk.error(verifier, elsewhere) == .claim(.audienceMismatch))
        }
        let hits = desk.cache.lookups.hits
        #expect(desk.error(verifier, good) == nil)
        #expect(desk.cache.lookups.hits == hits + 1 && desk.cache.count == 2)
        #expect(desk.error(try desk.verifier(misdirected), good) == .claim(.audienceMismatch))
        desk.clock.advance(by: 600)
        #expect(desk.error(verifier, good) == .claim(.expired))
    }
}
