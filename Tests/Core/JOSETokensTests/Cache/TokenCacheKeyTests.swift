import JOSE
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@Suite("Token cache: keys") struct TokenCacheKeyTests {
    private let missing = TokenError.jose(.keyNotFound, layer: .signature)

    @Test(
        "removing a key invalidates its cached tokens, and adding it again verifies them anew (RFC 7517, 5)")
    func rotation() throws {
        let fixture = try CacheFixture()
        let source = ChangingKeys(KeySet(fixture.signing.publicKey))
        let next = try PrivateKey.generate(.ed25519, keyID: "next")
        let verifier = try fixture.verifier(fixture.signed(), keys: source)
        let token = try fixture.token(fixture.signed())
        for _ in 0..<3 { #expect(fixture.error(verifier, token) == nil) }
        #expect(fixture.cache.lookups.hits == 2 && fixture.cache.count == 1)
        source.set(KeySet(next.publicKey))
        #expect(fixture.error(verifier, token) == missing)
        #expect(fixture.cache.lookups.hits == 2 && fixture.cache.count == 0)
        source.set(KeySet([.publicKey(fixture.signing.publicKey), .publicKey(next.publicKey)]))
        for _ in 0..<2 { #expect(fixture.error(verifier, token) == nil) }
        #expect(fixture.cache.lookups.hits == 3 && fixture.cache.count == 1)
    }

    @Test("a different key under the same kid invalidates cached tokens (K18)")
    func replaced() throws {
        let fixture = try CacheFixture()
        let source = ChangingKeys(KeySet(fixture.signing.publicKey))
        let verifier = try fixture.verifier(fixture.signed(), keys: source)
        let token = try fixture.token(fixture.signed())
        for _ in 0..<2 { #expect(fixture.error(verifier, token) == nil) }
        source.set(KeySet(try PrivateKey.generate(.ed25519, keyID: "theirs").publicKey))
        for _ in 0..<2 { #expect(fixture.error(verifier, token) == .jose(.signatureInvalid, layer: .signature)) }
        source.set(KeySet(fixture.signing.publicKey))
        #expect(fixture.error(verifier, token) == nil)
    }

    @Test("removing a decryption key invalidates its cached tokens")
    func decryptionKeys() throws {
        let fixture = try CacheFixture()
        let source = ChangingKeys(KeySet(fixture.recipient))
        let verifier = try fixture.verifier(fixture.nested(), decryptionKeys: source)
        let token = try fixture.token(fixture.nested())
        for _ in 0..<3 { #expect(fixture.error(verifier, token) == nil) }
        #expect(fixture.cache.lookups.hits == 2)
        source.set(KeySet.empty)
        #expect(fixture.error(verifier, token) == .jose(.keyNotFound, layer: .encryption))
        source.set(KeySet(fixture.recipient))
        #expect(fixture.error(verifier, token) == nil)
        #expect(fixture.cache.lookups.hits == 2)
    }

    @Test("each source is asked once for a token, whether it is in the cache or not")
    func askedOnce() throws {
        let fixture = try CacheFixture()
        let (signing, recipient) = (
            ChangingKeys(KeySet(fixture.signing.publicKey)), ChangingKeys(KeySet(fixture.recipient))
        )
        let verifier = try fixture.verifier(fixture.nested(), keys: signing, decryptionKeys: recipient)
        for number in 1...3 {
            let token = try fixture.token(fixture.nested())
            #expect(fixture.error(verifier, token) == nil)
            #expect(signing.asked == 4 * number - 3 && recipient.asked == 4 * number - 3, "\(number), a miss")
            #expect(fixture.error(verifier, token) == nil)
            #expect(signing.asked == 4 * number - 2 && recipient.asked == 4 * number - 2, "\(number), a hit")
            let next = try fixture.token(fixture.nested())
            let batch = BatchVerifier(verifier)
            for place in 0..<2 {
                #expect(throws: Never.self) { try batch.verifySynchronously([next])[0].get() }
                #expect(signing.asked == 4 * number - 1 + place && recipient.asked == 4 * number - 1 + place)
            }
        }
    }

    @Test("if a source has no usable keys, cached tokens are rejected too (K19)")
    func outage() throws {
        let fixture = try CacheFixture()
        let keys = KeySet(fixture.signing.publicKey)
        let source = ChangingKeys(keys)
        let verifier = try fixture.verifier(fixture.signed(), keys: source)
        let token = try fixture.token(fixture.signed())
        for _ in 0..<2 { #expect(fixture.error(verifier, token) == nil) }
        source.set(.failure(.keysUnavailable(.expired)))
        #expect(fixture.error(verifier, token) == .jose(.keysUnavailable(.expired), layer: .signature))
        source.set(keys)
        #expect(fixture.error(verifier, token) == nil)
        #expect(fixture.cache.lookups.hits == 2)
    }

    @Test("a cached token reports the use of its keys to their source, as a new one does")
    func uses() throws {
        let fixture = try CacheFixture()
        let (theirs, ours) = (ChangingKeys(KeySet(fixture.signing.publicKey)), ChangingKeys(KeySet(fixture.recipient)))
        let verifier = try fixture.verifier(fixture.nested(), keys: theirs, decryptionKeys: ours)
        let token = try fixture.token(fixture.nested())
        for _ in 0..<4 { #expect(fixture.error(verifier, token) == nil) }
        #expect(fixture.cache.lookups.hits == 3)
        #expect(
            theirs.used == ["theirs", "theirs", "theirs", "theirs"] && ours.used == ["mine", "mine", "mine", "mine"])
    }

    @Test("threads that verify while keys rotate get no result of a removed key")
    func threads() async throws {
        let fixture = try CacheFixture(TokenCache(entries: 16, bytes: 1 << 20))
        let (with, without) = (KeySet(fixture.signing.publicKey), KeySet.empty)
        let source = ChangingKeys(with)
        let verifier = try fixture.verifier(fixture.signed(), keys: source)
        let tokens = try (0..<40).map { try fixture.token(fixture.signed(), ["sub": .string("\($0)")]) }
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var wrong = 0
                    for step in 0..<400 {
                        let place = (step * 7 + task) % tokens.count
                        do throws(TokenError) {
                            if try verifier.verify(tokens[place]).claims.subject != "\(place)" { wrong += 1 }
                        } catch {
                            if error != missing { wrong += 1 }
                        }
                    }
                    return wrong
                }
            }
            group.addTask {
                for step in 0..<100 {
                    source.set(step % 2 == 0 ? without : with)
                    await Task.yield()
                }
                return 0
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
        source.set(without)
        for token in tokens { #expect(fixture.error(verifier, token) == missing) }
        source.set(with)
        for token in tokens { #expect(fixture.error(verifier, token) == nil) }
        #expect(fixture.cache.count <= 16 + 2)
    }
}
