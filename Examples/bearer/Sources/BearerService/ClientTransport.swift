import AsyncHTTPClient
import JOSEKeySets
import NIOCore
import NIOPosix
import NIOSSL

/// A transport of key sets over AsyncHTTPClient.
///
/// It follows no redirect, whatever `redirectLimit` allows, and does not decompress. Unlike `CurlTransport` it connects to private
/// addresses as well: give it only URLs that you have chosen.
public struct ClientTransport: HTTPTransport {
    private let client: HTTPClient
    private let allowsLoopbackHTTP: Bool

    /// Returns a configuration that follows no redirect, connects once for a request, because a key set has retries of its own, and has
    /// the time limit for connecting that `KeySetOptions` has by default.
    public static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(3)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - client: A client with ``configuration``, which the caller shuts down.
    ///   - allowsLoopbackHTTP: Whether `http://127.0.0.1` is accepted, for development.
    public init(_ client: HTTPClient, allowsLoopbackHTTP: Bool = false) {
        self.client = client
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
    }

    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard request.url.hasPrefix("https://") || (allowsLoopbackHTTP && request.url.hasPrefix("http://127.0.0.1:"))
        else { throw .schemeNotAllowed }
        var sent = HTTPClientRequest(url: request.url)
        sent.method = request.method == .post ? .POST : .GET
        for field in request.headers { sent.headers.add(name: field.name, value: field.value) }
        if !request.body.isEmpty { sent.body = .bytes(request.body) }
        let limit = request.deadline.components
        let nanoseconds = limit.seconds * 1_000_000_000 + limit.attoseconds / 1_000_000_000
        do {
            // The deadline includes the body.
            let response = try await client.execute(sent, deadline: .now() + .nanoseconds(nanoseconds))
            let status = Int(response.status.code)
            guard ![301, 302, 303, 307, 308].contains(status) else { throw TransportError.redirectNotAllowed }
            let body = try await response.body.collect(upTo: request.bodyLimit)
            return TransportResponse(
                status: status, headers: response.headers.map { TransportHeaderField($0.name, $0.value) },
                body: Array(body.readableBytesView))
        } catch {
            throw Self.meaning(error)
        }
    }

    private static func meaning(_ error: any Error) -> TransportError {
        switch error {
        case let error as TransportError: error
        case is CancellationError, HTTPClientError.cancelled as HTTPClientError: .cancelled
        case is NIOTooManyBytesError: .bodyTooLarge
        case is NIOConnectionError: .connectFailed
        case NIOSSLExtraError.failedToValidateHostname as NIOSSLExtraError: .tls(.nameMismatch)
        case is NIOSSLError, is NIOSSLExtraError: .tls(.handshake)
        case let error as HTTPClientError:
            switch error {
            case .connectTimeout, .tlsHandshakeTimeout: .connectDeadlineExceeded
            case .deadlineExceeded, .readTimeout, .getConnectionFromPoolTimeout: .deadlineExceeded
            case .remoteConnectionClosed, .uncleanShutdown: .connectionLost
            case .alreadyShutdown: .closed
            case .invalidURL, .emptyHost, .emptyScheme: .urlInvalid
            default: .backend
            }
        default: .responseInvalid
        }
    }
}
