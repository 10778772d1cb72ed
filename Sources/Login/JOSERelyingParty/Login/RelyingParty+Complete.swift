internal import JOSE
internal import JOSEKeySets
internal import JOSESupport
internal import JOSETokens

extension RelyingParty {
    /// Completes a login.
    ///
    /// A callback from a browser that did not begin the login, or of a login that was already completed, is rejected
    /// before any request is sent to the provider. After a successful login the service redirects the browser (status
    /// 303) to ``LoggedInUser/returnTo`` or to another page of its own.
    ///
    /// - Parameters:
    ///   - callback: The request to the redirect URI.
    ///   - binding: The binding that the browser or the app sent with the callback; nil if it sent none.
    ///     ``AuthorizationCallback/binding(inCookies:)`` reads it from the cookies.
    /// - Returns: The user who has logged in.
    /// - Throws: The error of the check that failed, such as `bindingMismatch` for a callback from another browser, or
    ///   `stateMismatch` for a `state` that is unknown, was used before or has expired. With a profile that reports
    ///   replays, a `state` that was used before is `replayed`.
    public func completeLogin(callback: AuthorizationCallback, binding: String?) async throws(RelyingPartyError)
        -> LoggedInUser
    {
        guard profile.isLogin else { throw RelyingPartyError(.configurationError, in: .callback) }
        return try await completeRequest(callback: callback, binding: binding)
    }

    /// Completes a request, whether its result is a login or not.
    package func completeRequest(
        callback: AuthorizationCallback, binding: String?
    ) async throws(RelyingPartyError) -> LoggedInUser {
        let deadline = callDeadline()
        let (parameters, state) = try CallbackParameters.of(callback, binding: binding, rules: profile.callback)
        var transaction = try await take(state)
        do throws(RelyingPartyError.Reason) {
            try check(transaction, callback, binding)
            transaction.binding = binding
        } catch {
            throw RelyingPartyError(error, in: .callback)
        }
        do throws(RelyingPartyError) {
            return try await complete(transaction, parameters, until: deadline)
        } catch {
            throw directory.refused(error, transaction).usedUp
        }
    }

    /// Removes the transaction of a `state` from the store and returns it.
    package func take(
        _ state: String, kind: String = LoginTransaction.kind
    ) async throws(RelyingPartyError) -> LoginTransaction {
        let found: [UInt8]?
        do throws(StoreError) {
            found = try await store.take(StoreKey(kind: kind, value: state))
        } catch {
            // The primary server has removed the value, even if its replicas did not confirm it in time.
            throw error == .notReplicated ? RelyingPartyError(error).usedUp : RelyingPartyError(error)
        }
        guard let found else {
            throw RelyingPartyError(try await isUsed(state) ? .replayed : .stateMismatch, in: .callback)
        }
        guard let transaction = LoginTransaction(json: found),
            constantTimeEquals(transaction.state.utf8.span, state.utf8.span)
        else { throw RelyingPartyError(.stateMismatch, in: .callback) }
        await markUsed(state)
        return transaction
    }

    /// Marks a `state` as used, so that a second callback is reported as `replayed`. If the store fails, a second
    /// callback is reported as `stateMismatch`, which is no reason to fail the login that is under way.
    private func markUsed(_ state: String) async {
        guard profile.callback.reportsReplays else { return }
        _ = try? await store.insert([], for: StoreKey(kind: "used login", value: state), lifetime: profile.lifetime)
    }

