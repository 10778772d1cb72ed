import JOSE
import JOSECrypto
import JOSETesting
import TestSupport
import Testing

@Suite("Threats: JWE in JSON") struct JSONEncryptionThreats {
    private typealias Members = [(name: String, value: String)]
    private static let header = #"{"alg":"dir","enc":"A256GCM"}"#

    private func outcome(
        of json: String, _ keys: [JWK] = [Keys.secret], _ adjust: (inout EncryptionPolicy) -> Void = { _ in }
    ) -> Refusal? {
        var policy = EncryptionPolicy(
            keyManagement: KeyManagementAlgorithm.all, contentEncryption: ContentEncryption.all)
        adjust(&policy)
        let decrypter = JWEDecrypter(unexaminedKeys: KeySet(keys), policy: policy)
        return verdict { () throws(JOSEError) in try decrypter.decrypt(json: json) }
    }

    private func quoted(_ bytes: [UInt8]) -> String { "\"\(Forge.encoded(bytes))\"" }

    private func object(_ members: Members) -> String {
        "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    /// Returns the members of the flattened form, validly encrypted with the secret.
    private func members(
        _ header: String?, unprotected: String? = nil, recipient: String? = nil, aad: String? = nil,
        plaintext: String = "secret"
    ) throws -> Members {
        guard case .symmetricKey(let secret) = Keys.secret else { return [] }
        let text = header.map { Forge.encoded(Array($0.utf8)) } ?? ""
        let more = aad.map { "." + Forge.encoded(Array($0.utf8)) } ?? ""
        let iv = [UInt8](repeating: 7, count: 12)
        let key = try #require(try JSON(secret.exportSecretJWK())["k"]?.string.flatMap { bytes(base64URL: $0) })
        let authenticated = Array((text + more).utf8)
        let octets = Array(plaintext.utf8)
        let sealed = try ContentCipher.a256gcm.seal(
            cek: key.span, iv: iv.span, aad: authenticated.span, plaintext: octets.span)
        var members: Members = []
        if header != nil { members.append(("protected", "\"\(text)\"")) }
        if let unprotected { members.append(("unprotected", unprotected)) }
        if let recipient { members.append(("header", recipient)) }
        if let aad { members.append(("aad", quoted(Array(aad.utf8)))) }
        return members + [("iv", quoted(iv)), ("ciphertext", quoted(sealed.ciphertext)), ("tag", quoted(sealed.tag))]
    }

    private func wrapped(_ count: Int, _ key: JWK = Keys.secret) throws -> String {
        guard case .symmetricKey(let key) = key else { return "" }
        let encrypter = try JWEEncrypter(key: key, keyManagement: .a256kw, contentEncryption: .a256gcm)
        return try JSONEncrypter(Array(repeating: encrypter, count: count)).encrypt("secret")
    }

    @Test("T34 JSON tokens over the limits of size and recipients are rejected (RFC 8725, 2.9)") func sizes() throws {
        let text = object(try members(Self.header))
        #expect(outcome(of: text) { $0.limits.tokenBytes = text.utf8.count } == accepted)
        #expect(outcome(of: text) { $0.limits.tokenBytes = text.utf8.count - 1 } == .tooLarge)
        #expect(outcome(of: text) { $0.limits.plaintextBytes = 6 } == accepted)
        #expect(outcome(of: text) { $0.limits.plaintextBytes = 5 } == .tooLarge)
        #expect(outcome(of: text) { $0.limits.headerBytes = Self.header.utf8.count - 1 } == .tooLarge)
        let many = try wrapped(3)
        #expect(outcome(of: many) { $0.limits.recipients = 3 } == accepted)
        #expect(outcome(of: many) { $0.limits.recipients = 2 } == .tooLarge)
    }

    @Test("T37 an extension that is not understood is rejected (RFC 7516, 4.1.13)") func critical() throws {
        let text = object(try members(#"{"alg":"dir","enc":"A256GCM","x":1,"crit":["x"]}"#))
        #expect(outcome(of: text) == .criticalUnsupported)
        #expect(outcome(of: text) { $0.understoodCritical = ["x"] } == accepted)
    }

    @Test("T38 crit that is malformed or unprotected is rejected (RFC 7516, 4.1.13)") func criticalForm() throws {
        let good = object(try members(#"{"alg":"dir","enc":"A256GCM","x":1,"crit":["x"]}"#))
        #expect(outcome(of: good) { $0.understoodCritical = ["x", "y", "enc"] } == accepted)
        for crit in ["[]", #""x""#, "[1]", #"["x","x"]"#, #"["y"]"#, #"["enc"]"#, "null", "{}"] {
            for text in [
                object(try members(#"{"alg":"dir","enc":"A256GCM","x":1,"crit":\#(crit)}"#)),
                object(try members(#"{"alg":"dir","enc":"A256GCM","x":1}"#, unprotected: #"{"crit":\#(crit)}"#)),
            ] {
                #expect(outcome(of: text) { $0.understoodCritical = ["x", "y", "enc"] } == .headerInvalid, "\(text)")
            }
        }
        for (unprotected, recipient) in [(#"{"crit":["x"]}"#, nil), (nil, #"{"crit":["x"]}"#)] as [(String?, String?)] {
            let text = object(
                try members(
                    #"{"alg":"dir","enc":"A256GCM","x":1}"#, unprotected: unprotected, recipient: recipient))
            #expect(outcome(of: text) { $0.understoodCritical = ["x"] } == .headerInvalid)
        }
    }

    @Test("T39 b64 is rejected in a JWE (RFC 7797, 3)") func unencoded() throws {
        #expect(outcome(of: object(try members(Self.header, unprotected: #"{"x":false}"#))) == accepted)
        let header = #"{"alg":"dir","enc":"A256GCM","b64":false,"crit":["b64"]}"#
        let text = object(try members(header))
        #expect(outcome(of: text) == .criticalUnsupported)
        #expect(outcome(of: text) { $0.understoodCritical = ["b64"] } == .criticalUnsupported)
        #expect(outcome(of: object(try members(Self.header, unprotected: #"{"b64":false}"#))) == .headerInvalid)
    }

    @Test("T40 a name in two headers, and zip in an unprotected one, are rejected (RFC 7516, 4 and 7.2.1)")
    func disjoint() throws {
        for (unprotected, recipient) in [
            (Self.header, nil), (#"{"alg":"dir"}"#, nil), (nil, #"{"enc":"A256GCM"}"#), (#"{"x":1}"#, #"{"x":1}"#),
            (#"{"\u0061lg":"dir"}"#, nil), (#"{"x":1}"#, #"{"\u0078":2}"#),
        ] as [(String?, String?)] {
            let text = object(try members(Self.header, unprotected: unprotected, recipient: recipient))
            #expect(outcome(of: text) == .malformed, "\(text)")
        }
        #expect(outcome(of: object(try members(Self.header, unprotected: #"{"zip":"DEF"}"#))) == .headerInvalid)
        for (header, unprotected, recipient) in [
            (#"{"enc":"A256GCM"}"#, #"{"alg":"dir"}"#, nil), (#"{"enc":"A256GCM"}"#, nil, #"{"alg":"dir"}"#),
            (nil, Self.header, nil), (nil, #"{"enc":"A256GCM"}"#, #"{"alg":"dir"}"#),
            (Self.header, #"{"x":1}"#, #"{"X":1}"#),
        ] as [(String?, String?, String?)] {
            let text = object(try members(header, unprotected: unprotected, recipient: recipient))
            #expect(outcome(of: text) == accepted, "\(text)")
            #expect(outcome(of: text) { $0.keyManagement = [.a256kw] } == .algorithmNotAllowed)
            #expect(outcome(of: text) { $0.contentEncryption = [.a128gcm] } == .algorithmNotAllowed)
        }
    }

    @Test("T40 the tag authenticates the protected header and aad, and nothing else (RFC 7516, 5.1, step 14)")
    func authenticated()
        throws
    {
        let good = try members(Self.header, unprotected: #"{"x":1}"#, aad: "more")
        #expect(outcome(of: object(good)) == accepted)
        for place in good.indices where good[place].name != "unprotected" {
            var changed = good
            changed[place].value =
                good[place].name == "protected"
                ? quoted(Array(#"{"enc":"A256GCM","alg":"dir"}"#.utf8)) : quoted([UInt8](repeating: 1, count: 16))
            if good[place].name == "iv" { changed[place].value = quoted([UInt8](repeating: 1, count: 12)) }
            #expect(outcome(of: object(changed)) == .decryptionFailed, "\(good[place].name)")
        }
        #expect(outcome(of: object(good.filter { $0.name != "aad" })) == .decryptionFailed)
        #expect(outcome(of: object(good.filter { $0.name != "unprotected" })) == accepted)
        #expect(outcome(of: object(try members(Self.header) + [("aad", "\"\"")])) == .decryptionFailed)
        // The dot between header and aad cannot be moved: aad is not a part of the header.
        let text = Forge.encoded(Array(Self.header.utf8))
        #expect(
            outcome(of: object([("protected", "\"\(text).\"")] + (try members(Self.header)).dropFirst())) == .malformed)
    }

    @Test("T41 JSON is rejected by the compact parser, and compact tokens by the JSON parser (RFC 7516, 9)")
    func polyglots() throws {
        let good = try members(Self.header)
        let parts = ["protected", "", "iv", "ciphertext", "tag"].map { name in
            good.first { $0.name == name }.map { String($0.value.dropFirst().dropLast()) } ?? ""
        }
        let compact = parts.joined(separator: ".")
        let evil = "\(parts[0])..\(parts[2]).\(parts[3])."
        func outcome(ofCompact text: String) -> Refusal? {
            JOSEThreatTests.outcome(of: text, [Keys.secret], KeyManagementAlgorithm.all)
        }
        for text in [
            object([("  \(evil)", "\"\"")] + good), object(good + [("x", "\"\(evil)\"")]),
            object(good + [("x", "{\"\(evil)\":1}")]), object(good + [("x", "[1.5]")]), object(good) + "." + compact,
            compact + object(good), "\"\(compact)\"", "[\(object(good))]", compact,
        ] {
            #expect(self.outcome(of: text) == .malformed, "\(text)")
            if text != compact { #expect(outcome(ofCompact: text) == .malformed, "\(text)") }
        }
        #expect(outcome(ofCompact: compact) == accepted)
        #expect(outcome(ofCompact: object(good)) == .malformed)
        #expect(self.outcome(of: object(good)) == accepted)
        #expect(self.outcome(of: object(good + [("x", #"{"y":[1,null]}"#)])) == accepted)
        for name in ["payload", "signatures", "signature"] {
            #expect(self.outcome(of: object(good + [(name, "\"\"")])) == .malformed, "\(name)")
        }
        for name in ["payload", "signatures", "ciphertext", "iv", "tag", "protected", "recipients"] {
            let text = object(good + [("recipients", "[{\"\(name)\":\"\"}]")])
            #expect(self.outcome(of: text) == .malformed, "\(name)")
        }
        #expect(self.outcome(of: object(good + [("recipients", "[{}]")])) == accepted)
        for extra in [("header", "{}"), ("encrypted_key", "\"\"")] {
            #expect(self.outcome(of: object(good + [("recipients", "[{}]"), extra])) == .malformed)
        }
    }

    @Test("T42 the recipient that decrypts is reported, and a broken one beside it is skipped (RFC 7516, 5.2)")
    func several() throws {
        let text = try wrapped(2)
        guard case .object(var members) = try JSON(text.utf8), case .array(let recipients)? = members["recipients"],
            let decrypter = Optional(
                try JWEDecrypter(
                    keys: KeySet([Keys.secret]),
                    policy: EncryptionPolicy(keyManagement: [.a256kw], contentEncryption: [.a256gcm])))
        else {
            Issue.record("not the general form")
            return
        }
        #expect(try decrypter.decrypt(json: text).index == 0)
        let broken = JSON.object([
            "header": recipients[0]["header"] ?? .null, "encrypted_key": .string(Forge.encoded([UInt8](0..<40))),
        ])
        for (list, index) in [([broken, recipients[1]], 1), ([recipients[0], broken], 0)] {
            members["recipients"] = .array(list)
            let opened = try decrypter.decrypt(json: JSON.object(members).text)
            #expect(opened.index == index && opened.plaintext == Array("secret".utf8))
        }
        for list in [[broken], [broken, broken]] {
            members["recipients"] = .array(list)
            #expect(outcome(of: JSON.object(members).text) == .decryptionFailed)
        }
        members["recipients"] = .array([])
        #expect(outcome(of: JSON.object(members).text) == .malformed)
    }

    @Test("T42 all recipients have one enc, and dir and ECDH-ES have a single recipient (RFC 7516, 5.1 and 7.2.1)")
    func oneContent() throws {
        let good = try members(nil)
        func outcome(of first: String, _ second: String) -> Refusal? {
            self.outcome(of: object(good + [("recipients", "[{\"header\":\(first)},{\"header\":\(second)}]")]))
        }
        #expect(outcome(of: Self.header, #"{"alg":"dir","enc":"A128GCM"}"#) == .headerInvalid)
        #expect(outcome(of: Self.header, #"{"alg":"dir"}"#) == .headerInvalid)
        #expect(outcome(of: Self.header, Self.header) == .malformed)
        #expect(self.outcome(of: object(good + [("recipients", "[{\"header\":\(Self.header)}]")])) == accepted)
    }

    @Test("T43 a member that is missing or has a wrong type is malformed (RFC 7516, 7.2)") func shapes() throws {
        let wrong = ["null", "1", "true", "[]", "{}", "[{}]"]
        let good = try members(Self.header, aad: "more")
        #expect(outcome(of: object(good)) == accepted)
        for place in good.indices {
            var changed = good
            changed.remove(at: place)
            let wanted: Refusal = ["tag", "aad"].contains(good[place].name) ? .decryptionFailed : .malformed
            #expect(outcome(of: object(changed)) == wanted, "without \(good[place].name)")
            for value in wrong + [#""=""#, #""A""#] {
                changed = good
                changed[place].value = value
                #expect(outcome(of: object(changed)) == .malformed, "\(good[place].name) \(value)")
            }
        }
        for name in ["unprotected", "header"] {
            for value in ["null", "1", "true", "[]", "[{}]", #""a""#] {
                #expect(outcome(of: object(good + [(name, value)])) == .malformed, "\(name) \(value)")
            }
            #expect(outcome(of: object(good + [(name, "{}")])) == accepted)
        }
        for value in wrong + [#""a""#] where value != "[{}]" {
            #expect(outcome(of: object(good + [("recipients", value)])) == .malformed, "recipients \(value)")
            #expect(
                outcome(of: object(good + [("recipients", "[\(value)]")])) == (value == "{}" ? accepted : .malformed))
            #expect(outcome(of: object(good + [("recipients", "[{},\(value)]")])) == .malformed)
        }
        for value in wrong {
            #expect(outcome(of: object(good + [("encrypted_key", value)])) == .malformed, "encrypted_key \(value)")
        }
        // An encrypted key is present where none is allowed (RFC 7516, 5.2, step 10).
        #expect(outcome(of: object(good + [("encrypted_key", #""AAAA""#)])) == .malformed)
        for text in ["", "{", "{}", "[]", "null", "\"\"", #"{"recipients":[{}]}"#, #"{"ciphertext":""}"#, "\u{FEFF}{}"]
        {
            #expect(outcome(of: text) == .malformed, "\(text)")
        }
    }

    @Test("T47 a duplicate name is malformed wherever it is (RFC 7516, 4)") func duplicates() throws {
        let good = try members(Self.header, aad: "more")
        #expect(outcome(of: object(good)) == accepted)
        for (name, value) in good {
            let escaped = "\\u00" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()
            for second in [name, escaped] {
                #expect(outcome(of: object(good + [(second, value)])) == .malformed, "\(second)")
            }
        }
        for unprotected in [#"{"x":1,"x":1}"#, #"{"x":{"y":1,"y":2}}"#, #"{"x":1,"\u0078":2}"#] {
            #expect(outcome(of: object(try members(Self.header, unprotected: unprotected))) == .malformed)
        }
        let distinct = #"{"x":{"y":1,"z":2}}"#
        #expect(outcome(of: object(try members(Self.header, unprotected: distinct))) == accepted)
    }

    @Test("T29 the limit on PBKDF2 iterations applies to all recipients together (RFC 7518, 8.1)")
    func rounds() throws {
        guard case .symmetricKey(let secret) = Keys.secret else { return }
        var header = HeaderParameters()
        header.passwordIterations = 2_000
        let encrypter = try JWEEncrypter(
            key: secret, keyManagement: .pbes2HS256A128KW, contentEncryption: .a128gcm, header: header)
        let text = try JSONEncrypter([encrypter, encrypter, encrypter]).encrypt("secret")
        let other = Keys.symmetric(32)
        #expect(outcome(of: text, [other]) { $0.limits.maxPBKDF2Iterations = 6_000 } == .decryptionFailed)
        #expect(outcome(of: text, [other]) { $0.limits.maxPBKDF2Iterations = 5_999 } == .decryptionFailed)
        #expect(outcome(of: text) { $0.limits.maxPBKDF2Iterations = 2_000 } == accepted)
        #expect(outcome(of: text) { $0.limits.maxPBKDF2Iterations = 1_999 } == .tooExpensive)
        // The limit applies to each of the matching keys.
        #expect(outcome(of: text, [other, Keys.secret]) { $0.limits.maxPBKDF2Iterations = 4_000 } == accepted)
        #expect(outcome(of: text, [other, Keys.secret]) { $0.limits.maxPBKDF2Iterations = 3_999 } == .tooExpensive)
    }
}
