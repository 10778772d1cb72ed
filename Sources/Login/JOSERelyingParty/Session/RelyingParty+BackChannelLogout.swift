internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

/// The user or the session that a verified logout token names, and that the service must log out.
public struct LogoutNotice: Sendable, Equatable {
    /// The issuer (`iss`) of the logout token.
    public let issuer: String
    /// The subject (`sub`) of the user; nil if the token contains none. If ``sessionID`` is nil, all sessions of the
    /// user end.
    public let subject: String?
    /// The session ID (`sid`), which is also in the ID token of the session; nil if the logout token contains none.
    public let sessionID: String?
    /// The key of the confirmation in the store.
    let confirmationKey: StoreKey
    /// The time from which the token is rejected as expired, the leeway included.
    let expires: NumericDate
}

extension RelyingParty {
    /// Verifies a logout token that the provider sent by POST, and returns the user or the session to log out (OpenID
    /// Connect Back-Channel Logout 1.0, 2.6).
    ///
    /// The service ends the sessions that the notice names, calls ``confirmLogout(_:)``, and then responds with status
    /// 200. The token counts as used only after the confirmation: if the service or the store fails earlier, the
    /// provider can send the token again, and the call returns an equal notice. A session may thus be ended twice,
    /// which is harmless, but none is forgotten.
    ///
    /// - Parameters:
    ///   - token: The value of the parameter `logout_token`.
    ///   - hint: The provider among those of the profile, as in ``LoginRequest/provider``; nil if the profile has only
    ///     one.
    /// - Returns: The notice with the issuer, and the user, the session or both.
    /// - Throws: `replayed` for a token whose logout was confirmed before, `configurationError` if the profile does not
    ///   support back-channel logout, `storeUnavailable` if the store does not respond, or the error of the check that
    ///   failed.
    public func acceptLogout(
        token: String, provider hint: String? = nil
    ) async throws(RelyingPartyError) -> LogoutNotice {
        guard let type = profile.session.logoutTokenType else {
            throw RelyingPartyError(.configurationError, in: .logoutToken)
        }
        let provider = try await directory.provider(hint, until: nil)
        let claims = try await verified(token, type, provider).claims
        guard let issuer = claims.issuer, let tokenID = claims.tokenID, !tokenID.isEmpty,
            let expiration = claims.expiration
        else { throw RelyingPartyError(.claimMissing("jti"), in: .logoutToken) }
        let key: StoreKey
        let isConfirmed: Bool
        do throws(StoreError) {
            key = try StoreKey(kind: "logout", issuer: issuer, value: tokenID)
            isConfirmed = try await store.value(for: key) != nil
        } catch {
            throw RelyingPartyError(error)
        }
        guard !isConfirmed else { throw RelyingPartyError(.replayed, in: .logoutToken) }
        return LogoutNotice(
            issuer: issuer, subject: claims.subject, sessionID: claims.string("sid"), confirmationKey: key,
            expires: expiration + profile.idToken.leeway)
    }

    /// Records that the sessions of a notice have ended. From then on its logout token is rejected as `replayed`. The
    /// call may be repeated.
    ///
    /// - Parameter notice: The notice that ``acceptLogout(token:provider:)`` returned.
    /// - Throws: `storeUnavailable` or `storeFull`. The service then responds with a status other than 200, so that the
    ///   provider can send the token again.
    public func confirmLogout(_ notice: LogoutNotice) async throws(RelyingPartyError) {
        // An expired token is rejected in any case and needs no mark.
        guard let lifetime = StoreLifetime.ofMark(until: notice.expires, now: clock.now) else { return }
        do throws(StoreError) {
            _ = try await store.insert([1], for: notice.confirmationKey, lifetime: lifetime)
        } catch {
            throw RelyingPartyError(error)
        }
    }

    private func verified(
        _ token: String, _ type: TypeRule, _ provider: Provider
    ) async throws(RelyingPartyError) -> VerifiedToken {
        let rules = profile.idToken.token
        var logout = LogoutTokenProfile(
            issuer: provider.issuer, clientID: client.id, algorithms: rules.algorithms, replayStore: nil)
        logout.type = type
        if let issuers = location.issuers { logout.claims.issuer = .template(issuers.template) }
        logout.claims.clock = clock
        logout.claims.leeway = profile.idToken.leeway
        if rules.layers == .nested {
            logout.encryption = EncryptionPolicy(
                keyManagement: rules.keyManagement, contentEncryption: rules.contentEncryption)
        }
        do throws(TokenError) {
            let verifier = try TokenVerifier(
                logout, verificationKeys: rules.selectKeys(provider.keys),
                decryptionKeys: client.credentials.decryption)
            return try await verifier.verify(Array(token.utf8), timeout: .seconds(5))
        } catch {
            throw RelyingPartyError(
                RelyingPartyError.Reason(error, keysOf: provider.keys)
                    ?? RelyingPartyError.Reason(error, isNested: rules.layers == .nested), in: .logoutToken)
        }
    }
}
