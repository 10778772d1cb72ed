import JOSE
import JOSEKeySets
import JOSETokens
import Testing

@Suite("Document of our own keys") struct KeySetDocumentTests {
    let clock = DeskClock()

    private func signing() throws -> SigningKeyRotation { try SigningKeyRotation(Fixture.rules, clock: clock.clock) }
    private func decryption() throws -> DecryptionKeyRotation {
        try DecryptionKeyRotation(Fixture.rules, clock: clock.clock)
    }

    @Test("max-age ends where the next planned change is, and never says more than the rules")
    func maximumAge() throws {
        let keys = try signing()
        try keys.add(Fixture.signing("a"))
        #expect(try KeySetDocument(keys).maximumAge == 600)
        // "b" appears at 2000, signs at 2700, and "a" goes at 3060; each is a change of the document but the second.
        let start = clock.now
        try keys.add(Fixture.signing("b"), publishedFrom: start + 2000)
        let ages: [(Double, Int)] = [
            (0, 600), (1399, 600), (1400, 600), (1401, 599), (1999, 1), (1999.5, 0), (2000, 600), (2300, 600),
            (2459, 600), (2461, 599), (2800, 260), (3059, 1), (3060, 600), (1e9, 600),
        ]
        for (offset, age) in ages {
            clock.now = start + offset
            #expect(try KeySetDocument(keys).maximumAge == age, "after \(offset) s")
        }
        // No cache that keeps to it holds a set that lacks the key that signs.
        for offset in stride(from: 0.0, to: 4000, by: 13) {
            clock.now = start + offset
            let document = try KeySetDocument(keys)
            clock.now += Double(document.maximumAge)
            let signer = try keys.signingKey().keyID
            #expect(try names(document).contains(signer), "after \(offset) s")
        }
    }

    @Test("signing and decryption keys stand in one document, public halves alone")
    func together() throws {
        let sign = try signing(), open = try decryption()
        var a = try PrivateKey.generate(.rsa(bits: 2048), keyID: "a")
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
        // The same name in both is nobody's to resolve.
        let other = try decryption()
        try other.add(PrivateKey.generate(.p256, keyID: "a"))
        #expect(throws: KeyRotationError.keyIDTaken) { try KeySetDocument([sign, other]) }
        // The shorter of two ages counts.
        try open.add(PrivateKey.generate(.p256, keyID: "f"), publishedFrom: clock.now + 40)
        #expect(try KeySetDocument([sign, open]).maximumAge == 40)
    }

    @Test("the answer has type, tag and age; a matching If-None-Match has none but these, RFC 9110, 13.1.2")
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
            "w/\(tag)",
            "**",
        ]
        for field in others {
            #expect(document.response(ifNoneMatch: field).status == 200, "\(field)")
        }
        clock.now += 10
        #expect(try KeySetDocument(keys).eTag == tag)
        try keys.add(Fixture.signing("b"))
        let changed = try KeySetDocument(keys)
        #expect(changed.eTag != tag)
        #expect(changed.response(ifNoneMatch: tag).status == 200)
    }
}
