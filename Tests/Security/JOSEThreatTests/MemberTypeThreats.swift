import JOSE
import JOSECrypto
import JOSETesting
import Testing

/// Every registered header member with every wrong JSON type, in every header of every serialization.
@Suite("Threats: header members of a wrong type") struct MemberTypeThreats {
    private enum Kind: String, CaseIterable {
        case string, list, object, number, bool

        /// Values of all wrong JSON types.
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

    /// The members of RFC 7515, 4.1; RFC 7516, 4.1; RFC 7518, 4.6 to 4.8; RFC 7797, 3. Some have no meaning in a JWS, and must
    /// have their
    /// type all the same.
    private static let members: [(name: String, kind: Kind)] =
        ["alg", "enc", "zip", "kid", "typ", "cty", "jku", "x5u", "x5t", "x5t#S256", "apu", "apv", "iv", "tag", "p2s"]
        .map {
            ($0, .string)
        } + [
            ("crit", .list), ("x5c", .list), ("jwk", .object), ("epk", .object), ("p2c", .number), ("b64", .bool),
        ]

    /// Returns the members of a header with the given one.
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

    private func outcome(ofJWS text: String) -> Refusal? {
        let verifier = JWSVerifier(unexaminedKeys: KeySet(Keys.secret), policy: SignaturePolicy(algorithms: [.hs256]))
        return verdict { () throws(JOSEError) in try verifier.verify(json: text) }
    }

    @Test("T50 JWS members of a wrong type are rejected in every header and serialization (RFC 7515, 4.1)")
    func signature()
        throws
    {
        let alg = [("alg", #""HS256""#)]
        for (name, kind) in Self.members {
            for value in kind.wrong {
                let header = header(alg, name, value)
                let compact = try Forge.signed(header: header, payload: "x", with: Keys.secret, .hs256)
                #expect(
                    JOSEThreatTests.outcome(of: compact, [Keys.secret], [.hs256]) == .headerInvalid, "\(name): \(value)"
                )
                for general in [false, true] {
                    let inside = try jws(protected: header, unprotected: nil, general: general)
                    #expect(outcome(ofJWS: inside) == .headerInvalid, "\(name): \(value)")
                    let beside = try jws(
                        protected: name == "alg" ? "{}" : #"{"alg":"HS256"}"#, unprotected: "{\"\(name)\":\(value)}",
                        general: general)
                    #expect(outcome(ofJWS: beside) == .headerInvalid, "beside, \(name): \(value)")
                }
            }
            // `crit` and `b64` are not allowed in an unprotected header; no key has the `kid` "x"; the `alg` is unknown.
            if ["alg", "kid", "crit", "b64"].contains(name) { continue }
            for general in [false, true] {
                let inside = try jws(protected: header(alg, name, kind.right), unprotected: nil, general: general)
                #expect(outcome(ofJWS: inside) == accepted, "\(name)")
                let beside = try jws(
                    protected: #"{"alg":"HS256"}"#, unprotected: "{\"\(name)\":\(kind.right)}", general: general)
                // `zip` must be protected (RFC 7516, 4.1.3).
                #expect(outcome(ofJWS: beside) == (name == "zip" ? .headerInvalid : accepted), "beside, \(name)")
            }
        }
        let control = try jws(protected: #"{"alg":"HS256","b64":true,"crit":["b64"]}"#, unprotected: nil, general: true)
        #expect(outcome(ofJWS: control) == accepted)
    }

    private static let cek = [UInt8](1...32)
    private enum Place: CaseIterable { case protected, shared, recipient }

    /// Returns a `dir` JWE with a header in each place. The tag does not cover the unprotected ones.
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

    private func outcome(ofJWE text: String) -> Refusal? {
        let policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
        return verdict { () throws(JOSEError) in
            try JWEDecrypter(keys: KeySet(SecretKey(bytes: Self.cek)), policy: policy).decrypt(json: text)
        }
    }

    @Test("T50 JWE members of a wrong type are rejected in every header and serialization (RFC 7516, 4.1)")
    func encryption() throws {
        let base = [("alg", #""dir""#), ("enc", #""A256GCM""#)]
        let plain = #"{"alg":"dir","enc":"A256GCM"}"#
        for (name, kind) in Self.members {
            // `b64` has no meaning in a JWE (RFC 7797, 3).
            for value in kind.wrong where name != "b64" {
                let compact = try Forge.encrypted(
                    header: header(base, name, value), plaintext: [1], with: Keys.secret, .dir, .a256gcm)
                #expect(
                    JOSEThreatTests.outcome(of: compact, [Keys.secret], [.dir]) == .headerInvalid, "\(name): \(value)")
                for place in Place.allCases {
                    var headers = [place: header(place == .protected ? base : [], name, value)]
                    if place != .protected {
                        headers[.protected] = header(base.filter { $0.0 != name }, "y", "1")
                    }
                    let refusal = try outcome(ofJWE: jwe(headers))
                    #expect(refusal == .headerInvalid, "\(place), \(name): \(value)")
                }
            }
            if ["alg", "enc", "kid", "zip", "crit", "b64"].contains(name) { continue }
            for place in Place.allCases {
                var headers = [Place.protected: plain]
                headers[place] = header(place == .protected ? base : [], name, kind.right)
                #expect(try outcome(ofJWE: jwe(headers)) == accepted, "\(place), \(name)")
            }
        }
        // The members `alg` and `enc` are tested in each header.
        for place in Place.allCases {
            #expect(try outcome(ofJWE: jwe([place: plain])) == accepted, "\(place)")
        }
    }

    @Test("T38 crit that lists a registered member is rejected, also if that member is valid (RFC 7515, 4.1.11)")
    func critical() throws {
        var signature = SignaturePolicy(algorithms: [.hs256])
        signature.understoodCritical = Self.members.map(\.name) + ["x"]
        var encryption = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
        encryption.understoodCritical = signature.understoodCritical
        let key = try SecretKey(bytes: Self.cek)
        let verifier = JWSVerifier(unexaminedKeys: KeySet(Keys.secret), policy: signature)
        let decrypter = try JWEDecrypter(keys: KeySet(key), policy: encryption)
        func results(_ name: String, _ value: String) throws -> [Refusal?] {
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
            #expect(try results(name, value).allSatisfy { $0 != accepted }, "\(name)")
            guard !["alg", "enc", "zip"].contains(name) else { continue }
            #expect(try results(name, value) == Array(repeating: .headerInvalid, count: 4), "\(name)")
        }
        #expect(try results("x", "1") == Array(repeating: accepted, count: 4))
        // Only `b64` may be listed: in a JWS it is understood, in a JWE the policy must list it as understood.
        #expect(try results("b64", "true") == Array(repeating: accepted, count: 4))
    }
}
