package import JOSE
package import JOSEKeySets
package import JOSERelyingParty
internal import JOSESupport
internal import Synchronization

/// The result of a query for a user's carrier.
package enum ZenKeyCarrierAnswer: Sendable {
    /// The carrier of the user.
    case carrier(ZenKeyCarrier)
    /// The carrier is not known. The user must select it on this page.
    case ask(ZenKeyDiscoveryPage)
}

/// ZenKey's discovery page, on which the user selects their carrier.
package struct ZenKeyDiscoveryPage: Sendable {
    let address: String
    let clientID: String

    /// Returns the URL of the page for one visit. After the visit, the page sends the browser to `redirectURI` with
    /// `mccmnc`, `login_hint_token` and the same `state`.
    ///
    /// - Parameters:
    ///   - redirectURI: The URI to which the page sends the browser back.
    ///   - state: The `state` of the visit, which the callback contains again.
    ///   - visits: The counter of the login's visits to the page, which this call increases.
    ///   - prompt: The instruction to the page; nil for none.
    ///   - sdkVersion: The version of the SDK, which is reported to the carriers (`sdk_version`).
    /// - Throws: `redirectLoop` if the login has used up its visits to the page.
    package func url(
        redirectURI: String, state: String, visits: inout ZenKeyDiscoveryVisits,
        prompt: ZenKeyCarrierQuery.Prompt? = nil,
        sdkVersion: String? = nil
    ) throws(RelyingPartyError) -> String {
        try visits.take()
        return CarrierAddress.adding(
            [
                ("client_id", clientID), ("redirect_uri", redirectURI), ("state", state), ("prompt", prompt?.rawValue),
                ("sdk_version", sdkVersion),
            ], to: address)
    }
}

