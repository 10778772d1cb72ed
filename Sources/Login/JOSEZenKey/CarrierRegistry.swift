internal import JOSERelyingParty
internal import JOSESupport

/// The cached answers of discovery, and the callers that wait for an answer. Callers that ask for the same network
/// share the request that is under way, unless the network was forgotten since that request began. The number of cached
/// answers is limited; a new one replaces the oldest.
struct CarrierRegistry {
    typealias Outcome = Result<ZenKeyCarrierAnswer, RelyingPartyError>
    typealias Waiter = Wait<Outcome>

    /// The time for which the carrier of a network is cached.
    static let lifetime = Duration.seconds(900)
    /// The time for which it is cached that discovery does not know a network.
    static let absenceLifetime = Duration.seconds(60)
    /// The largest number of cached carriers. There are fewer networks in the United States.
    static let limit = 256
    /// The largest number of cached unknown networks. Any app can name them.
    static let absenceLimit = 1_024

    private struct Cached: Sendable {
        let answer: ZenKeyCarrierAnswer
        let since: Double
    }
    private typealias Cache = ExpiringMap<MobileNetwork, Cached>
    private var carriers = Cache(countLimit: limit, eviction: .endsFirst)
    private var absences = Cache(countLimit: absenceLimit, eviction: .endsFirst)
    /// The callers that wait for each request that is under way, by its number.
    private var waiters: [Int: [Waiter]] = [:]
    /// The request that a new caller joins, and whose answer is cached; there is none once the network was forgotten.
    private var requests: [MobileNetwork: Int] = [:]
    private var lastRequest = 0

    /// The next step of a caller that asks for a network.
    enum Step {
        /// The answer is cached.
        case take(ZenKeyCarrierAnswer)
        /// Another caller's request is under way.
        case wait
        /// The caller sends the request, and passes its number and its outcome to `end(_:of:_:at:)`.
        case ask(request: Int)
    }

    /// Returns the next step of a caller. Unless the answer is cached, the caller is added to those that wait.
    mutating func join(_ network: MobileNetwork, _ waiter: Waiter, at now: Double) -> Step {
        if let answer = cached(network, at: now) { return .take(answer) }
        if let request = requests[network] {
            waiters[request, default: []].append(waiter)
            return .wait
        }
        lastRequest += 1
        requests[network] = lastRequest
        waiters[lastRequest] = [waiter]
        return .ask(request: lastRequest)
    }

    /// Caches the answer to a request, and returns the callers that wait for it. A failure is not cached, and neither
    /// is the answer to a request that began before the network was forgotten.
    mutating func end(_ request: Int, of network: MobileNetwork, _ outcome: Outcome, at now: Double) -> [Waiter] {
        let waiting = waiters.removeValue(forKey: request) ?? []
        guard requests[network] == request else { return waiting }
        requests[network] = nil
        if case .success(let answer) = outcome {
            switch answer {
            case .carrier: Self.add(answer, network, to: &carriers, Self.lifetime, at: now)
            case .ask: Self.add(answer, network, to: &absences, Self.absenceLifetime, at: now)
            }
        }
        return waiting
    }

    /// Forgets a network, so that the next caller sends a new request. Callers that already wait receive the answer to
    /// their request.
    mutating func forget(_ network: MobileNetwork) {
        carriers.remove(network)
        absences.remove(network)
        requests[network] = nil
    }

    private func cached(_ network: MobileNetwork, at now: Double) -> ZenKeyCarrierAnswer? {
        let found = carriers.value(network, at: now) ?? absences.value(network, at: now)
        // A clock that went back makes no answer live longer.
        return found.flatMap { now >= $0.since ? $0.answer : nil }
    }

    private static func add(
        _ answer: ZenKeyCarrierAnswer, _ network: MobileNetwork, to cache: inout Cache, _ lifetime: Duration,
        at now: Double
    ) {
        cache.set(Cached(answer: answer, since: now), for: network, until: now + lifetime.inSeconds, at: now)
    }
}
