internal import JOSE
public import JOSERelyingParty
internal import JOSETokens

/// The way in which a user's carrier is found.
public enum ZenKeyEntry: Sendable {
    /// The carrier is found by the network of the SIM in the user's device.
    case network(MobileNetwork)
    /// The carrier is not known, so that the user selects it on the discovery page or with another device.
    case page
    /// The carrier has responded with `user_not_found`, so that the user selects a carrier once more.
    case pageAgain
}

/// The next step of a login with ZenKey, for the user's browser.
public enum ZenKeyStart: Sendable {
    /// The browser goes to the carrier. Pass the carrier's callback to
    /// `RelyingParty.completeLogin(callback:binding:)`.
    case login(AuthorizationRequest)
    /// The browser goes to the discovery page. Pass the page's callback to
    /// `RelyingParty.continueZenKey(_:callback:binding:)`.
    case page(ZenKeyDiscoveryVisit)
}

/// A visit of the user's browser to ZenKey's discovery page, on which the user selects their carrier.
public struct ZenKeyDiscoveryVisit: Sendable {
    /// The URL of the discovery page, to which the browser goes with a GET request.
    public let url: String
    /// The secret that binds the callback to this browser or app session, like `AuthorizationRequest.binding`.
    public let binding: String
    /// The value of a `Set-Cookie` header that stores the binding in the browser.
    public let cookie: String
}

extension ZenKeyDiscoveryVisit: Redacted {}

extension RelyingParty {
    private static var pageKind: String { "zenkey-page" }

    /// Begins a login with ZenKey: finds the user's carrier, or sends the user to the discovery page. The whole request
    /// is validated before anything is sent. If discovery knows the network, `beginLogin(_:)` with the digits of the
    /// network in `LoginRequest.provider` has the same effect.
    ///
    /// - Parameters:
    ///   - request: The login request.
    ///   - entry: The way in which the carrier is found.
    /// - Returns: The authorization request for the carrier, or the visit to the discovery page.
    /// - Throws: `configurationError` if the relying party does not have ZenKey's profile, and the errors of the
    ///   request, of discovery and of the store.
    public func beginZenKey(
        _ request: LoginRequest, from entry: ZenKeyEntry
    ) async throws(RelyingPartyError) -> ZenKeyStart {
        let carriers = try carriers()
        let deadline = callDeadline()
        let prepared = try prepare(request)
        var visits = ZenKeyDiscoveryVisits()
        switch entry {
        case .network(let network):
            switch try await carriers.discovery.ask(ZenKeyCarrierQuery(network: network), until: deadline) {
            case .carrier(let carrier):
                return .login(try await login(request, carrier, carriers, visits, until: deadline))
            case .ask(let page): return .page(try await beginVisit(page, prepared, visits))
            }
        case .page: return .page(try await beginVisit(carriers.discovery.page, prepared, visits))
        case .pageAgain:
            _ = visits.extend()
            return .page(try await beginVisit(carriers.discovery.page, prepared, visits, prompt: .ask))
        }
    }

    /// Returns the carrier of a user, with the branding of its login button, or nil if the user has to select the
    /// carrier on the discovery page. No login begins. The carrier of a network is cached, and a login with that network
    /// uses it too.
    ///
    /// - Parameters:
    ///   - network: The network of the SIM in the user's device; nil if it is not known.
    ///   - subject: The subject (`sub`) of the user who must log in; nil if the service does not know it.
    ///   - ipAddress: The user's IP address, as the service sees it; nil to send none.
    ///   - sdkVersion: The version of the app's SDK, which is reported to the carriers (`sdk_version`); nil to send
    ///     none.
    ///   - prompt: Whether the user is to be asked to select the carrier again (`prompt`); nil to send none. With a
    ///     value the cache is not used.
    /// - Throws: `configurationError` if the relying party does not have ZenKey's profile, and the errors of discovery.
    public func zenKeyCarrier(
        network: MobileNetwork?, subject: String? = nil, ipAddress: String? = nil, sdkVersion: String? = nil,
        prompt: Bool? = nil
    ) async throws(RelyingPartyError) -> ZenKeyCarrier? {
        let carriers = try carriers()
        var query = ZenKeyCarrierQuery(network: network)
        query.subject = subject
        query.ipAddress = ipAddress
        query.sdkVersion = sdkVersion
        query.prompt = prompt.map { $0 ? ZenKeyCarrierQuery.Prompt.ask : ZenKeyCarrierQuery.Prompt.none }
        switch try await carriers.discovery.ask(query, until: callDeadline()) {
        case .carrier(let carrier): return carrier
        case .ask: return nil
        }
    }

