import JOSE
import TestSupport
import Testing

@Suite("Key sets") struct KeysSetTests {
    @Test("an unusable key is listed with its reason, and the others remain usable (RFC 7517, 5; T64)")
    func tolerance() throws {
        let rsa = try Fixture.rsaPublic()
        let small = rsa.with("n", octets: [UInt8](repeating: 0xFF, count: 128)).with("kid", "small")
        let good = Fixture.p256Public.with("kid", "good")
        let isNumber = KeyMemberFault.type(found: .number, required: .string)
        let members: [(JSON, JOSEError?)] = [
            (.object(good.with("kty", "PQ").with("kid", "future")), .keyInvalid(.member("kty", .unsupported))),
            (.object(good), nil),
            (.object(good.with("crv", "P-999")), .keyInvalid(.member("crv", .unsupported))),
            (.object(good.without("y")), .keyInvalid(.member("y", .missing))),
            (.object(small), .keyUnsuitable(.tooSmall)),
            (.object(["kty": .string("oct"), "k": .string("")]), .keyUnsuitable(.secretEmpty)),
            (.object(good.with("use", .number(3))), .keyInvalid(.member("use", isNumber))),
            (.object(good.with("kid", .number(3))), .keyInvalid(.member("kid", isNumber))),
            (.object(good.with("x", "!")), .keyInvalid(.member("x", .base64URL))),
            (.string("not a key"), .keyInvalid(.notObject)),
            (.null, .keyInvalid(.notObject)),
            (.object([:]), .keyInvalid(.member("kty", .missing))),
            (.object(rsa.with("use", "future")), nil),
        ]
        let set = try KeySet(parsing: text(members.map(\.0)))
        #expect(set.keys.count == 2)
        #expect(set.unusable.map(\.index) == members.indices.filter { members[$0].1 != nil })
        #expect(set.unusable.map(\.reason) == members.compactMap(\.1))
        #expect(set.unusable.first?.keyID == "future")
        #expect(set.unusable.first { $0.reason == .keyUnsuitable(.tooSmall) }?.keyID == "small")
        #expect(set.unusable.first { $0.index == 7 }?.keyID == nil)
    }

    @Test("a set may be empty, have unknown members, and have two keys with one kid (K11)")
    func shapes() throws {
        #expect(try KeySet(parsing: #"{"keys":[]}"#).keys.isEmpty)
        #expect(try KeySet(parsing: #"{"issuer":"x","keys":[],"next":{}}"#).keys.isEmpty)
        let first = Fixture.p256Public.with("kid", "one")
        let second = try Fixture.rsaPublic().with("kid", "one")
        let set = try KeySet(parsing: text([.object(first), .object(second)]))
        #expect(set.keys.map(\.keyID) == ["one", "one"])
        #expect(set.keys.map(\.kind) == [.p256, .rsa(bits: 2048)])
    }

    @Test("text that is not a strict JWK Set is rejected (RFC 7517, 5)")
    func strictness() {
        let key = Fixture.p256Public.text
        let bad: [(String, ParseFailure.Reason)] = [
            ("", .json), ("[]", .json), ("{}", .keysMissing), (#"{"keys":null}"#, .keysMissing),
            (#"{"keys":{}}"#, .keysMissing), (#"{"Keys":[]}"#, .keysMissing),
            (#"{"k1":"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"}"#, .mapOfPEM),
            (#"{"k1":"-----BEGIN CERTIFICATE-----","k2":"x"}"#, .keysMissing),
            ("\u{FEFF}{\"keys\":[\(key)]}", .byteOrderMark), ("<!DOCTYPE html><html></html>", .markup),
            ("\n <?xml version=\"1.0\"?>", .markup), ("-----BEGIN CERTIFICATE-----", .json),
            ("[\(key)]", .json), ("{\"keys\":[\(key)],}", .json), ("{\"keys\":[\(key)]}x", .json),
            (#"{"keys":[],"keys":[]}"#, .duplicateName), (#"{"keys":[],"\u006beys":[]}"#, .duplicateName),
            (#"{"keys":[{"kty":"oct","kty":"oct","k":"AA"}]}"#, .duplicateName),
        ]
        for (text, reason) in bad {
            guard case .malformed(let fault) = parsed(text) else {
                Issue.record("not malformed: \(text)")
                continue
            }
            #expect(fault.part == .keySet && fault.reason == reason, "\(text)")
        }
        for text in ["{\"keys\":[\(key)]}", #"{"keys":[]}"#] { #expect(parsed(text) == nil, "\(text)") }
    }

    @Test("a set with more keys than the limit is rejected, and a higher limit accepts it")
    func bound() throws {
        let keys = [JSON](repeating: .object(Fixture.p256Public), count: 101)
        #expect(parsed(text(keys)) == .limitExceeded(.keysInSet))
        #expect(try KeySet(parsing: text(keys.dropLast())).keys.count == 100)
        var limits = ParsingLimits.standard
        limits.keysInSet = 101
        #expect(try KeySet(parsing: text(keys), limits: limits).keys.count == 101)
    }

    @Test("a public set with a private or symmetric key is rejected as a whole, even if that key is unusable (K10)")
    func publicOnly() throws {
        let good = JSON.object(Fixture.p256Public)
        let rsa = try Fixture.rsaPrivate()
        let secrets: [[String: JSON]] = [
            Fixture.p256Private, rsa, rsa.without("d"), try Fixture.octets(), try Fixture.ed25519Private(),
            ["kty": .string("oct"), "k": .string("")], ["kty": .string("AKP"), "priv": .string("AA")],
            Fixture.p256Private.with("crv", "P-999"), Fixture.p256Private.without("kty"), rsa.with("n", "AQAB"),
        ]
        for secret in secrets {
            let set = text([good, .object(secret)])
            #expect(parsed(set, .publicOnly) == .keyInvalid(.privateInPublicSet), "\(secret.keys.sorted())")
            #expect(parsed(set) == nil)
        }
        let fine = text([
            good, .object(try Fixture.rsaPublic()), .object(["kty": .string("PQ"), "pub": .string("AA")]),
        ])
        #expect(parsed(fine, .publicOnly) == nil)
    }

    @Test("a written JWK Set contains public keys only")
    func writing() throws {
        let keys = try Fixture.generated()
        let set = KeySet(keys.map { .privateKey($0) } + [.symmetricKey(try .generate(bits: 256))])
        let text = set.jwks()
        let back = try KeySet(parsing: text, as: .publicOnly)
        #expect(back.keys == keys.map { .publicKey($0.publicKey) })
        #expect(KeySet.empty.jwks() == #"{"keys":[]}"#)
    }

    private func text(_ keys: [JSON]) -> String { JSON.object(["keys": .array(keys)]).text }

    private func parsed(_ text: String, _ contents: KeySet.Contents = .any) -> JOSEError? {
        refusal { () throws(JOSEError) in try KeySet(parsing: text, as: contents) }
    }
}
