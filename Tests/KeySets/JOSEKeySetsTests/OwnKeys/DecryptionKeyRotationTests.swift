import JOSE
import JOSEKeySets
import JOSETokens
import Testing

@Suite("Rotation of decryption keys") struct DecryptionKeyRotationTests {
    let clock = SettableClock()
    let policy = EncryptionPolicy(keyManagement: [.ecdhESA128KW], contentEncryption: [.a128gcm])

    private func rotation() throws -> DecryptionKeyRotation {
        try DecryptionKeyRotation(Fixture.rules, clock: clock.wallClock)
    }

    private func sealed(to key: PrivateKey) throws -> String {
        try JWEEncrypter(key: key.publicKey, keyManagement: .ecdhESA128KW, contentEncryption: .a128gcm).encrypt("text")
    }

    @Test("old keys continue to decrypt, and each use of a key is counted")
    func counts() throws {
        let keys = try rotation()
        let a = try Fixture.decryption("a"), b = try Fixture.decryption("b")
        try keys.add(a)
        let decrypter = try JWEDecrypter(keys: keys, policy: policy)
        _ = try decrypter.decrypt(sealed(to: a))
        clock.now += .seconds(10)
        try keys.add(b, publishedFrom: clock.now + .seconds(100))
        #expect(keys.report.map(\.stage) == [.unpublished, .published])
        // The key decrypts before it is published.
        _ = try decrypter.decrypt(sealed(to: b))
        #expect(try names(KeySetDocument(keys)) == ["a"])
        clock.now += .seconds(100)
        #expect(keys.report.map(\.stage) == [.published, .withdrawn])
        #expect(try names(KeySetDocument(keys)) == ["b"])
        for _ in 0..<3 { _ = try decrypter.decrypt(sealed(to: a)) }
        // A token that does not decrypt is not counted.
        var spoilt = Array(try sealed(to: a).utf8)
        spoilt[spoilt.count - 3] ^= 1
        #expect(throws: JOSEError.self) { try decrypter.decrypt(spoilt) }
        let report = keys.report
        #expect(report.map(\.keyID) == ["b", "a"])
        #expect(report.map(\.uses) == [1, 4])
        #expect(report.map(\.usesSinceWithdrawn) == [0, 3])
        #expect(report.map(\.lastUsed) == [clock.now - .seconds(100), clock.now])
    }

