internal import JOSE
internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport

extension RelyingParty {
    private static var mitIDBackChannelKind: String { "back-channel" }

    /// Begins a login from the back end (CIBA), with the profile `ProviderProfile.mitIDBackChannel(_:)`.
    ///
    /// The request is validated as in `beginLogin(_:)`, and the result also contains the URL and the binding for the
    /// browser. The broker sends the browser to the redirect URI. Pass that callback to
    /// ``resumeMitIDBackChannelLogin(callback:binding:)``.
    ///
    /// - Parameter request: The login request.
    /// - Throws: `configurationError` if the relying party has another profile, and the errors of the request and the
    ///   broker.
    public func beginMitIDBackChannelLogin(
        _ request: LoginRequest
    ) async throws(RelyingPartyError) -> AuthorizationRequest {
        let deadline = callDeadline()
        guard let rules = profile.backChannel, rules.beginning == .browser else {
            throw RelyingPartyError(.configurationError, in: .request)
        }
        let prepared: PreparedRequest
        do throws(RelyingPartyError.Reason) {
            prepared = try PreparedRequest(request, profile, client, rules: rules.request)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let provider = try await directory.provider(prepared.request.provider, until: deadline)
        let now = clock.now
        let binding: String
        var transaction: LoginTransaction
        let cookie: String
        do throws(RelyingPartyError.Reason) {
            binding = try Secret.fresh()
            transaction = try prepared.transaction(
                profile, client, issuer: provider.issuer, binding: binding, now: now.secondsSince1970)
            // The browser returns by a link, never by a form.
            transaction.responseMode = .query
            cookie = try BindingCookie.field(
                binding, state: transaction.state, crossSitePost: false, lifetime: profile.lifetime)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let (acknowledgement, _) = try await acknowledged(
            mitIDForm(prepared.request), since: now, at: provider, until: deadline)
        transaction.backChannel = acknowledgement
        let url = try await startPage(acknowledgement.requestID, transaction, at: provider, until: deadline)
        try await remember(transaction, kind: Self.mitIDBackChannelKind)
        return AuthorizationRequest(
            url: url, binding: binding, cookie: cookie, requestDocument: nil, dropped: prepared.dropped,
            expires: acknowledgement.expires, urlExpires: nil)
    }

    /// Accepts the callback of the browser, and returns the pending login, whose session secret is the binding.
    ///
    /// A callback from a browser that did not begin the login is rejected, and so is a second callback. Thus a victim
    /// cannot be logged in to an attacker's account, and an attacker does not receive the login of a victim who
    /// followed a link.
    ///
    /// - Parameters:
    ///   - callback: The callback to the redirect URI.
    ///   - binding: The binding that the browser sent with the callback.
    /// - Returns: The pending login, for `poll(_:session:)` with the binding as the secret of the session.
    /// - Throws: `stateMismatch` or `bindingMismatch` if the callback is from another browser, `issuerMismatch`, and
    ///   `cancelled` or the broker's error code.
    public func resumeMitIDBackChannelLogin(
        callback: AuthorizationCallback, binding: String?
    ) async throws(RelyingPartyError) -> BackChannelLogin {
        let (parameters, state) = try CallbackParameters.of(
            callback, binding: binding, rules: profile.callback)
        var transaction = try await take(state, kind: Self.mitIDBackChannelKind)
        let acknowledgement: BackChannelAcknowledgement
        do throws(RelyingPartyError.Reason) {
            try check(transaction, callback, binding)
            if let issuer = parameters["iss"], !bytesEqual(issuer, transaction.issuer) { throw .issuerMismatch }
            if let error = parameters["error"] {
                guard let code = ProviderErrorCode(error) else { throw .invalidParameter("error") }
                throw .providerError(code)
            }
            guard let stored = transaction.backChannel else { throw .stateMismatch }
            acknowledgement = stored
            // The browser and the broker know the `state`.
            transaction.state = try Secret.fresh()
        } catch {
            guard case .providerError(let code) = error else { throw RelyingPartyError(error, in: .callback) }
            throw profile.errors.error(code, parameters["error_description"], .authorization, .callback).usedUp
        }
        let began = NumericDate(secondsSince1970: transaction.created)
        return try await remember(
            transaction, BackChannelPace(interval: acknowledgement.interval, after: began), acknowledgement)
    }

    /// Returns the body of the authentication request, in which the broker has a login hint and parameters of its own.
    private func mitIDForm(_ request: LoginRequest) -> [(name: String, value: String)] {
        var form = [(name: "scope", value: request.scopes.joined(separator: " "))]
        form.append(("login_hint_token", String(decoding: Self.hint(request), as: UTF8.self)))
        for name in ["idp_params", "max_age", "language"] {
            if let value = request.value(name) { form.append((name, value.text)) }
        }
        if authentication != .clientSecretPost { form.append(("client_id", client.id)) }
        return form
    }

    /// Returns the login hint token, which names the kind of login and the identity providers.
    private static func hint(_ request: LoginRequest) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("flow_type", "broker_oidc")
        if let providers = request["idp_values"] { writer.member("idp_values", providers) }
        if let prompt = request["prompt"] { writer.member("prompt", prompt) }
        writer.endObject()
        return writer.bytes
    }

    /// Calls an endpoint of the broker's own, which returns the URL for the browser.
    private func startPage(
        _ requestID: String, _ transaction: LoginTransaction, at provider: Provider, until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("requestId", requestID)
        writer.member("redirectUri", transaction.redirectURI)
        writer.member("state", transaction.state)
        writer.endObject()
        var request = TransportRequest(url: provider.issuer + "/api/ciba/broker-oidc/init-auth")
        request.method = .post
        request.headers = [
            TransportHeaderField("Content-Type", "application/json"),
            TransportHeaderField("Accept", "application/json"),
        ]
        request.body = writer.bytes
        let response = try await send(request, .pushedRequest, until: deadline)
        guard response.status == 200 else { throw refusal(response, .pushedRequest, .pushedRequest) }
        do throws(RelyingPartyError.Reason) {
            let text = try JSONAnswer(response).required("authentication_uri")
            guard let url = WebURL(text), url.scheme == .https, !url.hasUserInformation else {
                throw .invalidParameter("authentication_uri")
            }
            return text
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }
}
