import JOSEMitID
import JOSERelyingParty
import Testing

@Suite("MitID: levels, authenticators and codes") struct MitIDLevelTests {
    @Test("levels are recognized by their whole URI, and are ordered") func levels() {
        let prefix = "https://data.gov.dk/concept/core/nsis/"
        #expect(NSISLevel(uri: prefix + "High") == .high)
        #expect(NSISLevel(uri: prefix + "Substantial") == .substantial)
        #expect(NSISLevel(uri: prefix + "Low") == .low)
        for other in [
            prefix + "high", prefix + "High/", "https://data.gov.dk/concept/core/nsis/loa/High",
            "http://data.gov.dk/concept/core/nsis/High", "High", prefix, "",
        ] {
            #expect(NSISLevel(uri: other) == nil, "\(other)")
        }
        #expect(NSISLevel.low < .substantial && .substantial < NSISLevel.high)
    }

    @Test("the broker's misspelling of an authenticator is accepted as the correct spelling") func authenticators() {
        #expect(MitIDAuthenticator("code_app_enchanced") == .codeAppEnhanced)
        #expect(MitIDAuthenticator("code_app_enhanced") == .codeAppEnhanced)
        #expect(MitIDAuthenticator("code_app") != .codeAppEnhanced)
    }

    @Test("each code of the broker's list has an action, and any other has none") func codes() {
        let rows: [(MitIDBrokerCode.Outcome, [String])] = [
            (.cancelled, ["mitid_user_aborted", "workflow_signing_aborted", "declined_user_consent"]),
            (.freshStart, ["mitid_timeout", "idp_correlation_failure", "user_is_missing_cookies"]),
            (.wrongBrowser, ["mitid_browser_not_supported"]),
            (.configuration, ["invalid_idp_params", "mitid_simulation_not_allowed", "invalid_tin"]),
            (.tellUser, ["mitid_cpr_match_failed", "mitid_erhverv.no_identities"]),
            (.investigate, ["mitid_auth_code_already_used", "transaction_signing_hash_mismatch"]),
            (.retryLater, ["internal_error", "mitid_core_client_error", "idp_remote_error"]),
        ]
        for (outcome, codes) in rows {
            for code in codes { #expect(MitIDBrokerCode.outcome(of: code) == outcome, "\(code)") }
        }
        for code in ["", "user_abort", "MITID_USER_ABORTED", "mitid_user_aborted ", "mitid_simulatio"] {
            #expect(MitIDBrokerCode.outcome(of: code) == nil, "\(code)")
        }
        #expect(MitIDBrokerCode.Outcome.investigate.action == .investigate)
        #expect(MitIDBrokerCode.Outcome.freshStart.action == .restart)
        #expect(MitIDBrokerCode.Outcome.cancelled.action == .tellUser)
        #expect(MitIDBrokerCode.Outcome.configuration.action == .fixConfiguration)
    }
}