/// A client of ZenKey's discovery service, which finds the carrier of a user.
///
/// The carrier of a network is cached for 15 minutes. A network that the service does not know is cached for one
/// minute. Concurrent queries for the same network share one request. Data that an app sends about its carrier can only
/// select the network in a query, never a URL.
package final class ZenKeyCarrierDiscovery: Sendable {
    /// The time for which the carrier of a network is cached.
    package static let lifetime = CarrierRegistry.lifetime
    /// The time for which it is remembered that discovery does not know a network.
    package static let absenceLifetime = CarrierRegistry.absenceLifetime

    /// The URLs of ZenKey's discovery service and discovery page, and the trusted hosts.
    package let environment: ZenKeyEnvironment
    private let clientID: String
    private let transport: any HTTPTransport
    private let elapsed: @Sendable () -> Double
    private let registry = Mutex(CarrierRegistry())

    /// Creates a client of ZenKey's discovery.
    ///
    /// - Parameters:
    ///   - clientID: The `client_id` of the service.
    ///   - environment: The URLs of ZenKey's discovery service and discovery page, and the trusted hosts.
    ///   - transport: The transport of the requests.
    ///   - clock: The clock by which cached results expire; nil for the system's monotonic clock, which is not affected
    ///     by changes of the wall clock.
    package convenience init(
        clientID: String, environment: ZenKeyEnvironment = .production, transport: any HTTPTransport,
        clock: WallClock? = nil
    ) {
        let elapsed: @Sendable () -> Double
        if let clock { elapsed = { clock.now.secondsSince1970 } } else { elapsed = SystemClock.elapsed }
        self.init(clientID: clientID, environment: environment, transport: transport, elapsed: elapsed)
    }

    /// Creates a client of ZenKey's discovery whose cached answers expire by `elapsed`, which returns seconds, counted
    /// from any moment.
    init(
        clientID: String, environment: ZenKeyEnvironment, transport: any HTTPTransport,
        elapsed: @escaping @Sendable () -> Double
    ) {
        self.clientID = clientID
        self.environment = environment
        self.transport = transport
        self.elapsed = elapsed
    }

    /// The discovery page, for a login in which the carrier is not known at the beginning.
    package var page: ZenKeyDiscoveryPage {
        ZenKeyDiscoveryPage(address: environment.discoveryUIURL, clientID: clientID)
    }

    /// Returns the carrier of a user, or the page on which the user must select it. A query for a network alone may be
    /// answered from the cache.
    ///
    /// - Parameter query: The query for the carrier.
    /// - Throws: `providerError`, `untrustedIssuer`, `discoveryMismatch`, `malformed`, `unexpectedStatus`,
    ///   `unreachable`, and `interrupted` if the task is cancelled.
    package func ask(_ query: ZenKeyCarrierQuery) async throws(RelyingPartyError) -> ZenKeyCarrierAnswer {
        try await ask(query, until: nil)
    }

    /// Returns the carrier of a user, or the page on which the user must select it, before the deadline. The request
    /// itself goes on after it, and its answer is cached.
    func ask(
        _ query: ZenKeyCarrierQuery, until deadline: CallDeadline?
    ) async throws(RelyingPartyError) -> ZenKeyCarrierAnswer {
        guard let network = query.network, query.isOfNetworkAlone else {
            return try await fetch(query)
        }
        let waiter = CarrierRegistry.Waiter(cancelled: .failure(RelyingPartyError(.interrupted, in: .discovery)))
        func join() {
            let now = elapsed()
            switch registry.withLock({ $0.join(network, waiter, at: now) }) {
            case .take(let answer): waiter.end(.success(answer))
            case .wait: break
            // The request has its own task, so that the cancellation of one caller does not end it for the others.
            case .ask(let request): Task.detached { await self.answer(query, network, to: request) }
            }
        }
        guard let deadline else { return try await waiter.value(startedBy: join).get() }
        let late = CarrierRegistry.Outcome.failure(RelyingPartyError(.unreachable, in: .discovery))
        // The request has a shorter limit of its own.
        let limit = try deadline.limit(.seconds(60), .discovery)
        return try await waiter.value(within: limit, orElse: late, startedBy: join).get()
    }

    /// Removes the carrier of a network from the cache. Call it when a carrier has not recognized its user. The next
    /// call of ``ask(_:)`` sends a new request, even while an earlier one is under way.
    ///
    /// - Parameter network: The network whose carrier is removed.
    package func forget(_ network: MobileNetwork) { registry.withLock { $0.forget(network) } }

    private func answer(_ query: ZenKeyCarrierQuery, _ network: MobileNetwork, to request: Int) async {
        let outcome: CarrierRegistry.Outcome
        do throws(RelyingPartyError) { outcome = .success(try await fetch(query)) } catch { outcome = .failure(error) }
        let now = elapsed()
        for waiter in registry.withLock({ $0.end(request, of: network, outcome, at: now) }) { waiter.end(outcome) }
    }

    private func fetch(_ query: ZenKeyCarrierQuery) async throws(RelyingPartyError) -> ZenKeyCarrierAnswer {
        var request = TransportRequest(url: query.url(of: environment.discoveryURL, clientID: clientID))
        request.headers = [TransportHeaderField("Accept", "application/json")]
        request.bodyLimit = IssuerMetadata.byteLimit
        let response: TransportResponse
        do throws(TransportError) { response = try await transport.send(request) } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: .discovery)
        }
        return try read(response, for: query.network)
    }

    private func read(
        _ response: TransportResponse, for network: MobileNetwork?
    ) throws(RelyingPartyError) -> ZenKeyCarrierAnswer {
        let answer = CarrierJSON(response.body)
        if let answer, answer.contains("error"), (200...499).contains(response.status) {
            return try readError(answer)
        }
        // ZenKey's SDK for Android treats status 404 in this way.
        if response.status == 404 { return .ask(page) }
        guard response.status == 200 else {
            throw RelyingPartyError(.unexpectedStatus(response.status), in: .discovery)
        }
        guard answer != nil else { throw RelyingPartyError(.malformed, in: .discovery) }
        return .carrier(try ZenKeyCarrier(parsing: response.body, for: network, trust: environment.trust))
    }

    private func readError(_ answer: CarrierJSON) throws(RelyingPartyError) -> ZenKeyCarrierAnswer {
        guard let code = answer.string("error").flatMap({ ProviderErrorCode($0) }) else {
            throw RelyingPartyError(.malformed, in: .discovery)
        }
        guard code.description == "provider_not_found" else {
            throw RelyingPartyError(.providerError(code), in: .discovery)
        }
        guard answer.contains("redirect_uri") else { return .ask(page) }
        // The browser is sent to this URL, so that its host must be trusted.
        guard let address = answer.string("redirect_uri"), environment.trust.trusts(address) else {
            throw RelyingPartyError(.untrustedIssuer, in: .discovery)
        }
        return .ask(ZenKeyDiscoveryPage(address: address, clientID: clientID))
    }
}
