#if HTTP
    import Foundation
    import JOSEFetch
    import JOSEKeySets
    import TestSupport

    /// A fault server with the helpers of the tests of the transport.
    struct Fetching {
        let server: FaultServer

        init() throws { server = try FaultServer.shared.get() }

        /// Creates a transport that trusts the server's CA and allows loopback.
        func transport(_ change: (inout CurlTransport.Options) -> Void = { _ in }) throws -> CurlTransport {
            var options = CurlTransport.Options()
            options.trust = .file(server.place.ca)
            options.allowsLoopback = true
            options.allowsLoopbackHTTP = true
            change(&options)
            return try CurlTransport(options)
        }

        func url(_ path: String, port: Int? = nil) -> String { server.url(path, port: port) }
        func plainURL(_ path: String) -> String { "http://127.0.0.1:\(server.place.http)\(path)" }

        /// Returns whether the server soon has no connection to the port.
        func isDeserted(port: Int) async throws -> Bool {
            for _ in 0..<30_000 {
                if try server.traffic(port: port).open == 0 { return true }
                try await Task.sleep(for: .milliseconds(10))
            }
            return false
        }
    }

    extension CurlTransport {
        typealias Answer = Result<TransportResponse, TransportError>

        /// Returns the response or the error.
        func result(_ url: String, _ change: (inout TransportRequest) -> Void = { _ in }) async -> Answer {
            var request = TransportRequest(url: url)
            // The limit allows for a busy machine.
            request.deadline = .seconds(60)
            request.connectDeadline = .seconds(60)
            change(&request)
            do { return .success(try await send(request)) } catch { return .failure(error) }
        }

        func error(_ url: String, _ change: (inout TransportRequest) -> Void = { _ in }) async -> TransportError? {
            if case .failure(let error) = await result(url, change) { return error }
            return nil
        }

        func status(_ url: String, _ change: (inout TransportRequest) -> Void = { _ in }) async -> Int? {
            if case .success(let response) = await result(url, change) { return response.status }
            return nil
        }
    }

    /// A thread of its own for a test, whose measurements do not depend on the shared threads.
    final class OwnThread: TaskExecutor {
        private let queue = DispatchQueue(label: "own thread of a test")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }

        static func run<T: Sendable>(_ body: () async throws -> T) async rethrows -> T {
            try await withTaskExecutorPreference(OwnThread(), operation: body)
        }
    }
#endif
