internal import JOSE
internal import JOSEKeySets
internal import JOSESupport

extension RelyingParty {
    /// Begins a login from the back end (OpenID Connect CIBA Core, 7), for whose result ``poll(_:session:)`` asks.
    ///
    /// The request has exactly one of the parameters `login_hint`, `login_hint_token` and `id_token_hint`. With
    /// `id_token_hint`, ``LoginRequest/expectedSubject`` must be the `sub` of that ID token. A request with the
    /// delivery ``RequestDelivery/pushed`` is signed. Show the user ``LoginRequest/bindingMessage``, which the provider
    /// shows as well. While a login is pending, none of the same hint is begun. Hints are compared byte for byte, so
    /// that the service brings names with several spellings into one. It limits how often logins are begun for one
    /// user: each makes the provider ask that user.
    ///
    /// - Parameters:
    ///   - request: The parameters of the login.
    ///   - session: A secret of the session that begins the login, of at least 16
    ///     bytes. Only this session receives the result.
    /// - Returns: The pending login, with the handle for the session.
    /// - Throws: `configurationError` if the profile has no ``ProviderProfile/backChannel``, the secret is too short,
    ///   or the delivery is not one of the two that ``BackChannelRules/request`` describes; `invalidParameter`, also
    ///   for an `id_token_hint` that is not a JWT, or whose `sub` is another than the expected one; `metadataMissing`
    ///   or `metadataInvalid` if the provider does not announce the endpoint or the poll mode; `loginPending` while
    ///   another login of the same hint is pending; `replayed` for an `auth_req_id` that was returned before;
    ///   `cancelled`, or the error code of the provider.
    public func beginBackChannelLogin(
        _ request: LoginRequest, session: String
    ) async throws(RelyingPartyError) -> BackChannelLogin {
        guard let rules = profile.backChannel, rules.beginning == .request else {
            throw RelyingPartyError(.configurationError, in: .request)
        }
        return try await begin(request, rules, session)
    }

    /// Begins a login whose request has all parameters.
    package func begin(
        _ request: LoginRequest, _ rules: BackChannelRules, _ session: String
    ) async throws(RelyingPartyError) -> BackChannelLogin {
        try await begin(request, rules, session) { (_) throws(RelyingPartyError.Reason) in }.0
    }

