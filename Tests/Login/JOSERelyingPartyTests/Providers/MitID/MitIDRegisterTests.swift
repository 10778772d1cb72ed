import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("MitID: claims of registers and of other providers") struct MitIDRegisterTests {
    private let fixture: MitIDFixture
    private static let protected: ClaimValue = "NAVNE & ADRESSEBESKYTTET"

    init() throws { fixture = try MitIDFixture() }

    private func details(_ claims: [String: ClaimValue]) async throws -> MitIDCivilDetails? {
        let named = Dictionary(uniqueKeysWithValues: claims.map { ("ssn.details." + $0.key, $0.value) })
        return try await fixture.answer(.mitID(scopes: [.nameDetails]), by: "mitid", userInfo: named).mitID?
            .civilDetails
    }

    @Test("MitID case 41: the status of a person is read without regard to case, and a protected name is nil")
    func civilDetails() async throws {
        let plain: [String: ClaimValue] = [
            "status": "success", "name_address_protected": "false", "person_status": "Active", "given_name": "Anna",
            "middle_name": "", "surname": "Hansen", "care_of_name": "Bo", "city_name": "Valby", "floor": "2",
            "street_name": "Vej", "street_number": "1B", "unit": "TV", "zip_code": "2500", "zip_name": "Valby",
        ]
        let known = try #require(try await details(plain))
        #expect(known.givenName == "Anna" && known.middleName == nil && known.surname == "Hansen")
        #expect(known.careOfName == "Bo" && known.cityName == "Valby" && known.floor == "2" && known.unit == "TV")
        #expect(known.streetName == "Vej" && known.streetNumber == "1B")
        #expect(known.zipCode == "2500" && known.zipName == "Valby")
        #expect(known.isAvailable && !known.isProtected && known.personStatus == .active)
        // The flag, or the text in place of a name, protects all names.
        for (name, value) in [("name_address_protected", "true"), ("given_name", Self.protected)]
            as [(String, ClaimValue)]
        {
            let hidden = try #require(try await details(plain.merging([name: value]) { $1 }))
            #expect(hidden.isProtected && hidden.givenName == nil && hidden.surname == nil && hidden.careOfName == nil)
            #expect(hidden.personStatus == .active)
        }
        let address = try #require(try await details(plain.merging(["street_name": Self.protected]) { $1 }))
        #expect(address.isProtected && address.streetName == nil && address.zipCode == "2500")
        let absent = try #require(try await details(plain.merging(["status": "unable_to_lookup"]) { $1 }))
        #expect(!absent.isAvailable && !absent.isProtected && absent.personStatus == nil)
        #expect(absent.surname == nil && absent.zipCode == nil)
        // A register that was not read may leave its texts out, empty or null, and the flag still protects.
        let empty = plain.mapValues { _ in ClaimValue.null }.merging(["status": "unable_to_lookup"]) { $1 }
        #expect(try await details(empty)?.isAvailable == false)
        let blank = plain.mapValues { _ in ClaimValue.string("") }.merging(["name_address_protected": "true"]) { $1 }
        #expect(try await details(blank)?.isProtected == true)
        let flagged = try await details(["status": "unable_to_lookup", "name_address_protected": "true"])
        #expect(flagged?.isAvailable == false && flagged?.isProtected == true)
        #expect(try await details([:]) == nil)
        #expect("\(known)" == "MitIDCivilDetails")
        for (name, value) in [("given_name", 1), ("name_address_protected", "maybe"), ("name_address_protected", true)]
            as [(String, ClaimValue)]
        {
            let error = try await refusal { try await details(plain.merging([name: value]) { $1 }) }
            #expect(error == RelyingPartyError(.claimType(ClaimName("ssn.details.\(name)")), in: .userInfo), "\(name)")
        }
    }

    @Test("MitID case 41: every status of the broker's list has a case, and any other stays a text")
    func statuses() {
        for (text, status) in [
            ("active", .active), ("Active", .active), ("ActiveWithHighRoadCode", .activeWithHighRoadCode),
            ("ActiveRegisteredResidenceInGreenlandICCPR", .activeInGreenland),
            ("ActiveRegisteredResidenceInGreenlandICCPRWithHighRoadCode", .activeInGreenlandWithHighRoadCode),
            ("ActiveAdministrativeSocialSecurityNumber", .activeAdministrativeNumber),
            ("CancelledSocialSecurityNumber", .cancelledNumber), ("DeletedSocialSecurityNumber", .deletedNumber),
            ("ChangedSocialSecurityNumber", .changedNumber), ("MISSING", .missing), ("Emigrated", .emigrated),
            ("deceased", .deceased), ("Resting", .other("Resting")), ("", .other("")),
            ("act\u{131}ve", .other("act\u{131}ve")),
        ] as [(String, MitIDPersonStatus)] {
            #expect(MitIDPersonStatus(text) == status, "\(text)")
        }
    }

    @Test("MitID case 44: a user with a pseudonym has no names")
    func pseudonyms() async throws {
        let claims: [String: ClaimValue] = [
            "name": "Anna Hansen", "given_name": "Anna", "family_name": "Hansen", "email": "anna@firm.test",
            "date_of_birth": "1988-02-29", "nemid.rid": "CVR:1-RID:2", "org_name": "Firm", "cvr": "12345678",
            "persistent_professional_id": "p-1", "se_number": "11111111", "p_number": "1000000001", "cpr_uuid": "u-1",
            "cpr": "2902881234", "auth_to_repr": "true",
        ]
        func user(_ more: [String: ClaimValue]) async throws -> MitIDBusinessUser? {
            let named = claims.merging(more) { $1 }.map { ("nemlogin." + $0.key, $0.value) }
            return try await fixture.answer(
                .mitIDErhverv(), by: "mitid_erhverv", userInfo: Dictionary(uniqueKeysWithValues: named)
            ) { $0["identity_type"] = "professional" }.mitIDBusinessUser
        }
        let known = try #require(try await user(["alias": "Anna"]))
        #expect(known.name == "Anna Hansen" && known.givenName == "Anna" && known.familyName == "Hansen")
        #expect(known.alias == "Anna" && !known.isPseudonym && known.email == "anna@firm.test")
        #expect(known.dateOfBirth == "1988-02-29" && known.nemIDRID == "CVR:1-RID:2")
        #expect(known.organizationName == "Firm" && known.persistentProfessionalID == "p-1")
        #expect(known.cvr == "12345678" && known.isCVRValid && known.seNumber == "11111111")
        #expect(known.pNumber == "1000000001" && known.cprUUID == "u-1" && known.authorityToRepresent == "true")
        #expect(known.cpr == CPRNumber("290288-1234"))
        let hidden = try #require(try await user(["alias": "Pseudonym"]))
        #expect(hidden.isPseudonym && hidden.name == nil && hidden.givenName == nil && hidden.familyName == nil)
        #expect(hidden.organizationName == "Firm")
        for cvr in ["1234567", "123456789", "1234567a", "1234567\u{0664}"] {
            let flagged = try await user(["cvr": .string(cvr)])
            #expect(flagged?.cvr == cvr && flagged?.isCVRValid == false)
        }
        let error = try await refusal { try await user(["cpr": "12"]) }
        #expect(error == RelyingPartyError(.claimType("nemlogin.cpr"), in: .userInfo))
        var printed = "\(known)"
        dump(known, to: &printed)
        #expect(!printed.contains("Anna") && !printed.contains("2902"))
        // The claims are those of MitID Erhverv alone.
        let other = try await fixture.answer(.mitID(), by: "mitid", userInfo: ["nemlogin.name": "Anna"])
        #expect(other.mitIDBusinessUser == nil)
    }

    @Test("person identification data are read from userinfo or the ID token, and are secret")
    func persons() async throws {
        let request = LoginRequest.altIDPerson(AltIDClaim.allCases)
        let info: [String: ClaimValue] = [
            "full_name": "Anna Hansen", "family_name": "Hansen", "given_name": "Anna", "birth_date": "1988-02-29",
            "birth_place": "Valby", "nationality": ["DK", "SE"], "personal_administrative_number": "2902881234",
            "expiry_date": "2030-01-01", "issuing_authority": "Authority",
        ]
        let user = try await fixture.answer(request, by: "euid", userInfo: info) { claims in
            MitIDFixture.bare(&claims)
            claims["resident_address"] = "Vej 1"
            claims["issuing_country"] = "DK"
        }
        let person = try #require(user.altIDPerson)
        #expect(person.fullName == "Anna Hansen" && person.familyName == "Hansen" && person.givenName == "Anna")
        #expect(person.birthDate == "1988-02-29" && person.birthPlace == "Valby")
        #expect(person.nationalities == ["DK", "SE"] && person.residentAddress == "Vej 1")
        #expect(person.cpr == CPRNumber("2902881234") && person.expiryDate == "2030-01-01")
        #expect(person.issuingAuthority == "Authority" && person.issuingCountry == "DK")
        var printed = "\(person)"
        dump(person, to: &printed)
        #expect(!printed.contains("2902") && !printed.contains("Anna"))
        for (name, value) in [("nationality", 1), ("personal_administrative_number", "12"), ("full_name", true)]
            as [(String, ClaimValue)]
        {
            let error = try await fixture.refused(
                request, by: "euid", userInfo: info.merging([name: value]) { $1 }, MitIDFixture.bare)
            #expect(error == RelyingPartyError(.claimType(ClaimName(name)), in: .userInfo), "\(name)")
        }
        #expect(try await fixture.answer(.mitID(), by: "mitid", userInfo: info).altIDPerson == nil)
    }

    @Test("the identifiers of NemID and SoloID are read from userinfo")
    func identifiers() async throws {
        let info: [String: ClaimValue] = ["nemid.pid": "9208-2002-2-1", "nemid.pid_status": "success"]
        let user = try await fixture.answer(.mitID(scopes: [.nemIDPID]), by: "mitid", userInfo: info).mitID
        #expect(user?.nemIDPID == "9208-2002-2-1" && user?.nemIDPIDStatus == "success" && user?.soloIDUUID == nil)
        let solo = try await fixture.answer(
            MitIDFixture.request([.soloID], scopes: ["soloid"]), by: "soloid",
            userInfo: ["soloid.mitid_uuid": "0b9c6e2e"], MitIDFixture.bare)
        #expect(solo.mitID?.soloIDUUID == "0b9c6e2e" && solo.mitID?.nemIDPID == nil)
    }
}
