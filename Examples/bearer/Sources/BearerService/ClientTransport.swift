import AsyncHTTPClient
import Foundation
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
        let exchange = sent
        let result = await withTaskGroup(of: Result<TransportResponse, TransportError>.self) { group in
            group.addTask { await receive(exchange, bodyLimit: request.bodyLimit) }
            // A deadline of AsyncHTTPClient ends with the header of the response, and does not include the body.
            group.addTask {
                do { try await Task.sleep(for: request.deadline) } catch { return .failure(.cancelled) }
                return .failure(.deadlineExceeded)
            }
            let first = await group.next() ?? .failure(.backend)
            group.cancelAll()
            return first
        }
        return try result.get()
    }

    /// Sends a request, and receives the response with its body, without a time limit.
    private func receive(_ request: HTTPClientRequest, bodyLimit: Int) async -> Result<
        TransportResponse, TransportError
    > {
        do {
            let response = try await client.execute(request, deadline: .distantFuture)
            let status = Int(response.status.code)
            guard ![301, 302, 303, 307, 308].contains(status) else { return .failure(.redirectNotAllowed) }
            let body = try await response.body.collect(upTo: bodyLimit)
            // A body that a cancelled task has received may lack its end.
            try Task.checkCancellation()
            return .success(
                TransportResponse(
                    status: status, headers: response.headers.map { TransportHeaderField($0.name, $0.value) },
                    body: Array(body.readableBytesView)))
        } catch {
            return .failure(Self.meaning(error))
        }
    }

    private static func meaning(_ error: any Error) -> TransportError {
        switch error {
        case is CancellationError, HTTPClientError.cancelled as HTTPClientError: .cancelled
        case is NIOTooManyBytesError: .bodyTooLarge
        case is NIOConnectionError: .connectFailed
        case let error as IOError:
            [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(error.errnoCode)
                ? .connectFailed : .connectionLost
        case ChannelError.connectTimeout: .connectDeadlineExceeded
        case is ChannelError: .connectionLost
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
