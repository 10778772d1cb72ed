internal import JOSESupport
internal import Synchronization

/// The reason why a fetch, or one URL of it, failed.
struct FetchFailure: Error {
    let error: KeySetError
    /// The seconds that the server asks to wait.
    var retryAfter: Double?
    /// Whether an immediate retry may help.
    var isTransient = false

    init(_ error: KeySetError, retryAfter: Double? = nil, isTransient: Bool = false) {
        self.error = error
        self.retryAfter = retryAfter
        self.isTransient = isTransient
    }
}

/// A usable response of the server.
struct Answer: Sendable {
    enum Content: Sendable {
        case body(TransportResponse)
        case notModified(TransportResponse)
    }
    let content: Content
    let url: String
    /// The seconds from the request to the response.
    let delay: Double
    /// The document that another process saved, in place of a response of the server.
    var copy: SharedCopy?

    var ageFields: [String] {
        switch content {
        case .body(let response), .notModified(let response): response.headers("Age")
        }
    }
}

extension RemoteDocument {
    /// Sends a request to one URL, with retries where they may help, all within one deadline.
    func exchange(_ url: String) async throws(FetchFailure) -> Answer {
        let end = environment.now() + options.deadline.inSeconds
        var attempt = 0
        while true {
            do throws(FetchFailure) {
                return try await ask(url, before: end)
            } catch {
                let pause = 0.05 + 0.2 * environment.chance()
                // Too little time is left for a response.
                let isInTime = environment.now() + pause + 0.05 < end
                guard error.isTransient, attempt < options.retries, isInTime else { throw error }
                attempt += 1
                guard (try? await environment.sleep(environment.now() + pause)) != nil else { throw error }
                count { $0.retries += 1 }
            }
        }
    }

    private func ask(_ url: String, before end: Double) async throws(FetchFailure) -> Answer {
        var request = TransportRequest(url: url)
        let started = environment.now()
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
        let delay = max(0, environment.now() - started)
        switch response.status {
        case 304 where !conditions.isEmpty:
            return Answer(content: .notModified(response), url: url, delay: delay)
        case 200:
            try checkBody(response)
            return Answer(content: .body(response), url: url, delay: delay)
        default:
            let retryAfter = StoredHeader.retryAfter(response)
            // A server that gives a time for the next request is not asked before it.
            let isTransient = (500...504).contains(response.status) && response.status != 501 && retryAfter == nil
            throw FetchFailure(.status(response.status), retryAfter: retryAfter, isTransient: isTransient)
        }
    }

    /// Checks the size and the content type before the body is parsed. The size is checked again for transports that do
    /// not enforce it.
    private func checkBody(_ response: TransportResponse) throws(FetchFailure) {
        guard response.body.count <= options.bodyLimit else { throw FetchFailure(.transport(.bodyTooLarge)) }
        let type = response.header("Content-Type")?.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 > 0x20 }
        let name = type.map { String(decoding: $0, as: UTF8.self).lowercased() }
        guard let name, reader.mediaTypes.contains(name) else {
            guard options.acceptsAnyContentType else {
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
    /// Whether an immediate retry may help.
    fileprivate var isTransient: Bool {
        switch self {
        case .nameNotResolved, .connectFailed, .connectDeadlineExceeded, .connectionLost: true
        default: false
        }
    }
}
