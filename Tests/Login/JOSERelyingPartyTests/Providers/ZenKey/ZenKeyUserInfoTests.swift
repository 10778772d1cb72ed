import JOSERelyingParty
import JOSETokens
import JOSEZenKey
import Testing

@Suite("ZenKey: userinfo") struct ZenKeyUserInfoTests {
    private static let flat = #"""
        {"sub":"mccmnc-1","name":"Jane Doe","given_name":"Jane","family_name":"Doe","email":"jane@example.com",
        "email_verified":"true","postal_code":"90210-3456","phone_number":"+13101234567","phone_number_verified":"false",
        "birthdate":"1990-01-02","last_4_social":"1234","is_adult18":"true",
        "address":{"street_address":"1 Main","locality":"LA","region":"CA","postal_code":"90210","country":"US"}}
        """#
    private static let nested = #"""
        {"sub":"mccmnc-1","name":{"value":"Jane Doe","given_name":"Jane","family_name":"Doe"},
        "email":{"value":"jane@example.com"},"email_verified":true,"postal_code":{"value":"90210-3456"},
        "phone":{"value":"+13101234567"},"phone_number_verified":false,"birthdate":"1990-01-02",
        "last_4_social":"1234","is_adult18":true,
        "address":{"street_address":"1 Main","locality":"LA","region":"CA","postal_code":"90210","country":"US"}}
        """#
    private func read(_ text: String) throws(RelyingPartyError) -> ZenKeyUserInfo {
        try ZenKeyUserInfo(parsing: Array(text.utf8))
    }

    @Test("ZenKey case 17: \"true\" is true, \"yes\" is rejected, and flat and nested responses yield equal values")
    func shapes() throws {
        let flat = try read(Self.flat)
        #expect(flat.isEmailVerified == true)
        #expect(flat.isPhoneNumberVerified == false)
        #expect(flat.phoneNumber == "+13101234567")
        #expect(flat.name == "Jane Doe" && flat.givenName == "Jane" && flat.familyName == "Doe")
        #expect(flat.address?.locality == "LA")
        let isEqual = try read(Self.nested) == flat
        #expect(isEqual)
        #expect(throws: RelyingPartyError(.claimType("email_verified"), in: .userInfo)) {
            try read(#"{"sub":"s","email_verified":"yes"}"#)
        }
        for value in [#""True""#, #""1""#, "1", #""""#, "{}"] {
            #expect(throws: RelyingPartyError(.claimType("phone_number_verified"), in: .userInfo), "\(value)") {
                try read(#"{"sub":"s","phone_number_verified":\#(value)}"#)
            }
        }
        #expect(try read(#"{"sub":"s"}"#).isEmailVerified == nil)
        // A member that is null is absent.
        let absent = try read(
            #"{"sub":"s","email_verified":null,"email":null,"address":null,"name":{"value":null}}"#)
        #expect(absent.isEmailVerified == nil && absent.email == nil)
        #expect(absent.address == nil && absent.name == nil)
    }

    @Test("rejects a response with a member of a wrong type, or with two values that differ")
    func types() throws {
        let wrong: [(String, RelyingPartyError.Reason)] = [
            (#"{"sub":"s","name":1}"#, .claimType("name")), (#"{"sub":"s","name":{"value":1}}"#, .claimType("name")),
            (#"{"sub":"s","email":[]}"#, .claimType("email")), (#"{"sub":"s","address":"x"}"#, .claimType("address")),
            (#"{"sub":"s","address":{"region":1}}"#, .claimType("address")),
            (#"{"sub":"s","phone_number":"+1","phone":{"value":"+2"}}"#, .claimUnexpected("phone_number")),
            (#"{"sub":null}"#, .claimMissing("sub")), (#"{"sub":1}"#, .claimType("sub")),
            (#"{"sub":""}"#, .claimType("sub")), ("{}", .claimMissing("sub")),
            (#"{"sub":"s","sub":"t"}"#, .malformed), ("[]", .malformed), ("", .malformed),
        ]
        for (text, failure) in wrong {
            #expect(throws: RelyingPartyError(failure, in: .userInfo), "\(text)") { try read(text) }
        }
        #expect(try read(#"{"sub":"s","phone_number":"+1","phone":{"value":"+1"}}"#).phoneNumber == "+1")
    }

    @Test("no description contains anything about the user")
    func descriptions() throws {
        let info = try read(Self.flat)
        var dumped = "\(info) \(String(reflecting: info)) \(info.address as Any)"
        dump(info, to: &dumped)
        for secret in ["Jane", "mccmnc-1", "90210", "1234", "Main"] {
            let isSilent = !dumped.contains(secret)
            #expect(isSilent)
        }
    }

    @Test("each error code has its type and its action")
    func errorTable() throws {
        let table: [(String, ZenKeyErrorType, RelyingPartyError.Action)] = [
            ("invalid_request", .configurationError, .fixConfiguration),
            ("unauthorized_client", .configurationError, .fixConfiguration),
            ("invalid_scope", .invalidRequest, .fixConfiguration),
            ("invalid_request_object", .invalidRequest, .fixConfiguration),
            ("access_denied", .requestDenied, .tellUser), ("device_unavailable", .requestDenied, .tellUser),
            ("request_denied", .requestDenied, .investigate), ("login_required", .unknownError, .restart),
            ("unsupported_response_type", .unknownError, .investigate), ("server_error", .serverError, .restart),
            ("temporarily_unavailable", .serverError, .restart), ("network_failure", .networkFailure, .restart),
            ("authentication_timed_out", .requestTimeout, .restart), ("user_not_found", .discoveryStateError, .restart),
            ("user_unsupported", .discoveryStateError, .restart),
            ("invalid_login_hint", .discoveryStateError, .restart),
            ("invalid_login_hint_token", .discoveryStateError, .restart), ("made_up", .unknownError, .investigate),
        ]
        for (text, type, action) in table {
            let code = try #require(ProviderErrorCode(text))
            #expect(ZenKeyErrorType(code) == type, "\(text)")
            #expect(ZenKeyErrorType.action(code) == action, "\(text)")
        }
    }
}
