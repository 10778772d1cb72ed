public import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

/// A pending login that the back end began at the broker (CIBA), after the user's browser has returned. The back end
/// keeps this value and polls with it, from one task at a time.
public struct BackChannelLogin: Sendable {
    /// The time from which the login can no longer be completed.
    public let expires: NumericDate
    /// The shortest time between two polls. It grows if the broker responds with `slow_down`.
    public fileprivate(set) var interval: Duration
    /// The earliest time at which ``RelyingParty/poll(_:)`` sends the next request to the broker.
    public fileprivate(set) var nextPoll: NumericDate
    fileprivate let requestID: String
    fileprivate let transaction: LoginTransaction
    fileprivate var isOver = false
}

extension BackChannelLogin: CustomStringConvertible, CustomReflectable {
    /// The name of the type, without any values.
    public var description: String { "BackChannelLogin" }
    /// An empty mirror, because the values are secret or personal.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RelyingParty {
    private static var backChannelKind: String { "back-channel" }

    /// Begins a login from the back end (CIBA), with the profile ``ProviderProfile/mitIDBackChannel(_:)``.
    ///
    /// The request is validated as in ``beginLogin(_:)``, and the result also contains the URL and the binding for the
    /// browser. The broker sends the browser to the redirect URI. Pass that callback to
    /// ``resumeBackChannelLogin(callback:binding:)``.
    ///
    /// - Parameter request: The login request.
    /// - Throws: `configurationError` if the relying party has another profile, and the errors of the request and the
    ///   broker.
    public func beginBackChannelLogin(_ request: LoginRequest) async throws(RelyingPartyError) -> AuthorizationRequest {
        guard profile.request.isBackChannel else { throw RelyingPartyError(.configurationError, in: .request) }
        let prepared: PreparedRequest
        do throws(RelyingPartyError.Reason) { prepared = try PreparedRequest(request, profile, client) } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let provider = try await directory.provider(prepared.request.provider)
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
        let answer = try await askForLogin(prepared, at: provider)
        let notes: BackChannelNotes
        do throws(RelyingPartyError.Reason) {
            notes = try BackChannelNotes(answer, now: now, limit: profile.lifetime)
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
        transaction.notes.merge(notes.notes) { $1 }
        let url = try await startPage(notes.requestID, transaction, at: provider)
        try await remember(transaction, kind: Self.backChannelKind)
        return AuthorizationRequest(
            url: url, binding: binding, cookie: cookie, requestDocument: nil, dropped: prepared.dropped,
            expires: notes.expires, urlExpires: nil)
    }

    /// Accepts the callback of the browser, and returns the pending login for ``poll(_:)``.
    ///
    /// A callback from a browser that did not begin the login is rejected, and so is a second callback. Thus a victim
    /// cannot be logged in to an attacker's account, and an attacker does not receive the login of a victim who
    /// followed a link.
    ///
    /// - Parameters:
    ///   - callback: The callback to the redirect URI.
    ///   - binding: The binding that the browser sent with the callback.
    /// - Returns: The pending login.
    /// - Throws: `stateMismatch` or `bindingMismatch` if the callback is from another browser, `issuerMismatch`, and
    ///   `cancelled` or the broker's error code.
    public func resumeBackChannelLogin(
        callback: AuthorizationCallback, binding: String?
    ) async throws(RelyingPartyError) -> BackChannelLogin {
        let (parameters, state) = try CallbackParameters.of(
            callback, binding: binding, rules: profile.callback)
        var transaction = try await take(state, kind: Self.backChannelKind)
        do throws(RelyingPartyError.Reason) {
            try check(transaction, callback, binding)
            transaction.binding = binding
            if let issuer = parameters["iss"], !bytesEqual(issuer, transaction.issuer) { throw .issuerMismatch }
            if let error = parameters["error"] {
                guard let code = ProviderErrorCode(error) else { throw .invalidParameter("error") }
                throw .providerError(code)
            }
            guard let notes = BackChannelNotes(transaction.notes) else { throw .stateMismatch }
            let began = NumericDate(secondsSince1970: transaction.created)
            return BackChannelLogin(
                expires: notes.expires, interval: notes.interval, nextPoll: began + notes.interval,
                requestID: notes.requestID, transaction: transaction)
        } catch {
            guard case .providerError(let code) = error else { throw RelyingPartyError(error, in: .callback) }
            throw profile.errors.error(code, parameters["error_description"], .authorization, .callback).usedUp
        }
    }

    /// Requests the result of a login from the broker.
    ///
    /// - Parameter login: The pending login. Its interval and the time of its next poll are updated.
    /// - Returns: The user; nil while the login is pending. Before ``BackChannelLogin/nextPoll`` the result is nil, and
    ///   no request is sent.
    /// - Throws: `expired` if the login has expired, `replayed` if it has already been completed or has failed, and
    ///   `cancelled` or the broker's error code when it fails. After an error with the remedy `retry`, the same login
    ///   may be polled again.
    public func poll(_ login: inout BackChannelLogin) async throws(RelyingPartyError) -> LoggedInUser? {
        guard !login.isOver else { throw RelyingPartyError(.replayed, in: .tokenResponse) }
        let now = clock.now
        guard now < login.expires else {
            login.isOver = true
            throw RelyingPartyError(.expired, in: .tokenResponse)
        }
        guard now >= login.nextPoll else { return nil }
        login.nextPoll = now + login.interval
        let provider = try await directory.provider(login.transaction.provider)
        guard bytesEqual(provider.issuer, login.transaction.issuer) else {
            throw RelyingPartyError(.issuerMismatch, in: .discovery)
        }
        let response: TokenResponse
        do throws(RelyingPartyError) {
            response = try await tokens(
                [("grant_type", "urn:openid:params:grant-type:ciba"), ("auth_req_id", login.requestID)],
                at: provider, requiresIDToken: true)
        } catch {
            return try stand(of: &login, after: error)
        }
        login.isOver = true
        do throws(RelyingPartyError) {
            return try await user(response, login.transaction, code: nil, at: provider)
        } catch {
            throw error.usedUp
        }
    }

    /// Returns nil if the login is still pending after an error; otherwise throws the error (OpenID Connect CIBA, 11).
    private func stand(
        of login: inout BackChannelLogin, after error: RelyingPartyError
    ) throws(RelyingPartyError) -> LoggedInUser? {
        switch error.reason {
        case .providerError(let code) where code.description == "authorization_pending": return nil
        case .providerError(let code) where code.description == "slow_down":
            login.interval += .seconds(5)
            login.nextPoll = clock.now + login.interval
            return nil
        case .providerError(let code) where code.description == "expired_token":
            login.isOver = true
            throw RelyingPartyError(.expired, in: .tokenResponse)
        case .unreachable, .unexpectedStatus, .interrupted:
            throw RelyingPartyError(error.reason, in: .tokenResponse, remedy: .retry)
        default:
            login.isOver = true
            throw error.usedUp
        }
    }

    private func askForLogin(
        _ prepared: PreparedRequest, at provider: Provider
    ) async throws(RelyingPartyError) -> JSONAnswer {
        guard let endpoint = provider.address("backchannel_authentication_endpoint") else {
            throw RelyingPartyError(.discoveryMismatch, in: .discovery)
        }
        var form = [(name: "scope", value: prepared.request.scopes.joined(separator: " "))]
        form.append(("login_hint_token", String(decoding: Self.hint(prepared.request), as: UTF8.self)))
        for name in ["idp_params", "max_age", "language"] {
            if let value = prepared.request.value(name) { form.append((name, value.text)) }
        }
        if authentication != .clientSecretPost { form.append(("client_id", client.id)) }
        let response = try await post(form, to: endpoint, of: provider, step: .pushedRequest)
        guard response.status == 200 else { throw refusal(response, .pushedRequest, .pushedRequest) }
        return try Self.answer(response)
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
        _ requestID: String, _ transaction: LoginTransaction, at provider: Provider
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
        let response = try await send(request, .pushedRequest)
        guard response.status == 200 else { throw refusal(response, .pushedRequest, .pushedRequest) }
        let answer = try Self.answer(response)
        do throws(RelyingPartyError.Reason) {
            let text = try answer.required("authentication_uri")
            guard let url = WebURL(text), url.scheme == .https, !url.hasUserInformation else {
                throw .invalidParameter("authentication_uri")
            }
            return text
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }

    private static func answer(_ response: TransportResponse) throws(RelyingPartyError) -> JSONAnswer {
        do throws(RelyingPartyError.Reason) {
            guard response.isJSON else { throw .contentTypeMismatch }
            return try JSONAnswer(response.body)
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }
}

extension Provider {
    /// Returns the URL of an endpoint by the name of its metadata member.
    func address(_ name: String) -> String? {
        guard let json = metadata.json(name) else { return nil }
        let list = [UInt8(ascii: "[")] + json + [UInt8(ascii: "]")]
        guard let text = (try? JSONArray(parsing: list.span))?.values.first?.string(in: list.span),
            let url = WebURL(text), url.mayBeAsked(loopbackHTTP: false)
        else { return nil }
        return text
    }
}
