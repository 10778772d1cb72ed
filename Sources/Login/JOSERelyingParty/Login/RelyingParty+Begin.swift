internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

extension RelyingParty {
    /// Begins a login.
    ///
    /// Parameters that the provider would reject are rejected before anything is sent. The service responds to the
    /// browser with a redirect (status 303) to ``AuthorizationRequest/url``, and sets ``AuthorizationRequest/cookie``.
    ///
    /// - Parameter request: The parameters of the login.
    /// - Returns: The authorization request, with the URL and the cookie for the browser.
    /// - Throws: `invalidParameter` for a parameter that the profile does not accept, `configurationError` if logins of
    ///   the profile do not begin in a browser, or the error of a request to the provider or the store.
    public func beginLogin(_ request: LoginRequest = LoginRequest()) async throws(RelyingPartyError)
        -> AuthorizationRequest
    {
        try await beginLogin(request, binding: nil)
    }

    /// Begins a login with a binding that the caller has made; nil for a new one.
    func beginLogin(_ request: LoginRequest, binding: String?) async throws(RelyingPartyError) -> AuthorizationRequest {
        guard profile.isLogin else { throw RelyingPartyError(.configurationError, in: .request) }
        return try await beginRequest(request, binding: binding)
    }

    /// Begins a request, whether its result is a login or not.
    package func beginRequest(
        _ request: LoginRequest, binding: String? = nil
    ) async throws(RelyingPartyError) -> AuthorizationRequest {
        let deadline = callDeadline()
        let prepared: PreparedRequest
        do throws(RelyingPartyError.Reason) {
            prepared = try PreparedRequest(request, profile, client)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let provider = try await directory.provider(prepared.request.provider, until: deadline)
        return try await begin(prepared, with: provider, binding: binding, until: deadline)
    }

    /// Begins a login whose provider is known.
    package func begin(
        _ prepared: PreparedRequest, with provider: Provider, binding given: String? = nil, until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> AuthorizationRequest {
        let endpoint = try provider.endpoint(.authorizationEndpoint)
        let now = clock.now
        let binding: String
        let transaction: LoginTransaction
        let parameters: [(name: String, value: ParameterValue)]
        let cookie: String
        do throws(RelyingPartyError.Reason) {
            if let given { binding = given } else { binding = try Secret.fresh() }
            transaction = try prepared.transaction(
                profile, client, issuer: provider.issuer, binding: binding, now: now.secondsSince1970)
            parameters = try prepared.parameters(transaction, client)
            cookie = try BindingCookie.field(
                binding, state: transaction.state, crossSitePost: transaction.responseMode == .formPost,
                lifetime: profile.lifetime)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let sent = try await deliver(parameters, prepared, to: provider, until: deadline)
        // The transaction is stored last, so that a request that fails leaves nothing in the store.
        try await remember(transaction)
        return AuthorizationRequest(
            url: endpoint + (endpoint.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + FormText.write(sent.query),
            binding: binding, cookie: cookie, requestDocument: sent.document, dropped: prepared.dropped,
            expires: now + profile.lifetime,
            urlExpires: sent.lifetime.map { now + $0 })
    }

    /// Stores the transaction of a login under its `state`.
    package func remember(
        _ transaction: LoginTransaction, kind: String = LoginTransaction.kind
    ) async throws(RelyingPartyError) {
        let isNew: Bool
        do throws(StoreError) {
            isNew = try await store.insert(
                transaction.json, for: StoreKey(kind: kind, value: transaction.state),
                lifetime: profile.lifetime)
        } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: .store)
        }
        // Two random states of 256 bits are never equal.
        guard isNew else { throw RelyingPartyError(.internalFault, in: .store) }
    }
}

/// The result of delivering a request's parameters: the query that the browser sends, and the lifetime of a pushed
/// request.
struct SentRequest {
    var query: [(name: String, value: String)]
    var document: RequestDocument?
    var lifetime: Duration?
}

extension RelyingParty {
    /// Returns the query that the browser sends, after the request is pushed or its document made, as the profile
    /// requires.
    private func deliver(
        _ parameters: [(name: String, value: ParameterValue)], _ prepared: PreparedRequest, to provider: Provider,
        until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> SentRequest {
        let plain = parameters.map { (name: $0.name, value: $0.value.text) }
        // These parameters remain in the query, with the same values as in the object (OpenID Connect Core, 6.1).
        let beside = plain.filter { ["client_id", "response_type", "scope"].contains($0.name) }
        switch prepared.delivery {
        case .query: return SentRequest(query: plain)
        case .object:
            let object = try await object(parameters, to: provider, until: deadline)
            return SentRequest(query: beside + [("request", object)])
        case .reference(let url):
            let document = RequestDocument(url: url, body: try await object(parameters, to: provider, until: deadline))
            return SentRequest(query: beside + [("request_uri", url)], document: document)
        case .pushed:
            let object = try await object(parameters, to: provider, until: deadline)
            return try await push([("request", object)], to: provider, until: deadline)
        case .pushedParameters:
            return try await push(plain.filter { $0.name != "client_id" }, to: provider, until: deadline)
        }
    }

    /// Returns the parameters as a signed request object.
    func object(
        _ parameters: [(name: String, value: ParameterValue)], to provider: Provider, until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> String {
        do throws(RelyingPartyError.Reason) {
            guard let rules = profile.request.object else { throw .configurationError }
            return try await RequestObject(client: client, rules: rules, clock: clock)
                .issue(parameters, to: provider, until: deadline.instant)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
    }
}
