/// The meaning of the provider's error codes.
public struct ErrorRules: Sendable {
    /// The endpoint that returned an error code; `authorization` is the callback, and `pushedRequest` is the
    /// backchannel authentication endpoint too.
    @nonexhaustive public enum Endpoint: Sendable {
        /// An endpoint of the provider.
        case authorization, token, pushedRequest, userInfo
    }
    /// Returns the meaning of an error code; nil for `providerError` with the action of OAuth. `detail` is the
    /// provider's text (`error_description`), or nil; it is not trusted, and no error contains it.
    package var meaning:
        @Sendable (_ code: ProviderErrorCode, _ detail: String?, _ endpoint: Endpoint) -> ErrorMeaning? = { _, _, _ in
            nil
        }

    /// Creates rules without error codes of the provider's own.
    public init() {}

    /// Creates rules with a function.
    ///
    /// - Parameter meaning: A function that returns the meaning of an error code; nil for `providerError` with the
    ///   action of OAuth.
    public init(
        meaning:
            @escaping @Sendable (_ code: ProviderErrorCode, _ detail: String?, _ endpoint: Endpoint) -> ErrorMeaning?
    ) {
        self.meaning = meaning
    }

    /// Creates rules with a table of error codes, for every endpoint. Codes that are not in the table have the meaning
    /// of OAuth.
    ///
    /// - Parameter meanings: The meanings by error code.
    public init(_ meanings: [String: ErrorMeaning]) {
        meaning = { code, _, _ in meanings[code.description] }
    }

    package func error(
        _ code: ProviderErrorCode, _ detail: String?, _ endpoint: Endpoint, _ step: LoginStep
    ) -> RelyingPartyError {
        guard let meaning = meaning(code, detail, endpoint) else {
            return RelyingPartyError(.providerError(code), in: step)
        }
        return RelyingPartyError(meaning.reason ?? .providerError(code), in: step, action: meaning.action)
    }
}

/// The meaning of an error code.
public struct ErrorMeaning: Sendable {
    /// The reason of the error; nil for `providerError` with the code.
    package var reason: RelyingPartyError.Reason?
    /// The action that the service should take.
    package var action: RelyingPartyError.Action

    /// Creates a meaning.
    ///
    /// - Parameters:
    ///   - reason: The reason of the error; nil for `providerError` with the code.
    ///   - action: The action that the service should take.
    public init(_ reason: RelyingPartyError.Reason? = nil, action: RelyingPartyError.Action) {
        self.reason = reason
        self.action = action
    }
}
