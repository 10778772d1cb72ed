internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

/// Whom a provider says to log out.
public struct LogoutNotice: Sendable, Equatable {
    /// Who says so.
    public let issuer: String
    /// The user, where it names one; of all their sessions where it names no session.
    public let subject: String?
    /// `sid` of the ID token of the session, where it names one.
    public let sessionID: String?
}

extension RelyingParty {
    /// Where to send a user who logs out, so that the provider's session ends too (OpenID Connect RP-Initiated Logout 1.0, 2).
    /// `returnTo` is an address that is registered with the provider. Throws `configurationError` where the profile has no such logout.
    public func logoutURL(
        idToken: String, returnTo: String? = nil, state: String? = nil, provider hint: String? = nil
    ) async throws(RelyingPartyError) -> String {
        guard profile.logout.isInitiated else { throw RelyingPartyError(.configurationError, in: .request) }
        if let returnTo {
            guard let url = WebURL(returnTo), url.scheme == .https, !url.hasFragment, !url.hasUserInformation else {
                throw RelyingPartyError(.invalidParameter("post_logout_redirect_uri"), in: .request)
            }
        }
        let provider = try await directory.provider(hint)
        guard let endpoint = provider.metadata.endSessionEndpoint else {
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        var query = [(name: "id_token_hint", value: idToken), (name: "client_id", value: client.id)]
        if let returnTo { query.append(("post_logout_redirect_uri", returnTo)) }
        if let state { query.append(("state", state)) }
        return endpoint + (endpoint.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + FormText.write(query)
    }

    /// Takes a logout token that the provider posted (OpenID Connect Back-Channel Logout 1.0, 2.6): each once. The service ends
    /// the sessions that it names, and answers 200. Throws `configurationError` where the profile has none.
    public func acceptLogout(
        token: String, provider hint: String? = nil
    ) async throws(RelyingPartyError) -> LogoutNotice {
        guard let type = profile.logout.tokenType else {
            throw RelyingPartyError(.configurationError, in: .logoutToken)
        }
        let provider = try await directory.provider(hint)
        let verified = try await verified(token, type, provider)
        guard let issuer = verified.claims.issuer, let tokenID = verified.claims.tokenID, !tokenID.isEmpty,
            let expiration = verified.claims.expiration
        else { throw RelyingPartyError(.claimMissing("jti"), in: .logoutToken) }
        let leeway = profile.idToken.leeway
        let isNew: Bool
        do throws(StoreError) {
            isNew = try await store.insert(
                [1], for: StoreKey(kind: "logout", value: "\(issuer.utf8.count):\(issuer)\(tokenID)"),
                lifetime: expiration + leeway - clock.seconds)
        } catch {
            throw RelyingPartyError(RelyingPartyFailure(error), in: .store)
        }
        guard isNew else { throw RelyingPartyError(.replayed, in: .logoutToken) }
        return LogoutNotice(
            issuer: issuer, subject: verified.claims.subject, sessionID: verified.claims.string("sid"))
    }

    private func verified(
        _ token: String, _ type: TypeRule, _ provider: Provider
    ) async throws(RelyingPartyError) -> VerifiedToken {
        let rules = profile.idToken.token
        var logout = LogoutTokenProfile(
            issuer: provider.issuer, clientID: client.id, algorithms: rules.algorithms, replayStore: nil)
        logout.type = type
        logout.claims.clock = clock
        logout.claims.leeway = profile.idToken.leeway
        if rules.layers == .nested {
            logout.encryption = EncryptionPolicy(
                keyManagement: rules.keyManagement, contentEncryption: rules.contentEncryption)
        }
        do {
            let verifier = try ProfileVerifier(
                logout, verificationKeys: rules.selectsKeys(provider.keys),
                decryptionKeys: client.credentials.decryption)
            return try await verifier.verify(Array(token.utf8), waiting: .seconds(5))
        } catch let error as TokenError {
            throw RelyingPartyError(RelyingPartyFailure(error, isNested: rules.layers == .nested), in: .logoutToken)
        } catch {
            throw RelyingPartyError(.interrupted, in: .logoutToken)
        }
    }

    /// Asks the provider to forget a token (RFC 7009). That it does not know the token, or this kind of token, is no error. Throws
    /// `configurationError` where the profile has no revocation.
    public func revoke(_ token: String, provider hint: String? = nil) async throws(RelyingPartyError) {
        guard profile.logout.revokes else { throw RelyingPartyError(.configurationError, in: .request) }
        let provider = try await directory.provider(hint)
        guard let endpoint = provider.metadata.revocationEndpoint else {
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        let response = try await post([("token", token)], to: endpoint, of: provider, step: .tokenResponse)
        guard response.status != 200 else { return }
        let error = refusal(response, .token, .tokenResponse)
        if let code = ProviderErrorCode("unsupported_token_type"), error.failure == .providerError(code) { return }
        throw error
    }
}