    private func isUsed(_ state: String) async throws(RelyingPartyError) -> Bool {
        guard profile.callback.reportsReplays else { return false }
        do throws(StoreError) {
            return try await store.value(for: StoreKey(kind: "used login", value: state)) != nil
        } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: .store)
        }
    }

    /// Checks that the callback belongs to the transaction, in this order: the browser, this relying party, the time,
    /// the response mode.
    package func check(
        _ transaction: LoginTransaction, _ callback: AuthorizationCallback, _ binding: String?
    ) throws(RelyingPartyError.Reason) {
        try check(transaction, binding: binding)
        guard callback.mode == transaction.responseMode else { throw .invalidParameter("response_mode") }
    }

    /// Checks that a transaction belongs to the browser or app with the binding and to this relying party, and that it
    /// has not expired.
    package func check(_ transaction: LoginTransaction, binding: String?) throws(RelyingPartyError.Reason) {
        let hash = try Secret.hash(binding ?? "")
        guard constantTimeEquals(hash.utf8.span, transaction.bindingHash.utf8.span) else { throw .bindingMismatch }
        guard bytesEqual(transaction.profile, profile.name), bytesEqual(transaction.clientID, client.id) else {
            throw .stateMismatch
        }
        // The age is checked by this clock too, and not left to the store alone.
        let age = clock.now.secondsSince1970 - transaction.created
        guard age < profile.lifetime.inSeconds, age > -profile.idToken.leewaySeconds else { throw .stateMismatch }
    }

    private func complete(
        _ transaction: LoginTransaction, _ parameters: CallbackParameters, until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> LoggedInUser {
        let provider = try await directory.provider(transaction.provider, until: deadline)
        let code: String
        do throws(RelyingPartyError.Reason) {
            // Neither the response nor the endpoints may be those of another issuer (threats R01 and R08).
            guard bytesEqual(provider.issuer, transaction.issuer) else { throw .issuerMismatch }
            try checkIssuer(parameters, provider)
            if let error = parameters["error"] { throw try refusal(error, parameters) }
            guard let given = parameters["code"], !given.isEmpty else { throw .missingParameter("code") }
            code = given
        } catch {
            throw told(error, parameters)
        }
        let response = try await redeem(code, transaction, at: provider, until: deadline)
        do throws(RelyingPartyError.Reason) { try profile.checkResponse(response, transaction) } catch {
            throw RelyingPartyError(error, in: .tokenResponse)
        }
        let user = try await user(response, transaction, code: code, at: provider, until: deadline)
        // Only the ID token tells which tenant it is.
        if location.issuers != nil, let named = parameters["iss"], !bytesEqual(named, user.issuer) {
            throw RelyingPartyError(.issuerMismatch, in: .callback)
        }
        return user
    }

    /// Returns the error of a failed callback. The profile gives the provider's own error codes their meaning.
    private func told(_ failure: RelyingPartyError.Reason, _ parameters: CallbackParameters) -> RelyingPartyError {
        guard case .providerError(let code) = failure else { return RelyingPartyError(failure, in: .callback) }
        let detail = parameters["error_description"] ?? parameters["detail"]
        return profile.errors.error(code, detail, .authorization, .callback)
    }

    /// Checks `iss` (RFC 9207, 2.4), which error responses contain too (threat R17).
    private func checkIssuer(_ parameters: CallbackParameters, _ provider: Provider) throws(RelyingPartyError.Reason) {
        if let issuer = parameters["iss"] {
            guard isIssuer(issuer, of: provider) else { throw .issuerMismatch }
            return
        }
        guard provider.metadata.authorizationResponsesNameIssuer else { return }
        if profile.callback.issuer == .asAnnouncedWithoutErrors, parameters["error"] != nil { return }
        guard provider.metadata.bool(.authorizationResponseIssParameter) != nil else {
            throw .metadataInvalid(.authorizationResponseIssParameter)
        }
        throw .issuerMismatch
    }

    /// Returns whether an issuer is the provider or, if it has many tenants, that of one of the accepted ones.
    func isIssuer(_ issuer: String, of provider: Provider) -> Bool {
        location.issuers?.matcher.accepts(issuer.utf8.span) ?? bytesEqual(issuer, provider.issuer)
    }

    /// Returns the provider's error code as a reason, or `invalidParameter` if it is not a valid error code.
    private func refusal(
        _ error: String, _ parameters: CallbackParameters
    ) throws(RelyingPartyError.Reason) -> RelyingPartyError.Reason {
        guard let code = ProviderErrorCode(error) else { throw .invalidParameter("error") }
        return .providerError(code)
    }

    /// Verifies the tokens of a token response and returns their user.
    package func user(
        _ response: TokenResponse, _ transaction: LoginTransaction, code: String?, at provider: Provider,
        until deadline: CallDeadline?
    ) async throws(RelyingPartyError) -> LoggedInUser {
        guard let idToken = response.idToken else {
            throw RelyingPartyError(.missingParameter("id_token"), in: .tokenResponse)
        }
        let token = try await provider.readers.idToken.verify(idToken, step: .idToken, until: deadline)
        let login = LoginContext(
            claims: token.claims, token: token, transaction: transaction, clientID: client.id,
            issuer: location.issuers == nil ? provider.issuer : token.claims.issuer ?? provider.issuer,
            issuers: location.issuers?.matcher, now: clock.now.secondsSince1970, leeway: profile.idToken.leewaySeconds,
            response: response, code: code, isProduction: location.isProduction, deadline: deadline)
        let authenticated: NumericDate?
        do throws(RelyingPartyError.Reason) {
            try login.check(profile.idToken.rules)
            // No profile can accept another value of these claims, whatever its own rules are.
            try login.check(IDTokenRules.always)
            try login.checkBackChannel(profile.backChannel)
            authenticated = try profile.idToken.timeOfAuthentication(login)
        } catch {
            throw RelyingPartyError(error, in: .idToken)
        }
        var user = LoggedInUser(
            issuer: login.issuer, subject: token.claims.subject ?? "", idToken: token,
            response: profile.session.supportsRefresh ? response : response.withoutRefreshToken,
            transaction: transaction)
        user.authenticationTime = authenticated
        if let rules = profile.userInfo {
            user.userInfo = try await userInfo(rules, login, subject: user.subject, at: provider)
        }
        if let finish = profile.finish { try await finish(&user, login, self) }
        return user
    }
}
