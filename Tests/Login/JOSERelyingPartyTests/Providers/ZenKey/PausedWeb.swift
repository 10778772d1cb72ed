import JOSEKeySets
import Synchronization

/// A transport whose responses wait until they are released.
final class PausedWeb: HTTPTransport {
    private let web: CarrierWeb
    private let arrivals = AsyncStream<Void>.makeStream()
    private let isOpen = Mutex(false)
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    init(_ web: CarrierWeb) { self.web = web }

    /// Waits for the next request.
    func arrival() async { for await _ in arrivals.stream { return } }

    func release() {
        let waiting = waiting.withLock { waiting in
            isOpen.withLock { $0 = true }
            defer { waiting = [] }
            return waiting
        }
        for one in waiting { one.resume() }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        arrivals.continuation.yield()
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                if isOpen.withLock({ $0 }) { return true }
                waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        return try await web.send(request)
    }
}
