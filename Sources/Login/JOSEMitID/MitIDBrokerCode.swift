package import JOSERelyingParty
internal import JOSESupport

/// The error codes that the broker returns as the `error_description` of `access_denied`, and their meaning.
package struct MitIDBrokerCode: Sendable {
    /// The meaning of a broker's error code.
    package enum Outcome: Sendable, Equatable {
        /// The user cancelled the login.
        case cancelled
        /// The user's session at the broker was lost. A new login may succeed.
        case freshStart
        /// MitID does not support the user's browser.
        case wrongBrowser
        /// The configuration or the registration of the service is wrong, and its operator must correct it.
        case configuration
        /// The user cannot log in in this way, and should be told so.
        case tellUser
        /// The request was manipulated, or a code was used twice. The operator of the service should investigate a
        /// possible attack.
        case investigate
        /// The broker, or a system on which it depends, has failed. A later login may succeed.
        case retryLater
    }

    /// Returns the meaning of an error code.
    ///
    /// - Parameter code: The value of `error_description`.
    /// - Returns: The meaning; nil for a code that is not in the broker's list.
    package static func outcome(of code: String) -> Outcome? {
        if let row = exact.first(where: { row in row.codes.contains { bytesEqual($0, code) } }) {
            return row.outcome
        }
        return code.utf8.starts(with: simulation.utf8) ? .configuration : nil
    }

    /// The prefix of the codes of simulated logins.
    private static let simulation = "mitid_simulation_"

    private static let exact: [(outcome: Outcome, codes: [String])] = [
        (
            .cancelled,
            [
                "user_aborted", "mitid_user_aborted", "mitid_core_client_error_user_abort",
                "mitid_erhverv_user_aborted", "declined_user_consent", "private_to_business_user_aborted",
                "privilege_cvr_select_user_aborted", "workflow_signing_aborted",
            ]
        ),
        (
            .freshStart,
            [
                "mitid_timeout", "no_ctx", "idp_no_ctx", "mitid_no_ctx", "no_ctx_idp_params",
                "user_is_missing_cookies", "user_missing_timed_cookies", "user_navigation_error",
                "user_navigation_error_empty_state", "mitid_user_navigation_error_empty_state",
                "mitid_anti_forgery_validation_error", "oidc_correlation_continue_failed", "idp_correlation_failure",
            ]
        ),
        (.wrongBrowser, ["mitid_browser_not_supported"]),
        (
            .configuration,
            [
                "invalid_idp_params", "invalid_idp_configuration_or_parameter", "mitid_uuid_hint_malformed",
                "invalid_tin", "invalid_consent_id", "invalid_user_for_user_consent",
            ]
        ),
        (
            .tellUser,
            [
                "mitid_cpr_match_failed", "mitid_identity_not_found", "mitid_erhverv.no_identities",
                "missing_user_consent", "missing_user_in_session",
            ]
        ),
        (
            .investigate,
            [
                "mitid_auth_code_already_used", "mitid_transfer_token_exchange_code_already_used",
                "mitid_invalid_transfer_token_code", "transaction_signing_hash_mismatch",
                "mitid_transaction_signing_failed", "transaction_signing_lokal_idp_correlation_error",
            ]
        ),
        (
            .retryLater,
            [
                "internal_error", "mitid_internal_error", "mitid_unexpected_error", "mitid_core_client_error",
                "mitid_erhverv_api_error", "idp_remote_error",
            ]
        ),
    ]
}

extension MitIDBrokerCode.Outcome {
    /// The action for this outcome, as one of the actions that all providers share.
    package var action: RelyingPartyError.Action {
        switch self {
        case .cancelled, .tellUser, .wrongBrowser: .tellUser
        case .freshStart, .retryLater: .restart
        case .configuration: .fixConfiguration
        case .investigate: .investigate
        }
    }
}
