internal import JOSEKeySets

extension RelyingParty {
    /// Returns the error of an error code of the backchannel authentication endpoint or of a poll (OpenID Connect CIBA
    /// Core, 11 and 13). The profile gives the provider's own error codes their meaning first.
    func backChannelError(
        _ code: ProviderErrorCode, _ detail: String?, _ endpoint: ErrorRules.Endpoint, _ step: LoginStep
    ) -> RelyingPartyError {
        if profile.errors.meaning(code, detail, endpoint) == nil,
            let meaning = Self.backChannelMeanings[code.description]
        {
            return RelyingPartyError(meaning.reason ?? .providerError(code), in: step, action: meaning.action)
        }
        return profile.errors.error(code, detail, endpoint, step)
    }

    /// The meanings of the error codes of CIBA that are not those of OAuth.
    package static var backChannelMeanings: [String: ErrorMeaning] {
        [
            "access_denied": ErrorMeaning(.cancelled, action: .tellUser),
            "expired_token": ErrorMeaning(.expired, action: .restart),
            "unknown_user_id": ErrorMeaning(action: .tellUser),
            "expired_login_hint_token": ErrorMeaning(action: .restart),
            "missing_user_code": ErrorMeaning(action: .tellUser),
            "invalid_user_code": ErrorMeaning(action: .tellUser),
            "invalid_binding_message": ErrorMeaning(action: .tellUser),
        ]
    }
}
