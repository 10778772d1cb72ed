import JOSEBytes
import JOSEKeySets
import Synchronization

/// A transport that records the outcome of each request.
final class RecordingTransport: HTTPTransport {
    struct Exchange: Sendable {
        let url: String
        let seconds: Double
        let result: Result<Answer, TransportError>
    }
    struct Answer: Sendable {
        let status: Int
        let bytes: Int
        let headers: [TransportHeaderField]
    }
    private let transport: any HTTPTransport
    private let made = Mutex<[Exchange]>([])

    init(_ transport: any HTTPTransport) { self.transport = transport }

    /// The last hundred requests and their outcomes.
    var exchanges: [Exchange] { made.withLock { $0 } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let start = ContinuousClock.now
        let result: Result<TransportResponse, TransportError>
        do throws(TransportError) {
            result = .success(try await transport.send(request))
        } catch {
            result = .failure(error)
        }
        let exchange = Exchange(
            url: request.url, seconds: (ContinuousClock.now - start).inSeconds,
            result: result.map { Answer(status: $0.status, bytes: $0.body.count, headers: $0.headers) })
        made.withLock { made in
            if made.count == 100 { made.removeFirst() }
            made.append(exchange)
        }
        return try result.get()
    }
}
