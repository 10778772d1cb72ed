import JOSE
import JOSETesting
import Testing

@Suite("Threats: the form of a JWS in JSON") struct JSONFormThreats: JSONSignatureFixture {
    @Test("T41 JSON is never parsed as compact, compact never as JSON, and no text is both")
    func polyglots() throws {
        let good = try members(Self.header)
        let compact = try Forge.signed(header: Self.header, payload: "payload", with: Keys.secret, .hs256)
        let evil = Forge.encoded(Array(#"{"alg":"HS256"}"#.utf8)) + "." + Forge.encoded(Array("evil".utf8)) + "."
        var polyglots = [
            object([("  \(evil)", "\"\"")] + [("payload", "\"\(Self.payload)\"")] + good),
            object([("payload", "\"\(Self.payload)\"")] + good + [("x", "\"\(evil)\"")]),
            object([("payload", "\"\(Self.payload)\"")] + good + [("x", "{\"\(evil)\":1}")]),
            object([("payload", "\"\(Self.payload)\"")] + good + [("x", "[1.5,0.25]")]),
            flattened(good) + "." + compact, compact + flattened(good), "\"\(compact)\"", "[\(flattened(good))]",
        ]
        polyglots.append(general(good + [("\(evil)", "1")]))
        for text in polyglots {
            #expect(outcome(of: text) == .malformed, "\(text)")
            #expect(JOSEThreatTests.outcome(of: text, [Keys.secret], [.hs256]) == .malformed, "\(text)")
        }
        for text in [flattened(good), general(good)] {
            #expect(outcome(of: text) == accepted)
            #expect(JOSEThreatTests.outcome(of: text, [Keys.secret], [.hs256]) == .malformed)
        }
        #expect(outcome(of: compact) == .malformed)
        #expect(JOSEThreatTests.outcome(of: compact, [Keys.secret], [.hs256]) == accepted)
        // Unknown members are ignored (RFC 7515, 7.2.1).
        #expect(outcome(of: flattened(good + [("x", #"{"y":[1,null]}"#)])) == accepted)
        #expect(outcome(of: general(good + [("x", "1")])) == accepted)
    }

    @Test("T41 a mix of the flattened and general forms, or of JWS and JWE, is rejected (RFC 7515, 7.2; RFC 7516, 9)")
    func mixedForms() throws {
        let good = try members(Self.header)
        let list = ("signatures", "[\(object(good))]")
        for extra in [[list], good + [list], [good[0], list], [good[1], list], [list, ("header", "{}")]] {
            let text = object([("payload", "\"\(Self.payload)\"")] + extra)
            #expect(outcome(of: text) == (extra.count == 1 ? accepted : .malformed), "\(text)")
        }
        #expect(outcome(of: general(good + [("payload", "\"\(Self.payload)\"")])) == .malformed)
        for name in ["ciphertext", "recipients", "encrypted_key", "iv", "tag", "aad", "unprotected"] {
            #expect(outcome(of: flattened(good + [(name, "\"\"")])) == .malformed, "\(name)")
            #expect(outcome(of: general(good + [(name, "\"\"")])) == .malformed, "\(name)")
        }
    }

    @Test("T43 a member that is missing or has a wrong type is malformed (RFC 7515, 7.2)") func shapes() throws {
        let wrong = ["null", "1", "true", "[]", "{}", "[{}]", #"["a"]"#]
        let good: [(name: String, value: String)] = [("payload", "\"\(Self.payload)\"")] + (try members(Self.header))
        #expect(outcome(of: object(good)) == accepted)
        for place in good.indices {
            var changed = good
            changed.remove(at: place)
            #expect(outcome(of: object(changed)) == .malformed, "without \(good[place].name)")
            for value in wrong {
                changed = good
                changed[place].value = value
                #expect(outcome(of: object(changed)) == .malformed, "\(good[place].name) \(value)")
            }
        }
        for value in wrong + [#""a""#] where value != "{}" {
            let text = flattened(try members(Self.header, unprotected: value))
            #expect(outcome(of: text) == .malformed, "header \(value)")
            let list = object([("payload", "\"\(Self.payload)\""), ("signatures", value)])
            #expect(outcome(of: list) == .malformed, "signatures \(value)")
            #expect(
                outcome(of: object([("payload", "\"\(Self.payload)\""), ("signatures", "[\(value)]")])) == .malformed)
        }
        #expect(outcome(of: flattened(try members(Self.header, unprotected: "{}"))) == accepted)
        let signature = try members(Self.header)
        for place in signature.indices {
            var changed = signature
            changed.remove(at: place)
            #expect(outcome(of: general(changed)) == .malformed)
            for value in wrong {
                changed = signature
                changed[place].value = value
                #expect(outcome(of: general(changed)) == .malformed)
                #expect(outcome(of: general(signature, changed)) == .malformed, "beside a good one")
            }
        }
        for text in ["", "{", "{}", "[]", "null", "1", "\"\"", #"{"payload":"","signatures":[{}]}"#, "\u{FEFF}{}"] {
            #expect(outcome(of: text) == .malformed, "\(text)")
        }
        for text in [#""=""#, #""A""#, #""e30=""#, #""e3 0""#, #""""#, #""W10""#, #""bnVsbA""#] {
            var changed = signature
            changed[0].value = text
            #expect(outcome(of: flattened(changed)) == .malformed, "protected \(text)")
        }
    }

    @Test("T47 a duplicate name is malformed wherever it is, also if it is escaped (RFC 7515, 4)") func duplicates()
        throws
    {
        let good = try members(Self.header)
        for name in ["protected", "signature", "payload", "x"] {
            let value = good.first { $0.name == name }?.value ?? "\"\(Self.payload)\""
            let escaped = "\\u00" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()
            for second in [name, escaped] {
                let extra = name == "x" ? [("x", value)] : []
                #expect(outcome(of: flattened(good + extra + [(second, value)])) == .malformed, "\(second)")
                #expect(outcome(of: flattened(good + extra)) == accepted)
            }
        }
        for unprotected in [#"{"x":1,"x":1}"#, #"{"x":{"y":1,"y":2}}"#, #"{"x":1,"\u0078":2}"#] {
            #expect(outcome(of: flattened(try members(Self.header, unprotected: unprotected))) == .malformed)
        }
        #expect(outcome(of: flattened(try members(#"{"alg":"HS256","x":1,"\u0078":1}"#))) == .malformed)
        #expect(outcome(of: flattened(try members(Self.header, unprotected: #"{"x":1,"X":1}"#))) == accepted)
        let twice = object([
            ("payload", "\"\(Self.payload)\""), ("signatures", "[\(object(good))]"), ("signatures", "[]"),
        ])
        #expect(outcome(of: twice) == .malformed)
    }
}