    /// Begins a login whose request has all parameters, and whose response has members of the provider's own.
    ///
    /// - Parameter read: A function that reads these members. If it throws, nothing is stored.
    package func begin<Members: Sendable>(
        _ request: LoginRequest, _ rules: BackChannelRules, _ session: String,
        reading read: @Sendable (JSONAnswer) throws(RelyingPartyError.Reason) -> Members
    ) async throws(RelyingPartyError) -> (BackChannelLogin, Members) {
        let deadline = callDeadline()
        guard session.utf8.count >= BackChannelLogin.minimumSessionBytes else {
            throw RelyingPartyError(.configurationError, in: .request)
        }
        let prepared: PreparedRequest
        let isSigned: Bool
        do throws(RelyingPartyError.Reason) {
            prepared = try PreparedRequest(request, profile, client, rules: rules.request)
            isSigned = try prepared.isSignedForBackChannel
            if rules.beginning != .unknownUser { try prepared.checkHints() }
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let provider = try await directory.provider(prepared.request.provider, until: deadline)
        let now = clock.now
        let transaction: LoginTransaction
        let form: [(name: String, value: String)]
        do throws(RelyingPartyError.Reason) {
            transaction = try prepared.transaction(
                profile, client, issuer: provider.issuer, binding: session, now: now.secondsSince1970)
            form = try await backChannelForm(
                prepared.request, isSigned: isSigned, rules, at: provider, until: deadline)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        // Elsewhere no two logins have the same hint: the user has scanned a code for each.
        guard rules.beginning == .request else {
            return try await send(
                form, transaction, since: now, at: provider, under: nil, until: deadline, reading: read)
        }
        let reservation = try await BackChannelReservation.reserve(
            prepared.request, at: provider.issuer, handle: transaction.state, in: store, now: now, for: profile)
        do throws(RelyingPartyError) {
            return try await send(
                form, transaction, since: now, at: provider, under: reservation, until: deadline, reading: read)
        } catch {
            await reservation.release()
            throw error
        }
    }

    /// Sends the request of a login, and stores the login.
    private func send<Members: Sendable>(
        _ form: [(name: String, value: String)], _ begun: LoginTransaction, since now: NumericDate,
        at provider: Provider, under reservation: BackChannelReservation?, until deadline: CallDeadline,
        reading read: @Sendable (JSONAnswer) throws(RelyingPartyError.Reason) -> Members
    ) async throws(RelyingPartyError) -> (BackChannelLogin, Members) {
        let (acknowledgement, answer) = try await acknowledged(form, since: now, at: provider, until: deadline)
        let members: Members
        do throws(RelyingPartyError.Reason) { members = try read(answer) } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
        let isCurrent: Bool
        do throws(StoreError) { isCurrent = try await reservation?.isCurrent() ?? true } catch {
            throw RelyingPartyError(error)
        }
        guard isCurrent else { throw RelyingPartyError(.loginPending, in: .request) }
        var transaction = begun
        transaction.backChannel = acknowledgement
        let login = try await remember(
            transaction, BackChannelPace(interval: acknowledgement.interval, after: clock.now), acknowledgement)
        return (login, members)
    }

    /// Stores a pending login under its `state`, which becomes its handle.
    package func remember(
        _ transaction: LoginTransaction, _ pace: BackChannelPace, _ acknowledgement: BackChannelAcknowledgement
    ) async throws(RelyingPartyError) -> BackChannelLogin {
        let entries = try BackChannelEntries(transaction.state, in: store)
        try await entries.insert(
            transaction, pace,
            lifetime: BackChannelEntries.lifetime(until: acknowledgement.expires, now: clock.now))
        return BackChannelLogin(
            handle: transaction.state, expires: acknowledgement.expires, interval: pace.interval,
            nextPoll: acknowledgement.nextPoll(pace.next))
    }

    /// Returns the body of the authentication request without the authentication of the client.
    private func backChannelForm(
        _ request: LoginRequest, isSigned: Bool, _ rules: BackChannelRules, at provider: Provider,
        until deadline: CallDeadline
    ) async throws(RelyingPartyError.Reason) -> [(name: String, value: String)] {
        if request.value("user_code") != nil, provider.metadata.bool(.backchannelUserCodeParameter) != true {
            throw .invalidParameter("user_code")
        }
        let parameters =
            [(name: "scope", value: ParameterValue.text(request.scopes.joined(separator: " ")))] + request.parameters
        guard isSigned else { return parameters.map { ($0.name, $0.value.text) } }
        guard let object = rules.request.object else { throw .configurationError }
        let signed = try await BackChannelRequestObject(
            client: client, rules: object, needsAnnouncement: rules.endpointPath == nil, clock: clock
        ).issue(parameters, to: provider, until: deadline.instant)
        return [("request", signed)]
    }

    /// Sends an authentication request and returns the provider's acknowledgement, with the whole response.
    ///
    /// - Parameters:
    ///   - form: The body without the authentication of the client.
    ///   - began: The time at which the login began.
    ///   - provider: The provider, which must announce the endpoint and the poll mode.
    ///   - deadline: The deadline of the call.
    package func acknowledged(
        _ form: [(name: String, value: String)], since began: NumericDate, at provider: Provider,
        until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> (BackChannelAcknowledgement, JSONAnswer) {
        let endpoint: String
        if let path = profile.backChannel?.endpointPath {
            endpoint = provider.issuer + path
        } else {
            endpoint = try provider.backChannelEndpoint()
        }
        let response = try await post(form, to: endpoint, of: provider, step: .pushedRequest, until: deadline)
        guard response.status == 200 else {
            guard let (code, detail) = providerError(response) else {
                throw RelyingPartyError(.unexpectedStatus(response.status), in: .pushedRequest)
            }
            throw backChannelError(code, detail, .pushedRequest, .pushedRequest)
        }
        do throws(RelyingPartyError.Reason) {
            let answer = try JSONAnswer(response)
            let acknowledgement = try BackChannelAcknowledgement(answer, since: began, limit: profile.lifetime)
            try await useOnce(
                acknowledgement.requestID, kind: "auth_req_id", of: provider.issuer,
                lifetime: BackChannelEntries.lifetime(until: acknowledgement.expires, now: clock.now))
            return (acknowledgement, answer)
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }
}

extension Provider {
    /// Returns the backchannel authentication endpoint of a provider that supports polls (OpenID Connect CIBA Core, 4).
    fileprivate func backChannelEndpoint() throws(RelyingPartyError) -> String {
        let url = try endpoint(.backchannelAuthenticationEndpoint)
        do throws(DiscoveryFault) {
            let modes = try metadata.requiredStrings(.backchannelTokenDeliveryModes)
            guard modes.contains("poll") else { throw .invalid(.backchannelTokenDeliveryModes) }
        } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: .discovery)
        }
        return url
    }
}

extension PreparedRequest {
    /// Whether the request is signed. Of the deliveries, an authentication request has only two.
    fileprivate var isSignedForBackChannel: Bool {
        get throws(RelyingPartyError.Reason) {
            switch delivery {
            case .pushedParameters: false
            case .pushed: true
            case .query, .object, .reference: throw .configurationError
            }
        }
    }

    /// Checks that the request has exactly one hint, and that an ID token as a hint has the expected `sub` (OpenID
    /// Connect CIBA Core, 7.1).
    fileprivate func checkHints() throws(RelyingPartyError.Reason) {
        let hints = BackChannelRules.hints.filter { request.value($0.description) != nil }
        guard hints.count == 1 else { throw .invalidParameter("login_hint") }
        guard let token = request.value("id_token_hint")?.text else { return }
        guard let expectedSubject, IDTokenHint(token)?.accepts(expectedSubject) == true else {
            throw .invalidParameter("id_token_hint")
        }
    }
}
