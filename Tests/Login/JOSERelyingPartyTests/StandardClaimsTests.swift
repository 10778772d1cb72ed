import JOSETokens
import Testing

@testable import JOSERelyingParty

@Suite("Standard claims") struct StandardClaimsTests {
    private func read(_ sources: String...) throws -> StandardClaims {
        StandardClaims(
            try sources.map { try Claims(payload: Array($0.utf8), limits: .standard, layer: .signature) })
    }

    @Test("each standard claim is read under its name, from the first source that has it (OpenID Connect Core, 5.1)")
    func names() throws {
        let texts: [(name: String, read: (StandardClaims) -> String?)] = [
            ("name", { $0.name }), ("given_name", { $0.givenName }), ("family_name", { $0.familyName }),
            ("email", { $0.email }), ("phone_number", { $0.phoneNumber }), ("birthdate", { $0.birthdate }),
            ("gender", { $0.gender }), ("locale", { $0.locale }), ("picture", { $0.picture }),
        ]
        for (name, value) in texts {
            #expect(value(try read(#"{"\#(name)":"one"}"#, #"{"\#(name)":"two"}"#)) == "one", "\(name)")
            #expect(value(try read("{}", #"{"\#(name)":"two"}"#)) == "two", "\(name)")
            #expect(value(try read(#"{"\#(name)":1}"#)) == nil, "\(name)")
            #expect(value(try read(#"{"x\#(name)":"one"}"#)) == nil, "\(name)")
        }
        for (value, expected) in [("true", true), ("false", false), (#""true""#, true), (#""False""#, false)] {
            for (name, flag) in Self.flags {
                let claims = try read(#"{"\#(name)":"one","\#(name)_verified":\#(value)}"#)
                #expect(flag(claims) == expected, "\(name) \(value)")
            }
        }
        for (name, flag) in Self.flags {
            #expect(flag(try read(#"{"\#(name)":"one","\#(name)_verified":1}"#)) == nil, "\(name)")
        }
    }

    private static let flags: [(name: String, read: @Sendable (StandardClaims) -> Bool?)] = [
        ("email", { $0.isEmailVerified }), ("phone_number", { $0.isPhoneNumberVerified }),
    ]

    @Test("a text is verified only if the source that has the text says so (OpenID Connect Core, 5.1)")
    func verifiedTexts() throws {
        for (name, flag) in Self.flags {
            let unverified = #"{"\#(name)":"one"}"#
            let verified = #"{"\#(name)":"two","\#(name)_verified":true}"#
            #expect(flag(try read(unverified, verified)) == nil, "\(name)")
            #expect(flag(try read(unverified, #"{"\#(name)_verified":true}"#)) == nil, "\(name)")
            #expect(flag(try read(#"{"\#(name)_verified":true}"#, unverified)) == nil, "\(name)")
            // The positive controls: the source of the text says it.
            #expect(flag(try read(verified, unverified)) == true, "\(name)")
            #expect(flag(try read("{}", verified)) == true, "\(name)")
            #expect(flag(try read(#"{"\#(name)":1,"\#(name)_verified":false}"#, verified)) == true, "\(name)")
        }
    }

    @Test("an address is an object whose members may be absent, and no description shows it")
    func addresses() throws {
        let members = ["formatted", "street_address", "locality", "region", "postal_code", "country"]
        let object = members.map { "\"\($0)\":\"\($0) of Jane\"" }.joined(separator: ",")
        let address = try #require(try read("{\"address\":{\(object)}}").address)
        let read = [
            address.formatted, address.streetAddress, address.locality, address.region, address.postalCode,
            address.country,
        ]
        #expect(read == members.map { "\($0) of Jane" })
        #expect(try self.read(#"{"address":{"country":1}}"#).address?.country == nil)
        #expect(try self.read(#"{"address":{}}"#).address != nil && self.read(#"{"address":"x"}"#).address == nil)
        var dumped = ""
        dump(try self.read("{\"address\":{\(object)}}"), to: &dumped)
        #expect(!"\(address)".contains("Jane") && !dumped.contains("Jane"))
    }
}
