import JOSE
import JOSEKeySets
import JOSETokens
import TestSupport
import Testing

@Suite("Published JWK Set of own keys") struct KeySetDocumentTests {
    let clock = SettableClock()

    private func signing() throws -> SigningKeyRotation {
        try SigningKeyRotation(Fixture.rules, clock: clock.wallClock)
    }
    private func decryption() throws -> DecryptionKeyRotation {
        try DecryptionKeyRotation(Fixture.rules, clock: clock.wallClock)
    }

    /// A source that publishes keys without checking them.
    private struct ForeignSource: PublishedKeySource {
        let keys: [PublicKey]
        func published() -> PublishedKeySnapshot {
            PublishedKeySnapshot(keys: keys, now: 1_000_000, until: nil, lifetime: .seconds(600))
        }
    }

    @Test("max-age of the published key set ends at the next planned change, within the rules' bound")
    func maximumAge() throws {
        let keys = try signing()
        try keys.add(Fixture.signing("a"))
        #expect(try KeySetDocument(keys).maximumAge == 600)
        // "b" is published at 2000 and signs at 2700, and "a" is gone at 3060. All but the second change the document.
        let start = clock.now
        try keys.add(Fixture.signing("b"), publishedFrom: start + .seconds(2000))
        let ages: [(Double, Int)] = [
            (0, 600), (1399, 600), (1400, 600), (1401, 599), (1999, 1), (1999.5, 0), (2000, 600), (2300, 600),
            (2459, 600), (2461, 599), (2800, 260), (3059, 1), (3060, 600), (1e9, 600),
        ]
        for (offset, age) in ages {
            clock.now = NumericDate(secondsSince1970: start.secondsSince1970 + offset)
            #expect(try KeySetDocument(keys).maximumAge == age, "after \(offset) s")
        }
        // No cache that honours max-age has a set that lacks the signing key.
        for offset in stride(from: 0.0, to: 4000, by: 13) {
            clock.now = NumericDate(secondsSince1970: start.secondsSince1970 + offset)
            let document = try KeySetDocument(keys)
            clock.now += .seconds(document.maximumAge)
            let signer = try keys.signingKey().keyID
            #expect(try names(document).contains(signer), "after \(offset) s")
        }
    }

    @Test("one published key set contains the public signing and decryption keys")
    func together() throws {
        let sign = try signing(), open = try decryption()
        var a = try PrivateKey.stored(keyID: "a")
        a.use = .signature
        var e = try PrivateKey.generate(.p256, keyID: "e")
        e.use = .encryption
        try sign.add(a)
        try open.add(e)
        let document = try KeySetDocument([sign, open])
        let set = try KeySet(parsing: document.body, as: .publicOnly)
        #expect(set.keys.map(\.keyID) == ["a", "e"])
        #expect(set.keys == [.publicKey(a.publicKey), .publicKey(e.publicKey)])
        let text = String(decoding: document.body, as: UTF8.self)
        for member in ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"] {
            #expect(!text.contains("\"\(member)\":"))
        }
        // A name that is in both sources is an error.
        let other = try decryption()
        try other.add(PrivateKey.generate(.p256, keyID: "a"))
        #expect(throws: KeyRotationError.keyIDTaken) { try KeySetDocument([sign, other]) }
        // So is a key without a name, which only a source of another module can publish.
        for (name, isGood) in [("g", true), (nil, false)] {
            let foreign = ForeignSource(keys: [try Fixture.signing(name).publicKey])
            if isGood {
                #expect(try names(KeySetDocument([sign, foreign])) == ["a", "g"])
            } else {
                #expect(throws: KeyRotationError.keyIDMissing) { try KeySetDocument([sign, foreign]) }
            }
        }
        // The shorter of two lifetimes counts.
        try open.add(PrivateKey.generate(.p256, keyID: "f"), publishedFrom: clock.now + .seconds(40))
        #expect(try KeySetDocument([sign, open]).maximumAge == 40)
    }

    @Test(
        "a published key set has Content-Type, ETag and max-age, and If-None-Match gives 304 (RFC 9110, 13.1.2)"
    )
    func answers() throws {
        let keys = try signing()
        try keys.add(Fixture.signing("a"))
        let document = try KeySetDocument(keys)
        let whole = document.response()
        #expect(whole.status == 200)
        #expect(whole.body == document.body)
        #expect(whole.header("content-type") == "application/jwk-set+json")
        #expect(whole.header("cache-control") == "public, max-age=600")
        #expect(whole.header("etag") == document.eTag)
        let tag = document.eTag
        let matching = [tag, "W/" + tag, "\"x\", \(tag)", "W/\"\",\t\(tag) ,\"y\"", "*", ", \(tag)"]
        for field in matching {
            let answer = document.response(ifNoneMatch: field)
            #expect(answer.status == 304, "\(field)")
            #expect(answer.body.isEmpty && answer.headers == document.validators)
        }
        let others = [
            "", "\"x\"", String(tag.dropLast()), String(tag.dropFirst()), "\"x\(tag.dropFirst())", "x, \(tag)",
            "w/\(tag)", "**", "x\", \(tag)", "\(tag), \"x",
        ]
        for field in others {
            #expect(document.response(ifNoneMatch: field).status == 200, "\(field)")
        }
        clock.now += .seconds(10)
        #expect(try KeySetDocument(keys).eTag == tag)
        try keys.add(Fixture.signing("b"))
        let changed = try KeySetDocument(keys)
        #expect(changed.eTag != tag)
        #expect(changed.response(ifNoneMatch: tag).status == 200)
    }
}
