internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

/// A login that the back end began at the broker (CIBA), from its begin to its end. Kept by the back end, of which one asks at a time.
public struct BackChannelLogin: Sendable {
    /// Where the user's browser goes.
    public let url: String
    /// Seconds since 1970 after which it is over.
    public let expires: Double
    /// Seconds between two questions; the broker may ask for more on the way.
    public fileprivate(set) var interval: Double
    /// Seconds since 1970 before which the broker is not asked again.
    public fileprivate(set) var nextPoll: Double
    fileprivate let requestID: String
    fileprivate let transaction: LoginTransaction
    fileprivate var isOver = false
}

extension BackChannelLogin: CustomStringConvertible, CustomReflectable {
    public var description: String { "BackChannelLogin" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RelyingParty {
    /// Begins a login from the back end: with `ProviderProfile.mitIDBackChannel`. What the request may hold, and how it is checked, is as in
    /// `beginLogin`.
    public func beginBackChannelLogin(_ request: LoginRequest) async throws(RelyingPartyError) -> BackChannelLogin {
        let prepared: PreparedRequest
        do throws(RelyingPartyFailure) { prepared = try PreparedRequest(request, profile, client) } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let provider = try await directory.provider(prepared.request.provider)
        let now = clock.seconds
        let transaction: LoginTransaction
        do throws(RelyingPartyFailure) {
            transaction = try prepared.transaction(
                profile, client, issuer: provider.issuer, bindingHash: try Secret.fresh(), now: now)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let answer = try await askForLogin(prepared, at: provider)
        let requestID: String
        let lifetime: Double
        let interval: Double
        do throws(RelyingPartyFailure) {
            requestID = try answer.required("auth_req_id")
            guard let seconds = try answer.seconds("expires_in"), seconds > 0 else {
                throw .missingParameter("expires_in")
            }
            lifetime = min(seconds, profile.lifetime)
            // OpenID Connect CIBA, 7.3.
            interval = max(1, try answer.seconds("interval") ?? 5)
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
        return BackChannelLogin(
            url: try await startPage(requestID, transaction, prepared, at: provider), expires: now + lifetime,
            interval: interval, nextPoll: now + interval, requestID: requestID, transaction: transaction)
    }

    /// Asks how it stands: nil while the user is at it, and without asking before `nextPoll`. Throws `expired` once it is over, `replayed` for a
    /// login that was completed, and `cancelled` or the broker's own code where there will be no user; after an error that says `retry` the
    /// same login may be asked for again.
    public func poll(_ login: inout BackChannelLogin) async throws(RelyingPartyError) -> LoggedInUser? {
        guard !login.isOver else { throw RelyingPartyError(.replayed, in: .tokenResponse) }
        let now = clock.seconds
        guard now < login.expires else {
            login.isOver = true
            throw RelyingPartyError(.expired, in: .tokenResponse)
        }
        guard now >= login.nextPoll else { return nil }
        login.nextPoll = now + login.interval
        let provider = try await directory.provider(login.transaction.provider)
        guard sameBytes(provider.issuer, login.transaction.issuer) else {
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

    /// OpenID Connect CIBA, 11.
    private func stand(
        of login: inout BackChannelLogin, after error: RelyingPartyError
    ) throws(RelyingPartyError) -> LoggedInUser? {
        switch error.failure {
        case .providerError(let code) where code.description == "authorization_pending": return nil
        case .providerError(let code) where code.description == "slow_down":
            login.interval += 5
            login.nextPoll = clock.seconds + login.interval
            return nil
        case .providerError(let code) where code.description == "expired_token":
            login.isOver = true
            throw RelyingPartyError(.expired, in: .tokenResponse)
        case .unreachable, .unexpectedStatus, .interrupted:
            throw RelyingPartyError(error.failure, in: .tokenResponse, remedy: .retry)
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

    /// What kind of login, with whom.
    private static func hint(_ request: LoginRequest) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("flow_type", "broker_oidc")
        if let providers = request["idp_values"] { writer.member("idp_values", providers) }
        if let prompt = request["prompt"] { writer.member("prompt", prompt) }
        writer.endObject()
        return writer.bytes
    }

    /// The broker's own call, which gives the address for the browser.
    private func startPage(
        _ requestID: String, _ transaction: LoginTransaction, _ prepared: PreparedRequest, at provider: Provider
    ) async throws(RelyingPartyError) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("requestId", requestID)
        if prepared.request.redirectURI != nil {
            writer.member("redirectUri", transaction.redirectURI)
            writer.member("state", transaction.state)
        }
        writer.endObject()
        var request = HTTPRequest(url: provider.issuer + "/api/ciba/broker-oidc/init-auth")
        request.method = .post
        request.headers = [HTTPField("Content-Type", "application/json"), HTTPField("Accept", "application/json")]
        request.body = writer.bytes
        let response = try await send(request, .pushedRequest)
        guard response.status == 200 else { throw refusal(response, .pushedRequest, .pushedRequest) }
        let answer = try Self.answer(response)
        do throws(RelyingPartyFailure) {
            let text = try answer.required("authentication_uri")
            guard let url = WebURL(text), url.scheme == .https, !url.hasUserInformation else {
                throw .invalidParameter("authentication_uri")
            }
            return text
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }

    private static func answer(_ response: HTTPResponse) throws(RelyingPartyError) -> JSONAnswer {
        do throws(RelyingPartyFailure) {
            guard response.isJSON else { throw .contentTypeMismatch }
            return try JSONAnswer(response.body)
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }
}

extension Provider {
    /// An endpoint that the metadata has under a name of its own.
    func address(_ name: String) -> String? {
        guard let json = metadata.json(name) else { return nil }
        let list = [UInt8(ascii: "[")] + json + [UInt8(ascii: "]")]
        guard let text = (try? JSONArray(parsing: list.span))?.values.first?.string(in: list.span),
            let url = WebURL(text), url.mayBeAsked(loopbackHTTP: false)
        else { return nil }
        return text
    }
}
