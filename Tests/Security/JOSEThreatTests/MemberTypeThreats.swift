import JOSE
import JOSECrypto
import JOSETesting
import Testing

/// Every registered header member with every JSON type that is not its own, in every place where a header can be.
@Suite("Threats: header members of a wrong type") struct MemberTypeThreats {
    private enum Kind: String, CaseIterable {
        case string, list, object, number, bool

        /// The types that it is not; no type of JSON is left out.
        var wrong: [String] {
            let all: [(Kind?, [String])] = [
                (.string, [#""x""#, #""""#]), (.list, ["[]", #"["x"]"#]), (.object, ["{}", #"{"x":1}"#]),
                (.number, ["1", "-1.5"]), (.bool, ["true", "false"]), (nil, ["null"]),
            ]
            return all.filter { $0.0 != self }.flatMap(\.1)
        }
        var right: String {
            switch self {
            case .string: #""x""#
            case .list: #"["x"]"#
            case .object: #"{"x":1}"#
            case .number: "1000"
            case .bool: "true"
            }
        }
    }

    /// RFC 7515, 4.1; RFC 7516, 4.1; RFC 7518, 4.6 to 4.8; RFC 7797, 3. Some mean nothing in a JWS, and are held to their type
    /// all the same.
    private static let members: [(name: String, kind: Kind)] =
        ["alg", "enc", "zip", "kid", "typ", "cty", "jku", "x5u", "x5t", "x5t#S256", "apu", "apv", "iv", "tag", "p2s"]
        .map {
            ($0, .string)
        } + [
            ("crit", .list), ("x5c", .list), ("jwk", .object), ("epk", .object), ("p2c", .number), ("b64", .bool),
        ]

    /// A header's members, one of them given.
    private func header(_ base: [(String, String)], _ name: String, _ value: String) -> String {
        "{" + (base.filter { $0.0 != name } + [(name, value)]).map { #""\#($0.0)":\#($0.1)"# }.joined(separator: ",")
            + "}"
    }

    private func jws(protected: String, unprotected: String?, general: Bool) throws -> String {
        let (head, payload) = (Forge.encoded(Array(protected.utf8)), Forge.encoded([1]))
        let signature = Forge.encoded(
            try Forge.signature(of: Array("\(head).\(payload)".utf8), with: Keys.secret, .hs256))
        let beside = unprotected.map { #""header":\#($0),"# } ?? ""
        let members = #""protected":"\#(head)",\#(beside)"signature":"\#(signature)""#
        return general
            ? #"{"payload":"\#(payload)","signatures":[{\#(members)}]}"# : #"{"payload":"\#(payload)",\#(members)}"#
    }

    private func judge(jws text: String) -> Refusal? {
        let verifier = JWSVerifier(keys: KeySet(Keys.secret), policy: SignaturePolicy(algorithms: [.hs256]))
        return verdict { () throws(JOSEError) in try verifier.verify(json: text) }
    }

    @Test("T50 in a JWS: protected and beside it, compact, flattened and general, RFC 7515, 4.1") func signature()
        throws
    {
        let alg = [("alg", #""HS256""#)]
        for (name, kind) in Self.members {
            for value in kind.wrong {
                let header = header(alg, name, value)
                let compact = try Forge.signed(header: header, payload: "x", with: Keys.secret, .hs256)
                #expect(
                    JOSEThreatTests.judge(compact, [Keys.secret], [.hs256]) == .headerInvalid, "\(name): \(value)")
                for general in [false, true] {
                    let inside = try jws(protected: header, unprotected: nil, general: general)
                    #expect(judge(jws: inside) == .headerInvalid, "\(name): \(value)")
                    let beside = try jws(
                        protected: name == "alg" ? "{}" : #"{"alg":"HS256"}"#, unprotected: "{\"\(name)\":\(value)}",
                        general: general)
                    #expect(judge(jws: beside) == .headerInvalid, "beside, \(name): \(value)")
                }
            }
            // `crit` and `b64` may not stand beside; `kid` "x" is no key of ours; `alg` is none.
            if ["alg", "kid", "crit", "b64"].contains(name) { continue }
            for general in [false, true] {
                let inside = try jws(protected: header(alg, name, kind.right), unprotected: nil, general: general)
                #expect(judge(jws: inside) == accepted, "\(name)")
                let beside = try jws(
                    protected: #"{"alg":"HS256"}"#, unprotected: "{\"\(name)\":\(kind.right)}", general: general)
                // RFC 7516, 4.1.3 has `zip` protected wherever it is.
                #expect(judge(jws: beside) == (name == "zip" ? .headerInvalid : accepted), "beside, \(name)")
            }
        }
        let twin = try jws(protected: #"{"alg":"HS256","b64":true,"crit":["b64"]}"#, unprotected: nil, general: true)
        #expect(judge(jws: twin) == accepted)
    }

    private static let cek = [UInt8](1...32)
    private enum Place: CaseIterable { case protected, shared, recipient }

    /// A `dir` JWE with a header in each place; what is not protected is in nobody's tag.
    private func jwe(_ headers: [Place: String]) throws -> String {
        let head = Forge.encoded(Array((headers[.protected] ?? "{}").utf8))
        let iv = [UInt8](1...12)
        let (plaintext, aad): ([UInt8], [UInt8]) = ([1], Array(head.utf8))
        let (ciphertext, tag) = try ContentCipher.a256gcm.seal(
            cek: Self.cek.span, iv: iv.span, aad: aad.span, plaintext: plaintext.span)
        var members = [
            #""protected":"\#(head)""#, #""iv":"\#(Forge.encoded(iv))""#,
            #""ciphertext":"\#(Forge.encoded(ciphertext))""#, #""tag":"\#(Forge.encoded(tag))""#,
        ]
        if let shared = headers[.shared] { members.append(#""unprotected":\#(shared)"#) }
        if let recipient = headers[.recipient] { members.append(#""header":\#(recipient)"#) }
        return "{" + members.joined(separator: ",") + "}"
    }

    private func judge(jwe text: String) -> Refusal? {
        let policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
        return verdict { () throws(JOSEError) in
            try JWEDecrypter(keys: KeySet(SecretKey(bytes: Self.cek)), policy: policy).decrypt(json: text)
        }
    }

    @Test("T50 in a JWE: protected, shared and of one recipient, RFC 7516, 4.1") func encryption() throws {
        let base = [("alg", #""dir""#), ("enc", #""A256GCM""#)]
        let plain = #"{"alg":"dir","enc":"A256GCM"}"#
        for (name, kind) in Self.members {
            // In a JWE `b64` is a member like any other (RFC 7797, 3).
            for value in kind.wrong where name != "b64" {
                let compact = try Forge.encrypted(
                    header: header(base, name, value), plaintext: [1], with: Keys.secret, .dir, .a256gcm)
                #expect(
                    JOSEThreatTests.judge(compact, [Keys.secret], [.dir]) == .headerInvalid, "\(name): \(value)")
                for place in Place.allCases {
                    var headers = [place: header(place == .protected ? base : [], name, value)]
                    if place != .protected {
                        headers[.protected] = header(base.filter { $0.0 != name }, "y", "1")
                    }
                    let refusal = try judge(jwe: jwe(headers))
                    #expect(refusal == .headerInvalid, "\(place), \(name): \(value)")
                }
            }
            if ["alg", "enc", "kid", "zip", "crit", "b64"].contains(name) { continue }
            for place in Place.allCases {
                var headers = [Place.protected: plain]
                headers[place] = header(place == .protected ? base : [], name, kind.right)
                #expect(try judge(jwe: jwe(headers)) == accepted, "\(place), \(name)")
            }
        }
        // Each of the two that say how it is encrypted, in each place.
        for place in Place.allCases {
            #expect(try judge(jwe: jwe([place: plain])) == accepted, "\(place)")
        }
    }

    @Test("T38 crit names no member of JWS, JWE or JWA, though each is there as it should be, RFC 7515, 4.1.11")
    func critical() throws {
        var signature = SignaturePolicy(algorithms: [.hs256])
        signature.understoodCritical = Self.members.map(\.name) + ["x"]
        var encryption = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
        encryption.understoodCritical = signature.understoodCritical
        let key = try SecretKey(bytes: Self.cek)
        let verifier = JWSVerifier(keys: KeySet(Keys.secret), policy: signature)
        let decrypter = JWEDecrypter(keys: KeySet(key), policy: encryption)
        func judged(_ name: String, _ value: String) throws -> [Refusal?] {
            let crit = ("crit", name == "x" ? #"["x"]"# : #"["x","\#(name)"]"#)
            let jws = header([("alg", #""HS256""#), ("x", "1"), crit], name, value)
            let jwe = header([("alg", #""dir""#), ("enc", #""A256GCM""#), ("x", "1"), crit], name, value)
            let compact = try Forge.signed(header: jws, payload: "x", with: Keys.secret, .hs256)
            let text = try self.jws(protected: jws, unprotected: nil, general: false)
            let hidden = try Forge.encrypted(
                header: jwe, plaintext: [1], with: .symmetricKey(key), .dir, .a256gcm)
            let object = try self.jwe([.protected: jwe])
            return [
                verdict { () throws(JOSEError) in try verifier.verify(compact) },
                verdict { () throws(JOSEError) in try verifier.verify(json: text) },
                verdict { () throws(JOSEError) in try decrypter.decrypt(hidden) },
                verdict { () throws(JOSEError) in try decrypter.decrypt(json: object) },
            ]
        }
        for (name, kind) in Self.members where !["b64", "crit"].contains(name) {
            let value = name == "alg" ? #""HS256""# : name == "enc" ? #""A256GCM""# : kind.right
            #expect(try judged(name, value).allSatisfy { $0 != accepted }, "\(name)")
            guard !["alg", "enc", "zip"].contains(name) else { continue }
            #expect(try judged(name, value) == Array(repeating: .headerInvalid, count: 4), "\(name)")
        }
        #expect(try judged("x", "1") == Array(repeating: accepted, count: 4))
        // `b64` is the one that may be there: in a JWS it is understood, in a JWE it must be listed.
        #expect(try judged("b64", "true") == Array(repeating: accepted, count: 4))
    }
}