    @Test("uses by a verifier of nested tokens are counted, in any serialization, and those of foreign keys are not")
    func verifiers() throws {
        let keys = try rotation()
        let a = try Fixture.decryption("a"), s = try Fixture.signing("s")
        try keys.add(a)
        var claims = ClaimPolicy(issuer: "i", audience: "c")
        claims.clock = .fixed(clock.now)
        let policy = TokenPolicy.nested(
            outer: policy, inner: SignaturePolicy(algorithms: [.ed25519]), claims: claims)
        let issuer = try TokenIssuer(policy, signingKey: .privateKey(s), encryptionKey: .publicKey(a.publicKey))
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(s.publicKey), decryptionKeys: keys)
        _ = try verifier.verify(issuer.issue())
        #expect(keys.report.map(\.uses) == [1])
        let encrypter = try JWEEncrypter(
            key: a.publicKey, keyManagement: .ecdhESA128KW, contentEncryption: .a128gcm)
        let json = try JSONEncrypter([encrypter]).encrypt("text")
        _ = try JWEDecrypter(keys: keys, policy: self.policy).decrypt(json: json)
        #expect(keys.report.map(\.uses) == [2])
        keys.reportUse(of: .privateKey(try Fixture.decryption("a")))
        keys.reportUse(of: .publicKey(a.publicKey))
        #expect(keys.report.map(\.uses) == [2])
    }

    @Test("a decryption key can be removed after its minimum time without recent uses, or by force")
    func retirement() throws {
        let keys = try rotation()
        let a = try Fixture.decryption("a")
        try keys.add(a)
        #expect(refusal { () throws(KeyRotationError) in try keys.remove(keyID: "a") } == .isPublished)
        try keys.add(Fixture.decryption("b"))
        let bound = clock.now + Fixture.lead + Fixture.trail
        clock.now = bound - .seconds(1)
        #expect(refusal { () throws(KeyRotationError) in try keys.remove(keyID: "a") } == .tooEarly(bound))
        #expect(keys.report.map(\.canRemove) == [false, false])
        clock.now = bound
        #expect(keys.report.map(\.canRemove) == [false, true])
        // A sender still uses the key, against the rules.
        _ = try JWEDecrypter(keys: keys, policy: policy).decrypt(sealed(to: a))
        #expect(
            refusal { () throws(KeyRotationError) in try keys.remove(keyID: "a") }
                == .inUse(until: bound + .seconds(1000)))
        clock.now = bound + .seconds(999)
        try keys.addUses(of: "a", count: 5, lastUsed: bound + .seconds(900))
        #expect(
            refusal { () throws(KeyRotationError) in try keys.remove(keyID: "a") }
                == .inUse(until: bound + .seconds(1900)))
        #expect(keys.report[1].usesSinceWithdrawn == 6)
        clock.now = bound + .seconds(1900)
        #expect(keys.report[1].canRemove)
        try keys.remove(keyID: "a")
        #expect(keys.report.map(\.keyID) == ["b"])
        #expect(try keys.current().keys.map(\.keyID) == ["b"])
        #expect(throws: JOSEError.self) { try JWEDecrypter(keys: keys, policy: policy).decrypt(sealed(to: a)) }
        try keys.remove(keyID: "b", force: true)
        #expect(try keys.current().keys.isEmpty)
        #expect(
            refusal { () throws(KeyRotationError) in try keys.addUses(of: "b", count: 1, lastUsed: 1) } == .keyUnknown)
    }

    @Test("a key that was never used needs no time without uses before it is removed, at any time of the clock")
    func neverUsed() throws {
        var rules = Fixture.rules
        rules.quietTime = .seconds(5000)
        // By this clock, its start is as recent as a use within the quiet time.
        clock.now = 0
        let keys = try DecryptionKeyRotation(rules, clock: clock.wallClock)
        let used = try Fixture.decryption("used")
        for key in try [used, Fixture.decryption("unused")] { try keys.add(key, replacing: []) }
        _ = try JWEDecrypter(keys: keys, policy: policy).decrypt(sealed(to: used))
        for name in ["used", "unused"] { try keys.withdraw(keyID: name) }
        clock.now += Fixture.lead + Fixture.trail
        #expect(
            refusal { () throws(KeyRotationError) in try keys.remove(keyID: "used") }
                == .inUse(until: 5000))
        #expect(throws: Never.self) { try keys.remove(keyID: "unused") }
    }

    @Test("several decryption keys can be published together, and one can be withdrawn without a successor")
    func several() throws {
        let keys = try rotation()
        try keys.add(Fixture.decryption("x"))
        try keys.add(PrivateKey.generate(.p256, keyID: "p"), replacing: [])
        #expect(try names(KeySetDocument(keys)) == ["p", "x"])
        try keys.add(Fixture.decryption("y"), replacing: ["x"])
        let z = try Fixture.decryption("z")
        #expect(try Set(names(KeySetDocument(keys))) == ["p", "y"])
        #expect(
            refusal { () throws(KeyRotationError) in try keys.add(z, replacing: ["x"]) } == .alreadyDone)
        #expect(refusal { () throws(KeyRotationError) in try keys.add(z, replacing: ["?"]) } == .keyUnknown)
        try keys.withdraw(keyID: "p")
        #expect(refusal { () throws(KeyRotationError) in try keys.withdraw(keyID: "p") } == .alreadyDone)
        #expect(try names(KeySetDocument(keys)) == ["y"])
        #expect(try keys.current().keys.count == 3)
    }

    @Test("a key that cannot decrypt, or whose kid is missing or in use, is rejected")
    func unfit() throws {
        let keys = try rotation()
        var bound = try Fixture.decryption("b")
        bound.use = .signature
        #expect(throws: KeyRotationError.keyUnsuitable(.curve)) { try keys.add(Fixture.signing("s")) }
        #expect(throws: KeyRotationError.keyUnsuitable(.use)) { try keys.add(bound) }
        bound.use = .encryption
        try keys.add(bound)
        #expect(throws: KeyRotationError.keyIDTaken) { try keys.add(Fixture.decryption("b")) }
        #expect(throws: KeyRotationError.keyIDMissing) { try keys.add(Fixture.decryption(nil)) }
        var alias = bound
        alias.keyID = "c"
        #expect(throws: KeyRotationError.keyTaken) { try keys.add(alias) }
        #expect(throws: Never.self) { try keys.add(Fixture.decryption("c")) }
    }

    @Test("reading the decryption keys returns the identical value until they change, and never waits")
    func source() async throws {
        let keys = try rotation()
        try keys.add(Fixture.decryption("a"))
        keys.reportMissing(keyID: Array("b".utf8))
        #expect(try await keys.awaitRefresh(timeout: .seconds(60)) == false)
        #expect(try keys.current().keys.map(\.keyID) == ["a"])
    }

    @Test("a restored rotation of decryption keys keeps its times and last uses")
    func state() throws {
        let keys = try rotation()
        let all = try ["a", "b", "c"].map { try Fixture.decryption($0) }
        for key in all { try keys.add(key) }
        clock.now += .seconds(5)
        try keys.addUses(of: "a", count: 2, lastUsed: clock.now)
        let exported = keys.exportState()
        let other = try rotation()
        try other.restore(exported, privateKeys: all)
        #expect(other.exportState() == exported)
        #expect(other.report.map(\.keyID) == keys.report.map(\.keyID))
        #expect(other.report.map(\.withdrawnFrom) == keys.report.map(\.withdrawnFrom))
        #expect(other.report.map(\.lastUsed) == keys.report.map(\.lastUsed))
        #expect(other.report.map(\.uses) == [0, 0, 0])
        try keys.restore(exported, privateKeys: all)
        #expect(keys.report.map(\.uses) == [0, 0, 2])
        #expect(throws: KeyRotationError.privateKeyMissing(keyID: "a")) {
            try other.restore(exported, privateKeys: Array(all.dropFirst()))
        }
        let text = String(decoding: exported, as: UTF8.self)
        #expect(throws: KeyRotationError.stateInvalid) {
            try other.restore(Array(text.replacing("\"publishes\"", with: "\"x\"").utf8), privateKeys: all)
        }
        #expect(throws: Never.self) { try other.restore(Array(text.utf8), privateKeys: all) }
        #expect(throws: KeyRotationError.stateInvalid) {
            try SigningKeyRotation(Fixture.rules).restore(exported, privateKeys: all)
        }
    }

    @Test("concurrent uses of a decryption key are all counted")
    func concurrent() async throws {
        let keys = try rotation()
        let a = try Fixture.decryption("a")
        try keys.add(a)
        let decrypter = try JWEDecrypter(keys: keys, policy: policy)
        let token = try sealed(to: a)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<100 { _ = try decrypter.decrypt(token) } } }
            for name in ["b", "c", "d"] {
                try keys.add(Fixture.decryption(name))
                await Task.yield()
            }
            try await group.waitForAll()
        }
        #expect(keys.report.first { $0.keyID == "a" }?.uses == 400)
    }
}
