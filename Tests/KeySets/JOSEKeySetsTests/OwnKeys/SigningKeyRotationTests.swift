import JOSE
import JOSEKeySets
import JOSETokens
import Testing

@Suite("Rotation of signing keys") struct SigningKeyRotationTests {
    let clock = SettableClock()
    func rotation() throws -> SigningKeyRotation { try SigningKeyRotation(Fixture.rules, clock: clock.wallClock) }

    @Test("a key is published, then signs, is kept until its last token has expired, and then removed")
    func life() throws {
        let keys = try rotation()
        #expect(throws: JOSEError.keysUnavailable(.noSigningKey)) { try keys.signingKey() }
        let start = clock.now
        #expect(try keys.add(Fixture.signing("a")) == start)
        #expect(try keys.signingKey().keyID == "a")
        let handOver = try keys.add(Fixture.signing("b"))
        #expect(handOver == start + Fixture.lead)
        let second = Duration.seconds(1)
        let end = handOver + Fixture.trail
        // Each moment, with the state from then on.
        let life: [(at: NumericDate, signs: String, shown: [String], stages: [SigningKeyStage])] = [
            (start, "a", ["a", "b"], [.signing, .announced]),
            (handOver - second, "a", ["a", "b"], [.signing, .announced]),
            (handOver, "b", ["a", "b"], [.retiring, .signing]),
            (end - second, "b", ["a", "b"], [.retiring, .signing]),
            (end, "b", ["b"], [.gone, .signing]),
            (handOver + second * 1_000_000, "b", ["b"], [.gone, .signing]),
            // A clock that is set back shows the earlier state.
            (start + second, "a", ["a", "b"], [.signing, .announced]),
        ]
        for moment in life {
            clock.now = moment.at
            #expect(try keys.signingKey().keyID == moment.signs, "at \(moment.at)")
            #expect(try names(KeySetDocument(keys)) == moment.shown, "at \(moment.at)")
            #expect(keys.report.map(\.stage) == moment.stages, "at \(moment.at)")
        }
        clock.now = end
        #expect(keys.removeGone() == ["a"])
        #expect(keys.report.map(\.keyID) == ["b"])
    }

