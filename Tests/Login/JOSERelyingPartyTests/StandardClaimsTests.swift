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
            let claims = try read(#"{"email_verified":\#(value),"phone_number_verified":\#(value)}"#)
            #expect(claims.isEmailVerified == expected && claims.isPhoneNumberVerified == expected, "\(value)")
        }
        #expect(try read(#"{"email_verified":1}"#).isEmailVerified == nil)
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
