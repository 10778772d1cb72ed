import JOSE
import JOSETokens
import Testing

@Suite("Scopes") struct ScopeTests {
    @Test("scopes are the words of a string, or the elements of an array (RFC 6749, 3.3; RFC 8693, 4.2)")
    func forms() throws {
        let fixture = try Fixture()
        for (value, scopes) in [
            (#""read write""#, ["read", "write"]), (#"["read","write"]"#, ["read", "write"]), (#""read""#, ["read"]),
            (#""  read   write ""#, ["read", "write"]), (#""\u0072ead""#, ["read"]), (#"["\u0072ead"]"#, ["read"]),
            (#""""#, []), ("[]", []), (#"["https://api.example/read"]"#, ["https://api.example/read"]),
            // An element is one scope, and a value of another kind is none.
            (#"["read write"]"#, nil), (#"["read","read write"]"#, nil), (#"[" read"]"#, nil), (#"["read "]"#, nil),
            (#"["re\tad"]"#, nil), (#"["re\u0000ad"]"#, nil), (#"["read",""]"#, nil), (#"["read",1]"#, nil),
            (#"["read",null]"#, nil), (#"["read",true]"#, nil), (#"[["read"]]"#, nil), (#"[{"read":1}]"#, nil),
            ("null", nil), ("1", nil), ("true", nil), (#"{"read":true}"#, nil), (nil, nil),
        ] as [(String?, [String]?)] {
            for name in ["scope", "scp"] {
                let claims = try fixture.verify(fixture.claims([name: value])).claims
                #expect(claims.scopes(name) == scopes, "\(name): \(value ?? "absent")")
                #expect(claims.scopes() == (name == "scope" ? scopes : nil), "\(name): \(value ?? "absent")")
            }
        }
    }
}