    @Test("a key does not sign before all caches have it, unless forced")
    func early() throws {
        let keys = try rotation()
        try keys.add(Fixture.signing("a"))
        let safe = clock.now + Fixture.lead
        let next = try Fixture.signing("b")
        #expect(
            refusal { () throws(KeyRotationError) in try keys.add(next, signsFrom: safe - .seconds(1)) }
                == .tooEarly(safe))
        #expect(keys.report.count == 1)
        #expect(try keys.add(next, signsFrom: safe + .seconds(50)) == safe + .seconds(50))
        #expect(refusal { () throws(KeyRotationError) in try keys.startSigning(keyID: "b") } == .tooEarly(safe))
        clock.now = safe
        #expect(try keys.signingKey().keyID == "a")
        try keys.startSigning(keyID: "b")
        #expect(try keys.signingKey().keyID == "b")
        #expect(refusal { () throws(KeyRotationError) in try keys.startSigning(keyID: "b") } == .alreadyDone)
        try keys.add(Fixture.signing("c"))
        #expect(
            refusal { () throws(KeyRotationError) in try keys.startSigning(keyID: "c") }
                == .tooEarly(safe + Fixture.lead))
        try keys.startSigning(keyID: "c", force: true)
        #expect(try keys.signingKey().keyID == "c")
        // The earlier keys stay for as long as if they had signed until then.
        let gone = safe + Fixture.trail
        #expect(keys.report.map(\.goneFrom) == [gone, gone, nil])
    }

    @Test("a key that was published before may sign at once")
    func shownBefore() throws {
        let keys = try rotation()
        try keys.add(Fixture.signing("a"))
        let late = clock.now - Fixture.lead + .seconds(1)
        let b = try Fixture.signing("b")
        #expect(
            refusal { () throws(KeyRotationError) in
                try keys.add(b, publishedFrom: late, signsFrom: clock.now)
            } == .tooEarly(clock.now + .seconds(1)))
        #expect(try keys.add(b, publishedFrom: late - .seconds(1), signsFrom: clock.now) == clock.now)
        #expect(try keys.signingKey().keyID == "b")
    }

    @Test("a key that signs, or whose tokens are still valid, can be removed only by force")
    func removing() throws {
        let keys = try rotation()
        try keys.add(Fixture.signing("a"))
        let handOver = try keys.add(Fixture.signing("b"))
        #expect(refusal { () throws(KeyRotationError) in try keys.remove(keyID: "a") } == .isSigning)
        #expect(refusal { () throws(KeyRotationError) in try keys.remove(keyID: "?") } == .keyUnknown)
        clock.now = handOver
        #expect(
            refusal { () throws(KeyRotationError) in try keys.remove(keyID: "a") }
                == .tooEarly(handOver + Fixture.trail))
        clock.now = handOver + Fixture.trail
        try keys.remove(keyID: "a")
        #expect(keys.report.map(\.keyID) == ["b"])
        // A key that never signed can be removed without force.
        try keys.add(Fixture.signing("c"))
        try keys.remove(keyID: "c")
        try keys.remove(keyID: "b", force: true)
        #expect(throws: JOSEError.keysUnavailable(.noSigningKey)) { try keys.signingKey() }
        #expect(try names(KeySetDocument(keys)) == [])
    }

    @Test("after forced removal of the signing key its predecessor signs again if it is still published")
    func lost() throws {
        for isStillPublished in [true, false] {
            clock.now = 1_000_000
            let keys = try rotation()
            try keys.add(Fixture.signing("a"))
            clock.now = try keys.add(Fixture.signing("b")) + (isStillPublished ? .seconds(1) : Fixture.trail)
            try keys.remove(keyID: "b", force: true)
            #expect((try? keys.signingKey().keyID) == (isStillPublished ? "a" : nil))
            #expect(keys.retainedUntil() == clock.now + Fixture.lead)
        }
    }

    @Test("a key is rejected if it has no kid, a kid that is taken or a second kid, or cannot sign")
    func unfit() throws {
        let keys = try rotation()
        let a = try Fixture.signing("a")
        try keys.add(a)
        var again = a
        again.keyID = "other"
        var bound = try Fixture.signing("b")
        bound.use = .encryption
        let cases: [(PrivateKey, KeyRotationError)] = [
            (try Fixture.signing(nil), .keyIDMissing), (try Fixture.signing("a"), .keyIDTaken), (again, .keyTaken),
            (bound, .keyUnsuitable(.use)), (try Fixture.decryption("x"), .keyUnsuitable(.curve)),
        ]
        for (key, error) in cases {
            #expect(refusal { () throws(KeyRotationError) in try keys.add(key) } == error)
        }
        #expect(keys.report.map(\.keyID) == ["a"])
        bound.use = .signature
        try keys.add(bound)
    }

    @Test("invalid rotation rules and times are rejected")
    func senseless() throws {
        let changes: [(WritableKeyPath<RotationRules, Duration>, Duration, Duration)] = [
            (\.documentLifetime, .seconds(59), .seconds(60)), (\.documentLifetime, .seconds(86_401), .seconds(86_400)),
            (\.documentLifetime, .milliseconds(60_500), .seconds(61)), (\.slack, .seconds(59), .seconds(60)),
            (\.tokenLifetime, .zero, .seconds(1)), (\.leeway, .seconds(301), .seconds(300)),
            (\.leeway, .seconds(-1), .zero), (\.quietTime, .seconds(-1), .zero),
            (\.tokenLifetime, .seconds(1 << 60), .seconds(86_400)),
        ]
        for (path, bad, good) in changes {
            var rules = RotationRules()
            rules[keyPath: path] = bad
            #expect(throws: KeyRotationError.rulesInvalid) { try SigningKeyRotation(rules) }
            #expect(throws: KeyRotationError.rulesInvalid) { try DecryptionKeyRotation(rules) }
            rules[keyPath: path] = good
            #expect(throws: Never.self) { try SigningKeyRotation(rules) }
        }
        let keys = try rotation()
        let key = try Fixture.signing("a")
        for seconds in [Double.nan, .infinity, -.infinity, 0x1p53] {
            let time = NumericDate(secondsSince1970: seconds)
            #expect(throws: KeyRotationError.timeInvalid) { try keys.add(key, publishedFrom: time) }
            #expect(throws: KeyRotationError.timeInvalid) { try keys.add(key, signsFrom: time) }
            clock.now = time
            #expect(throws: KeyRotationError.timeInvalid) { try keys.add(key) }
            #expect(throws: JOSEError.keysUnavailable(.noSigningKey)) { try keys.signingKey() }
            clock.now = 1_000_000
        }
        try keys.add(key)
    }

    @Test("a restored rotation changes keys at the same times and publishes the same key set")
    func state() throws {
        let keys = try rotation()
        let privateKeys = try ["a", "b", "c"].map { try Fixture.signing($0) }
        clock.now += .milliseconds(250)
        for key in privateKeys.dropLast() { try keys.add(key) }
        let handOver = try keys.add(privateKeys[2], publishedFrom: clock.now + .seconds(5000))
        let exported = keys.exportState()
        for key in privateKeys {
            let secret = try #require(try secretMember(of: key))
            #expect(!String(decoding: exported, as: UTF8.self).contains(secret))
        }
        let other = try rotation()
        try other.restore(exported, privateKeys: privateKeys.reversed())
        #expect(other.exportState() == exported)
        for seconds in stride(from: clock.now.secondsSince1970, through: handOver.secondsSince1970 + 500, by: 97) {
            clock.now = NumericDate(secondsSince1970: seconds)
            #expect(try keys.signingKey() == other.signingKey())
            #expect(try KeySetDocument(keys).eTag == KeySetDocument(other).eTag)
        }
        // A key that is gone needs no private key; one that is present needs its own.
        #expect(throws: Never.self) { try rotation().restore(exported, privateKeys: Array(privateKeys.dropFirst())) }
        #expect(throws: KeyRotationError.privateKeyMissing(keyID: "c")) {
            try other.restore(exported, privateKeys: Array(privateKeys.dropLast()))
        }
        let wrong = [privateKeys[1], try Fixture.signing("c")]
        #expect(throws: KeyRotationError.privateKeyOther(keyID: "c")) {
            try other.restore(exported, privateKeys: wrong)
        }
        #expect(other.report == keys.report)
    }

    @Test("an invalid saved state is rejected, and the rotation is unchanged")
    func badState() throws {
        let keys = try rotation()
        let key = try Fixture.signing("a")
        try keys.add(key)
        let good = String(decoding: keys.exportState(), as: UTF8.self)
        let broken: [(String, String)] = [
            (#""v":1"#, #""v":2"#), (#""use":"sig""#, #""use":"enc""#), (#""signs":"#, #""sings":"#),
            (#""publishes":1"#, #""publishes":1.5e300,"x":1"#), (#""jwk":"#, #""jwt":"#),
            (#""keys":["#, #""keys":[7,"#),
            (#""kid":"a","#, ""), (#""kty":"OKP""#, #""kty":"X""#),
        ]
        for (from, to) in broken {
            let text = good.replacing(from, with: to)
            #expect(text != good)
            #expect(throws: KeyRotationError.stateInvalid, "\(to)") {
                try keys.restore(Array(text.utf8), privateKeys: [key])
            }
        }
        #expect(keys.report.count == 1)
        try keys.restore(Array(good.utf8), privateKeys: [key])
        #expect(keys.report.count == 1)
    }

    private func secretMember(of key: PrivateKey) throws -> String? {
        String(decoding: try key.exportPrivateJWK(), as: UTF8.self).split(separator: #""d":""#).last
            .map { String($0.prefix(43)) }
    }
}
