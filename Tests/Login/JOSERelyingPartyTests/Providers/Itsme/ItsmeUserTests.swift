import Foundation
import JOSE
import JOSETesting
import JOSETokens
import Testing

@testable import JOSEItsme
@testable import JOSERelyingParty

@Suite("itsme: typed claims") struct ItsmeUserTests {
    /// Reads claims like those of a userinfo response.
    private func user(_ claims: String) throws -> ItsmeUser {
        let claims = try Claims(payload: Array("{\(claims)}".utf8), limits: .standard, layer: .signature)
        return ItsmeUser(claims: ItsmeClaims(sources: [claims]))
    }

    /// The names of the first generation and of the later ones, under each prefix that itsme has used and bare.
    private static let transactionNames = [
        "http://itsme.services/v2/claim/", "http://itsme.services/V2/claim/", "tag:itsmetag:sixdots.be,2016-06:",
        "tag:sixdots.be,2016-06:", "tag:sixdots.be,2017-05:", "tag:sixdots.be,2017-05:2017-05:",
        "tag:sixdots.be,2020-03:", "",
    ].flatMap { prefix in ["claim_transaction_info", "transaction_info"].map { prefix + $0 } }

    @Test(
        "itsme case 28: levels and country code come from the transaction info, and not from the device (R38)",
        arguments: transactionNames)
    func transactionInfo(_ name: String) throws {
        let value = #"{"securityLevel":"SIM_AND_SOFT","bindLevel":"SOFT_ONLY","mcc":206}"#
        let info = try #require(try user(#""\#(name)":\#(value)"#).transactionInfo)
        #expect(info.securityLevel == .simAndSoft && info.bindLevel == .soft && info.mobileCountryCode == 206)
        #expect("\(info)" == "ItsmeTransactionInfo")
        let device = try user(#""tag:sixdots.be,2017-05:claim_device":\#(value)"#)
        #expect(device.transactionInfo == nil && device.device != nil)
        for (other, expected) in [
            (#"{"securityLevel":"SIM_ONLY","bindLevel":"sim_only","mcc":[]}"#, ItsmeTransactionInfo.Level.sim),
            (#"{"securityLevel":true,"bindLevel":null,"mcc":"206"}"#, nil),
        ] {
            let info = try #require(try user(#""\#(name)":\#(other)"#).transactionInfo)
            #expect(info.securityLevel == expected && info.bindLevel == nil && info.mobileCountryCode == nil)
        }
    }

    @Test("itsme case 29: the place of birth has a city and a country, and no locality (R38)") func placeOfBirth()
        throws
    {
        for name in ["http://itsme.services/v2/claim/place_of_birth", "place_of_birth"] {
            let whole = #"{"formatted":"bruxelles Belgium","city":"bruxelles","country":"BE"}"#
            let place = try #require(try user(#""\#(name)":\#(whole)"#).placeOfBirth)
            #expect(place.formatted == "bruxelles Belgium" && place.city == "bruxelles" && place.country == "BE")
            let other = try #require(try user(#""\#(name)":{"locality":"bruxelles","country":"BE"}"#).placeOfBirth)
            #expect(other.city == nil && other.country == "BE")
        }
        let prefix = "tag:itsmetag:sixdots.be,2016-06:claim_"
        let first = try #require(
            try user(#""\#(prefix)city_of_birth":"Namur","\#(prefix)country_of_birth":"BE""#).placeOfBirth)
        #expect(first.formatted == nil && first.city == "Namur" && first.country == "BE")
        #expect(try user(#""sub":"a""#).placeOfBirth == nil)
    }

    @Test("itsme case 30: a card number is read with and without hyphens, and its check digits are verified (R40)")
    func cardNumbers() throws {
        for (number, isValid) in [
            ("431522485012", true), ("431-5224850-12", true), ("431 5224850 12", true), ("000-0000000-97", true),
            ("B 1234567 89", true), ("B123456789", true), ("B-1234567-89", true),
            ("431-5224850-13", false), ("431522485013", false), ("000-0000000-00", false), ("4315-224850-12", false),
            ("431--5224850-12", false), ("431-5224850-12-", false), ("431522485012 ", false), ("C 1234567 89", false),
            ("B 123456 789", false), ("B 12345678 9", false), ("b 1234567 89", false), ("43152248501", false),
            ("", false),
            // The byte behind `9` would count as ten, and leave the check digits as they are.
            ("431522484:12", false), ("431.5224850.12", false), ("４３１522485012", false),
        ] {
            for name in ["BEeidSn", "BEeidSN"] {
                let card = try #require(
                    try user(#""http://itsme.services/v2/claim/\#(name)":"\#(number)""#).belgianCardNumber)
                #expect(card.value == number && card.isValid == isValid, "\(number)")
            }
        }
    }

    @Test("itsme case 30: a wrong card number is flagged, and the login remains valid (R40)") func cardInLogin()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        for (number, isValid) in [("431-5224850-12", true), ("431-5224850-13", false)] {
            fixture.provider.script.userInfoClaims = {
                $0["http://itsme.services/v2/claim/BEeidSn"] = .string(number)
            }
            #expect(try await fixture.login().itsme.belgianCardNumber?.isValid == isValid)
        }
    }

    @Test(
        "a national number is read in both notations, and its check digits are verified for births before and from 2000"
    )
    func nationalNumbers() throws {
        for (number, isValid) in [
            ("99060427181", true), ("88041827591", true), ("85073003328", true), ("00012556777", true),
            ("88.04.18-275.91", true), ("88041827592", false), ("88.04.18.275.91", false), ("8804182759", false),
            ("88-04-18.275-91", false), ("8804.1827591", false), ("8804182759a", false),
            ("85072:03328", false),
        ] {
            let read = try user(#""http://itsme.services/v2/claim/BENationalNumber":"\#(number)""#)
            #expect(read.belgianNationalNumber?.value == number)
            #expect(read.belgianNationalNumber?.isValid == isValid, "\(number)")
        }
    }

    @Test("itsme case 31: an address is an object, or consists of claims beside sub") func addresses() throws {
        let members = #""street_address":"Keizerslaan 1","locality":"Brussel","postal_code":"1000","country":"BE""#
        let object = try #require(try user(#""address":{\#(members)}"#).address)
        #expect(object.streetAddress == "Keizerslaan 1" && object.locality == "Brussel" && object.formatted == nil)
        #expect(object.postalCode == "1000" && object.country == "BE")
        #expect(try user(members).address == object)
        #expect(try user(#""address":{"country":"BE"},"country":"NL""#).address?.country == "BE")
        #expect(try user(#""sub":"a""#).address == nil)
    }

    @Test("itsme case 32: a flag is a Boolean or a string that spells one, and nothing else") func flags() throws {
        for (value, expected) in [
            ("true", true), ("false", false), (#""true""#, true), (#""false""#, false), (#""True""#, true),
            (#""no""#, nil), ("1", nil), ("null", nil),
        ] as [(String, Bool?)] {
            let texts = #""email":"a@example.com","phone_number":"+32 422010099""#
            let read = try user(#"\#(texts),"email_verified":\#(value),"phone_number_verified":\#(value)"#)
            #expect(read.isEmailVerified == expected && read.isPhoneNumberVerified == expected, "\(value)")
        }
    }

    @Test("itsme case 33: a picture is not fetched, whatever its host is") func pictures() async throws {
        let fixture = try LoginFixture.itsmeV2()
        _ = try await fixture.login()
        let before = fixture.provider.calls
        _ = try await fixture.login()
        let calls = fixture.provider.calls - before
        for url in ["https://attacker.example/v2/picture", LoginFixture.issuer + "/picture"] {
            fixture.provider.script.userInfoClaims = { $0["picture"] = .string(url) }
            let earlier = fixture.provider.calls
            #expect(try await fixture.login().itsme.picture == url)
            #expect(fixture.provider.calls - earlier == calls)
        }
    }

    @Test("itsme case 33: a photo must be a JPEG image of at most 256 KiB") func photos() throws {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
        let largest = jpeg + [UInt8](repeating: 0, count: 256 * 1024 - jpeg.count)
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        for (bytes, expected) in [
            (jpeg, jpeg), (png, nil), ([], nil), (jpeg + [UInt8](repeating: 0, count: 256 * 1024), nil),
            (largest, largest), (largest + [0], nil), (largest + [0, 0], nil),
        ] as [([UInt8], [UInt8]?)] {
            let text = Data(bytes).base64EncodedString()
            for claim in [
                #""tag:sixdots.be,2017-05:2017-05:claim_photo":"\#(text)""#,
                #""http://itsme.services/v2/claim/physical_person_photo":"\#(text)""#,
                #""physical_person_photo":{"format":"image/jpeg","value":"\#(text)"}"#,
            ] {
                #expect(try user(claim).photo == expected)
            }
        }
    }
}
