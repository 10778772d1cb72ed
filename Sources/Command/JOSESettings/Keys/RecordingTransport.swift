package import JOSEKeySets
import JOSESupport
import Synchronization

/// A transport that records the outcome of each request.
package final class RecordingTransport: HTTPTransport {
    package struct Exchange: Sendable {
        package let url: String
        package let seconds: Double
        package let result: Result<Answer, TransportError>
    }
    package struct Answer: Sendable {
        package let status: Int
        package let bytes: Int
        package let headers: [TransportHeaderField]
    }
    private let transport: any HTTPTransport
    private let made = Mutex<[Exchange]>([])

    init(_ transport: any HTTPTransport) { self.transport = transport }

    /// The last hundred requests and their outcomes.
    package var exchanges: [Exchange] { made.withLock { $0 } }

    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
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
