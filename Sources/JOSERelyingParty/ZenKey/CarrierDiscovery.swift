public import JOSEKeySets
internal import Synchronization

/// What discovery says of a user's carrier.
public enum CarrierAnswer: Sendable {
    /// This one.
    case carrier(Carrier)
    /// The user must say so, on this page.
    case ask(DiscoveryPage)
}

/// The page on which the user says who their carrier is.
public struct DiscoveryPage: Sendable {
    let address: String
    let clientID: String

    /// Where the browser goes; it comes back to `redirectURI` with `mccmnc`, `login_hint_token` and the same `state`. Each going
    /// takes one of the login's trips. Throws `redirectLoop`.
    public func url(
        redirectURI: String, state: String, trips: inout DiscoveryTrips, prompt: CarrierQuery.Prompt? = nil,
        sdkVersion: String? = nil
    ) throws(RelyingPartyError) -> String {
        try trips.take()
        return CarrierAddress.adding(
            [
                ("client_id", clientID), ("redirect_uri", redirectURI), ("state", state), ("prompt", prompt?.rawValue),
                ("sdk_version", sdkVersion),
            ], to: address)
    }
}

/// Asks ZenKey's central service who a user's carrier is. What it answers for a network is remembered for a quarter of an hour; what
/// an app says of its carrier selects what is asked here, and never an address.
public final class CarrierDiscovery: Sendable {
    /// For how long a network's carrier is remembered, in seconds.
    public static let lifetime = 900.0
    /// There are fewer networks in the United States.
    static let limit = 256

    private struct Held {
        let carrier: Carrier
        let since: Double
    }
    /// As it was given when this was made.
    public let environment: ZenKeyEnvironment
    private let clientID: String
    private let transport: any Transport
    private let now: @Sendable () -> Double
    private let held = Mutex<[MobileNetwork: Held]>([:])

    /// `now` tells seconds that only grow.
    public init(
        clientID: String, environment: ZenKeyEnvironment = .production, transport: any Transport,
        now: @escaping @Sendable () -> Double
    ) {
        self.clientID = clientID
        self.environment = environment
        self.transport = transport
        self.now = now
    }

    /// The page itself, for a login that begins with it.
    public var page: DiscoveryPage { DiscoveryPage(address: environment.discoveryUIURL, clientID: clientID) }

    /// Throws `providerError`, `untrustedIssuer`, `discoveryMismatch`, `malformed`, `unexpectedStatus`, `unreachable`.
    public func ask(_ query: CarrierQuery) async throws(RelyingPartyError) -> CarrierAnswer {
        if let network = query.network, query.isOfNetworkAlone, let carrier = remembered(network) {
            return .carrier(carrier)
        }
        var request = HTTPRequest(url: query.url(of: environment.discoveryURL, clientID: clientID))
        request.headers = [HTTPField("Accept", "application/json")]
        request.bodyLimit = IssuerMetadata.byteLimit
        let response: HTTPResponse
        do throws(TransportError) { response = try await transport.send(request) } catch {
            throw RelyingPartyError(RelyingPartyFailure(error), in: .discovery)
        }
        let answer = try read(response, for: query.network)
        if case .carrier(let carrier) = answer, query.isOfNetworkAlone { remember(carrier) }
        return answer
    }

    /// The carrier did not know what it should have known: the next login asks anew.
    public func forget(_ network: MobileNetwork) { held.withLock { _ = $0.removeValue(forKey: network) } }

    private func read(
        _ response: HTTPResponse, for network: MobileNetwork?
    ) throws(RelyingPartyError) -> CarrierAnswer {
        let answer = CarrierJSON(response.body)
        if let answer, answer.contains("error"), (200...499).contains(response.status) {
            return try readError(answer)
        }
        // As ZenKey's SDK for Android has it.
        if response.status == 404 { return .ask(page) }
        guard response.status == 200 else {
            throw RelyingPartyError(.unexpectedStatus(response.status), in: .discovery)
        }
        guard answer != nil else { throw RelyingPartyError(.malformed, in: .discovery) }
        return .carrier(try Carrier(parsing: response.body, for: network, trust: environment.trust))
    }

    private func readError(_ answer: CarrierJSON) throws(RelyingPartyError) -> CarrierAnswer {
        guard let code = answer.string("error").flatMap({ ProviderErrorCode($0) }) else {
            throw RelyingPartyError(.malformed, in: .discovery)
        }
        guard code.description == "provider_not_found" else {
            throw RelyingPartyError(.providerError(code), in: .discovery)
        }
        guard answer.contains("redirect_uri") else { return .ask(page) }
        // The browser is sent there: no page of a stranger's.
        guard let address = answer.string("redirect_uri"), environment.trust.trusts(address) else {
            throw RelyingPartyError(.untrustedIssuer, in: .discovery)
        }
        return .ask(DiscoveryPage(address: address, clientID: clientID))
    }

    private func remembered(_ network: MobileNetwork) -> Carrier? {
        let now = now()
        return held.withLock { held in
            guard let entry = held[network] else { return nil }
            guard (0..<Self.lifetime).contains(now - entry.since) else {
                held[network] = nil
                return nil
            }
            return entry.carrier
        }
    }

    private func remember(_ carrier: Carrier) {
        let now = now()
        held.withLock { held in
            if held.count >= Self.limit, held[carrier.network] == nil,
                let oldest = held.min(by: { $0.value.since < $1.value.since })
            {
                held[oldest.key] = nil
            }
            held[carrier.network] = Held(carrier: carrier, since: now)
        }
    }
}