    /// Continues a login after the discovery page has sent the browser back. A callback from a browser that was not
    /// sent to the page is rejected before anything is sent.
    ///
    /// - Parameters:
    ///   - request: The request with which the login began.
    ///   - callback: The callback of the discovery page.
    ///   - binding: The binding of the visit, which the browser sent with the callback.
    /// - Returns: The authorization request for the carrier, or another visit to the discovery page.
    /// - Throws: `stateMismatch` or `bindingMismatch` if the callback is from another browser, `missingParameter` or
    ///   `invalidParameter` for the `mccmnc`, and the errors of the page, of discovery and of the store.
    public func continueZenKey(
        _ request: LoginRequest, callback: AuthorizationCallback, binding: String?
    ) async throws(RelyingPartyError) -> ZenKeyStart {
        let carriers = try carriers()
        let deadline = callDeadline()
        let prepared = try prepare(request)
        let (parameters, state) = try CallbackParameters.of(
            callback, binding: binding, rules: profile.callback)
        let transaction = try await take(state, kind: Self.pageKind)
        let network: MobileNetwork
        do throws(RelyingPartyError.Reason) {
            try check(transaction, callback, binding)
            if let error = parameters["error"] {
                guard let code = ProviderErrorCode(error) else { throw .invalidParameter("error") }
                throw .providerError(code)
            }
            guard let digits = parameters["mccmnc"] else { throw .missingParameter("mccmnc") }
            guard let given = MobileNetwork(digits) else { throw .invalidParameter("mccmnc") }
            network = given
        } catch {
            guard case .providerError(let code) = error else { throw RelyingPartyError(error, in: .callback) }
            throw profile.errors.error(code, nil, .authorization, .callback).usedUp
        }
        let visits = transaction.notes[Self.pageKind].flatMap { UInt8($0) }.flatMap { ZenKeyDiscoveryVisits(kept: $0) }
        guard let visits else { throw RelyingPartyError(.stateMismatch, in: .callback) }
        do throws(RelyingPartyError) {
            switch try await carriers.discovery.ask(ZenKeyCarrierQuery(network: network), until: deadline) {
            case .ask(let page): return .page(try await beginVisit(page, prepared, visits))
            case .carrier(let carrier):
                var request = request
                request.notes[ZenKey.pageNote] = "1"
                request["login_hint_token"] = parameters["login_hint_token"]
                return .login(try await login(request, carrier, carriers, visits, until: deadline))
            }
        } catch {
            throw error.usedUp
        }
    }

    func carriers() throws(RelyingPartyError) -> CarrierDirectory {
        guard let carriers = directory as? CarrierDirectory else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        return carriers
    }

    func prepare(_ request: LoginRequest) throws(RelyingPartyError) -> PreparedRequest {
        do throws(RelyingPartyError.Reason) { return try PreparedRequest(request, profile, client) } catch {
            throw RelyingPartyError(error, in: .request)
        }
    }

    private func login(
        _ request: LoginRequest, _ carrier: ZenKeyCarrier, _ carriers: CarrierDirectory,
        _ visits: ZenKeyDiscoveryVisits,
        until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> AuthorizationRequest {
        var request = request
        request.provider = carrier.network.digits
        if visits.isExtended { request.notes[ZenKey.againNote] = "1" }
        let prepared = try prepare(request)
        let provider = try await carriers.provider(carrier, until: deadline)
        return try await begin(prepared, with: provider, until: deadline)
    }

    private func beginVisit(
        _ page: ZenKeyDiscoveryPage, _ prepared: PreparedRequest, _ visits: ZenKeyDiscoveryVisits,
        prompt: ZenKeyCarrierQuery.Prompt? = nil
    ) async throws(RelyingPartyError) -> ZenKeyDiscoveryVisit {
        var visits = visits
        let begun = try ofNoCarrier(prepared)
        var transaction = begun.transaction
        let url = try page.url(
            redirectURI: transaction.redirectURI, state: transaction.state, visits: &visits, prompt: prompt)
        transaction.notes[Self.pageKind] = String(visits.kept)
        try await remember(transaction, kind: Self.pageKind)
        return ZenKeyDiscoveryVisit(url: url, binding: begun.binding, cookie: begun.cookie)
    }

    /// Returns the state of a login that begins on the discovery page, before a carrier takes part in it.
    private func ofNoCarrier(
        _ prepared: PreparedRequest
    ) throws(RelyingPartyError) -> (transaction: LoginTransaction, binding: String, cookie: String) {
        do throws(RelyingPartyError.Reason) {
            let binding = try Secret.fresh()
            let transaction = try prepared.transaction(
                profile, client, issuer: location.issuer, binding: binding, now: clock.now.secondsSince1970)
            let cookie = try BindingCookie.field(
                binding, state: transaction.state, crossSitePost: false, lifetime: profile.lifetime)
            return (transaction, binding, cookie)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
    }
}
