import AsyncHTTPClient
import BearerService
import JOSEKeySets
import Testing

@Suite("ClientTransport") struct ClientTransportTests {
    /// Runs a closure with a transport and the address of a server.
    private func withTransport(_ body: (ClientTransport, String) async throws -> Void) async throws {
        let client = HTTPClient(configuration: ClientTransport.configuration)
        do {
            try await LoopbackServer.with { try await body(ClientTransport(client, allowsLoopbackHTTP: true), $0) }
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private func request(_ url: String, bodyLimit: Int = 1000, deadline: Duration = .milliseconds(500))
        -> TransportRequest
    {
        var request = TransportRequest(url: url)
        request.headers = [TransportHeaderField("Accept", "application/json")]
        request.bodyLimit = bodyLimit
        request.deadline = deadline
        return request
    }

    @Test("sends header fields and returns status and body") func answer() async throws {
        try await withTransport { transport, server in
            let response = try await transport.send(request(server + "/keys"))
            #expect(response.status == 200)
            #expect(response.body == Array("application/json".utf8))
        }
    }

    @Test("accepts a body of the limit and rejects one byte more") func bodyLimit() async throws {
        try await withTransport { transport, server in
            let response = try await transport.send(request(server + "/large", bodyLimit: 1001))
            #expect(response.body.count == 1001)
            await #expect(throws: TransportError.bodyTooLarge) {
                _ = try await transport.send(request(server + "/large"))
            }
        }
    }

    @Test("follows no redirect") func redirect() async throws {
        try await withTransport { transport, server in
            await #expect(throws: TransportError.redirectNotAllowed) {
                _ = try await transport.send(request(server + "/moved"))
            }
        }
    }

    @Test("fails at the deadline, also within the body", arguments: ["/silent", "/stalled"])
    func deadline(path: String) async throws {
        try await withTransport { transport, server in
            let start = ContinuousClock.now
            await #expect(throws: TransportError.deadlineExceeded) {
                _ = try await transport.send(request(server + path))
            }
            #expect(ContinuousClock.now - start < .seconds(20))
        }
    }

    @Test("reports a connection that is lost or refused") func lost() async throws {
        try await withTransport { transport, server in
            await #expect(throws: TransportError.connectionLost) {
                _ = try await transport.send(request(server + "/closed", deadline: .seconds(20)))
            }
            // A port below 1024 on which nothing listens.
            await #expect(throws: TransportError.connectFailed) {
                _ = try await transport.send(request("http://127.0.0.1:1/keys", deadline: .seconds(20)))
            }
        }
    }

    @Test("fails at once when the task is cancelled, also within the body", arguments: ["/silent", "/stalled"])
    func cancelled(path: String) async throws {
        try await withTransport { transport, server in
            let task = Task { try await transport.send(request(server + path, deadline: .seconds(60))) }
            try await Task.sleep(for: .milliseconds(200))
            let start = ContinuousClock.now
            task.cancel()
            await #expect(throws: TransportError.cancelled) { _ = try await task.value }
            #expect(ContinuousClock.now - start < .seconds(20))
        }
    }

    @Test("rejects http unless it is of loopback and allowed") func scheme() async throws {
        try await withTransport { transport, server in
            let strict = ClientTransport(HTTPClient.shared)
            let response = try await transport.send(request(server + "/keys"))
            #expect(response.status == 200)
            await #expect(throws: TransportError.schemeNotAllowed) {
                _ = try await strict.send(request(server + "/keys"))
            }
            await #expect(throws: TransportError.schemeNotAllowed) {
                _ = try await transport.send(request("http://id.example.com/keys"))
            }
        }
    }
}
