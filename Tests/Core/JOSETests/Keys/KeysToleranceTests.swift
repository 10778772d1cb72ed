import JOSE
import TestSupport
import Testing

/// Members that serializers and providers write beside a key disable no key, and what is refused is named.
@Suite("Unneeded members of a JWK, and reasons for unusable keys") struct KeysToleranceTests {
    private func token(_ key: PrivateKey, kid: String? = nil) throws -> String {
        try JWSSigner(key: key, algorithm: .es256, header: HeaderParameters(keyID: kid)).sign("{}")
    }

    @Test("an optional member that is null is as good as absent (RFC 7517, 4)")
    func nulls() throws {
        let optional = [
            "use", "alg", "key_ops", "kid", "x5u", "x5c", "x5t", "x5t#S256", "issuer", "ext", "k", "priv", "d",
        ]
        let rsa = try Fixture.rsaPublic().without("kid", "use")
        for (key, names) in [
            (Fixture.p256Public, optional), (try Fixture.ed25519Private().without("d"), optional),
            (rsa, optional + ["p", "q", "dp", "dq", "qi", "oth"]),
        ] {
            let bare = try PublicKey(jwk: key.text)
            var all = key
            for name in names {
                #expect(try PublicKey(jwk: key.with(name, .null).text) == bare, "\(name)")
                all = all.with(name, .null)
            }
            let read = try PublicKey(jwk: all.text)
            #expect(read == bare && read.keyID == nil && read.use == nil && read.operations == nil)
            #expect(read.algorithm == nil && read.certificates == nil && read.jwk() == bare.jwk())
        }
    }

