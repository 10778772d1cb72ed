import JOSE
import TestSupport
import Testing

@Suite("JWK members that restrict a key") struct KeysBindingTests {
    @Test("kid, alg, use and key_ops of a JWK are read (RFC 7517, 4.2 to 4.5)")
    func members() throws {
        let text = Fixture.p256Public.with("kid", "a\u{0}b").with("alg", "ES256").with("use", "sig")
            .with("key_ops", .array([.string("verify"), .string("notarize")]))
        let key = try PublicKey(jwk: text.text)
        #expect(key.keyID == "a\u{0}b" && key.algorithm == "ES256" && key.use == .signature)
        #expect(key.operations == [.verify, .other])
        let back = try JSON(key.jwk().utf8)
        #expect(back["key_ops"] == .array([.string("verify"), .string("notarize")]))
        #expect(try PublicKey(jwk: Fixture.p256Public.with("use", "tls").text).use == .other("tls"))
        let bare = try PublicKey(jwk: Fixture.p256Public.text)
        #expect(bare.keyID == nil && bare.algorithm == nil && bare.use == nil && bare.operations == nil)
    }

    @Test("key_ops is rejected if it has a duplicate, or is not a list of strings (RFC 7517, 4.3)")
    func lists() {
        let key = Fixture.p256Public
        for names in [["sign", "sign"], ["verify", "sign", "verify"], ["notarize", "notarize"]] {
            let list = JSON.array(names.map { .string($0) })
            #expect(refusal(key.with("key_ops", list)) == .keyInvalid(.inconsistentUse), "\(names)")
        }
        let others: [(JSON, KeyMemberFault)] = [
            (.string("sign"), .type(found: .string, required: .array)),
            (.object([:]), .type(found: .object, required: .array)),
            (.array([.number(1)]), .elementType(found: .number)),
            (.array([.string("sign"), .null]), .elementType(found: .null)),
        ]
        for (other, fault) in others {
            #expect(refusal(key.with("key_ops", other)) == .keyInvalid(.member("key_ops", fault)), "\(other)")
        }
        for fine: JSON in [.array([]), .null] { #expect(refusal(key.with("key_ops", fine)) == nil, "\(fine)") }
        // A name in another case is an unknown operation.
        #expect(refusal(key.with("key_ops", .array([.string("sign"), .string("Sign")]))) == nil)
    }

    @Test("a JWK is rejected if its use and key_ops contradict each other (RFC 7517, 4.3)")
    func consistency() {
        let key = Fixture.p256Public
        let cases: [(String, [String], Bool)] = [
            ("sig", ["sign", "verify"], true), ("sig", ["verify"], true), ("sig", [], true),
            ("sig", ["notarize"], true),
            ("sig", ["encrypt"], false), ("sig", ["verify", "deriveKey"], false), ("sig", ["unwrapKey"], false),
            ("enc", ["deriveKey", "deriveBits"], true), ("enc", ["wrapKey", "unwrapKey", "encrypt", "decrypt"], true),
            ("enc", ["verify"], false), ("enc", ["deriveBits", "sign"], false), ("tls", ["sign", "encrypt"], true),
        ]
        for (use, names, holds) in cases {
            let text = key.with("use", use).with("key_ops", .array(names.map { .string($0) }))
            #expect(refusal(text) == (holds ? nil : .keyInvalid(.inconsistentUse)), "\(use) \(names)")
        }
    }

    @Test("setting kid, alg, use or key_ops of a copy leaves the original unchanged")
    func setters() throws {
        let key = try PrivateKey.generate(.p256)
        var copy = key
        copy.keyID = "1"
        copy.algorithm = "ES256"
        copy.use = .signature
        copy.operations = [.sign]
        #expect(key.keyID == nil && key.algorithm == nil && key.use == nil && key.operations == nil)
        #expect(copy == key)
        let half = copy.publicKey
        #expect(half.keyID == "1" && half.algorithm == "ES256" && half.use == .signature)
        #expect(half.operations == .verify)
        #expect(try JWK(parsing: half.jwk()) == .publicKey(half))
        copy.operations = [.decrypt, .unwrapKey, .deriveBits]
        #expect(copy.publicKey.operations == [.encrypt, .wrapKey, .deriveBits])
    }

    @Test("two keys are equal if their parameters are equal byte by byte, whatever their kid")
    func equality() throws {
        let a = try PrivateKey.generate(.ed25519)
        var named = a
        named.keyID = "other"
        #expect(a == named)
        #expect(a.publicKey == named.publicKey)
        #expect(try a != PrivateKey.generate(.ed25519))
        #expect(JWK.privateKey(a) != JWK.publicKey(a.publicKey))
        let secret = try SecretKey(bytes: [1, 2, 3])
        #expect(try secret == SecretKey(bytes: [1, 2, 3]))
        #expect(try secret != SecretKey(bytes: [1, 2, 4]))
        #expect(try secret != SecretKey(bytes: [1, 2, 3, 0]))
    }

    @Test("a key_ops that is empty or has only unknown names keeps its restriction through a round trip")
    func narrowness() throws {
        for list: JSON in [.array([]), .array([.string("notarize")])] {
            let key = try PublicKey(jwk: Fixture.p256Public.with("key_ops", list).text)
            #expect(try JSON(key.jwk().utf8)["key_ops"] == list)
            var forgotten = key
            forgotten.operations = .other
            #expect(try JSON(forgotten.jwk().utf8)["key_ops"] != nil)
        }
    }
}
