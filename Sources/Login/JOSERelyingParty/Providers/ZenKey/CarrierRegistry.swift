internal import JOSEBytes

/// The cached answers of discovery, and the callers that wait for an answer. Callers that ask for the same network
/// share the request that is under way, unless the network was forgotten since that request began. The number of cached
/// answers is limited; a new one replaces the oldest.
struct CarrierRegistry {
    typealias Outcome = Result<ZenKeyCarrierAnswer, RelyingPartyError>
    typealias Waiter = Exchange<Outcome>

    /// The time for which the carrier of a network is cached.
    static let lifetime = Duration.seconds(900)
    /// The time for which it is cached that discovery does not know a network.
    static let absenceLifetime = Duration.seconds(60)
    /// The largest number of cached carriers. There are fewer networks in the United States.
    static let limit = 256
    /// The largest number of cached unknown networks. Any app can name them.
    static let absenceLimit = 1_024

    private struct Entry {
        let answer: ZenKeyCarrierAnswer
        let since: Double
    }
    private var carriers: [MobileNetwork: Entry] = [:]
    private var absences: [MobileNetwork: Entry] = [:]
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
            case .carrier: Self.add(answer, network, to: &carriers, limit: Self.limit, at: now)
            case .ask: Self.add(answer, network, to: &absences, limit: Self.absenceLimit, at: now)
            }
        }
        return waiting
    }

    /// Forgets a network, so that the next caller sends a new request. Callers that already wait receive the answer to
    /// their request.
    mutating func forget(_ network: MobileNetwork) {
        carriers[network] = nil
        absences[network] = nil
        requests[network] = nil
    }

    private mutating func cached(_ network: MobileNetwork, at now: Double) -> ZenKeyCarrierAnswer? {
        if let entry = carriers[network] {
            if (0..<Self.lifetime.inSeconds).contains(now - entry.since) { return entry.answer }
            carriers[network] = nil
        }
        if let entry = absences[network] {
            if (0..<Self.absenceLifetime.inSeconds).contains(now - entry.since) { return entry.answer }
            absences[network] = nil
        }
        return nil
    }

    private static func add(
        _ answer: ZenKeyCarrierAnswer, _ network: MobileNetwork, to entries: inout [MobileNetwork: Entry], limit: Int,
        at now: Double
    ) {
        if entries.count >= limit, entries[network] == nil,
            let oldest = entries.min(by: { $0.value.since < $1.value.since })
        {
            entries[oldest.key] = nil
        }
        entries[network] = Entry(answer: answer, since: now)
    }
}