    @Test("a public key beside empty private members stays public, alone and in a set (RFC 7518, 6.2.2 and 6.3.2)")
    func publicKeys() throws {
        let rsa = try Fixture.rsaPublic(), ec = Fixture.p256Public
        let fine = [
            rsa.with("oth", .array([])), rsa.with("d", .null), rsa.with("p", .null).with("q", .null),
            ec.with("d", .null), ec.with("k", .null).with("priv", .null), rsa.with("oth", .null),
            ec.with("oth", .array([.object([:])])),
        ]
        for key in fine {
            guard case .publicKey = try JWK(parsing: key.text) else {
                Issue.record("not public: \(key.keys.sorted())")
                continue
            }
            _ = try PublicKey(jwk: key.text)
            let set = try KeySet(parsing: "{\"keys\":[\(key.text)]}", as: .publicOnly)
            #expect(set.keys.count == 1 && set.unusable.isEmpty)
        }
        // With any other value, the member is one of a private key, whatever its value is.
        let hidden = [
            rsa.with("oth", .array([.object([:])])), rsa.with("oth", .object([:])), rsa.with("oth", ""),
            rsa.with("d", ""), rsa.with("p", .array([])), ec.with("d", .array([])), ec.with("d", .bool(false)),
            ec.with("k", ""), ec.with("priv", .number(0)),
        ]
        for key in hidden {
            let set = "{\"keys\":[\(ec.text),\(key.text)]}"
            #expect(
                refusal(of: { () throws(JOSEError) in try KeySet(parsing: set, as: .publicOnly) })
                    == .keyInvalid(.privateInPublicSet), "\(key.keys.sorted())")
            #expect(
                refusal(of: { () throws(JOSEError) in try PublicKey(jwk: key.text) })
                    == .keyInvalid(.publicKeyRequired), "\(key.keys.sorted())")
        }
    }

    @Test("a private member hidden beside one that is null is a duplicate, which is refused (RFC 7517, 4)")
    func hidden() throws {
        let secret = try #require(Fixture.p256Private["d"]?.string)
        let open = String(Fixture.p256Public.text.dropLast())
        for pair in [
            #""d":null,"d":"\#(secret)""#, #""d":"\#(secret)","d":null"#, #""d":null,"d":null"#,
            #""d":null,"\u0064":"\#(secret)""#, #""oth":[],"oth":[{}]"#,
        ] {
            let text = open + "," + pair + "}"
            guard case .malformed(let fault) = refusal(text) else {
                Issue.record("not malformed: \(pair)")
                continue
            }
            #expect(fault.reason == .duplicateName)
            guard
                case .malformed(let ofSet) = refusal(
                    of: { () throws(JOSEError) in try KeySet(parsing: "{\"keys\":[\(text)]}", as: .publicOnly) })
            else {
                Issue.record("not malformed in a set: \(pair)")
                continue
            }
            #expect(ofSet.reason == .duplicateName)
        }
        #expect(refusal(open + #","d":null}"#) == nil)
    }

    @Test("the reason names the member and what is wrong with it, and a set names the key by kid or index")
    func reasons() throws {
        let rsa = try Fixture.rsaPublic().without("kid", "use"), ec = Fixture.p256Public
        let n = try rsa.octets("n"), x = try ec.octets("x")
        let modulus = try #require(rsa["n"]?.string), coordinate = try #require(ec["x"]?.string)
        let rows: [(key: [String: JSON], text: String)] = [
            (ec.with("kid", .number(7)), "kid is a number, and a string is required"),
            (ec.with("x", coordinate + "="), "x has padding (=)"),
            (ec.with("x", octets: Array(x.dropFirst())), "x has 31 octets, 32 are required"),
            (ec.with("x", octets: [7]), "x has 1 octet, 32 are required"),
            (ec.with("y", .array([])), "y is an array, and a string is required"),
            (rsa.with("e", .number(65_537)), "e is a number, and a string is required"),
            (rsa.with("e", "AAEAAQ"), "e begins with a zero octet"),
            (rsa.with("n", octets: [0] + n), "n begins with a zero octet"), (rsa.with("n", ""), "n is empty"),
            (rsa.with("n", String(modulus.prefix(64)) + "\n"), "n has white space or a line break"),
            (rsa.with("n", "+" + String(modulus.dropFirst())), "n is base64 with + or /"),
            (rsa.with("e", "A*AB"), "e is not canonical base64url"), (rsa.with("e", octets: [2]), "e is even"),
            (rsa.with("kty", "rsa"), "kty must be written RSA"), (ec.without("crv"), "crv is missing"),
            (ec.with("crv", "P-999"), "crv has a value that is not supported"),
            (ec.with("key_ops", .array([.string("verify"), .number(1)])), "key_ops has an element that is a number"),
            (ec.with("use", .bool(true)), "use is true or false, and a string is required"),
            (ec.with("x5c", .array([.string("AAAA")])), "x5c is not a list of certificates"),
        ]
        for (key, text) in rows {
            let error = try #require(refusal(key), "\(text)")
            #expect("\(error)".hasPrefix("the key is invalid: " + text), "\(error)")
            // The set has the same reason, and another key of it is not affected.
            let named = key["kid"] == nil ? key.with("kid", "odd") : key
            let set = try KeySet(parsing: "{\"keys\":[\(ec.text),\(named.text)]}", as: .publicOnly)
            #expect(set.keys.count == 1 && set.unusable.map(\.reason) == [error])
            let keyID = named["kid"]?.string
            let name = keyID.map { "key 1, kid \"\($0)\": " } ?? "key 1: "
            #expect(set.unusable.map(\.description) == [name + "\(error)"])
        }
        let shapes = try KeySet(parsing: #"{"keys":["x",null]}"#).unusable.map(\.description)
        #expect(shapes == [0, 1].map { "key \($0): the key is invalid: it is not a JSON object" })
    }

    @Test("a token that names an unusable key is rejected with the reason of the key, and others are not affected")
    func tokens() throws {
        let good = try PrivateKey.generate(.p256, keyID: "good")
        let bad = try PrivateKey.generate(.p256, keyID: "bad")
        guard case .object(let members) = try JSON(bad.publicKey.jwk().utf8) else { return }
        let short = members.with("x", octets: Array(try members.octets("x").dropFirst()))
        let set = try KeySet(parsing: "{\"keys\":[\(short.text),\(good.publicKey.jwk())]}", as: .publicOnly)
        let verifier = try JWSVerifier(keys: set, policy: SignaturePolicy(algorithms: [.es256]))
        let (first, second) = (try token(bad), try token(good))
        let fault = KeyMemberFault.length(31, required: 32)
        #expect(throws: JOSEError.keyInvalid(.member("x", fault))) { try verifier.verify(first) }
        #expect(throws: Never.self) { try verifier.verify(second) }
    }

    @Test(
        "a key of use jwt-svid verifies signatures, and signs and encrypts nothing (SPIFFE Trust Domain and Bundle, 4.2.2)"
    )
    func svid() throws {
        let key = try PrivateKey.generate(.p256)
        let signed = try token(key)
        func verifier(_ use: String?) throws -> JWSVerifier {
            guard case .object(let members) = try JSON(key.publicKey.jwk().utf8) else { throw JOSEError.backend }
            let marked = use.map { members.with("use", $0) } ?? members
            let set = try KeySet(parsing: "{\"keys\":[\(marked.text)]}")
            return JWSVerifier(unexaminedKeys: set, policy: SignaturePolicy(algorithms: [.es256]))
        }
        for use in [nil, "sig", "jwt-svid"] { #expect(throws: Never.self) { try verifier(use).verify(signed) } }
        for use in ["enc", "x509-svid", "JWT-SVID", "jwt-svid ", ""] {
            #expect(throws: JOSEError.keyUnsuitable(.use), "\(use)") { try verifier(use).verify(signed) }
        }
        var own = key
        own.use = .other("jwt-svid")
        #expect(throws: JOSEError.keyUnsuitable(.use)) { try JWSSigner(key: own, algorithm: .es256) }
        #expect(throws: JOSEError.keyUnsuitable(.use)) {
            try JWEEncrypter(key: own.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm)
        }
        own.use = .signature
        #expect(throws: Never.self) { try JWSSigner(key: own, algorithm: .es256) }
    }

    @Test("text that is not JSON is named by its beginning, as a key and as a set (RFC 8259, 8.1)")
    func beginnings() {
        let key = Fixture.p256Public.text
        for (text, reason) in [
            ("\u{FEFF}" + key, ParseFailure.Reason.byteOrderMark), ("<!DOCTYPE html><html></html>", .markup),
            (" \r\n\t<?xml version=\"1.0\"?>", .markup), ("x" + key, .json), ("", .json), ("{\u{FEFF}}", .json),
        ] {
            guard case .malformed(let fault) = refusal(text) else {
                Issue.record("not malformed: \(text)")
                continue
            }
            #expect(fault.reason == reason, "\(text)")
        }
        #expect(refusal(key) == nil)
    }
}
