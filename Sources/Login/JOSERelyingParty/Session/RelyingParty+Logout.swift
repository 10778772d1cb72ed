internal import JOSEKeySets
internal import JOSETokens

extension RelyingParty {
    /// Returns a form that ends the user's session at the provider (OpenID Connect RP-Initiated Logout 1.0, 2). The
    /// browser sends it by POST, so that the ID token appears in no URL, log, browser history or `Referer` header.
    ///
    /// - Parameters:
    ///   - idToken: An ID token of the user (`id_token_hint`). Some providers redirect to `returnTo` only if it is
    ///     present.
    ///   - returnTo: The https URL to which the provider redirects the browser after the logout, as it is registered
    ///     (`post_logout_redirect_uri`); nil for no redirect.
    ///   - state: A value that the provider appends to `returnTo` (`state`).
    ///   - hint: The provider among those of the profile, as in ``LoginRequest/provider``; nil if the profile has only
    ///     one.
    /// - Returns: The form, which includes an HTML page that submits it.
    /// - Throws: `configurationError` if the profile does not support RP-initiated logout, `invalidParameter` if
    ///   `returnTo` is not a valid https URL, and `metadataMissing` or `metadataInvalid` if the provider's metadata
    ///   contains no usable logout endpoint.
    public func logoutForm(
        idToken: String, returnTo: String? = nil, state: String? = nil, provider hint: String? = nil
    ) async throws(RelyingPartyError) -> BrowserForm {
        let (endpoint, parameters) = try await logoutRequest(returnTo: returnTo, state: state, provider: hint)
        return BrowserForm(
            url: endpoint, fields: [("id_token_hint", idToken)] + parameters, title: "Log out")
    }

    /// Returns a URL that ends the user's session at the provider without an ID token (OpenID Connect RP-Initiated
    /// Logout 1.0, 2). The provider identifies the session by its own cookie or by `logoutHint`, or asks the user.
    /// ``logoutForm(idToken:returnTo:state:provider:)`` sends an ID token.
    ///
    /// - Parameters:
    ///   - logoutHint: The user or session to log out (`logout_hint`), such as the `sid` of the session. It is part of
    ///     the URL.
    ///   - returnTo: The https URL to which the provider redirects the browser after the logout, as it is registered
    ///     (`post_logout_redirect_uri`); nil for no redirect.
    ///   - state: A value that the provider appends to `returnTo` (`state`).
    ///   - hint: The provider among those of the profile, as in ``LoginRequest/provider``; nil if the profile has only
    ///     one.
    /// - Returns: The URL for the browser.
    /// - Throws: `configurationError` if the profile does not support RP-initiated logout, `invalidParameter` if
    ///   `returnTo` is not a valid https URL, and `metadataMissing` or `metadataInvalid` if the provider's metadata
    ///   contains no usable logout endpoint.
    public func logoutURL(
        logoutHint: String? = nil, returnTo: String? = nil, state: String? = nil, provider hint: String? = nil
    ) async throws(RelyingPartyError) -> String {
        var (endpoint, parameters) = try await logoutRequest(returnTo: returnTo, state: state, provider: hint)
        if let logoutHint { parameters.insert(("logout_hint", logoutHint), at: 0) }
        endpoint += (endpoint.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + FormText.write(parameters)
        return endpoint
    }

    /// Returns the logout endpoint, and the parameters that every request to it has.
    private func logoutRequest(
        returnTo: String?, state: String?, provider hint: String?
    ) async throws(RelyingPartyError) -> (endpoint: String, parameters: [(name: String, value: String)]) {
        guard profile.session.supportsLogout else { throw RelyingPartyError(.configurationError, in: .request) }
        if let returnTo {
            guard let url = WebURL(returnTo), url.scheme == .https, !url.hasFragment, !url.hasUserInformation else {
                throw RelyingPartyError(.invalidParameter("post_logout_redirect_uri"), in: .request)
            }
        }
        let provider = try await directory.provider(hint, until: nil)
        let endpoint = try provider.endpoint(.endSessionEndpoint)
        var parameters = [(name: "client_id", value: client.id)]
        if let returnTo { parameters.append(("post_logout_redirect_uri", returnTo)) }
        if let state { parameters.append(("state", state)) }
        return (endpoint, parameters)
    }

    /// Revokes a token at the provider (RFC 7009). It is not an error if the provider does not know the token, or does
    /// not revoke tokens of its type.
    ///
    /// - Parameters:
    ///   - token: The access token or the refresh token to revoke.
    ///   - hint: The provider among those of the profile, as in ``LoginRequest/provider``; nil if the profile has only
    ///     one.
    /// - Throws: `configurationError` if the profile does not support revocation, or the error of the request.
    public func revoke(_ token: String, provider hint: String? = nil) async throws(RelyingPartyError) {
        guard profile.session.supportsRevocation else { throw RelyingPartyError(.configurationError, in: .request) }
        let provider = try await directory.provider(hint, until: nil)
        let endpoint = try provider.endpoint(.revocationEndpoint)
        let response = try await post(
            [("token", token)], to: endpoint, of: provider, step: .tokenResponse, until: nil)
        guard response.status != 200 else { return }
        let error = refusal(response, .token, .tokenResponse)
        if let code = ProviderErrorCode("unsupported_token_type"), error.reason == .providerError(code) { return }
        throw error
    }
}
