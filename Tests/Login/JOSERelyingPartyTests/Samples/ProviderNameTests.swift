import JOSE
import JOSETesting
import JOSETokens
import Testing

@testable import JOSEDigiD
@testable import JOSEItsme
@testable import JOSEMitID
@testable import JOSERelyingParty
@testable import JOSEZenKey

/// Compares the names, codes and levels in the providers' documents with the library's tables.
@Suite("Names, codes and levels of the providers' documents") struct ProviderNameTests {
    @Test("R41 itsme: each documented claim is read under its full name, and another name of the same form is not")
    func itsmeClaims() throws {
        let tag = "tag:itsmetag:sixdots.be,2016-06:"
        let late = "http://itsme.services/v2/claim/"
        let texts: [(name: String, read: (ItsmeUser) -> String?)] = [
            ("name", { $0.name }), ("given_name", { $0.givenName }), ("family_name", { $0.familyName }),
            ("gender", { $0.gender }), ("locale", { $0.locale }), ("email", { $0.email }), ("picture", { $0.picture }),
            ("phone_number", { $0.phoneNumber }), ("street_address", { $0.address?.streetAddress }),
            ("locality", { $0.address?.locality }), ("postal_code", { $0.address?.postalCode }),
            ("country", { $0.address?.country }), (tag + "claim_nationality", { $0.citizenship }),
            (tag + "claim_city_of_birth", { $0.placeOfBirth?.city }),
            (tag + "claim_country_of_birth", { $0.placeOfBirth?.country }),
            ("tag:sixdots.be,2017-05:claim_passport_sn", { $0.passportNumber }),
            (late + "claim_citizenship", { $0.citizenship }), (late + "BEeidSn", { $0.belgianCardNumber?.value }),
            (late + "BENationalNumber", { $0.belgianNationalNumber?.value }),
            (late + "claim_luxtrust_ssn", { $0.luxembourgNumber }),
            (late + "identification_mode", { $0.identificationMode }),
            ("tag:sixdots.be,2020-03:birthdate_as_string", { $0.claim("birthdate_as_string") }),
            (late + "claim_nl_bsn", { $0.claim("claim_nl_bsn") }),
            (late + "IDDocumentSN", { $0.claim("IDDocumentSN") }),
        ]
        for (name, read) in texts {
            #expect(read(try Self.user(#""\#(name)":"value""#)) == "value", "\(name)")
            #expect(read(try Self.user(#""x\#(name)":"value""#)) == nil, "\(name)")
        }
        let card: [(name: String, read: (ItsmeIdentityCard) -> String?)] = [
            ("eid", { $0.number?.value }), ("issuance_locality", { $0.issuanceLocality }),
            ("validity_from", { $0.validFrom }), ("validity_to", { $0.validTo }),
            ("certificate_validity", { $0.certificateValidity }), ("read_date", { $0.readDate }),
            ("national_number", { $0.nationalNumber?.value }),
        ]
        for (name, read) in card {
            let user = try Self.user(#""\#(tag)claim_eid":{"\#(name)":"2017-04-01T19:43:37+0000"}"#)
            #expect(read(try #require(user.belgianCard)) == "2017-04-01T19:43:37+0000", "\(name)")
        }
        let metadata: [(name: String, read: (ItsmeMetadata) -> String?)] = [
            ("validityFrom", { $0.validFrom }), ("validityTo", { $0.validTo }), ("verificationDate", { $0.verified }),
            ("IDIssuingCountry", { $0.issuingCountry }), ("issuance_locality", { $0.issuanceLocality }),
        ]
        for (name, read) in metadata {
            for attribute in ["IDDocumentSN", late + "IDDocumentSN"] {
                let user = try Self.user(#""\#(late)\#(name)":{"\#(attribute)":"value","name":"other"}"#)
                #expect(read(try #require(user.metadata(of: "IDDocumentSN"))) == "value", "\(name)")
                #expect(user.metadata(of: "IDDocumentType") == nil)
            }
            // Metadata that is no object belongs to no attribute.
            #expect(try Self.user(#""\#(late)\#(name)":"value""#).metadata(of: "IDDocumentSN") == nil)
        }
        for mechanism in ["CARD_READER", "CONTACT_LESS", "ID_PROVIDER", "card_reader"] {
            let user = try Self.user(
                #""\#(late)account":{"activationDate":"2020-01-02","activationMechanism":"\#(mechanism)"}"#)
            let account = try #require(user.account)
            #expect(
                account.activated == "2020-01-02"
                    && account.activation?.rawValue == (mechanism == "card_reader" ? nil : mechanism))
        }
        for (value, expected) in [("true", true), (#""false""#, false), ("1", nil)] as [(String, Bool?)] {
            let user = try Self.user(#""\#(late)transaction_ip":"192.0.2.1","\#(late)ongoing_call":\#(value)"#)
            #expect(user.transactionIP == "192.0.2.1" && user.hadOngoingCall == expected)
        }
    }

    private static func user(_ claims: String) throws -> ItsmeUser {
        let claims = try Claims(payload: Array("{\(claims)}".utf8), limits: .standard, layer: .signature)
        return ItsmeUser(claims: ItsmeClaims(sources: [claims]))
    }

    @Test("R41 itsme: the levels are recognized in each spelling, and so are the error codes of the redirect")
    func itsmeLevels() throws {
        for prefix in [
            "tag:itsmetag:sixdots.be,2016-06:", "tag:sixdots.be,2016-06:", "http://itsme.services/v2/claim/",
            "http://itsme.services/V2/claim/",
        ] {
            #expect(
                ItsmeLevel(acr: prefix + "acr_basic") == .basic && ItsmeLevel(acr: prefix + "acr_advanced") == .advanced
            )
            #expect(ItsmeLevel(acr: prefix + "acr_Basic") == nil)
        }
        for (code, action) in [
            ("interaction_required", RelyingPartyError.Action.restart), ("invalid_request_object", .fixConfiguration),
            ("request_uri_not_supported", .fixConfiguration), ("registration_not_supported", .fixConfiguration),
            ("not_implemented", .fixConfiguration), ("temporary_unavailable", .retry), ("access_denied", .tellUser),
            ("a_code_of_nobody", .restart),
        ] {
            let known = try #require(ProviderErrorCode(code))
            #expect(Itsme.errors.error(known, nil, .authorization, .callback).action == action, "\(code)")
        }
        #expect(
            ItsmeTransactionInfo.Level.allCases.map(\.rawValue) == ["SOFT_ONLY", "SIM_ONLY", "SIM_AND_SOFT"])
    }

    @Test("R41 MitID: levels, authenticators, identity types and actions are spelled as the broker spells them")
    func mitID() {
        let prefix = "https://data.gov.dk/concept/core/nsis/"
        #expect(NSISLevel.allCases.map(\.uri) == ["Low", "Substantial", "High"].map { prefix + $0 })
        #expect(NSISLevel.allCases.map(\.parameter) == ["low", "substantial", "high"])
        let means: [(String, MitIDAuthenticator)] = [
            ("password", .password), ("code_token", .codeToken), ("code_reader", .codeReader), ("code_app", .codeApp),
            ("code_app_enchanced", .codeAppEnhanced), ("code_app_enhanced", .codeAppEnhanced), ("u2f_token", .u2fToken),
        ]
        for (name, value) in means { #expect(MitIDAuthenticator(name) == value) }
        #expect(["private", "professional", "test"].allSatisfy { MitIDIdentityType(rawValue: $0) != nil })
        #expect(
            MitIDParameters.Action.allCases.map(\.rawValue) == ["LOG_ON", "APPROVE", "CONFIRM", "ACCEPT", "SIGN"])
        #expect(
            MitIDScope.allCases.map(\.rawValue) == [
                "ssn", "ssn.details_name", "ssn.details_address", "userinfo_token", "transaction_token", "nemid.pid",
                "offline_access",
            ])
    }

    @Test("R41 ZenKey: each error code has the type that the guide gives it, and each level its rank") func zenKey()
        throws
    {
        let types: [(ZenKeyErrorType, [String])] = [
            (.configurationError, ["invalid_request", "unauthorized_client"]),
            (.invalidRequest, ["invalid_scope", "invalid_request_object"]),
            (.requestDenied, ["access_denied", "device_unavailable", "request_denied"]),
            (.serverError, ["temporarily_unavailable", "server_error"]), (.networkFailure, ["network_failure"]),
            (.requestTimeout, ["authentication_timed_out"]),
            (
                .discoveryStateError,
                ["user_not_found", "user_unsupported", "invalid_login_hint", "invalid_login_hint_token"]
            ),
            (
                .unknownError,
                [
                    "unsupported_response_type", "interaction_required", "login_required", "consent_required",
                    "account_selection_required", "invalid_request_uri", "request_not_supported",
                    "request_uri_not_supported", "registration_not_supported",
                ]
            ),
        ]
        #expect(Set(types.map { "\($0.0)" }).count == ZenKeyErrorType.allCases.count)
        for (type, codes) in types {
            for code in codes { #expect(ZenKeyErrorType(try #require(ProviderErrorCode(code))) == type, "\(code)") }
        }
        for (acr, rank) in [
            ("a1", 1), ("a2", 2), ("a3", 3), ("aal1", 1), ("aal2", 2), ("aal3", 3), ("loa2", 2), ("loa3", 3),
        ] { #expect(ZenKey.rank(acr) == rank) }
        #expect(ZenKey.rank("a4") == nil && ZenKey.rank("A3") == nil && ZenKey.rank("loa1") == nil)
    }

    @Test("R41 DigiD: class references of the levels, and messages of the app's return, have the documented spelling")
    func digiD() {
        let classes = "urn:oasis:names:tc:SAML:2.0:ac:classes:"
        for (level, reference, eIDAS) in [
            (DigiDLevel.basis, "PasswordProtectedTransport", nil), (.midden, "MobileTwoFactorContract", "low"),
            (.substantieel, "Smartcard", "substantial"), (.hoog, "SmartcardPKI", "high"),
        ] {
            #expect(level.classReference == classes + reference)
            #expect(level.eIDAS == eIDAS.map { "http://eidas.europa.eu/LoA/" + $0 })
        }
        for (message, failure) in [
            ("_by_user", RelyingPartyError.Reason.cancelled), ("cancelled_by_user", .cancelled),
            ("not_activated", .notActivated), ("timeout", .tooOld), ("icon_missing", .missingParameter("Icon")),
        ] { #expect(RelyingPartyError.digiD(message: message).reason == failure, "\(message)") }
    }
}
