internal import Synchronization

/// Why a fetch, or one address of it, gave nothing.
struct FetchFailure: Error {
    let error: KeySetError
    /// Seconds that the server asks to wait.
    var retryAfter: Double?
    /// Whether asking again at once may help.
    var isTransient = false

    init(_ error: KeySetError, retryAfter: Double? = nil, isTransient: Bool = false) {
        self.error = error
        self.retryAfter = retryAfter
        self.isTransient = isTransient
    }
}

/// What a server said that can be used.
struct Answer: Sendable {
    enum Content: Sendable {
        case body(TransportResponse)
        case notModified(TransportResponse)
    }
    let content: Content
    let url: String
    /// Seconds from question to answer.
    let delay: Double

    var ageFields: [String] {
        switch content {
        case .body(let response), .notModified(let response): response.headers("Age")
        }
    }
}

extension RemoteDocument {
    /// One address is asked, again where that may help, all within one deadline.
    func exchange(_ url: String) async throws(FetchFailure) -> Answer {
        let end = surroundings.now() + options.deadline.inSeconds
        var attempt = 0
        while true {
            do throws(FetchFailure) {
                return try await ask(url, before: end)
            } catch {
                let pause = 0.05 + 0.2 * surroundings.chance()
                // Less than this is left for no answer.
                let isInTime = surroundings.now() + pause + 0.05 < end
                guard error.isTransient, attempt < options.retries, isInTime, !Task.isCancelled else { throw error }
                attempt += 1
                guard (try? await surroundings.sleep(surroundings.now() + pause)) != nil else { throw error }
                count { $0.retries += 1 }
            }
        }
    }

    private func ask(_ url: String, before end: Double) async throws(FetchFailure) -> Answer {
        var request = TransportRequest(url: url)
        let started = surroundings.now()
        request.deadline = Duration(inSeconds: end - started)
        request.connectDeadline = min(options.connectDeadline, request.deadline)
        request.bodyLimit = options.bodyLimit
        request.redirectLimit = options.redirectLimit
        request.headers = [TransportHeaderField("Accept", reader.mediaTypes.joined(separator: ", "))]
        let conditions = state.withLock { state in
            state.counters.requests += 1
            return state.value != nil && state.url == url ? state.header.conditions : []
        }
        request.headers += conditions
        let response: TransportResponse
        do throws(TransportError) {
            response = try await transport.send(request)
        } catch {
            throw FetchFailure(.transport(error), isTransient: error.isTransient)
        }
        let delay = max(0, surroundings.now() - started)
        switch response.status {
        case 304 where !conditions.isEmpty:
            return Answer(content: .notModified(response), url: url, delay: delay)
        case 200:
            try checkBody(response)
            return Answer(content: .body(response), url: url, delay: delay)
        default:
            let retryAfter = StoredHeader.retryAfter(response)
            // A server that says when to come again is not asked before.
            let isTransient = (500...504).contains(response.status) && response.status != 501 && retryAfter == nil
            throw FetchFailure(.status(response.status), retryAfter: retryAfter, isTransient: isTransient)
        }
    }

    /// Whether the body may be looked at. The bound on its size is the transport's; one that does not keep it is caught here.
    private func checkBody(_ response: TransportResponse) throws(FetchFailure) {
        guard response.body.count <= options.bodyLimit else { throw FetchFailure(.transport(.bodyTooLarge)) }
        let type = response.header("Content-Type")?.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 > 0x20 }
        let name = type.map { String(decoding: $0, as: UTF8.self).lowercased() }
        guard let name, reader.mediaTypes.contains(name) else {
            guard options.contentType == .lenient else {
                count { $0.refused += 1 }
                events?.send([.refused(.contentType)])
                throw FetchFailure(.refused(.contentType))
            }
            events?.send([.contentTypeOdd])
            return
        }
    }
}

extension TransportError {
    /// Whether asking again at once may help.
    fileprivate var isTransient: Bool {
        switch self {
        case .nameNotResolved, .connectFailed, .connectDeadlineExceeded, .connectionLost: true
        default: false
        }
    }
}
